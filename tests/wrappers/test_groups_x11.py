"""Groups of real desktops, in threads and in worker processes: one member's desktop dies, the others go on."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from gui_gym import Action
from wrappers.groups import GroupVectorEnv

pytest.importorskip("xcffib")
pytestmark = pytest.mark.usefixtures("require_x11")

MODES = [(None, None), ("async", "fork"), ("async", "spawn")]


@pytest.fixture
def make(require_x11: None) -> Iterator[Any]:
    made: list[GroupVectorEnv] = []

    def build(mode: str | None, context: str | None, groups: int = 1, size: int = 3) -> GroupVectorEnv:
        made.append(GroupVectorEnv(groups, size, "GuiOSWorld-v0", mode, context, width=640, height=400, spares=0))
        return made[-1]

    yield build
    for env in made:
        env.close()


def sandboxes(root: int) -> list[int]:
    """Sandboxes of the desktops that process ``root``, or one it started, has started."""
    from gui_gym.desktops.x11.pid1 import descendants

    found = []
    for pid in descendants(root):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                words = file.read().split(b"\0")
        except (FileNotFoundError, ProcessLookupError):
            continue
        if words[0].endswith(b"bwrap"):
            found.append(pid)
    return found


def sandbox_of(env: GroupVectorEnv, member: int) -> int:
    """The sandbox of one member: killing it ends all of the desktop."""
    if hasattr(env.vector, "processes"):
        return sandboxes(env.vector.processes[member].pid)[0]
    return int(env.vector.envs[member].desktop._live.session._process.pid)


def eventually_none(root: int) -> bool:
    end = time.monotonic() + 20
    while sandboxes(root) and time.monotonic() < end:  # the bound only keeps a failing test from hanging
        time.sleep(0.02)
    return sandboxes(root) == []


@pytest.mark.parametrize(("mode", "context"), MODES)
def test_a_desktop_that_is_killed_ends_its_member_only_and_comes_back(mode: str | None, context: str | None, make: Any) -> None:
    env = make(mode, context)
    frames, infos = env.reset(seed=0, tasks=["append-line"])
    assert frames.shape == (3, 400, 640, 3) and env.active.all() and infos["task_id"].tolist() == ["append-line"] * 3
    assert len({sandbox_of(env, i) for i in range(3)}) == 3
    _, _, _, _, infos = env.step([Action.move(10, 10), None, Action.move(30, 30)])
    assert infos["cursor"][[0, 2]].tolist() == [[10, 10], [30, 30]] and infos["step"].tolist() == [1, 0, 1]
    solution = env.call("solution")[0]
    os.kill(sandbox_of(env, 1), signal.SIGKILL)
    for action in solution:
        frames, rewards, terminations, truncations, infos = env.step([action] * 3)
        assert rewards[1] == 0.0 and not terminations[1]
    assert not env.active.any() and [final["end"] for final in env.final_infos] == ["done", "infrastructure", "done"]
    assert [final["scored"] for final in env.final_infos] == [True, False, True] and "infrastructure" in env.final_infos[1]["unscored"]
    assert [final["reward"] for final in env.final_infos] == [1.0, 0.0, 1.0] and not frames[1].any() and frames[0].any()
    frames, infos = env.reset(seed=1, tasks=["append-line"])
    assert env.active.all() and env.final_infos == [None] * 3 and all(frame.any() for frame in frames)
    _, rewards, terminations, _, _ = env.step([Action.done()] * 3)
    assert terminations.all() and not rewards.any() and all(final["scored"] for final in env.final_infos), "nothing of the last episode is left"
    env.close()
    assert eventually_none(os.getpid())


@pytest.mark.parametrize("context", ["fork", "spawn"])
def test_desktops_end_with_the_worker_that_started_them(context: str, make: Any) -> None:
    env = make("async", context, size=2)
    env.reset(seed=0, tasks=["append-line"])
    first, second = (process.pid for process in env.vector.processes)
    assert len(sandboxes(first)) == len(sandboxes(second)) == 1
    left = sandboxes(first)[0]
    os.kill(first, signal.SIGKILL)
    env.vector.processes[0].join()
    end = time.monotonic() + 20
    while os.path.exists(f"/proc/{left}") and time.monotonic() < end:
        time.sleep(0.02)
    assert not os.path.exists(f"/proc/{left}") and len(sandboxes(second)) == 1
    env.close(terminate=True)
    assert eventually_none(os.getpid())


def test_groups_of_different_tasks_side_by_side(make: Any) -> None:
    env = make(None, None, groups=2, size=2)
    frames, infos = env.reset(seed=0, tasks=["append-line", "fix-typo"])
    assert infos["task_id"].tolist() == ["append-line"] * 2 + ["fix-typo"] * 2
    assert np.array_equal(frames[0], frames[1]) and np.array_equal(frames[2], frames[3]) and not np.array_equal(frames[0], frames[2])
    queues = [list(actions) for actions in env.call("solution")]
    while env.active.any():
        env.step([queue.pop(0) if queue else None for queue in queues])
    assert [final["score"] for final in env.final_infos] == [1.0] * 4
