"""A hostile task file can neither leave the sandbox, fill the disk nor hang the run."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest
from x11_helpers import eventually, host_processes

import gui_gym  # noqa: F401
from gui_gym import Action
from gui_gym.desktops import devtools
from gui_gym.spaces import to_element
from gui_gym.tasks.setup import commands
from gui_gym.verifiers.osworld.getters import files

pytest.importorskip("xcffib")
pytestmark = pytest.mark.usefixtures("require_x11")

RULE = {"type": "rule", "rules": {"expected": "yes"}}


def end_of(folder: Path, config: list[Any], result: dict[str, Any], func: str = "exact_match", **rest: Any) -> dict[str, Any]:
    """The info of an episode of a task with these commands, ended at once."""
    steps = [{"type": "execute", "parameters": {"command": command, "shell": isinstance(command, str)}} for command in config]
    task = {"id": "mine", "instruction": "?", "config": steps, "evaluator": {"func": func, "result": result, "expected": RULE, **rest}}
    (folder / "mine.json").write_text(json.dumps(task))
    env = gym.make("GuiOSWorld-v0", task="mine", tasks=str(folder), width=640, height=480, spares=0)
    try:
        env.reset(seed=0)
        return env.step(to_element(Action.done()))[4]
    finally:
        env.close()


def printed(command: str) -> dict[str, Any]:
    return {"type": "vm_command_line", "command": command, "shell": True}


@pytest.mark.parametrize(
    "attempt",
    [
        "cat /etc/shadow /root/.bashrc /proc/1/environ && echo -n yes",
        "cat {host} && echo -n yes",
        "echo gone > {host} && echo -n yes",
        "mount -o remount,rw / && echo -n yes",
        "sudo mount -t tmpfs none /mnt && echo -n yes",
        "unshare -r chroot / cat {host} && echo -n yes",
        "python3 -c 'import socket; socket.create_connection((\"10.0.0.1\", 80), 2)' && echo -n yes",
        "kill -9 -1; kill -9 {pid} && echo -n yes",
    ],
)
def test_commands_do_not_leave_the_sandbox(attempt: str, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("mine")
    info = end_of(tmp_path, [], printed(attempt.format(host=secret, pid=os.getpid())))
    assert info["scored"] is False or info["score"] == 0.0, "it got what it wanted"
    assert secret.read_text() == "mine"


def test_a_full_disk_stays_inside(tmp_path: Path) -> None:
    fill = "dd if=/dev/zero of=/home/user/fill bs=1M count=4000 2>/dev/null; dd if=/dev/zero of=/tmp/fill bs=1M count=4000 2>/dev/null; true"
    bounded = "du -m /home/user/fill | cut -f1 | awk '$1 < 1100 {printf \"yes\"}'"
    elsewhere = "! stat -f -c %T /home/user /tmp | grep -v tmpfs"  # in memory that goes with the desktop, on no disk
    info = end_of(tmp_path, [fill], printed(f"{elsewhere} && {bounded}"))
    assert info["scored"] and info["score"] == 1.0


def test_a_fork_bomb_stays_inside_and_ends_with_the_episode(tmp_path: Path) -> None:
    bomb = """
import os, time
for count in range(3000):
    try:
        if os.fork() == 0:
            time.sleep(600)
            os._exit(0)
    except OSError:
        break
"""
    marker = str(tmp_path)
    info = end_of(tmp_path, [["python3", "-c", bomb, marker]], {"type": "vm_command_line", "command": ["echo", "-n", "yes"]})
    assert info["end"], "it neither hung nor broke the env"
    assert eventually(lambda: not host_processes(marker))


def test_output_without_end_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "COMMAND_SECONDS", 60.0)
    info = end_of(tmp_path, [], printed("yes"))
    assert not info["scored"] and info["unscored"].startswith("infrastructure") and "too large" in info["unscored"]


@pytest.mark.parametrize("target", ["/etc/shadow", "/proc/1/mem", "/dev/zero", "/home/user"])
def test_a_link_as_output_reads_nothing_of_the_host(target: str, tmp_path: Path) -> None:
    result = {"type": "vm_file", "path": "/home/user/out.txt", "dest": "out.txt"}
    info = end_of(
        tmp_path, [f"ln -s {target} /home/user/out.txt"], result, "file_contains", expected={"type": "rule", "rules": {"expected": ["root"]}}
    )
    assert not info["scored"] or info["score"] == 0.0


def test_what_a_getter_fetches_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_FETCHED", 1000)
    written, expected = ["head -c 400 /dev/zero | tr '\\0' x > /home/user/a"], {"type": "rule", "rules": {"expected": ["x"]}}
    for which, score in enumerate((1.0, 1.0, 0.0)):
        result = {"type": "vm_file", "path": ["/home/user/a"] * 3, "dest": ["a", "b", "c"], "multi": True, "gives": [which]}
        info = end_of(tmp_path, written, result, "file_contains", expected=expected)
        assert info["scored"] and info["score"] == score, "the third is one too many: to the verification it is not there"


DRIPPING = """
import socket, threading, time
def drip(connection):
    connection.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 99999\\r\\n\\r\\n")
    while True:
        connection.sendall(b"x")
        time.sleep(0.05)
with socket.create_server(("127.0.0.1", 9222)) as server:
    while True:
        threading.Thread(target=drip, args=(server.accept()[0],)).start()
"""


def test_what_plays_the_browser_and_never_ends_its_answer_holds_nobody_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devtools, "ANSWER_SECONDS", 0.3)
    monkeypatch.setattr(devtools, "START_SECONDS", 0.3)
    start = ["bash", "-c", 'python3 -c "$1" & for i in {1..200}; do : < /dev/tcp/127.0.0.1/9222 && break; sleep 0.05; done', "bash", DRIPPING]
    info = end_of(
        tmp_path, [start], {"type": "open_tabs_info"}, "is_expected_tabs", expected={"type": "rule", "rules": {"type": "url", "urls": ["https://a"]}}
    )
    assert info["end"] and info["score"] == 0.0


def test_a_command_that_signals_process_1_does_not_leave_the_episode_unscored(tmp_path: Path) -> None:
    info = end_of(tmp_path, ["for signal in {1..64}; do kill -$signal 1; done"], printed("printf yes"))
    assert info["scored"] and info["score"] == 1.0
