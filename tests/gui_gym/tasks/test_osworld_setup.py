"""Setup steps, on a desktop in memory."""

from __future__ import annotations

import logging
import uuid
from pathlib import Path
from typing import Any

import pytest

from gui_gym import DesktopError, Task, TaskError
from gui_gym.desktops import Completed
from gui_gym.tasks import setup
from gui_gym.tasks.setup import commands, files, run_setup


def do(guest: Any, *steps: tuple[str, dict[str, Any]], **params: Any) -> None:
    run_setup(Task("t", "osworld", "Do it.", tuple({"type": kind, "parameters": p} for kind, p in steps), params=params), guest)


def test_list_commands_stay_literal(guest: Any) -> None:
    hostile = ["echo", "a; rm -rf /", "$(id)", "`id`", "&&", "> /etc/x", "it's", ""]
    do(guest, ("execute", {"command": hostile}), ("command", {"command": hostile, "shell": False}))
    assert guest.ran == [hostile, hostile]


def test_string_commands(guest: Any) -> None:
    do(
        guest,
        ("execute", {"command": "touch 'a b' c"}),
        ("execute", {"command": "mkdir x && cd x", "shell": True}),
        ("command", {"command": "echo $HOME", "shell": "true"}),
        ("execute", {"command": ["echo $0", "a"], "shell": True}),
        ("execute", {"command": ["ls", "~/work", "a~/b"]}),
    )
    assert [argv for argv in guest.ran if argv[0] != "printenv"] == [
        ["touch", "a b", "c"],
        ["bash", "-c", "mkdir x && cd x"],
        ["bash", "-c", "echo $HOME"],
        ["bash", "-c", "echo $0", "a"],
        ["ls", "/home/user/work", "a~/b"],
    ]


@pytest.mark.parametrize("command", ["echo 'open", "  "])
def test_a_command_that_cannot_be_split_is_the_tasks_fault(command: str, guest: Any) -> None:
    with pytest.raises(TaskError, match=r"config\[0\] \(execute\): command: expected"):
        do(guest, ("execute", {"command": command}))


def test_placeholders(guest: Any) -> None:
    text = "{CLIENT_PASSWORD} {SCREEN_WIDTH} {SCREEN_HEIGHT} {SCREEN_WIDTH_HALF},{SCREEN_HEIGHT_HALF} {OTHER}"
    do(guest, ("execute", {"command": ["python3", "-c", text]}), ("execute", {"command": text, "shell": True}))
    filled = "password 1280 720 640,360 {OTHER}"
    assert guest.ran == [["python3", "-c", filled], ["bash", "-c", filled]]


def test_a_command_that_fails_is_logged_and_setup_goes_on(guest: Any, caplog: pytest.LogCaptureFixture) -> None:
    guest.answer = lambda argv: Completed(3, b"", b"no such thing")
    with caplog.at_level(logging.WARNING):
        do(guest, ("execute", {"command": ["false"]}), ("execute", {"command": ["true"]}))
    assert len(guest.ran) == 2 and "exit status 3" in caplog.text and "no such thing" in caplog.text


def test_a_program_that_is_not_there_fails_setup(guest: Any) -> None:
    guest.answer = lambda argv: Completed(127, b"", b"sudo: command not found")
    with pytest.raises(DesktopError, match="not on the desktop: b'sudo: command not found'"):
        do(guest, ("execute", {"command": "echo password | sudo -S true", "shell": True}))
    for parameters in ({"command": ["gimp"]}, {"command": "VERBOSE=-1 gimp --new", "shell": True}):
        with pytest.raises(DesktopError, match="no program 'gimp' on the desktop"):
            do(guest, ("launch", parameters))
    assert guest.launched == []


