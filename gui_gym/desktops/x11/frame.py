"""The screen's pixels, read from the memory of the X server."""

from __future__ import annotations

import os
import stat
import struct

import numpy as np

from gui_gym.desktops.base import DesktopError

_BAND = 256 * 1024  # bytes looked at at a time: they stay in the processor's cache


class Frame:
    """Reads the frame file of ``Xvfb -fbdir`` (XWD format, 4 bytes a pixel: blue, green, red, unused).

    Read, not mapped: a program on the desktop may cut the file short, which for a mapping would be a fatal signal here.
    Every byte is read each time and compared with the last; only bands of rows that differ are converted to RGB again.
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
        rows = max(1, _BAND // (width * 4))
        self._bands = [slice(top, min(top + rows, height)) for top in range(0, height, rows)]
        self._seen = [b""] * len(self._bands)  # each band as it was read last, and in RGB
        self._rgb = np.empty((height, width, 3), np.uint8)

    def read(self, out: np.ndarray) -> np.ndarray:
        """The pixels now, into ``out``: ``(height, width, 3)`` uint8 RGB."""
        width = self._rgb.shape[1]
        for index, band in enumerate(self._bands):
            size = (band.stop - band.start) * width * 4
            data = os.pread(self._fd, size, self._offset + band.start * width * 4)
            if len(data) != size:
                raise DesktopError("the X server's frame is cut short; reset starts a new one")
            if data != self._seen[index]:
                pixels, rgb = np.frombuffer(data, np.uint8).reshape(-1, width, 4), self._rgb[band]
                for channel in range(3):
                    rgb[..., channel] = pixels[..., 2 - channel]
                self._seen[index] = data
            out[band] = self._rgb[band]
        return out
