"""The guest desktop against OSWorld's server and its ways of failing."""

from __future__ import annotations

import json
import logging
import shlex
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("httpx")

import gymnasium as gym
from osworld_fake import Handler, OSWorldFake, osworld_fake, png

from gui_gym import Action, ActionError
from gui_gym.actions import Button, Key, Modifier
from gui_gym.desktops import Desktop, DesktopError, DesktopFileNotFoundError, make_desktop
from gui_gym.desktops.guest import client, osworld, reverting
from gui_gym.desktops.guest.wire import TOKEN_FILE_VARIABLE, TOKEN_VARIABLE
from gui_gym.spaces import to_element
from gui_gym.tasks import Task

TASK = Task("empty", "test", "do nothing")


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[OSWorldFake]:
    monkeypatch.delenv(TOKEN_VARIABLE, raising=False)
    monkeypatch.delenv(TOKEN_FILE_VARIABLE, raising=False)
    monkeypatch.setattr(client, "_PAUSES", (0.0, 0.0))
    monkeypatch.setattr(osworld, "SETTLE_QUIET", 0.0)
    monkeypatch.setattr(osworld, "_POLL", 0.001)
    home = tmp_path / "home"
    home.mkdir()
    with osworld_fake(home) as server:
        yield server


@pytest.fixture
def guest(server: OSWorldFake) -> Iterator[Desktop]:
    desktop = make_desktop(server.address)
    server.asked.clear()
    yield desktop
    desktop.close()


def drop(handler: Handler) -> None:
    """The connection ends without an answer, after the request was read."""
    handler.close_connection = True
    handler.connection.shutdown(2)


