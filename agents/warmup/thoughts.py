"""Thoughts before the actions of demonstrations: where they come from, and the check that they leave the action what it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from agents.endpoint import read_store
from agents.warmup.play import Moment
from agents.warmup.rationale import Rationale
from gui_gym.codecs import ActionParseError, Codec

#: From the moment before an action to the thought that leads to it. ValueError where there is none.
Thinker = Callable[[Moment], str]

RATIONALE = "rationale"  #: as a setting: the solution's own reasons, instead of a file


def with_thought(codec: Codec, moment: Moment, thought: str, screen: tuple[int, int]) -> str:
    """The answer of ``moment`` with ``thought`` before its action.

    ValueError for a thought that is none, or with which the answer would be read as another action.
    """
    text = codec.with_thought(thought, moment.text)
    try:
        found = codec.parse(text, screen, moment.cursor)
    except ActionParseError as error:
        raise ValueError(f"with the thought {thought[:80]!r} the action is not read any more: {error}") from error
    if found != [moment.action]:
        raise ValueError(f"with the thought {thought[:80]!r} another action is read: {', '.join(map(str, found))}, not {moment.action}")
    return text


class Annotated:
    """The thoughts in a file that ``gui-agents annotate`` wrote.

    Args:
        path: the file. FileNotFoundError where there is none, ValueError for one without thoughts.

    Attributes:
        seeds: of the annotated demonstrations, sorted.
    """

    def __init__(self, path: Path):
        if not path.is_file():
            raise FileNotFoundError(f"{path} does not exist: expected a file that gui-agents annotate wrote, or {RATIONALE!r}")
        self.path, records = path, read_store(path)
        try:
            self._thoughts = {record["about"]["moment"]: record["text"] for record in records}
            self.seeds = sorted({int(record["about"]["seed"]) for record in records})
        except (KeyError, TypeError) as error:
            raise ValueError(f"{path} holds no thoughts: expected a file that gui-agents annotate wrote") from error
        if not self.seeds:
            raise ValueError(f"{path} is empty: expected a file that gui-agents annotate wrote")

    def __call__(self, moment: Moment) -> str:
        thought = self._thoughts.get(moment.key)
        if thought is None:
            raise ValueError(
                f"{self.path} has no thought for {moment.text!r} on this screen: it is not annotated, or was with another env, codec, frame or noise"
            )
        return thought

    def endless_seeds(self, seed: int) -> Iterator[int]:
        """The seeds again and again, each time in another order."""
        rng = np.random.default_rng([seed, 2])
        while True:
            yield from rng.permutation(self.seeds).tolist()


def make_thinker(thoughts: str | None) -> Thinker | None:
    """What thinks for a setting: None, "rationale", or the path of an annotated file."""
    if thoughts is None:
        return None
    return Rationale() if thoughts == RATIONALE else Annotated(Path(thoughts))
