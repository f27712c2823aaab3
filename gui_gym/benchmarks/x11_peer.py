"""A desktop as OSWorld's guests serve it, for ``gui-gym bench --peers``: run by itself with a Python that has flask and pyautogui, not ours.

Starts an X server, openbox and a text editor, and an HTTP server on a free port of 127.0.0.1, which it prints as JSON. ``GET /screenshot``
makes a PNG in a file and sends it; ``POST /execute`` runs a command to its end. That is what OSWorld's server in its virtual machines does
(its facts, not its code), which puts the pointer's picture in as well. It ends when its input ends.

    python -m venv peers && peers/bin/pip install flask pyautogui pillow
    peers/bin/python gui_gym/benchmarks/x11_peer.py 1280 720 mousepad
"""

from __future__ import annotations

import json
import logging
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

_START_SECONDS = 30.0
_POLL = 0.01


def start(folder: Path, width: int, height: int, app: str) -> list[subprocess.Popen[bytes]]:
    """X server, window manager and ``app``, each a process; DISPLAY is set."""
    read, write = os.pipe()
    quiet: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    # a number chosen by chance: a server that chooses one itself takes another one's socket away
    server = ["Xvfb", f":{random.randrange(100, 50_000)}", "-displayfd", str(write)]
    screen = ["-screen", "0", f"{width}x{height}x24", "-nolisten", "tcp", "-noreset"]
    processes = [subprocess.Popen([*server, *screen], pass_fds=[write], **quiet)]
    os.close(write)
    (folder / "authority").touch()  # python-xlib insists on one
    with open(read) as lines:
        number = lines.readline().strip()
    if not number:
        raise SystemExit("Xvfb did not start")
    os.environ.update(DISPLAY=f":{number}", XAUTHORITY=str(folder / "authority"), HOME=str(folder), XDG_RUNTIME_DIR=str(folder))
    processes.append(subprocess.Popen(["openbox", "--sm-disable"], **quiet))
    processes.append(subprocess.Popen(["dbus-run-session", "--", app], **quiet))
    return processes


def window_of(display: Any, app: str) -> tuple[int, int, int, int] | None:
    """Bounds of the newest window whose class is ``app``, None if there is none."""
    from Xlib import X, error  # type: ignore[import-not-found,import-untyped,unused-ignore]

    root = display.screen().root
    found = root.get_full_property(display.intern_atom("_NET_CLIENT_LIST"), X.AnyPropertyType)
    for window_id in reversed(found.value if found else []):
        window = display.create_resource_object("window", window_id)
        try:
            if app in (window.get_wm_class() or ()) and window.get_attributes().map_state == X.IsViewable:
                size, place = window.get_geometry(), window.translate_coords(root, 0, 0)
                return (-place.x, -place.y, size.width, size.height)
        except error.BadWindow:
            continue
    return None


def serve(folder: Path, bounds: tuple[int, int, int, int], answer: int) -> None:
    """Answer requests until the input ends; where is said on the file descriptor ``answer``."""
    import flask  # type: ignore[import-not-found]
    from PIL import ImageGrab
    from werkzeug.serving import make_server  # type: ignore[import-not-found]

    app = flask.Flask(__name__)
    logging.getLogger("werkzeug").setLevel(logging.ERROR)

    @app.get("/screenshot")
    def screenshot() -> Any:
        path = folder / "screenshot.png"
        ImageGrab.grab().save(path)  # as pyautogui.screenshot() does, which first looks for gnome-screenshot and then does not use it
        return flask.send_file(path, mimetype="image/png")

    @app.post("/execute")
    def execute() -> Any:
        done = subprocess.run(flask.request.get_json()["command"], capture_output=True, text=True, timeout=120)
        return {"status": "success", "output": done.stdout, "error": done.stderr, "returncode": done.returncode}

    server = make_server("127.0.0.1", 0, app, threaded=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    os.write(answer, json.dumps({"port": server.server_port, "bounds": bounds}).encode() + b"\n")
    sys.stdin.read()


def main() -> None:
    answer = os.dup(1)
    os.dup2(2, 1)  # python-xlib writes warnings to standard output
    width, height, app = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    os.environ["PATH"] = os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"]  # clients send "python"
    processes: list[subprocess.Popen[bytes]] = []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        try:
            processes += start(Path(folder), width, height, app)
            from Xlib import display as xdisplay  # type: ignore[import-not-found,import-untyped,unused-ignore]

            display, deadline = xdisplay.Display(), time.monotonic() + _START_SECONDS
            while (bounds := window_of(display, app)) is None:
                if time.monotonic() > deadline:
                    raise SystemExit(f"{app} showed no window within {_START_SECONDS:g} s")
                time.sleep(_POLL)
            serve(Path(folder), bounds, answer)
        finally:
            for process in reversed(processes):
                process.terminate()
            for process in processes:
                process.wait()


if __name__ == "__main__":
    main()
