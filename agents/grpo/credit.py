"""Which turn of an episode gets the credit: all alike, or each by what was done on the same screen (GiGPO, arXiv:2505.10978)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Literal

from agents.episodes import Episode, Group
from agents.grpo.advantages import Scale, relative

Credit = Literal["episode", "step"]

#: For each group, for each of its episodes, a number for each turn.
PerTurn = list[list[list[float]]]


def turn_advantages(groups: Sequence[Group], scale: Scale = "group", credit: Credit = "episode", gamma: float = 0.95, omega: float = 1.0) -> PerTurn:
    """The advantage of every turn of every episode.

    Args:
        groups: episodes of one task each; those whose reward is None have advantage 0 and are compared with nobody.
        scale: see :func:`~agents.grpo.advantages.relative`; of episodes as of turns.
        credit: "episode": each turn has its episode's advantage A. "step": A + omega * S (GiGPO, section 4.3), where S compares the turn with all
            turns of the group that saw the same screen (section 4.2); it is 0 for a turn whose screen nobody else saw.
        gamma: discount of one turn; a turn's return is gamma^(turns that followed) * reward (section 4.2).
        omega: weight of S.
    """
    whole = relative([[episode.reward for episode in group.episodes] for group in groups], scale)
    result = [
        [[advantage] * len(episode.turns) for episode, advantage in zip(group.episodes, own, strict=True)]
        for group, own in zip(groups, whole, strict=True)
    ]
    if credit == "episode":
        return result
    anchors = [(g, turns) for g, group in enumerate(groups) for turns in same_screen(group.episodes)]
    returns = [[returns_to_go(groups[g].episodes[e], gamma)[t] for e, t in turns] for g, turns in anchors]
    for (g, turns), steps in zip(anchors, relative(returns, scale), strict=True):
        for (e, t), step in zip(turns, steps, strict=True):
            result[g][e][t] += omega * step
    return result


def returns_to_go(episode: Episode, gamma: float) -> list[float]:
    """Discounted return of each turn. The reward comes with the last one, so it is gamma^(turns that followed) * reward."""
    assert episode.reward is not None
    return [episode.reward * gamma**after for after in range(len(episode.turns) - 1, -1, -1)]


def same_screen(episodes: Sequence[Episode]) -> list[list[tuple[int, int]]]:
    """The anchor states of one group (GiGPO, section 4.2): ``(episode, turn)`` of the turns that acted on the same screen, for each screen.

    The screen is the last image of the turn's prompt, known by its hash. The members of a group have one task, so equal screens are
    equal states as far as the policy sees them. An episode that comes back to a screen is there several times: what led it round in a
    circle has the smaller return. Turns without an image, and episodes without a reward, are in none.
    """
    found: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for e, episode in enumerate(episodes):
        for t, turn in enumerate(episode.turns):
            if turn.images and episode.reward is not None:
                found[turn.images[-1].hash].append((e, t))
    return list(found.values())
