"""Getters: what an OSWorld evaluator compares, fetched from the desktop or from the content cache.

A getter returns a value, or the path of a file (str) in the verification's private folder. None stands for something
that the agent should have made and that a well desktop does not have. A module here holds getters as attributes named as
task files name them; it imports at its top only what the base has, and what else it needs where it is used
(:attr:`Getter.needs`), so that task files can be read and checked anywhere.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gui_gym.registry import Registry
from gui_gym.tasks.content_cache import base_name, cached_file
from gui_gym.tasks.fields import TEXT, Field, check_fields, flag
from gui_gym.tasks.setup import Stage
from gui_gym.tasks.task import Task, TaskError


class GoldMissingError(RuntimeError):
    """A file that the task's author should have supplied is not there: the episode is unscored."""


@dataclass(frozen=True)
class Getter:
    """One type of getter.

    Args:
        get: fetches the value on a :class:`~gui_gym.tasks.setup.Stage` as the spec says.
        required: fields the spec must have.
        optional: fields it may have; others pass.
        from_author: whether the value comes from the task's author, not from the agent's work.
        needs: modules to import that the extra ``osworld`` installs.
        addresses: the addresses of the Internet that a getter with this spec asks for.
        prepare: done before the postconfig, which ends programs that may still hold what the getter reads; it gets the types of all
            getters of the task, some of which may need those programs.
    """

    get: Callable[[Stage, Mapping[str, Any]], Any]
    required: Mapping[str, Field] = field(default_factory=dict)
    optional: Mapping[str, Field] = field(default_factory=dict)
    from_author: bool = False
    needs: tuple[str, ...] = ()
    addresses: Callable[[Mapping[str, Any]], list[str]] = lambda spec: []
    prepare: Callable[[Stage, Collection[str]], None] = lambda stage, kinds: None


_HERE = "gui_gym.verifiers.osworld.getters"
_MODULES: dict[str, tuple[str, ...]] = {
    "files": ("vm_file", "cloud_file", "cache_file", "list_directory", "rule"),
    "system": ("vm_command_line", "vm_command_error", "vm_screen_size", "default_video_player"),
    "accessibility": ("accessibility_tree", "vm_terminal_output"),
    "code": ("vscode_config",),
    "apps": (
        "gimp_config_file", "vlc_config", "vlc_playing_info", "vm_wallpaper", "vm_window_size", "audio_in_slide", "background_image_in_slide",
    ),
    "browser_profile": (
        "default_search_engine", "profile_name", "enable_do_not_track", "enable_enhanced_safety_browsing", "enable_safe_browsing",
        "new_startup_page", "data_delete_automacally", "chrome_font_size", "find_unpacked_extension_path", "find_installed_extension_name",
        "bookmarks", "cookie_data", "history", "shortcuts_on_desktop",
    ),
    "browser": (
        "open_tabs_info", "active_url_from_accessTree", "active_tab_info", "active_tab_url_parse", "active_tab_html_parse", "url_dashPart",
        "url_path_parse", "chrome_appearance_mode_ui",
    ),
    "pages": ("page_info", "pdf_from_url", "info_from_website", "chrome_saved_address", "gotoRecreationPage_and_get_html_content"),
    "dates": ("rule_relativeTime",),
    "spreadsheets": ("content_from_vm_file",),
}  # fmt: skip

#: Getters of what a browser shows now, which end with it.
LIVE_BROWSER = frozenset(_MODULES["browser"])
#: Getters of OSWorld's that are not there, and why.
UNSUPPORTED_GETTERS: dict[str, str] = {"googledrive_file": "it needs a Google account and its key"}

#: Getters by the ``type`` of an evaluator's ``result`` or ``expected``.
GETTERS: Registry[Getter] = Registry("getter", {name: f"{_HERE}.{module}:{name}" for module, names in _MODULES.items() for name in names})


def check_getter(spec: Mapping[str, Any], where: str) -> None:
    """Check a getter's spec in a task file; types that are not known pass. Raises :class:`~gui_gym.tasks.TaskError`."""
    TEXT.check(spec.get("type"), f"{where}.type")
    if spec["type"] not in GETTERS:
        return
    known = GETTERS.get(spec["type"])
    fields = {name: value for name, value in spec.items() if name != "type"}
    check_fields(fields, where, known.required, known.optional, only=False)
    if "dest" in known.required and "path" in known.required:
        for _ in named_files(spec, where):
            pass


def getter_problems(name: str) -> list[str]:
    """Why the getter ``name`` cannot work in this installation, one line each."""
    if name not in GETTERS:
        return [f"getter {name!r} is not supported" + (f": {UNSUPPORTED_GETTERS[name]}" if name in UNSUPPORTED_GETTERS else "")]
    missing = [module for module in GETTERS.get(name).needs if importlib.util.find_spec(module) is None]
    return [f'getter {name!r} needs {", ".join(missing)}: pip install "gui-gym[osworld]"'] if missing else []


def missing_gold(task: Task, spec: Mapping[str, Any]) -> list[str]:
    """The cloud files of ``spec`` that the content cache does not hold, one line each."""
    if spec.get("type") != "cloud_file":
        return []
    return [f"the content cache has no {url} (expected as {name!r})" for _, url, name in named_files(spec) if gold_file(task, url, name) is None]


def gold_urls(spec: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """``(url, name in the cache)`` of each file that the author supplies for ``spec``."""
    if spec.get("type") == "cloud_file":
        yield from ((url, name) for _, url, name in named_files(spec))


def named_files(spec: Mapping[str, Any], where: str = "getter") -> Iterator[tuple[int, str, str]]:
    """``(index, path, dest)`` of a spec of one or, with ``multi``, several files."""
    many = flag(spec.get("multi") or False)
    paths, dests = (spec["path"], spec["dest"]) if many else ([spec["path"]], [spec["dest"]])
    if not (isinstance(paths, list) and isinstance(dests, list) and len(paths) == len(dests) and all(isinstance(p, str) for p in [*paths, *dests])):
        expected = "path and dest to be lists of one length" if many else "path and dest to be strings; for lists set multi"
        raise TaskError(f"{where}: expected {expected}, got {spec['path']!r:.80} and {spec['dest']!r:.80}")
    yield from ((i, path, dest) for i, (path, dest) in enumerate(zip(paths, dests, strict=True)))


def gold_file(task: Task, url: str, name: str) -> Path | None:
    """The cached file that a ``cloud_file`` names; None if it is not there."""
    return cached_file(task, url, base_name(url), dest=name)
