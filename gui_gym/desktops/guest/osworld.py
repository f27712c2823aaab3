"""How a guest that runs OSWorld's own server is driven: constant programs sent to ``/execute``, whose arguments are JSON.

Protocol: the routes that OSWorld's clients use (``/screenshot``, ``/execute``, ``/setup/launch``, ``/file``, ``/setup/upload``,
``/accessibility``, ``/cursor_position``, ``/platform``). An exit status other than 0 comes with HTTP 200 there, and is looked at here.
"""

from __future__ import annotations

import base64
import contextlib
import json
import socket
import time
from functools import cached_property
from importlib.resources import files
from typing import Any

import numpy as np

from gui_gym.actions import Action, ActionError, ActionType, Key, Modifier
from gui_gym.desktops.accessibility import from_xml
from gui_gym.desktops.base import Completed, DesktopError
from gui_gym.desktops.guest.client import BadReplyError, GuestClient, Reply
from gui_gym.desktops.guest.frames import MAX_BYTES, frame_of
from gui_gym.desktops.guest.keys import pyautogui_name, x11_name
from gui_gym.desktops.guest.windows import parse_wmctrl
from gui_gym.desktops.guest.wire import MAX_FILE, MAX_OUTPUT, action_to_json
from gui_gym.desktops.windows import Window, newest, no_window

SERVER_SECONDS = 110.0  #: longest program: OSWorld's server ends one after 120 s
SETTLE_QUIET = 0.3  #: seconds without a change after which a screen counts as settled
SETTLE_LIMIT = 3.0  #: seconds after which a screen that never rests is shown as it is
MAX_DELAY = 1.0  #: longest wait between two clicks that would be a double click
_POLL = 0.05
_INPUT_SECONDS = 100.0
_DOUBLE_CLICK_SECONDS, _DOUBLE_CLICK_PIXELS = 0.5, 8
_LISTINGS = 5  #: how often windows are listed when each time one closes meanwhile
_PYTHONS = ("python", "python3", "/usr/bin/python3")


class _WindowGoneError(DesktopError):
    """A window closed while a program asked the X server about it."""


