"""The guest server: who may ask, sessions, and OSWorld's routes over simulated desktops."""

from __future__ import annotations

import base64
import io
import json
import shutil
import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("httpx")
pytest.importorskip("uvicorn")

import httpx
from guest_helpers import TOKEN, guest_server
from PIL import Image

from gui_gym import Action, ActionError
from gui_gym.actions import Button, Key, Modifier
from gui_gym.desktops import Completed, DesktopError, make_desktop
from gui_gym.desktops.guest.server import connections, recording
from gui_gym.desktops.guest.wire import MAX_BODY, TOKEN_VARIABLE, action_from_json, action_to_json
from gui_gym.desktops.sim import SimDesktop
from gui_gym.tasks import Task

MADE: list[Probe] = []


class Probe(SimDesktop):
    """A simulated desktop that notes how it was treated, and runs programs that the test plays."""

    def __init__(self) -> None:
        super().__init__(400, 300)
        MADE.append(self)
        self.closed = False
        self.ran: list[list[str]] = []
        self.gate = threading.Event()
        self.dead = False

    def close(self) -> None:
        super().close()
        self.closed = True

    def reset(self, task: Task, seed: int) -> None:
        if self.dead:
            raise DesktopError("the desktop is dead")
        super().reset(task, seed)

    def run(self, argv: Sequence[str], *, timeout: float = 60.0, env: dict[str, str] | None = None) -> Completed:
        self.ran.append(list(argv))
        if argv[0] == "wait":
            self.gate.wait(30)
        if argv[0] == "missing":
            raise DesktopError("no program 'missing' on the desktop")
        if argv[0] == "printenv":
            return Completed(0, b"/home/user\n", b"")
        if argv[0] == "env":
            return Completed(0, b"HOME=/home/user\0NAME=letter.txt\0", b"")
        return Completed(3 if argv[0] == "false" else 0, " ".join(argv).encode() + b"\xff", b"said")

    def launch(self, argv: Sequence[str], *, env: dict[str, str] | None = None) -> None:
        self.ran.append(["launch", *argv])


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with guest_server(lambda: make_desktop("sim", 400, 300), max_sessions=9) as address:
        yield address


@pytest.fixture
def probes() -> Iterator[str]:
    """The address of a server with :class:`Probe` desktops."""
    MADE.clear()
    with guest_server(Probe) as address:
        MADE.clear()
        yield address
    assert all(desktop.closed for desktop in MADE), "the server left a desktop behind"


def ask(address: str, path: str, method: str = "POST", session: str = "one", token: str = TOKEN, **options: object) -> httpx.Response:
    with httpx.Client(trust_env=False, verify=False, auth=(session, token), timeout=30) as client:  # certificates take 30 ms to load
        return client.request(method, address + path, **options)


# -- who may ask -----------------------------------------------------------------------------------------------------


def test_the_token_is_asked_for(address: str) -> None:
    assert ask(address, "/platform", "GET").text == "Linux"
    assert httpx.get(address + "/platform", verify=False, headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 200
    for headers in (
        {},
        {"Authorization": f"Bearer {TOKEN}x"},
        {"Authorization": "Bearer"},
        {"Authorization": "Basic !!!"},
        {"Authorization": "Basic " + base64.b64encode(b"one:wrong").decode()},
        {"Authorization": f"Digest {TOKEN}"},
    ):
        refused = httpx.get(address + "/platform", verify=False, headers=headers)
        assert refused.status_code == 401 and refused.headers["www-authenticate"].startswith("Basic") and TOKEN not in refused.text


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1", 200),
        ("localhost:5000", 200),
        ("[::1]:5000", 200),
        ("evil.example", 403),
        ("127.0.0.1.evil.example:5000", 403),
        ("", 403),
    ],
)
def test_names_that_lead_here_are_refused(address: str, host: str, status: int) -> None:
    """DNS rebinding: a page's own name made to point to this machine."""
    assert ask(address, "/platform", "GET", headers={"Host": host}).status_code == status


def test_a_name_may_be_allowed() -> None:
    with guest_server(lambda: make_desktop("sim", 100, 100), hosts=("Farm.example",)) as address:
        assert ask(address, "/platform", "GET", headers={"Host": "farm.example:5000"}).status_code == 200


