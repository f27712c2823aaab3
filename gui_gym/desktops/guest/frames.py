"""Screenshots from bytes that a server sent."""

from __future__ import annotations

import io

import numpy as np
from PIL import Image

from gui_gym.desktops.guest.client import BadReplyError, Reply
from gui_gym.desktops.guest.wire import RAW_FRAME

MAX_PIXELS = 1 << 26  #: of a screen
MAX_BYTES = 4 * MAX_PIXELS  #: of a picture of one
_HEADER = 40  # bytes that a PPM's header has at most


def frame_of(reply: Reply) -> np.ndarray:
    """The screenshot in an answer, ``(height, width, 3)`` uint8 RGB. Raises :class:`BadReplyError` if it is none, or cut off."""
    if reply.headers.get("content-type", "").startswith(RAW_FRAME):
        return _raw(reply.content)
    try:
        with Image.open(io.BytesIO(reply.content), formats=("PNG", "JPEG")) as image:
            if image.width * image.height > MAX_PIXELS:
                raise BadReplyError(f"a screenshot of {image.width}x{image.height} pixels")
            return np.array(image.convert("RGB"))
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:  # Pillow raises these on what is cut off or no picture
        raise BadReplyError(f"no whole screenshot ({error}): {len(reply.content)} bytes, {reply.shown()[:60]}") from error


def _raw(content: bytes) -> np.ndarray:
    """Of a PPM as our server makes it."""
    head = content[:_HEADER].partition(b"\n")[0]
    try:
        magic, width, height, depth = head.split(b" ")
        if magic != b"P6" or depth != b"255":
            raise ValueError(head)
        shape = (int(height), int(width), 3)
        if min(shape) <= 0:
            raise ValueError(head)
        return np.frombuffer(content, np.uint8, offset=len(head) + 1).reshape(shape).copy()
    except ValueError as error:
        raise BadReplyError(f"no whole screenshot ({error}): {len(content)} bytes") from error
