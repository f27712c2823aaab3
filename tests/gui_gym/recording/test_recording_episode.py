"""Episodes come back from disk equal, whole or not at all."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gui_gym.actions import FIELDS, Action, ActionType, Button, Key, Modifier
from gui_gym.recording import RecordedEpisode, RecordedStep, RecordingError, load_episode, save_episode, write_strip
from gui_gym.recording.episode import action_from_json, action_to_json, frame_hash
from gui_gym.verifiers import EndReason, Score


def frame(value: int, width: int = 8, height: int = 6) -> np.ndarray:
    return np.full((height, width, 3), value, np.uint8)


def episode(**changes: object) -> RecordedEpisode:
    given = {
        "task_id": "click-button#17",
        "instruction": "Click “OK” 漢 </script>",
        "frames": [frame(1), frame(1), frame(2), frame(1)],
        "steps": [
            RecordedStep(Action.click(3, 4, Button.RIGHT, 2, (Modifier.CTRL,)), "click(3,4)"),
            RecordedStep(None, "cl\ud800ick", "expected an action"),
            RecordedStep(Action.type_text("it's\n")),
        ],
        "score": Score.of(0.5),
        "end": EndReason.DONE,
        "answer": "4\x00",
        "seed": 2**40,
        "reward": 0.25,
        "extra": {"policy": "warm-up", "n": [1, 2]},
    }
    return RecordedEpisode(**{**given, **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize("score", [Score.of(0.0), Score.of(1.0), Score.missing("infrastructure: gone")])
def test_comes_back_equal(tmp_path: Path, score: Score) -> None:
    before = episode(score=score)
    folder = save_episode(tmp_path / "a" / "b", before)
    after = load_episode(folder)
    assert after == before and after.score == score and after.end is EndReason.DONE
    assert len(list(folder.glob("*.png"))) == 2  # each different screen once
    assert sorted(p.name for p in tmp_path.rglob("*") if p.is_dir()) == ["a", "b"]


@pytest.mark.parametrize(
    "change",
    [{"seed": 1}, {"reward": None}, {"answer": ""}, {"score": Score.of(1.0)}, {"frames": [frame(1), frame(1), frame(2), frame(3)]}, {"extra": {}}],
)
def test_different_episodes_are_not_equal(change: dict[str, object]) -> None:
    assert episode(**change) != episode()


integers = st.integers(0, 10_000)
values = {
    "point": st.tuples(integers, integers),
    "to": st.tuples(integers, integers),
    "button": st.sampled_from(Button),
    "clicks": st.integers(1, 3),
    "modifiers": st.sets(st.sampled_from(Modifier)).map(lambda m: tuple(sorted(m))),
    "scroll": st.tuples(st.integers(-20, 20), st.integers(-20, 20)),
    "key": st.sampled_from(Key),
    "wait": st.integers(0, 60),
    "text": st.text(),
}


@given(st.sampled_from(ActionType).flatmap(lambda kind: st.builds(Action, st.just(kind), **{n: values[n] for n in FIELDS[kind]})))
def test_every_action_survives_json(action: Action) -> None:
    assert action_from_json(json.loads(json.dumps(action_to_json(action)))) == action


def test_a_folder_that_is_there_is_left_alone(tmp_path: Path) -> None:
    save_episode(tmp_path / "e", episode())
    with pytest.raises(FileExistsError, match="folder of its own"):
        save_episode(tmp_path / "e", episode(seed=9))
    assert load_episode(tmp_path / "e").seed == 2**40


def test_a_failed_write_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="JSON"):
        save_episode(tmp_path / "e", episode(reward=float("nan")))

    def no_space(*args: object, **kwargs: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(Path, "rename", no_space)
    with pytest.raises(OSError, match="no space"):
        save_episode(tmp_path / "e", episode())
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": 99}, "expected format 1"),
        ({"frames": ["../../etc/passwd"]}, "expected a frame's hash"),
        ({"frames": ["0" * 32]}, "FileNotFoundError"),
        ({"steps": [{"action": {"type": "JUMP"}, "text": "", "error": ""}]}, "JUMP"),
        ({"steps": []}, "0 steps has 1 frames"),
        ({"score": 7}, r"\[0, 1\]"),
        ({"score": None, "unscored": ""}, "needs a reason"),
        ({"end": "later"}, "later"),
        ({"instruction": 5}, "'instruction' is 5: expected str"),
        ({"feasible": "no"}, "'feasible' is 'no': expected bool"),
        ({"seed": True}, "'seed' is True: expected int or NoneType"),
        ({"extra": []}, "'extra' is .*: expected dict"),
    ],
)
def test_a_spoilt_file_says_what_is_wrong(tmp_path: Path, change: dict[str, object], message: str) -> None:
    path = save_episode(tmp_path / "e", episode()) / "episode.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    with pytest.raises(RecordingError, match=message):
        load_episode(tmp_path / "e")


def test_an_action_that_fits_no_screen_is_read_only_where_it_was_refused(tmp_path: Path) -> None:
    refused = RecordedStep(Action.click(5000, 1, clicks=9), error="outside")
    kept = RecordedEpisode("t", "i", [frame(1), frame(2)], [refused])
    path = save_episode(tmp_path / "e", kept) / "episode.json"
    assert load_episode(tmp_path / "e") == kept
    write_strip(tmp_path / "strip.png", kept)
    path.write_text(path.read_text().replace('"outside"', '""'))
    with pytest.raises(RecordingError, match="outside the screen"):
        load_episode(tmp_path / "e")


def test_another_screen_in_the_place_of_one_is_noticed(tmp_path: Path) -> None:
    folder = save_episode(tmp_path / "e", episode())
    one, two, *_ = sorted(folder.glob("*.png"))
    one.write_bytes(two.read_bytes())
    with pytest.raises(RecordingError, match=f"{one.name}: expected the frame that was written"):
        load_episode(folder)


def test_whatever_byte_is_spoilt_there_is_an_error_that_names_the_file_or_the_same_episode_but_for_its_words(tmp_path: Path) -> None:
    rng = random.Random(0)
    kept = RecordedEpisode("t", "i", [frame(1), frame(2)], [RecordedStep(Action.click(1, 2))])
    folder = save_episode(tmp_path / "e", kept)
    for path in sorted(folder.iterdir()):
        whole = path.read_bytes()
        for _ in range(100):
            spoilt, at = bytearray(whole), rng.randrange(len(whole))
            spoilt[at:] = rng.choice([b"", bytes([rng.randrange(256)]) + whole[at + 1 :], b"[[" + whole[at:]])
            path.write_bytes(spoilt)
            try:
                found = load_episode(folder)
            except RecordingError as error:
                assert str(folder) in str(error)
            else:
                assert all(map(np.array_equal, found.frames, kept.frames))
        path.write_bytes(whole)
    assert load_episode(folder) == kept


def test_no_episode_at_all(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match=r"episode\.json"):
        load_episode(tmp_path)
    (tmp_path / "episode.json").write_text("{")
    with pytest.raises(RecordingError, match=r"episode\.json"):
        load_episode(tmp_path)


def test_frames_and_steps_must_fit() -> None:
    with pytest.raises(ValueError, match="3 steps has 4 frames, got 1"):
        episode(frames=[frame(1)])
    with pytest.raises(ValueError, match="uint8"):
        episode(frames=[np.zeros((4, 4, 3), np.float32)] * 4)


def test_the_hash_knows_shape_and_content() -> None:
    assert frame_hash(frame(1)) == frame_hash(frame(1)) != frame_hash(frame(2))
    assert frame_hash(frame(1, 8, 6)) != frame_hash(frame(1, 6, 8))
