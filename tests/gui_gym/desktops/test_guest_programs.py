"""What the guest desktop sends to guests without an X server, run here with a pyautogui that notes its calls."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from gui_gym.actions import Key
from gui_gym.desktops.guest.keys import pyautogui_name, x11_name
from gui_gym.desktops.guest.windows import parse_wmctrl

PYAUTOGUI = """
import json, types
KNOWN = set("abcdefghijklmnopqrstuvwxyz0123456789<,. ") | {"ctrl", "shift", "enter", "win"}
platformModule = types.SimpleNamespace(keyboardMapping={**{key: 1 for key in KNOWN}, "menu": None})
calls = []
def position():
    print("CALLS" + json.dumps(calls))
    return 7, 8
def __getattr__(name):
    return lambda *args, **kwargs: calls.append([name, *args, kwargs])
"""
PYPERCLIP = """
kept = ""
def copy(text):
    global kept
    kept = text
def paste():
    return kept
"""


@pytest.fixture
def send(tmp_path: Path) -> Any:
    (tmp_path / "pyautogui.py").write_text(PYAUTOGUI)

    def send(asked: dict[str, Any], clipboard: bool = True) -> tuple[list[Any], dict[str, Any]]:
        """The calls that were made, and what was told."""
        if clipboard:
            (tmp_path / "pyperclip.py").write_text(PYPERCLIP)
        program = files("gui_gym.desktops.guest").joinpath("programs", "input_pyautogui.py").read_text("utf-8")
        env = {**os.environ, "PYTHONPATH": str(tmp_path)}
        done = subprocess.run([sys.executable, "-c", program, json.dumps(asked)], capture_output=True, text=True, env=env, check=True)
        lines = done.stdout.splitlines()
        calls = [json.loads(line.removeprefix("CALLS")) for line in lines if line.startswith("CALLS")]
        return (calls[0] if calls else []), json.loads(lines[-1])

    return send


def test_what_can_be_typed_is_typed_and_the_rest_is_pasted(send: Any) -> None:
    assert send({"type": "TYPE", "text": "a<b\n"}) == ([["write", "a<b\n", {"interval": 0.01}]], {"cursor": [7, 8]})
    assert send({"type": "TYPE", "text": "é漢🎉"})[0] == [["hotkey", "ctrl", "v", {}]]


def test_what_can_be_neither_is_told(send: Any) -> None:
    calls, told = send({"type": "TYPE", "text": "aé"}, clipboard=False)
    assert not calls and "U+00E9" in told["unable"]


@pytest.mark.parametrize("key", ["menu", "volumeup"])
def test_keys_that_do_nothing_are_told(send: Any, key: str) -> None:
    calls, told = send({"type": "KEY", "key": key, "modifiers": []})
    assert not calls and f"no key {key!r}" in told["unable"]


def test_clicks_scrolls_and_drags(send: Any) -> None:
    click = {"type": "CLICK", "point": [3, 4], "button": "RIGHT", "clicks": 2, "modifiers": ["ctrl"]}
    assert send(click)[0] == [["keyDown", "ctrl", {}], ["click", 3, 4, {"clicks": 2, "button": "right"}], ["keyUp", "ctrl", {}]]
    assert send({"type": "SCROLL", "point": [1, 1], "scroll": [2, -3]})[0] == [["moveTo", 1, 1, {}], ["scroll", 3, {}], ["hscroll", 2, {}]]
    drag = send({"type": "DRAG", "point": [1, 2], "to": [3, 4], "button": "LEFT"})[0]
    assert drag == [["moveTo", 1, 2, {}], ["dragTo", 3, 4, {"duration": 0.5, "button": "left"}]]


def test_every_key_has_a_name() -> None:
    names = [(x11_name(key), pyautogui_name(key, "win32")) for key in Key]
    assert all(x11 and other for x11, other in names) and len({x11 for x11, _ in names}) == len(Key)
    assert pyautogui_name(Key.META, "darwin") == "command"


def test_windows_as_wmctrl_lists_them() -> None:
    listing = "0x0200000a  0 81   84   640  480  mousepad.Mousepad     host   ~/a  b.txt - Mousepad\n0x01 -1 0 0 1 1 panel.Panel  N/A \nodd\n"
    first, second = parse_wmctrl(listing)
    assert (first.id, first.title, first.wm_class, first.bounds) == (0x200000A, "~/a  b.txt - Mousepad", "mousepad.Mousepad", (81, 84, 640, 480))
    assert second.title == "" and first.matches("A  B", False, False) and not first.matches("a", True, False) and first.matches("pad", False, True)