class OSWorldGuest:
    """A guest behind OSWorld's server.

    Args:
        client: its HTTP.
    """

    real, network = True, True

    def __init__(self, client: GuestClient):
        self._client = client
        self._held: list[str] = []
        self._cursor = (0, 0)
        self._settled: float | None = None  # seconds that the input program waited, until somebody looks
        self._last_click = (0.0, (0, 0))

    # -- the screen --------------------------------------------------------------------------------------------------

    def size(self) -> tuple[int, int]:
        frame = self.frame()
        return frame.shape[1], frame.shape[0]

    def frame(self) -> np.ndarray:
        return self._client.read("GET", "/screenshot", frame_of, limit=MAX_BYTES)

    def settled(self) -> tuple[np.ndarray, float]:
        """The screen once it has not changed for :data:`SETTLE_QUIET` seconds, at the latest after :data:`SETTLE_LIMIT`, and the seconds waited.

        On an X server the input program waits: OSWorld's server loses a connection to it with each screenshot, and ends after some 250.
        """
        if self._on_x11:
            if self._settled is None:
                self._input({"type": "SETTLE"})
            seconds, self._settled = self._settled or 0.0, None
            return self.frame(), seconds
        start = changed = time.monotonic()
        frame = self.frame()
        while (now := time.monotonic()) - changed < SETTLE_QUIET and now - start < SETTLE_LIMIT:
            time.sleep(_POLL)
            latest = self.frame()
            if latest.shape != frame.shape or not np.array_equal(latest, frame):
                frame, changed = latest, time.monotonic()
        return frame, time.monotonic() - start

    def cursor(self) -> tuple[int, int]:
        """Where the pointer was after the last input."""
        return self._cursor

    # -- input -------------------------------------------------------------------------------------------------------

    def perform(self, action: Action) -> None:
        """Send ``action``, once."""
        self._settled = None
        if action.type is ActionType.WAIT:
            time.sleep(action.wait)
            return
        if action.type is ActionType.CLICK:
            when, (x, y) = self._last_click
            if max(abs(action.point[0] - x), abs(action.point[1] - y)) <= _DOUBLE_CLICK_PIXELS:
                time.sleep(min(MAX_DELAY, max(0.0, when + _DOUBLE_CLICK_SECONDS - time.monotonic())))
        self._input({**action_to_json(action), **self._names(action)})
        if action.type is ActionType.CLICK:
            self._last_click = (time.monotonic(), action.point)
        if action.type is ActionType.KEY_DOWN:
            self._held.append(self._key(action.key))

    def release_all(self) -> None:
        """Let go of every key and button."""
        self._input({"type": "RELEASE_ALL", "keys": self._held})
        self._held = []

    def _names(self, action: Action) -> dict[str, Any]:
        """Keys as the guest's input program calls them."""
        if action.type not in (ActionType.KEY, ActionType.KEY_DOWN, ActionType.KEY_UP, ActionType.CLICK):
            return {}
        named: dict[str, Any] = {} if action.type is ActionType.CLICK else {"key": self._key(action.key)}
        if action.type in (ActionType.KEY, ActionType.CLICK):
            named["modifiers"] = [self._key(Key[Modifier(modifier).name]) for modifier in action.modifiers]
        return named

    def _key(self, key: Key) -> str:
        return x11_name(key) if self._on_x11 else pyautogui_name(key, self.about["platform"])

    def _input(self, asked: dict[str, Any]) -> None:
        if not self._on_x11 and "pyautogui" not in self.about["modules"]:
            raise ActionError(
                f"the guest's {self.about['python']} ({self.about['platform']}) has neither python-xlib nor pyautogui, so nothing can be typed or "
                "clicked there: install one of them on the guest (pip install pyautogui)"
            )
        program = _program("input_x11" if self._on_x11 else "input_pyautogui")
        told = self._python(self.about["python"], program, {**asked, "quiet": SETTLE_QUIET, "limit": SETTLE_LIMIT}, _INPUT_SECONDS)
        if "unable" in told:
            raise ActionError(str(told["unable"])[:500])
        try:
            x, y = told["cursor"]
            self._cursor = (int(x), int(y))
            self._settled = float(told["settle"]) if self._on_x11 else None
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise DesktopError(f"the guest's input program told {str(told)[:200]}: expected the pointer's place") from error

    @property
    def _on_x11(self) -> bool:
        return "Xlib" in self.about["modules"] and self.about["platform"].startswith("linux")

    # -- programs ----------------------------------------------------------------------------------------------------

    @cached_property
    def about(self) -> dict[str, Any]:
        """``python`` (the program), ``platform`` (Python's name), ``home``, ``modules`` and ``programs`` that are there; asked for once."""
        found: dict[str, Any] | None = None
        problem = ""
        for python in _PYTHONS:
            try:
                told = {"python": python, **self._python(python, _program("probe"), None, 60.0)}
            except DesktopError as error:
                problem = str(error)
                continue
            if not isinstance(told.get("platform"), str) or not all(isinstance(told.get(name), list) for name in ("modules", "programs")):
                problem = f"{python} told {str(told)[:200]}"
                continue
            if found is None or ("Xlib" in told["modules"] and "Xlib" not in found["modules"]):
                found = told
            if "Xlib" in found["modules"]:
                break
        if found is None:
            raise DesktopError(f"the guest runs no Python ({', '.join(_PYTHONS)}): {problem}")
        return found

    def state(self, asked: dict[str, Any]) -> dict[str, Any]:
        """What the program ``state`` tells."""
        told = self._python(self.about["python"], _program("state"), asked, SERVER_SECONDS)
        windows = told.get("windows")
        if not isinstance(told.get("files"), dict) or not isinstance(windows, list) or not all(isinstance(each, str) for each in windows):
            raise DesktopError(f"the guest told no state of its own but {str(told)[:200]}")
        return told

    def run(self, argv: list[str], timeout: float, env: dict[str, str] | None) -> Completed:
        told = self._run({"argv": argv, "timeout": min(timeout, SERVER_SECONDS), "env": env or {}, "wait": True, "limit": MAX_OUTPUT})
        if told.get("problem") == "late":
            limit = "" if timeout <= SERVER_SECONDS else f" (OSWorld's server allows no more than {SERVER_SECONDS:g} s)"
            raise DesktopError(f"{argv[0]!r} did not end within {min(timeout, SERVER_SECONDS):g} s{limit}")
        try:
            return Completed(int(told["returncode"]), base64.b64decode(told["stdout"]), base64.b64decode(told["stderr"]))
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise DesktopError(f"the guest told no outputs of {argv[0]!r} but {str(told)[:200]}") from error

    def launch(self, argv: list[str], env: dict[str, str] | None) -> None:
        self._run({"argv": argv, "timeout": 0, "env": env or {}, "wait": False, "limit": MAX_OUTPUT})

    def _run(self, asked: dict[str, Any]) -> dict[str, Any]:
        told = self._python(self.about["python"], _program("run"), asked, asked["timeout"] + 20.0)
        problem = told.get("problem")
        if problem == "missing":
            raise DesktopError(f"no program {asked['argv'][0]!r} on the guest")
        if problem == "long":
            raise DesktopError(f"the output of {asked['argv'][0]!r} is too large: expected at most {MAX_OUTPUT} bytes")
        if problem and problem != "late":
            raise DesktopError(f"cannot start {asked['argv'][0]!r} on the guest: {problem}")
        return told

    def _python(self, python: str, program: str, asked: Any, seconds: float) -> dict[str, Any]:
        """The JSON object that one of our programs prints, sent once."""
        command = [python, "-c", program, *([] if asked is None else [json.dumps(asked)])]

        def take(reply: Reply) -> dict[str, Any]:
            done = reply.json()
            if done.get("status") != "success" or done.get("returncode") != 0:
                said = done.get("error") or done.get("message") or done
                raise BadReplyError(f"status {done.get('status')!r}, exit status {done.get('returncode')!r}: {str(said)[-500:]}")
            try:
                told = json.loads(str(done["output"]).strip().splitlines()[-1])  # libraries may print a line before
            except (KeyError, IndexError, ValueError, RecursionError) as error:
                raise BadReplyError(f"an output that is not our program's: {str(done.get('output'))[:200]!r}") from error
            if not isinstance(told, dict):
                raise BadReplyError(f"an output that is not our program's: {str(told)[:200]!r}")
            return told

        return self._client.send("/execute", take, seconds=seconds + 10.0, json={"command": command, "shell": False})

    # -- files -------------------------------------------------------------------------------------------------------

    def read_file(self, path: str) -> bytes:
        return self._client.read("POST", "/file", _content, seconds=600.0, limit=MAX_FILE, data={"file_path": path})

    def write_file(self, path: str, data: bytes) -> None:
        folder = path.rpartition("/")[0]
        if folder.startswith("/"):
            self.run(["mkdir", "-p", folder], 60.0, None)
        name = path.rpartition("/")[2]
        self._client.send("/setup/upload", lambda reply: None, seconds=600.0, data={"file_path": path}, files={"file_data": (name, data)})

    # -- what else there is ------------------------------------------------------------------------------------------

    def windows(self) -> list[Window]:
        for _ in range(_LISTINGS - 1):
            with contextlib.suppress(_WindowGoneError):
                return parse_wmctrl(self._wmctrl("-lGx"))
        return parse_wmctrl(self._wmctrl("-lGx"))

    def on_window(self, do: str, title: str, strict: bool, by_class: bool, timeout: float) -> None:
        """Ask for it; closing waits until the window is gone."""
        windows = self.windows()
        window = newest(windows, title, strict, by_class)
        if window is None:
            raise no_window(windows, title)
        try:
            self._wmctrl("-i", "-a" if do == "activate" else "-c", hex(window.id))
        except _WindowGoneError as error:
            if do == "activate":
                raise no_window(self.windows(), title) from error
            return
        deadline = time.monotonic() + timeout
        while do == "close" and window.id in [w.id for w in self.windows()]:
            if time.monotonic() > deadline:
                raise DesktopError(f"the window {window.title!r} did not close within {timeout:g} s")
            time.sleep(_POLL)

    def _wmctrl(self, *arguments: str) -> str:
        """What it prints; :class:`_WindowGoneError` if a window closed while it asked for that window's properties."""
        if "wmctrl" not in self.about["programs"]:
            raise DesktopError("windows of a guest need wmctrl there: sudo apt-get install wmctrl")
        done = self.run(["wmctrl", *arguments], 20.0, None)
        if done.returncode:
            said = done.stderr.decode(errors="replace")
            kind = _WindowGoneError if "BadWindow" in said or "BadDrawable" in said else DesktopError
            raise kind(f"wmctrl on the guest: exit status {done.returncode}, {said[:300]}")
        return done.stdout.decode(errors="replace")

    def accessibility_tree(self) -> dict[str, Any]:
        def take(reply: Reply) -> dict[str, Any]:
            text = reply.json().get("AT")
            if not isinstance(text, str):
                raise BadReplyError(f"no accessibility tree but {reply.shown()}")
            try:
                return from_xml(text)
            except ValueError as error:
                raise BadReplyError(f"an accessibility tree that cannot be read: {error}") from error

        return self._client.read("GET", "/accessibility", take, seconds=120.0)

    def connect(self, port: int) -> socket.socket:
        try:
            return socket.create_connection((self._client.host, port), 10.0)
        except OSError as error:
            raise DesktopError(f"nothing answers on port {port} of the guest {self._client.host}: {error}") from error

    def healthy(self) -> bool:
        self._client.read("GET", "/platform", lambda reply: None, seconds=10.0, limit=1 << 12, attempts=1)
        return True

    def wait_until_idle(self) -> None:
        """Wait until nothing is drawn: what programs do unseen is theirs to know here."""
        self.settled()

    def close(self) -> None:
        """Nothing of ours is there."""


def _content(reply: Reply) -> bytes:
    """A file, whole: cut off it would be taken for the agent's."""
    length = reply.headers.get("content-length")
    if length is not None and length.isdecimal() and int(length) != len(reply.content) and "content-encoding" not in reply.headers:
        raise BadReplyError(f"{len(reply.content)} of {length} bytes")
    return reply.content


def _program(name: str) -> str:
    return files("gui_gym.desktops.guest").joinpath("programs", f"{name}.py").read_text("utf-8")