@pytest.mark.parametrize("headers", [{"Origin": "http://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}])
def test_web_pages_are_refused(address: str, headers: dict[str, str]) -> None:
    assert ask(address, "/platform", "GET", headers=headers).status_code == 403
    assert ask(address, "/execute", content=b'{"command": "true"}', headers={"Content-Type": "text/plain"}).status_code == 415


def test_requests_are_bounded(address: str) -> None:
    assert ask(address, "/execute", content=b"x" * (MAX_BODY + 1), headers={"Content-Type": "application/json"}).status_code == 413

    def parts() -> Iterator[bytes]:
        for _ in range(MAX_BODY // 65536 + 2):
            yield b"x" * 65536

    assert ask(address, "/execute", content=parts(), headers={"Content-Type": "application/json"}).status_code == 413
    big = {"file_data": ("f", b"x" * (5 << 20))}
    assert ask(address, "/setup/upload", data={"file_path": "/home/user/f"}, files=big).status_code == 413


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"1", b"[" * 100_000, b'{"command": 1}', b'{"command": []}', b'{"command": "a\\u0000"}'])
def test_bodies_that_are_none(address: str, body: bytes) -> None:
    answer = ask(address, "/execute", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 400 and "expected" in answer.json()["message"]


def test_without_a_token_where_that_was_asked_for() -> None:
    with guest_server(lambda: make_desktop("sim", 100, 100), token=None) as address:
        assert httpx.get(address + "/platform").status_code == 200
        assert httpx.get(address + "/platform", verify=False, headers={"Host": "evil.example"}).status_code == 403


@pytest.mark.parametrize("start", [b"", b"GET", b"GET /platform HTTP/1.1\r\nX: "], ids=["nothing", "a word", "a header"])
def test_a_request_that_is_never_finished_is_not_waited_for(start: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.3)
    with guest_server(lambda: make_desktop("sim", 100, 100)) as address:
        with socket.create_connection(("127.0.0.1", int(address.rpartition(":")[2])), 30) as client:
            client.sendall(start)
            assert client.recv(100) == b""
        with httpx.Client(headers={"Authorization": f"Bearer {TOKEN}"}) as client:  # nor one that never comes after another
            assert client.get(address + "/platform").status_code == 200
            stream = client._transport._pool.connections[0]  # type: ignore[attr-defined]
            for _ in range(500):
                if stream.has_expired():
                    break
                threading.Event().wait(0.02)
            assert stream.has_expired()


def test_an_answer_may_take_longer_than_a_request(probes: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.1)
    ask(probes, "/platform", "GET")
    threading.Timer(0.5, MADE[0].gate.set).start()
    assert ask(probes, "/execute", json={"command": ["wait"]}).status_code == 200


def test_connections_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "MAX_CONNECTIONS", 3)
    with guest_server(lambda: make_desktop("sim", 100, 100)) as address, ExitStack() as stack:
        place = "127.0.0.1", int(address.rpartition(":")[2])
        clients = [stack.enter_context(socket.create_connection(place, 30)) for _ in range(3)]
        with pytest.raises(httpx.TransportError):
            ask(address, "/platform", "GET")
        clients.pop().close()
        for _ in range(500):
            try:
                assert ask(address, "/platform", "GET").status_code == 200
                break
            except httpx.TransportError:
                threading.Event().wait(0.02)
        else:
            pytest.fail("room is not given back")


# -- sessions --------------------------------------------------------------------------------------------------------


def test_each_session_has_a_desktop_of_its_own(probes: str) -> None:
    put = {"file_path": "/home/user/note.txt"}
    assert ask(probes, "/setup/upload", session="one", data=put, files={"file_data": ("n", b"mine")}).text == "File Uploaded: 4 bytes"
    assert ask(probes, "/file", session="one", data=put).content == b"mine"
    assert ask(probes, "/file", session="two", data=put).status_code == 404
    assert ask(probes, "/gui-gym/sessions", "GET").json() == {"sessions": ["one", "two"]}
    assert ask(probes, "/gui-gym/reset", session="one").status_code == 200
    assert ask(probes, "/file", session="one", data=put).status_code == 404
    assert len(MADE) == 2


def test_there_are_so_many_desktops_and_no_more(probes: str) -> None:
    for name in ("a", "b", "c"):
        assert ask(probes, "/platform", "GET", session=name).status_code == 200
    refused = ask(probes, "/platform", "GET", session="d")
    assert refused.status_code == 503 and "--max-sessions" in refused.json()["message"]
    assert ask(probes, "/gui-gym/session", "DELETE", session="a").json() == {"closed": True}
    assert MADE[0].closed and ask(probes, "/platform", "GET", session="d").status_code == 200
    assert ask(probes, "/gui-gym/session", "DELETE", session="a").json() == {"closed": False}


@pytest.mark.parametrize("name", ["../etc", "a b", "x" * 65])
def test_names_of_sessions(address: str, name: str) -> None:
    assert ask(address, "/platform", "GET", session=name).status_code == 503


def test_a_desktop_that_nobody_uses_is_closed() -> None:
    MADE.clear()
    with guest_server(Probe, idle_seconds=0.1) as address:
        MADE.clear()
        ask(address, "/platform", "GET")
        for _ in range(500):
            if MADE[0].closed:
                break
            threading.Event().wait(0.02)
        assert MADE[0].closed and ask(address, "/gui-gym/sessions", "GET").json() == {"sessions": []}


def test_a_session_that_was_closed_does_not_become_a_blank_desktop(probes: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TOKEN_VARIABLE, TOKEN)
    desktop = make_desktop(probes)
    assert not desktop.healthy() and not MADE, "a desktop was made before the reset"
    desktop.reset(Task("empty", "test", ""), 0)
    for name in ask(probes, "/gui-gym/sessions", "GET").json()["sessions"]:
        ask(probes, "/gui-gym/session", "DELETE", session=name)
    for act in (desktop.screenshot, lambda: desktop.perform(Action.move(1, 1)), lambda: desktop.write_file("/home/user/x", b"")):
        with pytest.raises(DesktopError, match="is not there"):
            act()
    desktop.reset(Task("empty", "test", ""), 0)
    assert desktop.healthy()
    desktop.close()


def test_a_slow_call_holds_up_its_own_session_alone(probes: str) -> None:
    ask(probes, "/platform", "GET", session="slow")
    waiting = threading.Thread(target=ask, args=(probes, "/execute"), kwargs={"session": "slow", "json": {"command": ["wait"]}})
    waiting.start()
    for _ in range(20):
        assert ask(probes, "/screenshot", "GET", session="quick").status_code == 200
    assert waiting.is_alive()
    MADE[0].gate.set()
    waiting.join()


def test_a_dead_desktop_is_made_anew_by_a_reset_and_not_before(probes: str) -> None:
    ask(probes, "/platform", "GET")
    MADE[0].dead = True
    SimDesktop.close(MADE[0])
    assert ask(probes, "/screenshot", "GET").status_code == 500
    assert ask(probes, "/gui-gym/reset").status_code == 200
    assert ask(probes, "/screenshot", "GET").status_code == 200 and len(MADE) == 2 and MADE[0].closed


def test_every_member_of_a_vector_env_gets_its_own(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TOKEN_VARIABLE, TOKEN)
    first, second = make_desktop(address), make_desktop(address)
    for desktop in (first, second):
        desktop.reset(Task("empty", "test", ""), 0)
    first.write_file("/home/user/mine.txt", b"x")
    with pytest.raises(FileNotFoundError):
        second.read_file("/home/user/mine.txt")
    for desktop in (first, second):
        desktop.close()
    with pytest.raises(ValueError, match="by itself"):
        make_desktop(address, revert="true")
    make_desktop(address, revert="serve").close()


# -- OSWorld's routes ------------------------------------------------------------------------------------------------


def test_the_screen(address: str) -> None:
    ask(address, "/gui-gym/action", json=action_to_json(Action.move(30, 40))).raise_for_status()
    answer = ask(address, "/screenshot", "GET")
    assert answer.headers["content-type"] == "image/png" and answer.content.startswith(b"\x89PNG\r\n\x1a\n")
    frame = np.array(Image.open(io.BytesIO(answer.content)))
    assert frame.shape == (300, 400, 3)
    raw = ask(address, "/screenshot", "GET", headers={"Accept": "image/x-portable-pixmap"})
    assert np.array_equal(np.array(Image.open(io.BytesIO(raw.content))), frame)
    assert ask(address, "/cursor_position", "GET").json() == [30, 40]
    assert ask(address, "/screen_size").json() == {"width": 400, "height": 300}


def test_what_a_simulated_desktop_has_and_lacks(address: str) -> None:
    ask(address, "/gui-gym/reset").raise_for_status()
    assert ask(address, "/terminal", "GET").json() == {"output": None, "status": "success"}
    assert ask(address, "/desktop_path").json() == {"desktop_path": "/home/user/Desktop"}
    assert ask(address, "/wallpaper").status_code == 404
    names = [child["name"] for child in ask(address, "/list_directory", json={"path": "~"}).json()["directory_tree"]["children"]]
    assert "Documents" in names
    done = ask(address, "/execute", json={"command": ["ls", "-l"], "shell": False}).json()
    assert done["status"] == "success" and done["returncode"] == 1 and "runs no programs" in done["error"]
    assert ask(address, "/setup/activate_window", json={"window_name": "x"}).status_code == 501
    assert ask(address, "/setup/download_file", json={"url": "http://example.org", "path": "/x"}).status_code == 501
    assert ask(address, "/file", data={"file_path": "/../etc/passwd"}).status_code == 404
    assert ask(address, "/file").status_code == 400


def test_programs(probes: str) -> None:
    done = ask(probes, "/execute", json={"command": ["echo", "a b"], "shell": False}).json()
    assert done == {"status": "success", "output": "echo a b\ufffd", "error": "said", "returncode": 0}
    assert ask(probes, "/setup/execute", json={"command": "false", "shell": "false"}).json()["returncode"] == 3
    ask(probes, "/execute", json={"command": "echo 'a b' $HOME", "shell": False})
    ask(probes, "/execute", json={"command": "echo 'a b' $HOME", "shell": True})
    assert MADE[0].ran[-2:] == [["echo", "a b", "$HOME"], ["bash", "-c", "echo 'a b' $HOME"]]
    missing = ask(probes, "/execute", json={"command": ["missing"]})
    assert missing.status_code == 500 and missing.json()["status"] == "error" and "no program" in missing.json()["message"]
    assert ask(probes, "/setup/launch", json={"command": ["gedit", "a b"]}).text == "gedit 'a b' launched successfully"
    assert MADE[0].ran[-1] == ["launch", "gedit", "a b"]
    ran = ask(probes, "/run_python", json={"code": "print(1)"}).json()
    assert (ran["status"], ran["return_code"], ran["need_more"]) == ("success", 0, False)
    script = ask(probes, "/run_bash_script", json={"script": "ls", "timeout": 5, "working_dir": None}).json()
    assert script["status"] == "success" and script["returncode"] == 0
    passed = ask(probes, "/execute_with_verification", json={"command": ["true"], "verification": {"command_success": "true"}}).json()
    assert passed["verification"] == "passed" and passed["status"] == "success"
    late = {"command": ["true"], "verification": {"command_success": ["false"]}, "max_wait_time": 0}
    assert ask(probes, "/execute_with_verification", json=late).json()["status"] == "verification_failed"
    assert ask(probes, "/execute_with_verification", json={**late, "verification": {"odd": 1}}).status_code == 400


def test_paths_are_expanded_with_what_the_desktop_says(probes: str) -> None:
    ask(probes, "/setup/upload", data={"file_path": "~/letter.txt"}, files={"file_data": ("f", b"x")}).raise_for_status()
    for path in ("/home/user/letter.txt", "~/letter.txt", "$HOME/letter.txt", "${HOME}/$NAME"):
        assert ask(probes, "/file", data={"file_path": path}).content == b"x", path


def test_there_are_recordings_where_there_is_ffmpeg(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert ask(address, "/end_recording").status_code == 400
    monkeypatch.setattr("shutil.which", lambda name: None)
    refused = ask(address, "/start_recording")
    assert refused.status_code == 501 and "ffmpeg" in refused.json()["message"]


def test_a_recording_holds_the_screen_from_its_beginning_to_its_end(address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With an ffmpeg that keeps the frames as they come."""
    ffmpeg = tmp_path / "ffmpeg"
    ffmpeg.write_text('#!/bin/sh\nfor last; do :; done\nexec /bin/cat > "$last"\n')
    ffmpeg.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert ask(address, "/start_recording").json()["status"] == "success"
    again = ask(address, "/start_recording")
    assert again.status_code == 400 and "under way" in again.json()["message"]
    ask(address, "/gui-gym/action", json=action_to_json(Action.move(10, 10))).raise_for_status()
    threading.Event().wait(0.5)
    recorded = ask(address, "/end_recording")
    size = 400 * 300 * 3
    assert recorded.headers["content-type"] == "video/mp4" and len(recorded.content) >= 2 * size and len(recorded.content) % size == 0
    raw = ask(address, "/screenshot", "GET", headers={"Accept": "image/x-portable-pixmap"}).content
    assert raw.endswith(recorded.content[-size:]), "the last frame is not the screen as it was at the end"
    assert ask(address, "/end_recording").status_code == 400


@pytest.mark.skipif(shutil.which("ffmpeg") is None, reason="needs ffmpeg")
def test_a_recording_of_noise_does_not_fill_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording, "MAX_BYTES", 200_000)
    noise = SimpleNamespace(screenshot=lambda: np.random.default_rng(0).integers(0, 255, (120, 160, 3), np.uint8))
    recorder = recording.Recorder(160, 120)
    try:
        with pytest.raises(OSError):  # ffmpeg has ended
            for _ in range(2000):
                recorder._add(noise)  # type: ignore[arg-type]
        assert 10_000 < len(recorder._finish()) < 400_000
    finally:
        recorder.close()


# -- actions in JSON -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "action",
    [
        Action.move(1, 2),
        Action.click(3, 4, Button.RIGHT, 3, (Modifier.META, Modifier.CTRL)),
        Action.mouse_down(1, 2, Button.MIDDLE),
        Action.mouse_up(1, 2),
        Action.drag(1, 2, 3, 4),
        Action.scroll_by(5, 6, -20, 20),
        Action.type_text('é漢🎉\ud800\n"'),
        Action.press(Key.PLUS, Modifier.CTRL),
        Action.key_down(Key.SHIFT),
        Action.key_up(Key.SHIFT),
        Action.wait_for(3),
        Action.done(),
        Action.answer("42"),
    ],
)
def test_an_action_is_the_same_in_json(action: Action) -> None:
    assert action_from_json(json.loads(json.dumps(action_to_json(action)))) == action


@pytest.mark.parametrize(
    "fields",
    [None, {}, {"type": "FLY"}, {"type": 1}, {"type": "MOVE"}, {"type": "MOVE", "point": [1, 2], "more": 1},
     {"type": "MOVE", "point": [1, 2.0]},
     {"type": "MOVE", "point": [True, 1]}, {"type": "MOVE", "point": [1, 2, 3]}, {"type": "TYPE", "text": 1}, {"type": "WAIT", "wait": "1"},
     {"type": "KEY", "key": "A", "modifiers": "CTRL"}, {"type": "KEY", "key": "a", "modifiers": []},
     {"type": "KEY", "key": "A", "modifiers": [["CTRL"]]}],
)  # fmt: skip
def test_what_is_no_action(fields: object) -> None:
    with pytest.raises(ActionError, match="expected"):
        action_from_json(fields)


def test_an_action_that_cannot_be_done(address: str) -> None:
    for fields, kind in (({"type": "MOVE", "point": [4000, 0]}, "action"), ({"type": "DONE"}, "request"), ({"type": "FLY"}, "action")):
        answer = ask(address, "/gui-gym/action", json=fields)
        assert answer.status_code == 400 and answer.json()["kind"] == kind, answer.text


def test_calls_of_pyautogui_are_actions(address: str) -> None:
    """Also where no program runs; what is more than calls is refused there, with a reason."""
    begin = "import pyautogui; import time; pyautogui.FAILSAFE = False; "
    done = ask(address, "/execute", json={"command": ["python", "-c", begin + "pyautogui.click(x=33, y=44)"], "shell": False}).json()
    assert (done["returncode"], done["error"]) == (0, "") and ask(address, "/cursor_position", "GET").json() == [33, 44]
    for code in (
        "pyautogui.click(9000, 3)",
        "pyautogui.press('nosuchkey')",
        "print(pyautogui.position())",
        "pyautogui.click(__import__('os').getpid())",
    ):
        done = ask(address, "/execute", json={"command": ["python", "-c", begin + code]}).json()
        assert done["returncode"] == 1 and "runs no programs but calls of pyautogui" in done["error"], done
    assert ask(address, "/cursor_position", "GET").json() == [33, 44]


def test_a_block_that_fails_half_way_is_not_run_again_as_a_program(probes: str) -> None:
    ask(probes, "/platform", "GET")
    done: list[Action] = []

    def perform(action: Action) -> None:
        if done:
            raise ActionError("it cannot be typed")
        done.append(action)

    MADE[0].perform = perform  # type: ignore[method-assign]
    code = "import pyautogui; pyautogui.click(3, 4); pyautogui.write('a')"
    answer = ask(probes, "/execute", json={"command": ["python", "-c", code]}).json()
    assert answer["returncode"] == 1 and "it cannot be typed" in answer["error"] and len(done) == 1 and not MADE[0].ran
    ask(probes, "/execute", json={"command": ["python", "-c", code + "; print(1)"]})
    assert MADE[0].ran == [["python", "-c", code + "; print(1)"]]
