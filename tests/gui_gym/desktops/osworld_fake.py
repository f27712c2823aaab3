"""A stand-in for OSWorld's guest server that fails as that one does, where a test wants it to."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import numpy as np
from PIL import Image

Fault = Callable[["Handler"], None]


def png(frame: np.ndarray) -> bytes:
    out = io.BytesIO()
    Image.fromarray(frame).save(out, "PNG")
    return out.getvalue()


class OSWorldFake(ThreadingHTTPServer):
    """Has a home folder, runs the programs it is sent with this Python there, and notes what is sent to its mouse and keyboard.

    Attributes:
        faults: path -> what to do instead of answering, each once, in this order.
        asked: how often each path was asked for.
        inputs: what the input program was sent.
        frames: what the screen shows next; the last one stays.
        modules: what its Python can import, as far as it says.
        told: what the input program prints instead of the pointer's place.
    """

    daemon_threads = True

    def __init__(self, home: Path):
        super().__init__(("127.0.0.1", 0), Handler)
        self.home = home
        self.faults: dict[str, list[Fault]] = {}
        self.asked: Counter[str] = Counter()
        self.headers: list[dict[str, str]] = []
        self.inputs: list[dict[str, Any]] = []
        self.frames = [np.full((48, 64, 3), 200, np.uint8)]
        self.modules = ["Xlib"]
        self.programs: list[str] = []
        self.told: dict[str, Any] | None = None

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def execute(self, command: list[str]) -> dict[str, Any]:
        output = ""
        if command[:2] == ["python", "-c"] and ("from Xlib" in command[2] or "import pyautogui" in command[2]):
            asked = {name: value for name, value in json.loads(command[3]).items() if name not in ("quiet", "limit")}
            if asked["type"] != "SETTLE":
                self.inputs.append(asked)
            output = json.dumps(self.told or {"cursor": [1, 2], "settle": 0.25})
        else:
            argv = [sys.executable if command[0] == "python" else command[0], *command[1:]]
            done = subprocess.run(argv, capture_output=True, text=True, env={**os.environ, "HOME": str(self.home)})
            output = done.stdout
            if "find_spec" in command[2]:
                output = json.dumps({**json.loads(output), "platform": "linux", "modules": self.modules, "programs": self.programs})
            if done.returncode:
                return {"status": "success", "output": output, "error": done.stderr, "returncode": done.returncode}
        return {"status": "success", "output": output, "error": "", "returncode": 0}


class Handler(BaseHTTPRequestHandler):
    server: OSWorldFake

    def send(self, body: bytes, kind: str = "application/json", status: int = 200, length: int | None = None, **headers: str) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(body) if length is None else length), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def html(self, status: int) -> None:
        self.send(b"<!doctype html><title>Internal Server Error</title>", "text/html", status)

    def answer(self) -> None:
        server = self.server
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        server.asked[self.path] += 1
        server.headers.append(dict(self.headers))
        if server.faults.get(self.path):
            server.faults[self.path].pop(0)(self)
        elif self.path == "/screenshot":
            self.send(png(server.frames.pop(0) if len(server.frames) > 1 else server.frames[0]), "image/png")
        elif self.path == "/platform":
            self.send(b"Linux", "text/plain")
        elif self.path == "/execute":
            self.send(json.dumps(server.execute(json.loads(body)["command"])).encode())
        elif self.path == "/file":
            path = Path(parse_qs(body.decode())["file_path"][0])
            if path.exists():
                self.send(path.read_bytes(), "application/octet-stream")
            else:
                self.send(b'{"error": "File not found"}', status=404)
        else:
            self.html(404)

    do_GET = do_POST = answer

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing."""


@contextmanager
def osworld_fake(home: Path) -> Iterator[OSWorldFake]:
    with OSWorldFake(home) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
