"""A guest server that wants to hang, fill or mislead its client."""

from __future__ import annotations

import gzip
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

pytest.importorskip("httpx")

from gui_gym import Action
from gui_gym.desktops import DesktopError, make_desktop
from gui_gym.desktops.guest import client, tunnel
from gui_gym.desktops.guest.client import BadReplyError, GuestClient, Reply
from gui_gym.desktops.guest.frames import frame_of
from gui_gym.desktops.guest.windows import parse_wmctrl
from gui_gym.desktops.guest.wire import TOKEN_FILE_VARIABLE, TOKEN_VARIABLE
from gui_gym.tasks import Task

Play = Callable[[socket.socket, bytes], None]
ABOUT = {"server": "gui-gym", "desktop": "x11", "width": 64, "height": 48, "real": True, "network": False}


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (TOKEN_VARIABLE, TOKEN_FILE_VARIABLE):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(client, "_PAUSES", (0.0, 0.0))


@contextmanager
def hostile(play: Play) -> Iterator[tuple[str, list[bytes]]]:
    """The address of a server that does ``play`` with each connection and its request, and the requests."""
    requests: list[bytes] = []

    def serve(connection: socket.socket) -> None:
        with connection:
            try:
                requests.append(connection.recv(65536))
                play(connection, requests[-1])
            except OSError:  # the client has had enough
                pass

    def accept() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=serve, args=(connection,), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=accept, daemon=True).start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}", requests
        listener.shutdown(socket.SHUT_RDWR)


def drip(start: bytes, again: bytes) -> Play:
    def play(connection: socket.socket, request: bytes) -> None:
        connection.sendall(start)
        while True:
            connection.sendall(again)
            time.sleep(0.02)

    return play


def reply(content: bytes, head: bytes = b"") -> bytes:
    return b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %d\r\n%s\r\n" % (len(content), head) + content


def routes(answers: dict[str, object]) -> Play:
    """A server of ours, as far as it is asked; ``answers`` are the JSON of its routes."""

    def play(connection: socket.socket, request: bytes) -> None:
        path = request.split(b" ")[1].decode()
        connection.sendall(reply(json.dumps({"/gui-gym": ABOUT, **answers}.get(path, {})).encode()))

    return play


