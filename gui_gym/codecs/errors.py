"""What goes wrong between text and action."""

from __future__ import annotations

from gui_gym.actions import ActionError


class ActionParseError(ActionError):
    """A text that is no action of the format. Says what was expected.

    ``truncated`` is True where the completion was cut off before its end.
    """

    def __init__(self, message: str, *, truncated: bool = False):
        super().__init__(message)
        self.truncated = truncated


class ActionFormatError(ActionError):
    """An action that the format cannot express on this screen."""


def clip(text: object, length: int = 60) -> str:
    """``repr(text)``, shortened for an error message."""
    shown = repr(str(text)[: length + 1])
    return shown if len(str(text)) <= length else f"{repr(str(text)[:length])}..."
