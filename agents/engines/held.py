"""Conversations an engine has read: the next turn of an episode goes on where its last one ended, and no id of it is read twice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from transformers import DynamicCache
from transformers.cache_utils import DynamicLayer

from agents.prompts import Prompt

#: Most bytes that all keys and values take unless said otherwise.
HELD_BYTES = 2**30

#: Ids and hashes of the images among them.
Key = tuple[tuple[int, ...], tuple[str, ...]]


@dataclass(frozen=True, eq=False)
class Held:
    """A sequence that was read: its keys and values are those of ``row`` and ``columns`` ``(length,)`` in ``cache``."""

    cache: DynamicCache
    row: int
    columns: Tensor

    @property
    def length(self) -> int:
        return len(self.columns)


class HeldPrefixes:
    """What the last call of an engine has read, for the next one to go on with.

    Only of the last call, so that what a call computes depends on nothing but the rollout it is part of, and only while the weights stay as they are.

    Args:
        limit: most bytes that all keys and values may take; what does not fit is read again.
    """

    def __init__(self, limit: int):
        self.limit = limit
        self._held: dict[Key, Held] = {}
        self._bytes = 0
        self._weights: tuple[int, ...] = ()

    def take(self, prompts: Sequence[Prompt], weights: tuple[int, ...]) -> list[Held | None]:
        """The longest that is held of each prompt, short of its last id, and forget them all. ``weights`` tells which these are."""
        lengths = sorted({(len(ids), len(images)) for ids, images in self._held}, reverse=True)
        found: list[Held | None] = []
        for prompt in prompts:
            images = tuple(frame.hash for frame in prompt.images)
            keys = ((prompt.ids[:i], images[:k]) for i, k in lengths if i < len(prompt.ids))
            found.append(next((self._held[key] for key in keys if key in self._held), None))
        usable = weights == self._weights
        self.clear()
        self._weights = weights
        return found if usable else [None] * len(found)

    def clear(self) -> None:
        self._held, self._bytes = {}, 0

    def put(self, cache: Any, rows: Sequence[tuple[Prompt, Sequence[int], Tensor]]) -> None:
        """Hold the rows of ``cache``: of each its prompt, the ids read after it, and the columns that hold both."""
        if not all(type(layer) is DynamicLayer for layer in cache.layers):  # others, such as those of sliding windows, forget
            return
        size = sum(layer.keys.nbytes + layer.values.nbytes for layer in cache.layers)
        if self._bytes + size > self.limit:
            return
        self._bytes += size
        for row, (prompt, after, columns) in enumerate(rows):
            key = (*prompt.ids, *after), tuple(frame.hash for frame in prompt.images)
            self._held[key] = Held(cache, row, columns)


def joined(held: Sequence[Held | None], config: Any) -> DynamicCache:
    """One cache of all ``held``, each at the right end of its row; what stands left of it is nothing and must be masked."""
    cache = DynamicCache(config=config)
    longest = max((h.length for h in held if h), default=0)
    if not longest:
        return cache
    sources: dict[int, Any] = {id(h.cache): h.cache for h in held if h}
    picks: list[tuple[Any, Tensor, Tensor, Tensor]] = []
    for key, source in sources.items():
        those = [(at, h) for at, h in enumerate(held) if h and id(h.cache) == key]
        columns = torch.zeros((len(those), longest), dtype=torch.long, device=those[0][1].columns.device)
        for i, (_, h) in enumerate(those):
            columns[i, longest - h.length :] = h.columns
        at, rows = [at for at, _ in those], [[h.row] for _, h in those]
        picks.append((source, torch.tensor(at, device=columns.device), torch.tensor(rows, device=columns.device), columns))
    for number, layer in enumerate(picks[0][0].layers):
        pair = {name: getattr(layer, name).new_zeros((len(held), layer.keys.shape[1], longest, layer.keys.shape[3])) for name in ("keys", "values")}
        for source, where, rows_of, columns in picks:
            for name, whole in pair.items():
                tensor = getattr(source.layers[number], name)
                whole[where] = tensor.transpose(1, 2)[rows_of, columns].transpose(1, 2)
        cache.update(pair["keys"], pair["values"], number)
    return cache