def cut_off(handler: Handler) -> None:
    whole = png(np.random.default_rng(0).integers(0, 255, (48, 64, 3), np.uint8))
    handler.send(whole[: len(whole) // 2], "image/png")


def error_page(handler: Handler) -> None:
    handler.html(500)


# -- where the guest is ----------------------------------------------------------------------------------------------


def test_the_size_is_that_of_the_screen(server: OSWorldFake) -> None:
    desktop = make_desktop(server.address)
    assert (desktop.kind, desktop.width, desktop.height, desktop.real, desktop.network) == ("guest", 64, 48, True, True)
    desktop.close()
    with pytest.raises(ValueError, match="a screen of 64x48, not 1280x720"):
        make_desktop(server.address, 1280, 720)


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("http://user:secret@127.0.0.1:5000", f"{TOKEN_VARIABLE}, or the path"),
        ("http://127.0.0.1:5000/path", "such as http"),
        ("http://127.0.0.1:99999", "such as http"),
        ("http://", "such as http"),
    ],
)
def test_an_address_that_is_none_or_holds_a_secret_is_refused(address: str, message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        make_desktop(address)
    assert "secret" not in str(caught.value)


def test_the_token_comes_from_the_environment_or_a_file(server: OSWorldFake, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    make_desktop(server.address).close()
    assert not any("Authorization" in headers for headers in server.headers)
    (tmp_path / "token").write_text("of-a-file-0123456789\n")
    monkeypatch.setenv(TOKEN_FILE_VARIABLE, str(tmp_path / "token"))
    make_desktop(server.address).close()
    assert server.headers[-1]["Authorization"] == "Bearer of-a-file-0123456789"
    monkeypatch.setenv(TOKEN_VARIABLE, "of-the-environment-0123456789")
    make_desktop(server.address).close()
    assert server.headers[-1]["Authorization"] == "Bearer of-the-environment-0123456789"
    monkeypatch.setenv(TOKEN_VARIABLE, "short")
    with pytest.raises(ValueError, match="at least 16"):
        make_desktop(server.address)


def test_nobody_there(tmp_path: Path) -> None:
    with osworld_fake(tmp_path) as server:
        address = server.address
    with pytest.raises(DesktopError, match="did not answer GET"):
        make_desktop(address)


# -- reads -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fault", [cut_off, error_page, drop, lambda handler: handler.send(b"<html>", "text/html")])
def test_a_read_that_fails_is_repeated_a_few_times(server: OSWorldFake, guest: Desktop, fault: object) -> None:
    server.faults["/screenshot"] = [fault, fault]
    assert (guest.screenshot() == 200).all() and server.asked["/screenshot"] == 3
    server.faults["/screenshot"] = [fault] * 5
    with pytest.raises(DesktopError, match="did not answer GET /screenshot in 3 attempts"):
        guest.screenshot()
    assert server.asked["/screenshot"] == 6


def test_a_server_that_is_silent_or_slow_or_endless(server: OSWorldFake, guest: Desktop, monkeypatch: pytest.MonkeyPatch) -> None:
    def silent(handler: Handler) -> None:
        time.sleep(1.0)
        drop(handler)

    def slow(handler: Handler) -> None:
        handler.send(b"", "image/png", length=1000)
        for _ in range(20):
            time.sleep(0.05)
            handler.wfile.write(b"x")

    def endless(handler: Handler) -> None:
        handler.send(b"x" * 100_000, "image/png")

    read = client.GuestClient.read
    monkeypatch.setattr(client.GuestClient, "read", lambda *a, **k: read(*a, **{**k, "seconds": 0.2, "limit": 50_000}))
    for fault in (silent, slow, endless):
        server.faults["/screenshot"] = [fault] * 3
        with pytest.raises(DesktopError, match="in 3 attempts"):
            guest.screenshot()


def test_redirects_are_refused(server: OSWorldFake, guest: Desktop) -> None:
    server.faults["/screenshot"] = [lambda handler: handler.send(b"", status=302, Location="/elsewhere")]
    with pytest.raises(DesktopError, match="redirect to '/elsewhere'"):
        guest.screenshot()
    assert server.asked == {"/screenshot": 1}


@pytest.mark.parametrize("answer", [b"nonsense", b'{"x": 1}', b"[1]", b"[" * 100_000, b'{"AT": "<!DOCTYPE x><desktop-frame/>"}'])
def test_json_that_is_none(server: OSWorldFake, guest: Desktop, answer: bytes) -> None:
    server.faults["/accessibility"] = [lambda handler: handler.send(answer)] * 3
    with pytest.raises(DesktopError, match="accessibility in 3 attempts"):
        guest.accessibility_tree()


def test_a_screen_that_changed_its_size(server: OSWorldFake, guest: Desktop) -> None:
    server.frames = [np.zeros((40, 60, 3), np.uint8)]
    with pytest.raises(DesktopError, match="60x40 now, and was 64x48"):
        guest.screenshot()


def test_a_missing_file_is_told_from_a_server_that_fails(server: OSWorldFake, guest: Desktop) -> None:
    (server.home / "there").write_bytes(b"\x00\xff")
    assert guest.read_file(str(server.home / "there")) == b"\x00\xff"
    with pytest.raises(DesktopFileNotFoundError):
        guest.read_file(str(server.home / "missing"))
    server.faults["/file"] = [lambda handler: handler.html(404)] * 3
    with pytest.raises(DesktopError) as caught:
        guest.read_file(str(server.home / "there"))
    assert not isinstance(caught.value, DesktopFileNotFoundError)


# -- actions ---------------------------------------------------------------------------------------------------------


def exit_status(handler: Handler) -> None:
    handler.send(json.dumps({"status": "success", "output": "", "error": "Xlib.error.DisplayConnectionError", "returncode": 1}).encode())


def status_error(handler: Handler) -> None:
    handler.send(b'{"status": "error", "message": "no such thing"}', status=500)


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (drop, "is unknown, and it is not sent again"),
        (exit_status, "exit status 1.*DisplayConnectionError"),
        (error_page, "HTTP 500"),
        (status_error, "no such thing"),
        (lambda handler: handler.send(b"{}"), "status None"),
        (lambda handler: handler.send(b'{"status": "success", "output": "hm", "returncode": 0}'), "not our program"),
    ],
)
def test_an_action_is_sent_once(server: OSWorldFake, guest: Desktop, fault: object, message: str) -> None:
    guest.perform(Action.move(5, 5))
    sent = server.asked["/execute"]
    server.faults["/execute"] = [fault] * 3
    with pytest.raises(DesktopError, match=message):
        guest.perform(Action.click(5, 5))
    assert server.asked["/execute"] == sent + 1 and guest.healthy()


def test_an_action_of_unknown_delivery_ends_the_episode_unscored(server: OSWorldFake, tmp_path: Path) -> None:
    folder = tmp_path / "examples" / "os"
    folder.mkdir(parents=True)
    evaluator = {
        "func": "exact_match",
        "result": {"type": "vm_command_line", "command": "true"},
        "expected": {"type": "rule", "rules": {"expected": ""}},
    }
    (folder / "one.json").write_text(json.dumps({"id": "one", "instruction": "do it", "config": [], "evaluator": evaluator}))
    with pytest.warns(RuntimeWarning, match="not reverted between episodes"):
        env = gym.make("GuiDesktop-v0", suite="osworld", tasks=str(tmp_path), desktop=server.address)
        env.reset(seed=0)
    server.faults["/execute"] = [drop]
    *_, reward, terminated, truncated, info = env.step(to_element(Action.click(5, 5)))
    assert (reward, terminated, truncated, info["scored"], info["end"]) == (0.0, False, True, False, "infrastructure")
    assert "is unknown" in info["unscored"]
    env.close()


