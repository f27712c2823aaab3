"""Metrics on LibreOffice's settings (``registrymodifications.xcu``) and its window."""

from __future__ import annotations

from collections.abc import Mapping

import lxml  # noqa: F401  (parse_xml imports it when it is called)

from gui_gym.verifiers.osworld.safe_files import parse_xml, zero_if_unreadable

_OOR = "{http://openoffice.org/2001/registry}"


def setting(path: str, item: str, name: str) -> str | None:
    """The value of the setting ``name`` at ``item``, such as "/org.openoffice.Office.Writer/DefaultFont"; None if it is not set."""
    values = [
        prop.findtext("value")
        for entry in parse_xml(path).iter("item")
        if entry.get(f"{_OOR}path") == item
        for prop in entry.iter("prop")
        if prop.get(f"{_OOR}name") == name
    ]
    return values[-1] if values else None


@zero_if_unreadable
def find_default_font(result: str, rules: Mapping[str, str]) -> float:
    """1 if Writer's default font is ``rules["font_name"]``."""
    return float(setting(result, "/org.openoffice.Office.Writer/DefaultFont", "Standard") == rules["font_name"])


@zero_if_unreadable
def check_presenter_console_disable(result: str) -> float:
    """1 if Impress's presenter console is turned off."""
    return float((setting(result, "/org.openoffice.Office.Impress/Misc/Start", "EnablePresenterScreen") or "").lower() == "false")


@zero_if_unreadable
def check_auto_saving_time(result: str, rules: Mapping[str, int]) -> float:
    """1 if LibreOffice saves by itself every ``rules["minutes"]`` minutes."""
    minutes = setting(result, "/org.openoffice.Office.Common/Save/Document", "AutoSaveTimeIntervall")
    return float(minutes is not None and minutes.strip() == str(rules["minutes"]))


def check_left_panel(result: str) -> float:
    """1 if the accessibility tree, OSWorld's XML, shows Impress's panel of slides on the left."""
    return float(any(node.get("name") == "Slides View" for node in parse_xml(result.encode()).iter("document-frame")))
