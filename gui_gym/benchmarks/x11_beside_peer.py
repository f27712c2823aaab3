"""A real desktop beside the peer's way: an HTTP server that sends PNG screenshots and runs a Python with pyautogui for each click."""

from __future__ import annotations

import http.client
import io
import json
import statistics
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from PIL import Image

from gui_gym.benchmarks import Record, x11_peer
from gui_gym.benchmarks.measure import click_places, milliseconds, record
from gui_gym.desktops import DesktopError
from gui_gym.tasks import Task

WIDTH, HEIGHT, EDITOR = 1280, 720, "mousepad"
ROUNDS = 10  #: in which ours and theirs take turns
RESETS = 4
PAUSE = 2000.0  #: ms that OSWorld's client sleeps after each action
_SECONDS = 60.0  # longest wait for an answer


class Server:
    """The peer's desktop, used as OSWorld's client uses one. Close it in any case."""

    def __init__(self, python: Path):
        argv = [str(python), x11_peer.__file__, str(WIDTH), str(HEIGHT), EDITOR]
        self._process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert self._process.stdout
        line = self._process.stdout.readline()
        if not line:
            raise DesktopError(f"the pyautogui and HTTP server did not start: {self._process.communicate()[1].strip()[-300:]}")
        ready = json.loads(line)
        self._port, self.bounds = ready["port"], ready["bounds"]

    def _request(self, method: str, path: str, body: str | None = None) -> bytes:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=_SECONDS)
        try:
            connection.request(method, path, body, {"Content-Type": "application/json"} if body else {})
            reply = connection.getresponse()
            data = reply.read()
        except OSError as error:
            raise DesktopError(f"the pyautogui and HTTP server did not answer {path}: {error}") from error
        finally:
            connection.close()
        if reply.status != 200:
            raise DesktopError(f"the pyautogui and HTTP server answered {path} with {reply.status}: {data[:300]!r}")
        return data

    def screenshot(self) -> np.ndarray:
        """``(height, width, 3)`` uint8 RGB, decoded from the PNG."""
        return np.asarray(Image.open(io.BytesIO(self._request("GET", "/screenshot"))).convert("RGB"))

    def click(self, x: int, y: int) -> None:
        code = f"import pyautogui; import time; pyautogui.FAILSAFE = False; pyautogui.click({x}, {y})"
        reply = json.loads(self._request("POST", "/execute", json.dumps({"command": ["python", "-c", code], "shell": False})))
        if reply["returncode"]:
            raise DesktopError(f"the peer's click failed: {reply['error'][-300:]}")

    def close(self) -> None:
        self._process.communicate("")


@contextmanager
def serving(python: Path) -> Iterator[Server]:
    server = Server(python)
    try:
        yield server
    finally:
        server.close()


def run(python: Path) -> list[Record]:
    """``x11.peer.screenshot`` (ms), ``.step`` (ms of a click and a screenshot), ``.reset`` (ms from an old desktop to the first frame of a
    new one with an editor open; theirs is ended and started anew, server included, ours started anew too) and ``.reset.spare`` (ours from a
    spare). Medians, ours and theirs in turns, on the same kind of X server and window manager with the same editor.

    ``x11.peer.pause``: ms that each then waits for the screen to settle. Ours watches what is drawn and has it in its steps; theirs sleeps
    so long after every action, which is counted nowhere else.
    """
    steps = _stepping(python)
    return [*steps, *_resetting(python)]


def _stepping(python: Path) -> list[Record]:
    from gui_gym.benchmarks.x11 import clicking, editors

    shots: tuple[list[float], list[float]] = [], []
    steps: tuple[list[float], list[float]] = [], []
    pauses = []
    with editors(1) as (ours,), serving(python) as theirs:
        click, frame = clicking(ours), np.ones((HEIGHT, WIDTH, 3), np.uint8)
        places = click_places(theirs.bounds)

        def their_step() -> None:
            theirs.click(*next(places))
            theirs.screenshot()

        for _ in range(ROUNDS):
            shots[0].append(milliseconds(lambda: ours.screenshot(frame), 20))
            shots[1].append(milliseconds(theirs.screenshot, 2))
            steps[0].append(milliseconds(click, 5))
            pauses.append(1e3 * ours.timing()["settle"])
            steps[1].append(milliseconds(their_step, 1))
    return [_beside("x11.peer.screenshot", *shots), _beside("x11.peer.step", *steps), _beside("x11.peer.pause", pauses, [PAUSE])]


def _resetting(python: Path) -> list[Record]:
    from gui_gym.desktops.x11 import X11Desktop
    from gui_gym.desktops.x11.pool import pool

    task = Task("editor", "benchmark", "", ({"type": "launch", "parameters": {"command": [EDITOR]}},))
    new, spare, theirs = X11Desktop(WIDTH, HEIGHT, spares=0), X11Desktop(WIDTH, HEIGHT, spares=1), Server(python)

    def reset(desktop: X11Desktop) -> None:
        desktop.reset(task, 0)
        desktop.screenshot()

    def start_anew() -> None:
        nonlocal theirs
        theirs.close()
        theirs = Server(python)
        theirs.screenshot()

    times: dict[str, list[float]] = {"new": [], "spare": [], "theirs": []}
    try:
        reset(new)
        reset(spare)
        reset(spare)  # the same again: from now on its spares have the editor open
        for _ in range(RESETS):
            times["theirs"].append(milliseconds(start_anew, 1))
            times["new"].append(milliseconds(lambda: reset(new), 1))
            if not pool().wait(_SECONDS):
                raise DesktopError(f"no spare desktop was ready within {_SECONDS:g} s")
            times["spare"].append(milliseconds(lambda: reset(spare), 1))
    finally:
        for each in (new, spare, theirs):
            each.close()
    return [_beside("x11.peer.reset", times["new"], times["theirs"]), _beside("x11.peer.reset.spare", times["spare"], times["theirs"])]


def _beside(name: str, ours: list[float], theirs: list[float]) -> Record:
    return record(name, statistics.median(ours), "ms", peer=statistics.median(theirs), higher_is_better=False)