@pytest.mark.parametrize(
    "until", [{"returncode": 0}, {"stdout": "ready"}, {"stderr": "up"}, {"returncode": 7, "stdout": "ready"}], ids=["code", "out", "err", "either"]
)
def test_until_repeats_the_command(until: dict[str, Any], guest: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(setup.time, "sleep", lambda seconds: None)
    answers = [Completed(1, b"", b""), Completed(1, b"", b""), Completed(0, b"is ready", b"it is up")]
    guest.answer = lambda argv: answers.pop(0)
    do(guest, ("execute", {"command": ["probe"], "until": until}))
    assert guest.ran == [["probe"]] * 3


def test_until_ends(guest: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "UNTIL_SECONDS", 0.0)
    monkeypatch.setattr(setup.time, "sleep", lambda seconds: None)
    guest.answer = lambda argv: Completed(1, b"", b"")
    with pytest.raises(DesktopError, match="did not come to"):
        do(guest, ("execute", {"command": ["probe"], "until": {"returncode": 0}}))


def test_launch_and_open(guest: Any) -> None:
    guest.files = {"/home/user/a.txt": b"", "/home/user/a.PY": b"", "/home/user/a.xlsx": b"", "/home/user/Makefile": b"", "/home/user/.profile": b""}
    do(guest, ("launch", {"command": ["socat", "tcp-listen:1,fork", "x"]}), ("launch", {"command": "vlc --no-audio", "shell": True}))
    assert guest.launched == [["socat", "tcp-listen:1,fork", "x"], ["bash", "-c", "vlc --no-audio"]]
    guest.launched.clear()
    for name in ("/home/user/a.txt", "~/a.PY", "/home/user/a.xlsx", "/home/user/Makefile", "/home/user/.profile"):
        do(guest, ("open", {"path": name}))
    assert [argv[0] for argv in guest.launched] == ["mousepad", "mousepad", "libreoffice", "mousepad", "mousepad"]
    assert guest.launched[1][-1] == "/home/user/a.PY"


def test_open_needs_the_file_and_its_window(guest: Any) -> None:
    with pytest.raises(TaskError, match="expected a file that is on the desktop, got '/home/user/none.txt'"):
        do(guest, ("open", {"path": "/home/user/none.txt"}))
    guest.files["/home/user/a.txt"] = b""
    guest.launch = lambda argv, env=None: None
    with pytest.raises(DesktopError, match="no window"):
        do(guest, ("open", {"path": "/home/user/a.txt"}))


def test_windows(guest: Any, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(setup, "WINDOW_SECONDS", 0.0)
    guest.titles = ["notes.txt - Mousepad", "other"]
    do(guest, ("activate_window", {"window_name": "Mousepad"}))
    assert guest.titles == ["other", "notes.txt - Mousepad"]
    do(guest, ("close_window", {"window_name": "notes.txt - Mousepad", "strict": True}))
    assert guest.titles == ["other"] and not caplog.records
    do(guest, ("activate_window", {"window_name": "Mousepad"}), ("close_window", {"window_name": "the", "strict": True}))
    assert "no window 'Mousepad'" in caplog.text and "no window 'the'" in caplog.text and guest.titles == ["other"]


def test_a_window_that_does_not_follow_is_no_failure_but_a_dead_desktop_is(guest: Any, caplog: pytest.LogCaptureFixture) -> None:
    def stuck(title: str, strict: bool = False, by_class: bool = False) -> None:
        raise DesktopError("it asks whether to save")

    guest.titles, guest.close_window = ["a"], stuck
    do(guest, ("close_window", {"window_name": "a"}))
    assert "it asks whether to save" in caplog.text
    guest.healthy = lambda: False
    with pytest.raises(DesktopError, match="it asks"):
        do(guest, ("close_window", {"window_name": "a"}))


def test_a_window_just_launched_is_waited_for(guest: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(setup.time, "sleep", lambda seconds: guest.titles.append("late"))
    guest.launch = lambda argv, env=None: None
    do(guest, ("activate_window", {"window_name": "late"}))
    assert guest.titles == ["late"]
    do(guest, ("launch", {"command": ["gimp"]}), ("launch", {"command": "vlc", "shell": True}))
    assert guest.titles == ["late"] * 3


def test_an_application_without_a_window_fails_setup_and_a_helper_does_not(guest: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(setup, "WINDOW_SECONDS", 0.0)
    guest.launch = lambda argv, env=None: None
    for command in (["socat", "a", "b"], ["/usr/bin/pkill", "chrome"], ["python3", "-m", "http.server"]):
        do(guest, ("launch", {"command": command}), ("launch", {"command": " ".join(command), "shell": True}))
    for parameters in ({"command": ["gimp"]}, {"command": "VERBOSE=-1 /usr/bin/vlc --no-audio", "shell": True}):
        with pytest.raises(DesktopError, match="showed no window within"):
            do(guest, ("launch", parameters))


def test_download_takes_files_from_the_cache_only(guest: Any, tmp_path: Path) -> None:
    url = "https://example.com/data/in%20put.txt"
    (tmp_path / f"{uuid.uuid5(uuid.NAMESPACE_URL, url)}_input.txt").write_bytes(b"\x00in")
    do(guest, ("download", {"files": [{"url": url, "path": "/home/user/Desktop/input.txt"}]}), cache=str(tmp_path))
    assert guest.files == {"/home/user/Desktop/input.txt": b"\x00in"}


def test_a_missing_file_or_step_is_refused_before_the_first_step(guest: Any, tmp_path: Path) -> None:
    files = [{"url": "https://example.com/none.txt", "path": "/home/user/none.txt"}]
    with pytest.raises(TaskError, match=r"login.*https://example\.com/none\.txt"):
        do(guest, ("execute", {"command": ["true"]}), ("download", {"files": files}), ("login", {}), cache=str(tmp_path))
    with pytest.raises(TaskError, match="kept in evaluator.postconfig only"):
        do(guest, ("execute", {"command": ["true"], "stdout": "a.out"}))
    assert guest.ran == [] and guest.files == {}


@pytest.mark.parametrize("local", ["../secret.txt", "/etc/hostname", "link.txt", "none.txt", "."])
def test_upload_cannot_read_the_host(local: str, guest: Any, tmp_path: Path) -> None:
    root = tmp_path / "tasks"
    root.mkdir()
    (tmp_path / "secret.txt").write_text("secret")
    (root / "link.txt").symlink_to(tmp_path / "secret.txt")
    (root / "mine.txt").write_text("mine")
    do(guest, ("upload_file", {"files": [{"local_path": "mine.txt", "path": "/home/user/mine.txt"}]}), root=str(root))
    assert guest.files == {"/home/user/mine.txt": b"mine"}
    with pytest.raises(TaskError, match="there is no file"):
        do(guest, ("upload_file", {"files": [{"local_path": local, "path": "/home/user/x"}]}), root=str(root))


def test_a_dead_desktop_is_no_fault_of_the_task(guest: Any) -> None:
    guest.dead = True
    for kind, parameters in {
        "execute": {"command": ["true"]},
        "launch": {"command": ["a"]},
        "open": {"path": "/a.txt"},
        "activate_window": {"window_name": "a"},
    }.items():
        with pytest.raises(DesktopError, match="dead"):
            do(guest, (kind, parameters))


def test_a_desktop_without_windows_says_so(guest: Any) -> None:
    class Bare:
        kind, width, height = "bare", 1, 1

    with pytest.raises(DesktopError, match="'bare' desktop has no windows"):
        do(Bare(), ("activate_window", {"window_name": "a"}))


def test_setup_as_a_whole_is_bounded(guest: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(setup, "STEPS_SECONDS", -1.0)
    with pytest.raises(DesktopError, match=r"config took longer than -1 s: given up before step 0 \(execute\)"):
        do(guest, ("execute", {"command": ["true"]}))
    assert guest.ran == []
    with pytest.raises(TaskError, match="at most 1000 steps, got 1001"):
        setup.check_steps([{"type": "sleep", "parameters": {"seconds": 120}}] * 1001, "config")


def test_a_file_that_is_too_large_is_not_put_on_the_desktop(guest: Any, tmp_path: Path) -> None:
    with (tmp_path / "big").open("wb") as file:
        file.truncate(files.MAX_PUT + 1)
    with pytest.raises(TaskError, match="expected at most"):
        do(guest, ("upload_file", {"files": [{"local_path": "big", "path": "/home/user/big"}]}), root=str(tmp_path))
    assert guest.files == {}
