"""The screen's pixels, read from the memory of the X server."""

from __future__ import annotations

import os
import stat
import struct

import numpy as np

from gui_gym.desktops.base import DesktopError

_CHUNK = 1024 * 1024  # bytes converted at a time: they stay in the processor's cache


class Frame:
    """Reads the frame file of ``Xvfb -fbdir`` (XWD format, 4 bytes a pixel: blue, green, red, unused).

    Read, not mapped: a program on the desktop may cut the file short, which for a mapping would be a fatal signal here.
    """

    def __init__(self, fd: int, width: int, height: int):
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise DesktopError("the X server's frame is no regular file")
        head = os.pread(fd, 100, 0)
        # header size, 3: depth, 4: width, 5: height, 11: bits per pixel, 12: bytes per line, 19: colours (12 bytes each)
        values = struct.unpack(">25I", head) if len(head) == 100 else (0,) * 25
        if (values[4], values[5], values[11], values[12]) != (width, height, 32, width * 4):
            raise DesktopError(f"the X server's frame is {values[4]}x{values[5]} with {values[11]} bits: expected {width}x{height} with 32")
        self._fd, self._offset = fd, values[0] + values[19] * 12
        self._shape = height, width
        self._rows = max(1, min(height, _CHUNK // (width * 4)))
        self._buffer = np.zeros(1 + self._rows * width * 4, np.uint8)  # a byte before the pixels, for swapped_words

    def read(self, out: np.ndarray) -> np.ndarray:
        """The pixels now, into ``out``: ``(height, width, 3)`` uint8 RGB."""
        height, width = self._shape
        for top in range(0, height, self._rows):
            rows = min(self._rows, height - top)
            pixels = self._buffer[: 1 + rows * width * 4]
            if os.preadv(self._fd, [pixels[1:].data], self._offset + top * width * 4) != rows * width * 4:
                raise DesktopError("the X server's frame is cut short; reset starts a new one")
            to_rgb(pixels, out[top : top + rows])
        return out


def to_rgb(pixels: np.ndarray, out: np.ndarray) -> None:
    """Convert pixels of blue, green, red and an unused byte, with one byte more before the first, to RGB ``(rows, width, 3)``."""
    if not (out.flags.c_contiguous and COPIES_IN_ORDER):
        by_channel(pixels, out)
        return
    swapped_words(pixels, out.reshape(-1))


def by_channel(pixels: np.ndarray, out: np.ndarray) -> None:
    """:func:`to_rgb` for arrays of any layout."""
    blue_first = pixels[1:].reshape(out.shape[0], out.shape[1], 4)
    for channel in range(3):
        out[..., channel] = blue_first[..., 2 - channel]


def swapped_words(pixels: np.ndarray, out: np.ndarray) -> None:
    """:func:`to_rgb` at twice the speed, where numpy copies elements in order.

    The word from one byte before a pixel is (unused, blue, green, red): copied with its bytes swapped, it puts red, green and blue in
    their place and one byte into the next pixel's, which comes after it. The last pixel is copied by itself.
    """
    last = len(out) // 3 - 1
    source = np.ndarray((last,), "<u4", pixels, 0, (4,))
    np.ndarray((last,), ">u4", out, 0, (3,))[...] = source
    out[-3:] = pixels[-2:-5:-1]


def _copies_in_order() -> bool:
    pixels = np.random.default_rng(0).integers(0, 256, 1 + 4 * 4099, np.uint8)
    fast, plain = np.empty((1, 4099, 3), np.uint8), np.empty((1, 4099, 3), np.uint8)
    swapped_words(pixels, fast.reshape(-1))
    by_channel(pixels, plain)
    return np.array_equal(fast, plain)


#: Whether this numpy copies the elements of overlapping arrays one after the other, which it does not promise.
COPIES_IN_ORDER = _copies_in_order()
