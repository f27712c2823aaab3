"""How a guest behind our own server is driven: exact actions, programs with their bytes, a clean desktop for each reset."""

from __future__ import annotations

import base64
import secrets
import socket
import time
from typing import Any

import numpy as np

from gui_gym.actions import Action
from gui_gym.desktops.accessibility import checked
from gui_gym.desktops.base import Completed
from gui_gym.desktops.guest.client import BadReplyError, GuestClient, Reply
from gui_gym.desktops.guest.frames import MAX_BYTES, frame_of
from gui_gym.desktops.guest.tunnel import open_tunnel
from gui_gym.desktops.guest.wire import CURSOR_HEADER, MAX_FILE, RAW_FRAME, ROOT, action_to_json
from gui_gym.desktops.windows import Window

RESET_SECONDS = 180.0  #: longest reset
ACTION_SECONDS = 120.0  #: longest action, of which a WAIT takes 60
_FRAME_TYPES = ("image/png", RAW_FRAME)
_MARGIN = 20.0  # seconds for the server's own work


class NativeGuest:
    """A new session of our server.

    Args:
        client: its HTTP.
        about: what the server says of itself.
    """

    def __init__(self, client: GuestClient, about: dict[str, Any]):
        self._client, self._about = client, about
        client.name_session(secrets.token_hex(8))
        self.real, self.network = bool(about["real"]), bool(about["network"])
        self.timing: dict[str, float] = {}
        self._cursor = (0, 0)
        self._seconds: dict[str, float] = {}  # that a frame took, by the type it was asked for as

    def size(self) -> tuple[int, int]:
        return int(self._about["width"]), int(self._about["height"])

    def reset(self) -> None:
        """A clean desktop."""
        self._client.send(f"{ROOT}/reset", self._take_state, seconds=RESET_SECONDS)

    def frame(self) -> np.ndarray:
        def take(reply: Reply) -> np.ndarray:
            try:
                x, y = map(int, reply.headers.get(CURSOR_HEADER, "").split(","))
            except ValueError as error:
                raise BadReplyError(f"no pointer beside the screenshot: {error}") from error
            self._cursor = (x, y)
            return frame_of(reply)

        # on one machine a frame that is not packed is there sooner, over a network or a tunnel one that is: each is tried once
        kind = next((kind for kind in _FRAME_TYPES if kind not in self._seconds), "") or min(_FRAME_TYPES, key=self._seconds.__getitem__)
        start = time.monotonic()
        frame = self._client.read("GET", "/screenshot", take, limit=MAX_BYTES, headers={"Accept": kind})
        self._seconds.setdefault(kind, time.monotonic() - start)
        return frame

    def cursor(self) -> tuple[int, int]:
        return self._cursor

    def perform(self, action: Action) -> None:
        self._client.send(f"{ROOT}/action", self._take_state, seconds=ACTION_SECONDS, json=action_to_json(action))

    def settle(self) -> None:
        """Wait until the screen has settled, as after an action."""
        self.perform(Action.wait_for(0))

    def _take_state(self, reply: Reply) -> None:
        told = reply.json()
        try:
            x, y = map(int, told["cursor"])
            width, height = self.size()
            if not (0 <= x < width and 0 <= y < height):
                raise ValueError(f"a pointer outside the screen: {x}, {y}")
            self._cursor, self.timing = (x, y), {str(name): float(value) for name, value in told["timing"].items()}
        except (KeyError, TypeError, ValueError, OverflowError, AttributeError) as error:
            raise BadReplyError(f"no state of a desktop but {reply.shown()}") from error

    def run(self, argv: list[str], timeout: float, env: dict[str, str] | None) -> Completed:
        def take(reply: Reply) -> Completed:
            told = reply.json()
            try:
                return Completed(int(told["returncode"]), base64.b64decode(told["stdout"]), base64.b64decode(told["stderr"]))
            except (KeyError, TypeError, ValueError, OverflowError) as error:
                raise BadReplyError(f"no outputs of a program but {reply.shown()}") from error

        asked = {"argv": argv, "timeout": timeout, "env": env or {}}
        return self._client.send(f"{ROOT}/run", take, seconds=timeout + _MARGIN, json=asked)

    def launch(self, argv: list[str], env: dict[str, str] | None) -> None:
        self._client.send(f"{ROOT}/launch", Reply.json, json={"argv": argv, "env": env or {}})

    def read_file(self, path: str) -> bytes:
        return self._client.read("POST", f"{ROOT}/read", lambda reply: reply.content, seconds=600.0, limit=MAX_FILE, json={"path": path})

    def write_file(self, path: str, data: bytes) -> None:
        self._client.send(f"{ROOT}/write", Reply.json, seconds=600.0, data={"path": path}, files={"data": ("data", data)})

    def windows(self) -> list[Window]:
        def take(reply: Reply) -> list[Window]:
            try:
                found = [(w, [int(side) for side in w["bounds"]]) for w in reply.json()["windows"]]
                return [Window(int(w["id"]), str(w["title"]), str(w["wm_class"]), (x, y, width, height)) for w, (x, y, width, height) in found]
            except (KeyError, TypeError, ValueError, OverflowError) as error:
                raise BadReplyError(f"no windows but {reply.shown()}") from error

        return self._client.read("GET", f"{ROOT}/windows", take)

    def on_window(self, do: str, title: str, strict: bool, by_class: bool, timeout: float) -> None:
        asked = {"do": do, "title": title, "strict": strict, "by_class": by_class, "timeout": timeout}
        self._client.send(f"{ROOT}/window", Reply.json, seconds=timeout + _MARGIN, json=asked)

    def accessibility_tree(self) -> dict[str, Any] | None:
        def take(reply: Reply) -> dict[str, Any] | None:
            tree = reply.json().get("tree")
            try:
                return None if tree is None else checked(tree)
            except ValueError as error:
                raise BadReplyError(f"no accessibility tree: {error}") from error

        return self._client.read("GET", f"{ROOT}/accessibility", take, seconds=120.0)

    def connect(self, port: int) -> socket.socket:
        return open_tunnel(self._client, port)

    def wait_until_idle(self) -> None:
        self._client.send(f"{ROOT}/wait_until_idle", Reply.json)

    def healthy(self) -> bool:
        return self._client.read("GET", f"{ROOT}/health", lambda reply: reply.json().get("healthy") is True, seconds=10.0, attempts=1)

    def close(self) -> None:
        """Give the session back."""
        self._client.send(f"{ROOT}/session", Reply.json, method="DELETE")
