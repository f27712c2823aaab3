"""The osworld suite on a real desktop: a task file is set up, solved in a real editor, and judged by what is in the sandbox."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

import gui_gym  # noqa: F401
from gui_gym import Action, DesktopError
from gui_gym.spaces import to_element
from gui_gym.tasks import load_suite
from gui_gym.tasks.setup import commands

pytest.importorskip("xcffib")
pytestmark = pytest.mark.usefixtures("require_x11")

# The tasks in the text editor, which starts at once; those of the other applications are in tests/slow.
SHIPPED = [i for i in load_suite("osworld").ids() if load_suite("osworld").get(i).params["apps"] == ["mousepad"]]
FEASIBLE = [i for i in SHIPPED if load_suite("osworld").get(i).feasible]


@pytest.fixture(scope="module")
def env(require_x11: None) -> Iterator[gym.Env[Any, Any]]:
    env = gym.make("GuiOSWorld-v0", width=1024, height=768)
    yield env
    env.close()


def start(env: gym.Env[Any, Any], task: str) -> dict[str, Any]:
    return env.reset(seed=0, options={"task": task})[1]


def act(env: gym.Env[Any, Any], *actions: Any) -> tuple[float, bool, bool, dict[str, Any]]:
    """Step until the end; an action error fails the test."""
    reward, terminated, truncated, info = 0.0, False, False, {}
    for action in actions:
        assert not terminated and not truncated
        _, reward, terminated, truncated, info = env.step(to_element(action) if isinstance(action, Action) else action)
        assert info["action_error"] == ""
    return float(reward), terminated, truncated, info


def own_task(folder: Path, config: list[dict[str, Any]], evaluator: dict[str, Any] | None = None) -> gym.Env[Any, Any]:
    task = {"id": "mine", "instruction": "Do it.", "config": config, "evaluator": evaluator or {"func": "infeasible"}}
    (folder / "mine.json").write_text(json.dumps(task))
    return gym.make("GuiOSWorld-v0", task="mine", tasks=str(folder), width=640, height=480)


@pytest.mark.parametrize("task", SHIPPED)
def test_the_scripted_solution_solves_it(task: str, env: gym.Env[Any, Any]) -> None:
    info = start(env, task)
    assert info["task_id"] == task and info["suite"] == "osworld" and info["instruction"]
    reward, terminated, truncated, info = act(env, *env.unwrapped.solution())  # type: ignore[attr-defined]
    assert (reward, terminated, truncated, info["scored"], info["score"]) == (1.0, True, False, True, 1.0)


@pytest.mark.parametrize("task", FEASIBLE)
def test_saying_done_at_once_scores_zero(task: str, env: gym.Env[Any, Any]) -> None:
    start(env, task)
    reward, terminated, truncated, info = act(env, Action.done())
    assert (reward, terminated, truncated, info["scored"], info["score"]) == (0.0, True, False, True, 0.0)


def test_the_editor_is_there_from_the_first_frame(env: gym.Env[Any, Any]) -> None:
    first, _ = env.reset(seed=0, options={"task": "append-line"})
    titles = [window.title for window in env.unwrapped.desktop.windows()]  # type: ignore[attr-defined]
    assert len(titles) == 1 and "shopping.txt" in titles[0]
    second, *_ = env.step(to_element(Action.type_text("x")))
    assert np.any(first != second)


def test_a_deleted_output_scores_zero(env: gym.Env[Any, Any]) -> None:
    start(env, "append-line")
    *actions, done = env.unwrapped.solution()  # type: ignore[attr-defined]
    act(env, *actions)
    desktop = env.unwrapped.desktop  # type: ignore[attr-defined]
    assert desktop.read_file("/home/user/Documents/shopping.txt").endswith(b"oat milk\n")
    assert desktop.run(["rm", "/home/user/Documents/shopping.txt"]).returncode == 0
    reward, terminated, _, info = act(env, done)
    assert (reward, terminated, info["scored"], info["score"]) == (0.0, True, True, 0.0)


@pytest.mark.parametrize("before", ["action", "done"])
def test_a_killed_desktop_is_unscored(before: str, env: gym.Env[Any, Any]) -> None:
    start(env, "append-line")
    os.kill(env.unwrapped.desktop._live.session._process.pid, signal.SIGKILL)  # type: ignore[attr-defined]
    reward, terminated, truncated, info = act(env, Action.done() if before == "done" else Action.type_text("x"))
    assert (reward, terminated, truncated, info["scored"]) == (0.0, False, True, False)
    assert info["unscored"].startswith("infrastructure")
    start(env, "append-line")
    assert act(env, *env.unwrapped.solution())[0] == 1.0  # type: ignore[attr-defined]


def test_a_task_leaves_nothing_for_the_next(env: gym.Env[Any, Any]) -> None:
    start(env, "append-line")
    act(env, *env.unwrapped.solution())  # type: ignore[attr-defined]
    start(env, "bold-word")
    desktop = env.unwrapped.desktop  # type: ignore[attr-defined]
    assert desktop.run(["test", "-e", "/home/user/Documents/shopping.txt"]).returncode == 1
    assert [w.title for w in desktop.windows() if "shopping" in w.title] == []


def test_commands_of_a_task_stay_in_the_sandbox(tmp_path: Path) -> None:
    mark = tmp_path / "escaped"
    hostile = f"; touch {mark}; $(touch {mark}) `touch {mark}` && touch {mark}"
    config = [
        {"type": "execute", "parameters": {"command": ["sh", "-c", 'printf %s "$1" > ~/literal', "sh", hostile]}},
        {"type": "execute", "parameters": {"command": f"touch {mark}; echo $0 > ~/shell", "shell": True}},
        {"type": "execute", "parameters": {"command": ["sh", "-c", "echo x > /etc/hostname; echo x > /usr/bin/id; id -u > ~/uid"]}},
    ]
    with own_task(tmp_path, config) as env:
        env.reset(seed=0)
        desktop = env.unwrapped.desktop  # type: ignore[attr-defined]
        assert desktop.read_file("~/literal").decode() == hostile
        assert desktop.read_file("~/shell") == b"bash\n" and desktop.read_file("~/uid") == b"1000\n"
    assert not mark.exists()


def test_a_command_without_end_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "COMMAND_SECONDS", 0.2)
    with (
        own_task(tmp_path, [{"type": "execute", "parameters": {"command": ["sleep", "infinity"]}}]) as env,
        pytest.raises(DesktopError, match="did not end within"),
    ):
        env.reset(seed=0)


@pytest.mark.parametrize(
    "getter",
    [
        {"type": "vm_command_line", "command": ["head", "-c", "80M", "/dev/zero"]},
        {"type": "vm_command_line", "command": ["no-such-program"]},
        {"type": "vm_command_line", "command": "no-such-program --now", "shell": True},
    ],
    ids=["endless-output", "no-program", "no-program-in-a-shell"],
)
def test_what_cannot_be_fetched_is_unscored(getter: dict[str, Any], tmp_path: Path) -> None:
    evaluator = {"func": "exact_match", "result": getter, "expected": {"type": "rule", "rules": {"expected": "x"}}}
    with own_task(tmp_path, [], evaluator) as env:
        env.reset(seed=0)
        _, terminated, truncated, info = act(env, Action.done())
        assert (terminated, truncated, info["scored"]) == (False, True, False) and info["unscored"].startswith("infrastructure")


def test_output_that_is_no_file_to_read_is_zero(tmp_path: Path) -> None:
    """A folder, a pipe, a locked file, an endless one, one that leads nowhere, and one beyond what is fetched; "or": none is unscored."""
    make = "mkdir d; mkfifo p; touch l; chmod 000 l; ln -s /dev/zero z; ln -s loop loop; truncate -s 65M big"
    names = ["d", "p", "l", "z", "loop", "big"]
    evaluator = {
        "func": ["file_contains"] * len(names),
        "conj": "or",
        "result": [{"type": "vm_file", "path": f"/home/user/{name}", "dest": "x"} for name in names],
        "expected": [{"type": "rule", "rules": {"expected": ["x"]}}] * len(names),
    }
    with own_task(tmp_path, [{"type": "execute", "parameters": {"command": make, "shell": True}}], evaluator) as env:
        env.reset(seed=0)
        _, terminated, _, info = act(env, Action.done())
        assert terminated and info["scored"] and info["score"] == 0.0


def test_a_directory_tree_of_the_desktop(tmp_path: Path) -> None:
    tree = {
        "type": "directory",
        "name": "d",
        "children": [
            {"type": "directory", "name": "a b", "children": [{"type": "file", "name": "-x\ny"}]},
            {"type": "directory", "name": "c", "children": []},
            {"type": "file", "name": "é"},
        ],
    }
    config = [{"type": "execute", "parameters": {"command": "mkdir -p 'd/a b' d/c; touch d/é $'d/a b/-x\\ny'", "shell": True}}]
    evaluator = {
        "func": "exact_match",
        "result": {"type": "list_directory", "path": "/home/user/d"},
        "expected": {"type": "rule", "rules": {"expected": tree}},
    }
    with own_task(tmp_path, config, evaluator) as env:
        env.reset(seed=0)
        assert act(env, Action.done())[0] == 1.0
