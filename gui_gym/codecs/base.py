"""The :class:`Codec` contract: model text to :class:`~gui_gym.actions.Action` and back."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod

from gui_gym.actions import TERMINAL, Action
from gui_gym.codecs.errors import ActionFormatError, ActionParseError, clip
from gui_gym.codecs.frames import CoordinateFrame, Size, make_frame

MAX_ACTIONS = 16  #: most actions of one turn

_ACTION_LABEL = re.compile(r"^[ \t]*\**action\**[ \t]*:\**", re.IGNORECASE | re.MULTILINE)
_FENCE = re.compile(r"^[ \t]*```.*$", re.MULTILINE)
_INLINE = re.compile(r"`([^`]*)`")


class Codec(ABC):
    """One text format.

    ``parse(format(a, screen), screen, cursor) == [a]`` for every action it can express, with the points of a coarse
    ``frame`` moved by at most ``frame.max_error(screen)``.

    Args:
        frame: how points are written, see :mod:`gui_gym.codecs.frames`.
    """

    name: str  #: name in :data:`gui_gym.codecs.CODECS`

    def __init__(self, frame: str | CoordinateFrame = "pixels"):
        self.frame = make_frame(frame)

    @abstractmethod
    def format(self, action: Action, screen: Size) -> str:
        """The text of ``action``. Raises :class:`ActionFormatError` for what the format cannot express."""

    @abstractmethod
    def describe(self, screen: Size) -> str:
        """The format in words, for a prompt."""

    @abstractmethod
    def parse_strict(self, text: str, screen: Size, cursor: Size) -> list[Action]:
        """The actions of a text that holds nothing but actions."""

    @abstractmethod
    def starts(self, line: str) -> bool:
        """Whether a line of a longer text looks like the start of an action, known or not."""

    @abstractmethod
    def mentions(self, text: str) -> bool:
        """Whether a text has something in it that could be meant as an action."""

    def parse(self, text: str, screen: Size, cursor: Size, truncated: bool = False) -> list[Action]:
        """The actions (one or more) a model's completion asks for.

        Understands actions alone, after a thought, after ``Action:``, after ``</think>`` and in a code fence or backticks. What
        could be read in two ways is an error, and so is anything after the actions.

        Args:
            text: the completion, decoded.
            screen: ``(width, height)`` in pixels.
            cursor: where the pointer is; a call without a point acts there.
            truncated: whether the completion was cut off; it is an error then, whatever the text says.

        Raises:
            ActionParseError: with what was expected.
        """
        if truncated:
            raise ActionParseError(f"the completion was cut off before its end: expected a shorter one, got ...{text[-40:]!r}", truncated=True)
        text = _unquoted(text)
        section = text if self.starts(text.lstrip()) and not _FENCE.search(text) else self._section(text, screen)
        actions = self.parse_strict(_unquoted(section), screen, cursor)
        if not actions:
            raise ActionParseError("expected at least one action, got an empty list")
        if len(actions) > MAX_ACTIONS:
            raise ActionParseError(f"expected at most {MAX_ACTIONS} actions in one turn, got {len(actions)}")
        early = [a for a in actions[:-1] if a.type in TERMINAL]
        if early:
            raise ActionParseError(f"expected {early[0].type.name.lower()} as the last action, got more after it")
        return actions

    def with_thought(self, thought: str, text: str) -> str:
        """``text``, an action of this format, with a thought before it, written on one line, that :meth:`parse` passes over.

        Raises :class:`ActionFormatError` for an empty thought, and for one that could be taken for an action or the mark of a thought.
        """
        thought = " ".join(thought.split())
        if not thought or self.mentions(thought) or "think>" in thought:
            raise ActionFormatError(f"expected a thought that names no action of this format, got {clip(thought)}")
        return self._joined(thought, text)

    def _joined(self, thought: str, text: str) -> str:
        return f"Thought: {thought}\nAction: {text}"

    def example(self, screen: Size) -> str:
        """An action, for prompts and error messages: a click in the middle."""
        return self.format(Action.click(screen[0] // 2, screen[1] // 2), screen)

    def _begins(self, text: str) -> bool:
        """Whether the actions begin in ``text``."""
        return bool(_ACTION_LABEL.search(text) or _FENCE.search(text)) or any(self.starts(line.strip()) for line in text.splitlines())

    def _section(self, text: str, screen: Size) -> str:
        """The part of ``text`` that holds the actions."""
        thought, closed, rest = text.partition("</think>")
        opened = text.lstrip().startswith("<think>")
        if opened and not closed:
            raise ActionParseError("expected </think> and an action after the thought, got an unfinished thought")
        if closed and (opened or not self._begins(thought)):  # else the marker is part of an action's own text
            text = rest
        labels = list(_ACTION_LABEL.finditer(text))
        if len(labels) > 1:
            raise ActionParseError(f"expected one 'Action:', got {len(labels)}")
        if labels:
            text = text[labels[0].end() :]
        fences = list(_FENCE.finditer(text))
        if len(fences) > 2 or len(fences) == 1:
            raise ActionParseError("expected one code block with a ``` before and after it")
        if fences:
            before, inside, after = text[: fences[0].start()], text[fences[0].end() : fences[1].start()], text[fences[1].end() :]
            if after.strip() or self.mentions(before):
                raise ActionParseError("expected the actions in the code block only; mark them with 'Action:' if the thought before names others")
            return inside
        if labels:
            return text
        offset = 0
        for line in text.splitlines(keepends=True):
            if self.starts(line.strip()):
                if self.mentions(text[:offset]):
                    raise ActionParseError("the thought names actions too: expected 'Action:' before the ones that are meant")
                return text[offset:]
            offset += len(line)
        got = clip(text.strip()) if text.strip() else "an empty text"
        raise ActionParseError(f"expected an action such as {self.example(screen)} on a line of its own, got {got}")


def _unquoted(text: str) -> str:
    """``text`` without space around it, nor a pair of backticks."""
    inline = _INLINE.fullmatch(text.strip())
    return (inline[1] if inline else text).strip()