@pytest.mark.parametrize(
    "play",
    [
        drip(b"", b"H"),
        drip(b"HTTP/1.1 200 OK\r\nX: ", b"a"),
        drip(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
        drip(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", b"a"),
        drip(b"HTTP/1.1 200 OK\r\n\r\n", b"a"),
        drip(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\na\r\n"),
    ],
    ids=["first line", "header", "continue", "body", "body of no length", "chunks"],
)
def test_an_answer_that_drips_in_is_ended_in_time_and_never_taken_for_whole(play: Play) -> None:
    with hostile(play) as (address, requests):
        guest = GuestClient(address)
        with pytest.raises(DesktopError, match="takes more than 0.3 s"):
            guest.read("GET", "/file", lambda reply: reply.content, seconds=0.3, attempts=1)
        with pytest.raises(DesktopError, match="takes more than 0.3 s"):
            guest.send("/execute", lambda reply: reply.content, seconds=0.3)
        assert [request.split()[0] for request in requests] == [b"GET", b"POST"], "an action is sent once"
        guest.close()


def test_a_packed_answer_is_not_unpacked() -> None:
    bomb = gzip.compress(bytes(50 << 20))
    with hostile(lambda connection, request: connection.sendall(reply(bomb, b"Content-Encoding: gzip\r\n"))) as (address, requests):
        guest = GuestClient(address)
        with pytest.raises(DesktopError, match="packed .gzip."):
            guest.read("GET", "/file", lambda reply: reply.content, attempts=1)
        assert b"accept-encoding: identity\r\n" in requests[0].lower()
        guest.close()


def test_what_a_server_says_of_a_failure_is_not_repeated_at_length() -> None:
    said = json.dumps({"kind": "desktop", "message": "x" * 1_000_000}).encode()
    with hostile(lambda connection, request: connection.sendall(reply(said).replace(b"200 OK", b"500 No", 1))) as (address, _):
        guest = GuestClient(address)
        with pytest.raises(DesktopError) as failed:
            guest.read("GET", "/file", lambda reply: reply.content)
        assert len(str(failed.value)) < 2000
        guest.close()


@pytest.mark.parametrize(
    "changed", [{"width": 0}, {"width": -5}, {"width": 1e9, "height": 1e9}, {"width": 1 << 20, "height": 1 << 20}, {"height": "48"}, {"height": None}]
)
def test_a_screen_that_is_none(changed: dict[str, object]) -> None:
    with hostile(routes({"/gui-gym": {**ABOUT, **changed}})) as (address, _), pytest.raises(DesktopError, match="no screen but one of"):
        make_desktop(address)


@pytest.mark.parametrize(
    "state",
    [
        {},
        {"cursor": [1, 2]},
        {"cursor": [1, 2, 3], "timing": {}},
        {"cursor": [64, 2], "timing": {}},
        {"cursor": [-1, 2], "timing": {}},
        {"cursor": [float("inf"), 2], "timing": {}},
        {"cursor": [1, 2], "timing": {"settle": "x"}},
        {"cursor": [1, 2], "timing": {"settle": 10**400}},
        {"cursor": [1, 2], "timing": []},
    ],
)
def test_a_state_that_is_none_is_a_failure_of_the_desktop(state: object) -> None:
    with hostile(routes({"/gui-gym/reset": state, "/gui-gym/action": state})) as (address, _):
        desktop = make_desktop(address)
        for act in (lambda: desktop.reset(Task("empty", "test", ""), 0), lambda: desktop.perform(Action.move(1, 1))):
            with pytest.raises(DesktopError, match="no state of a desktop"):
                act()
        desktop.close()


@pytest.mark.parametrize(
    "window", [{}, 7, {"id": "x", "title": "", "wm_class": "", "bounds": []}, {"id": 1, "title": "", "wm_class": "", "bounds": 7}]
)
def test_windows_that_are_none(window: object) -> None:
    with hostile(routes({"/gui-gym/windows": {"windows": [window]}})) as (address, _):
        desktop = make_desktop(address)
        with pytest.raises(DesktopError, match="windows"):
            desktop.find_window("x")  # type: ignore[attr-defined]
        desktop.close()


def deep(levels: int) -> dict[str, object]:
    tree: dict[str, object] = {"role": "label", "name": "", "bounds": [0, 0, 1, 1], "value": None, "children": []}
    for _ in range(levels):
        tree = {"role": "panel", "name": "", "bounds": [0, 0, 1, 1], "value": None, "children": [tree]}
    return tree


@pytest.mark.parametrize("tree", [7, {}, {**deep(1), "children": [7]}, {**deep(1), "bounds": [1, 2]}, {**deep(0), "name": None}, deep(300)])
def test_a_tree_that_is_none(tree: object) -> None:
    with hostile(routes({"/gui-gym/accessibility": {"tree": tree}})) as (address, _):
        desktop = make_desktop(address)
        with pytest.raises(DesktopError, match="no accessibility tree"):
            desktop.accessibility_tree()
        desktop.close()


@pytest.mark.parametrize("head", [b"P6 0 5 255\n", b"P6 -1 5 255\n", b"P6 5 -1 255\n", b"P6 99999999999 99999999999 255\n", b"P6", b""])
def test_frames_of_no_size(head: bytes) -> None:
    with pytest.raises(BadReplyError):
        frame_of(Reply(200, {"content-type": "image/x-portable-pixmap"}, head + bytes(30)))


def test_a_title_with_line_breaks_is_no_window() -> None:
    listing = "0x0120000a  0 1 2 30 40 a.A host first\nsecond 0 1 2 3 4 5 6 7 8\n0x01200003 -1 0    0    64   48   b.B                   host \n"
    assert [(window.id, window.title) for window in parse_wmctrl(listing)] == [(0x120000A, "first"), (0x1200003, "")]


def test_a_tunnel_follows_no_redirect(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("websockets")
    with hostile(lambda connection, request: None) as (elsewhere, reached):
        answer = b"HTTP/1.1 302 Found\r\nLocation: " + elsewhere.replace("http", "ws", 1).encode() + b"/secrets\r\nContent-Length: 0\r\n\r\n"
        with hostile(lambda connection, request: connection.sendall(answer)) as (address, _):
            guest = GuestClient(address)
            with pytest.raises(DesktopError, match="port 80 of the guest"):
                tunnel.open_tunnel(guest, 80)
            guest.close()
        assert reached == []