def test_what_is_sent_is_data(server: OSWorldFake, guest: Desktop) -> None:
    """Nothing of an action becomes part of a program."""
    text = "'); import os; os._exit(1) # \\ \" é漢🎉\n"
    guest.perform(Action.type_text(text))
    guest.perform(Action.click(3, 4, Button.RIGHT, 2, (Modifier.CTRL, Modifier.META)))
    guest.perform(Action.press(Key.PAGE_DOWN, Modifier.SHIFT))
    guest.perform(Action.press(Key.LESS))
    guest.perform(Action.scroll_by(9, 9, -2, 3))
    typed, click, press, less, scroll = server.inputs
    assert typed == {"type": "TYPE", "text": text}
    assert click == {"type": "CLICK", "point": [3, 4], "button": "RIGHT", "clicks": 2, "modifiers": ["Control_L", "Super_L"]}
    assert press == {"type": "KEY", "key": "Page_Down", "modifiers": ["Shift_L"]}
    assert less["key"] == "<" and scroll["scroll"] == [-2, 3]


def test_what_the_guest_cannot_do_is_told_to_the_agent(server: OSWorldFake, guest: Desktop) -> None:
    server.told = {"unable": "the guest knows no key Menu"}
    with pytest.raises(ActionError, match="no key Menu"):
        guest.perform(Action.press(Key.MENU))
    server.modules = []
    other = make_desktop(server.address)
    with pytest.raises(ActionError, match="neither python-xlib nor pyautogui"):
        other.perform(Action.type_text("a"))
    other.close()


def test_one_screenshot_a_step_where_the_guest_can_wait_itself(server: OSWorldFake, guest: Desktop) -> None:
    """OSWorld's server loses a connection to its X server with each, and dies of it."""
    for _ in range(3):
        guest.perform(Action.move(1, 1))
        guest.screenshot()
    assert server.asked["/screenshot"] == 3 and guest.timing()["settle"] == 0.25 and guest.cursor == (1, 2)
    server.told = {"cursor": "here"}
    with pytest.raises(DesktopError, match="the pointer's place"):
        guest.perform(Action.move(1, 1))


def test_a_screen_is_waited_for_until_it_rests(server: OSWorldFake, guest: Desktop, monkeypatch: pytest.MonkeyPatch) -> None:
    server.modules = ["pyautogui"]  # no X server that could be asked
    monkeypatch.setattr(osworld, "SETTLE_QUIET", 0.05)
    server.frames = [np.full((48, 64, 3), value, np.uint8) for value in (1, 2, 3, 4)]
    guest.perform(Action.move(1, 1))
    assert (guest.screenshot() == 4).all() and guest.timing()["settle"] >= 0.05
    monkeypatch.setattr(osworld, "SETTLE_LIMIT", 0.1)
    server.frames = [np.full((48, 64, 3), value % 250, np.uint8) for value in range(2000)]
    guest.perform(Action.move(1, 1))
    assert guest.timing()["settle_limit"] == 0.1


# -- programs --------------------------------------------------------------------------------------------------------


def test_programs_and_their_bytes(server: OSWorldFake, guest: Desktop) -> None:
    done = guest.run(
        [sys.executable, "-c", "import os, sys; os.write(1, b'\\xff\\x00'); os.write(2, os.environ['ODD'].encode()); sys.exit(3)"], env={"ODD": "é"}
    )
    assert (done.returncode, done.stdout, done.stderr) == (3, b"\xff\x00", "é".encode())
    with pytest.raises(DesktopError, match="no program 'is-not-there' on the guest"):
        guest.run(["is-not-there"])
    with pytest.raises(DesktopError, match="did not end within 0.3 s"):
        guest.run(["sleep", "60"], timeout=0.3)
    with pytest.raises(DesktopError, match="expected a list"):
        guest.run("ls")
    with pytest.raises(DesktopError, match="wmctrl"):
        guest.windows()


