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

    __slots__ = ("array", "flat", "stale", "_unseen")

    def __init__(self, shape: tuple[int, ...]):
        self.array = np.empty(shape, np.uint8)
        self.flat = _flat(self.array)
        self.stale: list[list[Rect] | None] = [None] * shape[0]
        self._unseen = self._references()

    def _references(self) -> int:
        return sys.getrefcount(self.array)

    @property
    def free(self) -> bool:
        """Whether nobody else refers to the array, itself or through a view: every view of an array refers to it."""
        return self._references() == self._unseen

    def add(self, changed: Sequence[list[Rect] | None]) -> None:
        for i, (old, new) in enumerate(zip(self.stale, changed, strict=True)):
            if old is None or new is None or len(old) + len(new) > MOST_RECTS:
                self.stale[i] = None
            else:
                old += new


def _flat(frames: np.ndarray) -> list[np.ndarray]:
    """The frames of ``(n, height, width, 3)`` as rows of bytes, ``(height, 3 width)`` each: parts of them are copied faster."""
    return list(frames.reshape(*frames.shape[:2], -1))


class FrameBuffers:
    """Keeps ``frames`` ``(n, height, width, 3)`` uint8, which their owner draws into, and hands out what they show.

    A fresh array of that size costs several times the copy itself, in page faults. So an array that was handed out is used
    again once nobody refers to it or to a part of it any more, and only what has changed since is copied into it. For
    that nobody else may have written into it: it is handed out read-only, unless ``writable``, where frames are copied whole.
    """

    def __init__(self, shape: tuple[int, int, int, int], writable: bool = False):
        self.frames = np.zeros(shape, np.uint8)
        self.rows = list(self.frames)  #: the frame of each screen: always the same arrays, so that a desktop knows its own again
        self._flat = _flat(self.frames)
        self._writable = writable
        self._buffers: list[_Buffer] = []

    def hand_out(self, changed: Sequence[list[Rect] | None]) -> np.ndarray:
        """What the frames show now. ``changed``: for each the rectangles that changed since the last call, None for all of it."""
        if not self._writable:
            for buffer in self._buffers:
                buffer.add(changed)
        buffer = next((each for each in self._buffers if each.free), None) or self._add()
        if self._writable:
            np.copyto(buffer.array, self.frames)
        else:
            for target, source, stale in zip(buffer.flat, self._flat, buffer.stale, strict=True):
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
    """Copy rectangles of ``source``, flat ``(height, 3 width)``, or all of it for None."""
    if rects is None:
        np.copyto(target, source)
        return
    for x, y, w, h in rects:
        part = slice(y, y + h), slice(3 * x, 3 * (x + w))
        target[part] = source[part]
