"""Real desktops over HTTP: through our server's own routes, and through OSWorld's alone."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest

pytest.importorskip("xcffib")
pytest.importorskip("httpx")
pytest.importorskip("uvicorn")

import httpx
from guest_helpers import TOKEN, guest_server
from x11_helpers import EMPTY, eventually, own_processes

from gui_gym import Action
from gui_gym.actions import Key, Modifier
from gui_gym.desktops import Desktop, DesktopError, make_desktop
from gui_gym.desktops.conformance import WindowedConformance
from gui_gym.desktops.guest.wire import TOKEN_VARIABLE

TEXT = 'it\'s <b>"é"</b> 漢字 🎉 ~^`\n\tÀ' + "<>" * 20
NOTE = "/home/user/Documents/note.txt"
PAGE = "python3 -m http.server 8123 --bind 127.0.0.1 --directory /home/user/Documents".split()


@pytest.fixture(scope="module", params=["own", "osworld"])
def address(request: pytest.FixtureRequest, require_x11: None) -> Iterator[str]:
    with guest_server(lambda: make_desktop("x11", 800, 600, spares=0), own_routes=request.param == "own") as address:
        yield address


@pytest.fixture
def desktop(address: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desktop]:
    monkeypatch.setenv(TOKEN_VARIABLE, TOKEN)
    desktop = make_desktop(address)
    desktop.reset(EMPTY, 0)
    yield desktop
    desktop.close()


@pytest.mark.filterwarnings("ignore:the guest at:RuntimeWarning")
class TestGuestWindows(WindowedConformance):
    """With the fixture ``desktop``."""


@pytest.mark.filterwarnings("ignore:the guest at:RuntimeWarning")
def test_an_editor_over_http(desktop: Desktop) -> None:
    """Exact text, keys with modifiers, windows, files and programs."""
    desktop.write_file(NOTE, b"")
    desktop.launch(["mousepad", "--disable-server", NOTE])
    window = desktop.wait_for_window("note.txt")
    x, y = window.bounds[0] + window.bounds[2] // 2, window.bounds[1] + window.bounds[3] // 2
    desktop.perform(Action.click(x, y))
    assert desktop.cursor == (x, y)
    desktop.perform(Action.type_text(TEXT))
    desktop.perform(Action.press(Key.S, Modifier.CTRL))
    assert eventually(lambda: desktop.read_file(NOTE).decode().rstrip("\n") == TEXT.rstrip("\n")), desktop.read_file(NOTE)
    desktop.perform(Action.scroll_by(x, y, 1, -2))
    desktop.perform(Action.drag(x, y, x + 20, y + 20))
    assert desktop.cursor == (x + 20, y + 20)
    desktop.close_window("note.txt", timeout=20)
    done = desktop.run(["sh", "-c", "printf '\\377%s' \"$ODD\"; exit 3"], env={"ODD": "it's"})
    assert (done.returncode, done.stdout) == (3, b"\xffit's")


@pytest.mark.filterwarnings("ignore:the guest at:RuntimeWarning")
def test_a_file_of_the_host_is_not_reached(desktop: Desktop) -> None:
    desktop.run(["ln", "-sfn", "/proc/1/root/root", "/home/user/out"])
    for path in ("/root/.bashrc", "/home/user/../../root/.bashrc", "/home/user/out/.bashrc", "/etc/shadow"):
        with pytest.raises(DesktopError):
            desktop.read_file(path)


def test_a_port_inside_the_desktop(desktop: Desktop) -> None:
    if not hasattr(desktop, "_guest") or type(desktop._guest).__name__ != "NativeGuest":
        with pytest.raises(DesktopError, match="nothing answers on port 8123"):
            desktop.connect(8123)  # OSWorld's guests are reached at their own address
        return
    desktop.write_file("/home/user/Documents/page.txt", b"x" * 3_000_000)
    desktop.launch(PAGE)
    assert eventually(lambda: _answers(desktop))
    with desktop.connect(8123) as connection:
        connection.sendall(b"GET /page.txt HTTP/1.0\r\n\r\n")
        got = b"".join(iter(lambda: connection.recv(65536), b""))
    assert got.startswith(b"HTTP/1.0 200") and got.endswith(b"x" * 3_000_000)
    with pytest.raises(DesktopError, match="8124"):
        desktop.connect(8124)


def _answers(desktop: Desktop) -> bool:
    try:
        desktop.connect(8123).close()
    except DesktopError:
        return False
    return True


def test_nothing_is_left_when_the_server_is_told_to_end(require_x11: None) -> None:
    """Not even while a program runs there."""
    argv = [sys.executable, "-m", "gui_gym.cli", "serve", "--width", "400", "--height", "300", "--port", "0", "--spares", "0"]
    server = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True, env={**os.environ, TOKEN_VARIABLE: TOKEN})
    assert server.stdout is not None
    address = next(line.split()[-1] for line in server.stdout if " at http" in line)
    marker = f"999{os.getpid()}"

    def run_long() -> None:
        with pytest.raises(httpx.HTTPError):
            httpx.post(f"{address}/execute", json={"command": ["sleep", marker]}, auth=("one", TOKEN), timeout=60).raise_for_status()

    thread = threading.Thread(target=run_long)
    thread.start()
    assert eventually(lambda: bool(own_processes(marker)))
    server.send_signal(signal.SIGTERM)
    assert server.wait(60) == 0
    thread.join()
    assert eventually(lambda: not own_processes(marker))
