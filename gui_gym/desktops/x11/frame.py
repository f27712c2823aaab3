"""The screen's pixels, read from the memory of the X server."""

from __future__ import annotations

import os
import stat
import struct

import numpy as np

from gui_gym.desktops.base import DesktopError

_CHUNK = 256 * 1024  # bytes converted at a time: they stay in the processor's cache


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
        self._buffer = np.empty((self._rows, width, 4), np.uint8)

    def read(self, out: np.ndarray) -> np.ndarray:
        """The pixels now, into ``out``: ``(height, width, 3)`` uint8 RGB."""
        height, width = self._shape
        for top in range(0, height, self._rows):
            rows = self._buffer[: min(self._rows, height - top)]
            if os.preadv(self._fd, [rows.data], self._offset + top * width * 4) != rows.nbytes:
                raise DesktopError("the X server's frame is cut short; reset starts a new one")
            target = out[top : top + len(rows)]
            for channel in range(3):
                target[..., channel] = rows[..., 2 - channel]
        return out
