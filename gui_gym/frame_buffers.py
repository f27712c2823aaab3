"""The frames of many screens, handed out as arrays that never change while anybody holds them."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np

Rect = tuple[int, int, int, int]  #: x, y, width, height in pixels

KEPT = 4  #: arrays handed out that are remembered, to be used again
MOST_RECTS = 40  #: changed rectangles remembered: a frame with more of them is copied whole


class _Buffer:
    """Memory that was handed out. ``stale[i]``: what has changed in frame ``i`` since it was written here, None for all of it."""

    __slots__ = ("array", "stale")

    def __init__(self, shape: tuple[int, ...]):
        self.array = np.empty(shape, np.uint8)
        self.stale: list[list[Rect] | None] = [None] * shape[0]

    def add(self, changed: Sequence[list[Rect] | None]) -> None:
        for i, (old, new) in enumerate(zip(self.stale, changed, strict=True)):
            if old is None or new is None or len(old) + len(new) > MOST_RECTS:
                self.stale[i] = None
            else:
                old += new


def _references(buffer: _Buffer) -> int:
    return sys.getrefcount(buffer.array)


_UNSEEN = _references(_Buffer((1,)))  #: what is counted for an array that nobody else refers to, itself or through a view


class FrameBuffers:
    """Keeps ``frames`` ``(n, height, width, 3)`` uint8, which their owner draws into, and hands out what they show.

    A fresh array of that size costs several times the copy itself, in page faults. So an array that was handed out is used
    again once nobody refers to it or to a part of it any more, and only what has changed since is copied into it. For
    that nobody else may have written into it: it is handed out read-only, unless ``writable``, where frames are copied whole.
    """

    def __init__(self, shape: tuple[int, int, int, int], writable: bool = False):
        self.frames = np.zeros(shape, np.uint8)
        self.rows = list(self.frames)  #: the frame of each screen: always the same arrays, so that a desktop knows its own again
        self._writable = writable
        self._buffers: list[_Buffer] = []

    def hand_out(self, changed: Sequence[list[Rect] | None]) -> np.ndarray:
        """What the frames show now. ``changed``: for each the rectangles that changed since the last call, None for all of it."""
        if not self._writable:
            for buffer in self._buffers:
                buffer.add(changed)
        buffer = next((each for each in self._buffers if _references(each) == _UNSEEN), None) or self._add()
        if self._writable:
            np.copyto(buffer.array, self.frames)
        else:
            for target, source, stale in zip(buffer.array, self.rows, buffer.stale, strict=True):
                _copy(target, source, stale)
            buffer.stale = [[] for _ in self.rows]
        handed = buffer.array.view()  # of its own, so that nothing done to it, as to its shape, reaches the memory kept here
        handed.flags.writeable = self._writable
        return handed

    def _add(self) -> _Buffer:
        buffer = _Buffer(self.frames.shape)
        self._buffers = [buffer, *self._buffers[: KEPT - 1]]  # the oldest is left to whoever still holds it
        return buffer


def _copy(target: np.ndarray, source: np.ndarray, rects: list[Rect] | None) -> None:
    """Copy rectangles of ``source`` ``(height, width, 3)``, or all of it for None."""
    if rects is None:
        np.copyto(target, source)
        return
    for x, y, w, h in rects:
        target[y : y + h, x : x + w] = source[y : y + h, x : x + w]
