"""Getters of what a browser keeps in its profile on the desktop: settings, bookmarks, history, cookies, extensions.

A browser writes a setting to the disk some seconds after it was changed, or when it ends: tasks end it in their postconfig.
A file that is missing or that the agent left unreadable gives None; a setting that is not in it has the browser's default.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

from gui_gym.desktops.base import DesktopFileNotFoundError
from gui_gym.desktops.devtools import CLOSE_SECONDS, NoBrowserError, close_browser, find_browser
from gui_gym.tasks.fields import NAME, Field
from gui_gym.tasks.setup import Stage, expand_home, wait_until
from gui_gym.tasks.setup.browser import HISTORY, PROFILES
from gui_gym.verifiers.osworld.databases import read_rows
from gui_gym.verifiers.osworld.getters import LIVE_BROWSER, Getter
from gui_gym.verifiers.osworld.getters.files import new_folder, read_output
from gui_gym.verifiers.osworld.safe_files import UnreadableFile

#: Where a profile's cookies are: in newer browsers in a folder that its network process alone writes.
COOKIES = ("Default/Network/Cookies", "Default/Cookies")
#: Parts of a profile's settings; where a setting is in several, the last one holds.
PREFERENCES = ("Default/Preferences", "Default/Secure Preferences")
SESSION_ONLY = 4  #: Chromium's content setting that keeps something until the browser is closed
NEW_TAB = 5  #: value of ``session.restore_on_startup``: the browser opens with a new tab
FONT_SIZES = {"default_fixed_font_size": 13, "default_font_size": 16, "minimum_font_size": 0}
MAX_SHORTCUTS = 200
WRITE_SECONDS = 11.0  #: a browser writes settings, bookmarks and visits within 10 s of their change,
COOKIE_SECONDS = 31.0  #: and cookies within 30 s


def _read(stage: Stage, *names: str) -> bytes | None:
    """The first file that a profile has of those called ``names``."""
    for folder in PROFILES:
        for name in names:
            content = read_output(stage.desktop, expand_home(stage.desktop, [f"{folder}/{name}"])[0])
            if content is not None:
                return content
    return None


def _json(stage: Stage, name: str) -> dict[str, Any] | None:
    content = _read(stage, name)
    try:
        value = json.loads(content) if content is not None else None
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _preferences(stage: Stage) -> dict[str, Any] | None:
    parts = [part for part in (_json(stage, name) for name in PREFERENCES) if part is not None]
    merged: dict[str, Any] = {}
    for part in parts:
        merged = _merge(merged, part)
    return merged if parts else None


def _merge(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    both = {key: _merge(one[key], other[key]) for key in one if isinstance(one[key], dict) and isinstance(other.get(key), dict)}
    return {**one, **other, **both}


def _at(values: Any, path: str, default: Any = None) -> Any:
    """What is at ``path``, its parts separated by dots; ``default`` where there is nothing."""
    for key in path.split("."):
        if not isinstance(values, dict) or key not in values:
            return default
        values = values[key]
    return values


def _kept(get: Callable[[Stage, Mapping[str, Any]], Any], **required: Field) -> Getter:
    """A getter of what a browser keeps in its profile."""
    return Getter(get, required, prepare=_flush)


def _setting(path: str, default: Any = None) -> Any:
    """A getter of one setting as it is."""
    return _kept(lambda stage, spec: None if (values := _preferences(stage)) is None else _at(values, path, default))


def _switch(stage: Stage, *paths: str) -> str | None:
    """ "true" or "false": whether one of the settings is on; one that is not there is off."""
    values = _preferences(stage)
    return None if values is None else _word(any(_at(values, path) is True for path in paths))


def _word(value: bool) -> str:
    return "true" if value else "false"


def _startup(stage: Stage, spec: Mapping[str, Any]) -> str | None:
    values = _preferences(stage)
    return None if values is None else _word(_at(values, "session.restore_on_startup", NEW_TAB) == NEW_TAB)


def _deletes_data(stage: Stage, spec: Mapping[str, Any]) -> str | None:
    """Whether what sites keep is deleted when the browser is closed. OSWorld takes any content setting for that, and a new profile has one."""
    values = _preferences(stage)
    return None if values is None else _word(_at(values, "profile.default_content_setting_values.cookies") == SESSION_ONLY)


def _font_sizes(stage: Stage, spec: Mapping[str, Any]) -> dict[str, Any] | None:
    values = _preferences(stage)
    found = _at(values, "webkit.webprefs", {})
    return None if values is None else {**FONT_SIZES, **(found if isinstance(found, dict) else {})}


def _extensions(stage: Stage) -> list[dict[str, Any]] | None:
    values = _preferences(stage)
    found = _at(values, "extensions.settings", {})
    return None if values is None else [entry for entry in found.values() if isinstance(entry, dict)] if isinstance(found, dict) else []


def _extension_paths(stage: Stage, spec: Mapping[str, Any]) -> list[str] | None:
    """Folders of all extensions, those that come with the browser included."""
    found = _extensions(stage)
    return None if found is None else [entry["path"] for entry in found if isinstance(entry.get("path"), str)]


def _extension_names(stage: Stage, spec: Mapping[str, Any]) -> list[str] | None:
    found = _extensions(stage)
    if found is None:
        return None
    names = [_at(entry, "manifest.name") or _manifest_name(stage, entry.get("path")) for entry in found]
    return [name for name in names if isinstance(name, str)]


def _manifest_name(stage: Stage, path: Any) -> str | None:
    """The name in the manifest of the extension in the folder ``path``, in the language that it falls back on."""
    if not isinstance(path, str):
        return None

    def read(name: str) -> dict[str, Any]:
        if path.startswith("/"):
            try:
                value = json.loads(stage.desktop.read_file(f"{path}/{name}"))
            except (DesktopFileNotFoundError, ValueError, RecursionError):
                return {}
            return value if isinstance(value, dict) else {}
        return _json(stage, f"Default/Extensions/{path}/{name}") or {}

    manifest = read("manifest.json")
    name = manifest.get("name")
    if not isinstance(name, str) or not name.startswith("__MSG_"):
        return name if isinstance(name, str) else None
    messages = read(f"_locales/{manifest.get('default_locale')}/messages.json")
    key = name.removeprefix("__MSG_").removesuffix("__").lower()
    return next((_at(value, "message") for label, value in messages.items() if label.lower() == key), None)


def _bookmarks(stage: Stage, spec: Mapping[str, Any]) -> Any:
    """The folders of bookmarks by name: ``bookmark_bar``, ``other``, ``synced``."""
    return _at(_json(stage, "Default/Bookmarks"), "roots")


def _rows(stage: Stage, spec: Mapping[str, Any], names: tuple[str, ...], query: str) -> list[tuple[Any, ...]] | None:
    content = _read(stage, *names)
    if content is None:
        return None
    path = Path(new_folder(stage), spec["dest"])
    path.write_bytes(content)
    try:
        return read_rows(path, query)
    except UnreadableFile:
        return None


def _flush(stage: Stage, kinds: Collection[str]) -> None:
    """Have the browser write what it holds, which it does seconds after a change or when it ends, but not all of it at the signal of a
    postconfig. It is ended by its last tab, or waited for where another getter of the task still needs it."""
    try:
        find_browser(stage.desktop)
    except NoBrowserError:
        return
    if not LIVE_BROWSER.isdisjoint(kinds):
        time.sleep(WRITE_SECONDS if "cookie_data" not in kinds else COOKIE_SECONDS)
        return
    close_browser(stage.desktop)
    locks = expand_home(stage.desktop, [f"{folder}/SingletonLock" for folder in PROFILES])  # a browser holds it until it has ended
    wait_until(lambda: all(stage.desktop.run(["test", "-L", lock]).returncode for lock in locks), CLOSE_SECONDS)


def _cookies(stage: Stage, spec: Mapping[str, Any]) -> list[tuple[Any, ...]] | None:
    """``(creation time, host, name, path)`` of each cookie."""
    return _rows(stage, spec, COOKIES, "SELECT creation_utc, host_key, name, path FROM cookies")


def _history(stage: Stage, spec: Mapping[str, Any]) -> list[tuple[Any, ...]] | None:
    """``(url, title, time of the last visit)`` of each page."""
    return _rows(stage, spec, (HISTORY,), "SELECT url, title, last_visit_time FROM urls")


def _shortcuts(stage: Stage, spec: Mapping[str, Any]) -> dict[str, str]:
    """The launchers on the desktop, ``*.desktop``: names and contents."""
    folder = expand_home(stage.desktop, ["~/Desktop"])[0]
    found = stage.desktop.run(["find", folder, "-maxdepth", "1", "-type", "f", "-name", "*.desktop", "-print0"]).stdout
    shortcuts = {}
    for path in [item.decode(errors="replace") for item in found.split(b"\0") if item][:MAX_SHORTCUTS]:
        try:
            shortcuts[path.rsplit("/", 1)[-1]] = stage.desktop.read_file(path).decode(errors="replace")
        except DesktopFileNotFoundError:  # a name that is not UTF-8
            continue
    return shortcuts


default_search_engine = _setting("default_search_provider_data.template_url_data.short_name", "Google")
profile_name = _setting("profile.name")
enable_do_not_track = _kept(lambda stage, spec: _switch(stage, "enable_do_not_track"))
enable_enhanced_safety_browsing = _kept(lambda stage, spec: _switch(stage, "safebrowsing.enhanced"))
enable_safe_browsing = _kept(lambda stage, spec: _switch(stage, "safebrowsing.enabled", "safebrowsing.enhanced"))
new_startup_page = _kept(_startup)
data_delete_automacally = _kept(_deletes_data)
chrome_font_size = _kept(_font_sizes)
find_unpacked_extension_path = _kept(_extension_paths)
find_installed_extension_name = _kept(_extension_names)
bookmarks = _kept(_bookmarks)
cookie_data = _kept(_cookies, dest=NAME)
history = _kept(_history, dest=NAME)
shortcuts_on_desktop = Getter(_shortcuts)
