"""Codecs turn a model's text into actions and back."""

from __future__ import annotations

from gui_gym.codecs.base import Codec
from gui_gym.codecs.errors import ActionFormatError, ActionParseError
from gui_gym.codecs.frames import CoordinateFrame, make_frame
from gui_gym.registry import Registry

__all__ = ["CODECS", "ActionFormatError", "ActionParseError", "Codec", "CoordinateFrame", "make_codec", "make_frame", "register_codec"]

#: Codecs by name.
CODECS: Registry[type[Codec]] = Registry(
    "codec",
    {
        "dsl": "gui_gym.codecs.dsl:DslCodec",
        "json": "gui_gym.codecs.json_codec:JsonCodec",
        "pyautogui": "gui_gym.codecs.pyautogui_codec:PyautoguiCodec",
        "computer_13": "gui_gym.codecs.computer_13:Computer13Codec",
        "qwen": "gui_gym.codecs.qwen:QwenCodec",
    },
)
register_codec = CODECS.register


def make_codec(name: str, frame: str | CoordinateFrame = "pixels") -> Codec:
    """The codec called ``name`` with points written in ``frame``: "pixels", "resized:1024x576", "unit", "thousand" or "grid:10"."""
    return CODECS.get(name)(frame)
