"""RecordEpisodes keeps what was seen and done, beside what is there already."""

from __future__ import annotations

from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from gui_gym import Action, Score
from gui_gym.recording import load_episode
from gui_gym.spaces import to_action, to_element
from gui_gym.verifiers import EndReason
from wrappers.flatten import FlattenAction
from wrappers.record import RecordEpisodes

SIZE = {"width": 640, "height": 480}


def test_an_episode_is_kept_as_it_was(tmp_path: Path) -> None:
    env = RecordEpisodes(gym.make("GuiDesktop-v0", **SIZE), str(tmp_path / "e"))
    frame, info = env.reset(seed=4)
    frames, actions = [frame], []
    for action in [to_element(Action.click(640, 5)), to_element(Action.move(3, 4)), *env.unwrapped.solution()]:
        frame, _, terminated, _, info = env.step(action)
        frames.append(frame)
        actions.append(action)
    assert terminated
    kept = load_episode(tmp_path / "e" / "000000")
    assert kept.seed == 4 and kept.task_id == info["task_id"] and kept.instruction == info["instruction"]
    assert kept.score == Score.of(1.0) and kept.reward == 1.0 and kept.end is EndReason.DONE
    assert len(kept.frames) == len(frames) and all(map(np.array_equal, kept.frames, frames))
    assert kept.steps[0].action is None and "outside" in kept.steps[0].error
    assert [s.action for s in kept.steps[1:]] == [to_action(a, 640, 480) for a in actions[1:]]
    env.close()
    assert [p.name for p in (tmp_path / "e").iterdir()] == ["000000"]


def test_every_so_many_and_never_over_another(tmp_path: Path) -> None:
    for _ in range(2):
        env = RecordEpisodes(gym.make("GuiDesktop-v0", **SIZE), str(tmp_path), every=2)
        for seed in range(3):
            env.reset(seed=seed)
            env.step(to_element(Action.fail()))
        env.close()
    assert [(p.name, load_episode(p).seed) for p in sorted(tmp_path.iterdir())] == [("000000", 0), ("000001", 2), ("000002", 0), ("000003", 2)]


def test_a_broken_off_episode_is_unscored(tmp_path: Path) -> None:
    env = RecordEpisodes(gym.make("GuiDesktop-v0", **SIZE), str(tmp_path))
    env.reset(seed=0)
    env.reset(seed=1)  # no step: nothing to keep
    env.step(to_element(Action.wait_for(1)))
    env.close()
    (path,) = tmp_path.iterdir()
    kept = load_episode(path)
    assert kept.seed == 1 and not kept.score.scored and kept.end is EndReason.RUNNING


@pytest.mark.filterwarnings("ignore:.*is different from the unwrapped version")
def test_fits_among_other_wrappers(tmp_path: Path) -> None:
    env = FlattenAction(RecordEpisodes(gym.make("GuiDesktop-v0", **SIZE), str(tmp_path)))
    check_env(env, skip_render_check=True)
    env.close()
    with pytest.raises(ValueError, match="put RecordEpisodes inside"):
        RecordEpisodes(FlattenAction(gym.make("GuiDesktop-v0", **SIZE)), str(tmp_path))
    with pytest.raises(ValueError, match="at least 1"):
        RecordEpisodes(gym.make("GuiDesktop-v0", **SIZE), str(tmp_path), every=0)
