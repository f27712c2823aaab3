"""A cache bounded by bytes: what was used longest ago goes first."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any


class ByteCache:
    """Values by key, as long as their sizes add up to no more than ``limit`` bytes."""

    def __init__(self, limit: int):
        self.limit, self.held = limit, 0  #: bytes, and how many of them the values take
        self._values: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._values)

    def get(self, key: Hashable) -> Any:
        """The value of ``key``, which counts as used now; None if it is not held."""
        if key not in self._values:
            return None
        self._values.move_to_end(key)
        return self._values[key][0]

    def put(self, key: Hashable, value: Any, size: int) -> None:
        """Hold ``value``, of ``size`` bytes: others are dropped for it. One that exceeds the limit alone is not held."""
        self.held -= self._values.pop(key, (None, 0))[1]
        if size > self.limit:
            return
        self._values[key] = value, size
        self.held += size
        while self.held > self.limit:
            self.held -= self._values.popitem(last=False)[1][1]

    def drop(self, unwanted: Callable[[Any], bool]) -> None:
        """Forget all keys that ``unwanted`` is true for."""
        for key in [key for key in self._values if unwanted(key)]:
            self.held -= self._values.pop(key)[1]
