"""The relay to a server inside a desktop, and what is asked of a browser's debugger, with servers of this process as the desktop's."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

import pytest

from gui_gym.desktops import Desktop, DesktopError, devtools
from gui_gym.desktops import relay as relays
from gui_gym.desktops.relay import Relay

Answer = Callable[[bytes], bytes]


class Inside(Desktop):
    """A desktop of which only :meth:`connect` works: ``answers`` plays the server of each port."""

    kind, real, width, height = "inside", False, 100, 100

    def __init__(self, answers: dict[int, Answer]):
        self.answers, self.well, self.launched = answers, True, [] if answers else [["nothing"]]

    def connect(self, port: int) -> socket.socket:
        if port not in self.answers:
            raise DesktopError(f"nothing listens on port {port}")
        ours, theirs = socket.socketpair()
        threading.Thread(target=self._serve, args=(theirs, self.answers[port]), daemon=True).start()
        return ours

    @staticmethod
    def _serve(connection: socket.socket, answer: Answer) -> None:
        request = b""
        with connection:
            try:
                while b"\r\n\r\n" not in request and (part := connection.recv(65536)):
                    request += part
                connection.sendall(answer(request))
            except OSError:  # the other side is gone
                pass

    def healthy(self) -> bool:
        return self.well

    def launch(self, argv, *, env=None):  # type: ignore[no-untyped-def]
        self.launched.append(list(argv))

    def reset(self, task, seed): ...  # type: ignore[no-untyped-def]
    def screenshot(self, out=None): ...  # type: ignore[no-untyped-def]
    def perform(self, action): ...  # type: ignore[no-untyped-def]
    def close(self) -> None: ...
    @property
    def cursor(self) -> tuple[int, int]:
        return (0, 0)


class Dripping(Inside):
    """A desktop whose servers answer with ``start``, then with a byte now and then, forever."""

    def __init__(self, start: bytes):
        super().__init__({})
        self.start = start

    def connect(self, port: int) -> socket.socket:
        ours, theirs = socket.socketpair()
        threading.Thread(target=self._drip, args=(theirs,), daemon=True).start()
        return ours

    def _drip(self, connection: socket.socket) -> None:
        with connection:
            try:
                connection.sendall(self.start)
                while True:
                    connection.sendall(b"1")
                    time.sleep(0.02)
            except OSError:  # the other side is gone
                pass


@contextmanager
def connected(relay: Relay) -> Iterator[socket.socket]:
    host, port = relay.address.split("/")[2].split(":")
    with socket.create_connection((host, int(port)), timeout=20) as client:
        yield client


def path_of(relay: Relay) -> str:
    return "/" + relay.address.split("/", 3)[3]


def everything(client: socket.socket) -> bytes:
    data = b""
    try:
        while part := client.recv(65536):
            data += part
    except ConnectionResetError:  # what was sent was not all read
        pass
    return data


def http(body: object, status: str = "200 OK") -> Answer:
    content = json.dumps(body).encode() if not isinstance(body, bytes) else body
    return lambda request: b"HTTP/1.1 %s\r\nContent-Length: %d\r\n\r\n%s" % (status.encode(), len(content), content)


def test_what_goes_through_is_the_path_asked_for_and_the_rest_as_it_is() -> None:
    with Relay(Inside({7: lambda request: b"\x00\xff" + request}), 7, "/devtools/browser/1", 60) as relay, connected(relay) as client:
        client.sendall(f"GET {path_of(relay)} HTTP/1.1\r\nUpgrade: websocket\r\nX: \xff\r\n\r\n".encode("latin-1"))
        assert everything(client) == b"\x00\xffGET /devtools/browser/1 HTTP/1.1\r\nUpgrade: websocket\r\nX: \xff\r\n\r\n"


@pytest.mark.parametrize(
    "request_line",
    [
        "GET / HTTP/1.1",
        "GET /json/version HTTP/1.1",
        "POST {path} HTTP/1.1",
        "GET {path}x HTTP/1.1",
        "GET  HTTP/1.1",
        "",
        "\x00" * 5000,
        "GET /" + "a" * 5000,
    ],
)
def test_without_the_secret_nothing_is_reached(request_line: str) -> None:
    reached: list[bytes] = []

    def answer(request: bytes) -> bytes:
        reached.append(request)
        return b"secret"

    with Relay(Inside({7: answer}), 7, "/p", 60) as relay, connected(relay) as client:
        client.sendall(request_line.format(path=path_of(relay)).encode() + b"\r\n\r\n")
        assert everything(client)[:13] in (b"HTTP/1.1 403 ", b"")
    assert reached == []


def test_two_relays_have_two_secrets() -> None:
    desktop = Inside({})
    with Relay(desktop, 7, "/p", 60) as one, Relay(desktop, 7, "/p", 60) as other:
        assert path_of(one) != path_of(other) and len(path_of(one)) > 40


def test_after_its_time_connections_are_ended() -> None:
    wait = threading.Event()

    def endless(request: bytes) -> bytes:
        wait.wait(60)
        return b""

    with Relay(Inside({7: endless}), 7, "/p", 0.2) as relay, connected(relay) as client:
        client.sendall(f"GET {path_of(relay)} HTTP/1.1\r\n\r\n".encode())
        assert everything(client) == b""
        assert relay.expired
    wait.set()


def test_an_endless_answer_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relays, "_MAX_BYTES", 100_000)
    with Relay(Inside({7: lambda request: b"x" * (8 << 20)}), 7, "/p", 60) as relay, connected(relay) as client:
        client.sendall(f"GET {path_of(relay)} HTTP/1.1\r\n\r\n".encode())
        assert 100_000 <= len(everything(client)) < 200_000


def test_a_client_that_says_its_request_slowly_is_sent_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relays, "_HEAD_SECONDS", 0.2)
    with Relay(Inside({7: lambda request: b"x"}), 7, "/p", 60) as relay, connected(relay) as client:
        try:
            for _ in range(1000):
                client.sendall(b"G")
                time.sleep(0.01)
        except OSError:
            return
    pytest.fail("it was listened to for 10 s")


def test_other_users_cannot_open_any_number_of_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relays, "_MAX_OPEN", 5)
    with Relay(Inside({}), 7, "/p", 60) as relay, ExitStack() as stack:
        clients = [stack.enter_context(connected(relay)) for _ in range(8)]
        assert everything(clients[-1]) == b""
        assert len(relay._open) == 5


def test_nothing_listens_once_it_is_closed() -> None:
    with Relay(Inside({}), 7, "/p", 60) as relay:
        pass
    with pytest.raises(ConnectionRefusedError), connected(relay):
        pass


def test_a_server_that_is_not_there_ends_the_connection() -> None:
    with Relay(Inside({}), 7, "/p", 60) as relay, connected(relay) as client:
        client.sendall(f"GET {path_of(relay)} HTTP/1.1\r\n\r\n".encode())
        assert everything(client) == b""


@pytest.mark.parametrize("path", ["", "p", "/a b", "/a\r\nX: y", "/\x00"])
def test_a_path_that_would_change_the_request_is_refused(path: str) -> None:
    with pytest.raises(DesktopError, match="expected the path"):
        Relay(Inside({}), 7, path, 60)


# -- the browser's debugger ------------------------------------------------------------------------------------------


def test_a_browser_is_found_on_either_port() -> None:
    version = http({"webSocketDebuggerUrl": "ws://evil.example/devtools/browser/8"})
    assert devtools.find_browser(Inside({1337: version})) == (1337, "/devtools/browser/8")
    assert devtools.find_browser(Inside({9222: version, 1337: version}))[0] == 9222
    assert devtools.find_browser(Inside({9222: lambda request: b"", 1337: version}))[0] == 1337


@pytest.mark.parametrize(
    "answer",
    [
        lambda request: b"",
        lambda request: b"SSH-2.0\r\n",
        http({}, "500 No"),
        http([]),
        http({"webSocketDebuggerUrl": 7}),
        http({"webSocketDebuggerUrl": "ws://[x"}),
        http(b"{"),
        http(b"[" * 100_000),
    ],
)
def test_what_is_no_browser_is_none(answer: Answer) -> None:
    with pytest.raises(devtools.NoBrowserError, match=r"9222 or 1337: start it with google-chrome --remote-debugging-port=1337"):
        devtools.find_browser(Inside({9222: answer}))


@pytest.mark.parametrize(
    "start",
    [b"", b"HTTP/1.1 200 OK\r\nX: ", b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", b"HTTP/1.1 200 OK\r\n\r\n"],
    ids=["first line", "header", "body", "body of no length"],
)
def test_a_browser_that_drips_holds_nobody_up(start: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devtools, "ANSWER_SECONDS", 0.2)
    with pytest.raises(devtools.NoBrowserError):
        devtools.find_browser(Dripping(start))


def test_a_dead_desktop_is_not_a_desktop_without_browser() -> None:
    desktop = Inside({})
    desktop.well = False
    with pytest.raises(DesktopError) as failed:
        devtools.find_browser(desktop)
    assert not isinstance(failed.value, devtools.NoBrowserError)


def test_tabs() -> None:
    found = [
        {"type": "page", "id": "7", "title": "A", "url": "https://a.example/"},
        {"type": "browser_ui", "title": "Omnibox Popup", "url": "chrome://omnibox-popup.top-chrome/"},
        "x",
        {"type": "page"},
    ]
    answers = {b"/json/list": http(found), b"/json/version": http({"webSocketDebuggerUrl": "ws://a/b"})}
    desktop = Inside({9222: lambda request: answers[request.split()[1]](request)})
    assert devtools.tabs(desktop) == [{"id": "7", "title": "A", "url": "https://a.example/"}, {"id": "", "title": "", "url": ""}]


def test_tabs_that_are_no_list_are_the_desktops_failure() -> None:
    with pytest.raises(DesktopError, match="listed no tabs"):
        devtools.tabs(Inside({9222: http({"webSocketDebuggerUrl": "ws://a/b"})}))


def test_a_browser_that_opens_a_tab_for_each_that_is_closed_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devtools, "CLOSE_ALL_SECONDS", 0.3)
    ids = iter(range(1_000_000))

    def answer(request: bytes) -> bytes:
        if request.startswith(b"GET /json/list"):
            return http([{"type": "page", "id": str(next(ids)), "title": "", "url": ""}])(request)
        return http({"webSocketDebuggerUrl": "ws://a/b"})(request)

    with pytest.raises(DesktopError, match="still has tabs after 0.3 s"):
        devtools.close_browser(Inside({9222: answer}))


def test_a_browser_is_started_where_none_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devtools, "START_SECONDS", 0.0)
    desktop = Inside({})
    desktop.launched = []
    with pytest.raises(devtools.NoBrowserError):
        devtools.ensure_browser(desktop)
    assert desktop.launched == [devtools.COMMAND]