@pytest.fixture
def racing(server: OSWorldFake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Gives the guest a ``wmctrl`` that meets ``errors`` windows that close while it asks about them."""
    bin = tmp_path / "bin"
    bin.mkdir()
    monkeypatch.setenv("PATH", str(bin), prepend=":")

    def give(errors: int, error: str = "BadWindow (invalid Window parameter)", on: str = "-l") -> None:
        (tmp_path / "left").write_text(str(errors))
        (bin / "wmctrl").write_text(f"""#!{sys.executable}
import pathlib, sys
count = pathlib.Path({str(tmp_path / "left")!r})
left = int(count.read_text())
if any(each.startswith({on!r}) for each in sys.argv[1:]) and left:
    count.write_text(str(left - 1))
    sys.exit("X Error of failed request:  {error}")
if sys.argv[1].startswith("-l"):
    print("0x0200000a  0", "81 84 640 480" if "G" in sys.argv[1] else "", "pad.Pad host  a title")
""")
        (bin / "wmctrl").chmod(0o755)
        server.programs = ["wmctrl"]

    return give


@pytest.mark.parametrize("error", ["BadWindow (invalid Window parameter)", "BadDrawable (invalid Pixmap or Window parameter)"])
def test_a_window_that_closes_while_windows_are_listed(guest: Desktop, racing: Callable[..., None], error: str) -> None:
    racing(3, error)
    assert [window.title for window in guest.windows()] == ["a title"]
    racing(100, error)
    with pytest.raises(DesktopError, match="Bad"):
        guest.windows()
    racing(1, "BadAccess (attempt to access private resource denied)")
    with pytest.raises(DesktopError, match="BadAccess"):
        guest.windows()


def test_a_window_that_closes_just_before_it_is_asked_to(guest: Desktop, racing: Callable[..., None]) -> None:
    racing(1, on="-c")
    guest.close_window("a title")
    racing(1, on="-a")
    with pytest.raises(DesktopError, match="no window with 'a title'"):
        guest.activate_window("a title")


def test_the_state_knows_all_windows_though_one_closes_meanwhile(guest: Desktop, racing: Callable[..., None]) -> None:
    racing(2)
    assert guest._guest.state({"files": 10, "bytes": 10, "ignored": []})["windows"] == ["pad.Pad"]


# -- between episodes ------------------------------------------------------------------------------------------------


@pytest.fixture
def clean(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reverting, "_clean", {})
    monkeypatch.setattr(reverting, "_warned", set())
    check = reverting.check_clean
    monkeypatch.setattr(reverting, "check_clean", lambda address, state: check(address, state, pause=0.0))


def test_without_a_way_back_there_is_a_warning_once(server: OSWorldFake, guest: Desktop, clean: None, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING), pytest.warns(RuntimeWarning, match="score may be wrong"):
        guest.reset(TASK, 0)
    guest.reset(TASK, 0)
    assert caplog.text.count("is not reverted") == 1


def test_the_guest_is_reverted_and_what_is_left_is_found(server: OSWorldFake, clean: None) -> None:
    (server.home / "Documents").mkdir()
    (server.home / "Documents" / "report.txt").write_text("as it was")
    script = "import pathlib, sys; [path.unlink() for path in pathlib.Path(sys.argv[1]).glob('made*')]"
    desktop = make_desktop(server.address, revert=shlex.join([sys.executable, "-c", script, str(server.home)]))
    desktop.reset(TASK, 0)
    (server.home / "made by the agent").write_text("x")
    (server.home / ".cache").mkdir()
    desktop.reset(TASK, 0)
    (server.home / "Documents" / "report.txt").write_text("as it is")
    (server.home / "Documents" / "other.txt").write_text("x")
    (server.home / ".config" / "app").mkdir(parents=True)
    with pytest.raises(DesktopError, match=r"(?s)not in its clean state.*were not there: .*Documents/other.txt.*changed: Documents/report.txt"):
        desktop.reset(TASK, 0)
    desktop.close()


def test_a_way_back_that_fails(server: OSWorldFake, clean: None) -> None:
    desktop = make_desktop(server.address, revert="false")
    with pytest.raises(DesktopError, match="failed with exit status 1"):
        desktop.reset(TASK, 0)
    desktop.close()
    desktop = make_desktop(server.address, revert="is-not-there --now")
    with pytest.raises(DesktopError, match="cannot be run"):
        desktop.reset(TASK, 0)
    desktop.close()
    for wrong, message in (("'", "balanced quotes"), (" ", "expected a command"), ("serve", "gui-gym serve, which")):
        with pytest.raises(ValueError, match=message):
            make_desktop(server.address, revert=wrong)


@pytest.mark.filterwarnings("ignore:the guest at:RuntimeWarning")
def test_keys_of_the_last_episode_are_let_go(server: OSWorldFake, guest: Desktop) -> None:
    guest.perform(Action.key_down(Key.SHIFT))
    guest.reset(TASK, 0)
    assert server.inputs[-1] == {"type": "RELEASE_ALL", "keys": ["Shift_L"]}


def test_a_closed_guest(guest: Desktop) -> None:
    guest.close()
    guest.close()
    assert not guest.healthy()
    with pytest.raises(DesktopError, match="closed"):
        guest.screenshot()
