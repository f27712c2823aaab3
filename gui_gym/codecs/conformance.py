"""What every :class:`~gui_gym.codecs.Codec` must do, as a test class for pytest. Run it on a codec of your own::

class TestMyCodec(CodecConformance):
    def make(self):
        return MyCodec("unit")
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Iterator

from gui_gym.actions import FIELDS, MAX_SCROLL, MAX_WAIT, Action, ActionType, Button, Key, Modifier
from gui_gym.codecs.base import Codec
from gui_gym.codecs.errors import ActionFormatError, ActionParseError

TEXTS = ("", "hello", "it's", 'a "quote"', "\\", "a\nb\tc\r", "é漢😀", "\u2028\x00\x7f", "```\ndone()\n```", "Action: done()", "</think>", "a" * 500)
GARBAGE = (
    "",
    " ",
    "click",
    "I cannot see it.",
    "Thought: I need",
    "{",
    "[",
    '"',
    "()",
    "```",
    "Action:",
    "<think>",
    "a" * 10_000,
    "(" * 10_000,
    "\x00",
    "\ud800",
)


class CodecConformance(ABC):
    """Round trips, errors, and the prompt. Subclass it, with a name that pytest collects, and give :meth:`make`."""

    screens = ((1280, 720), (1920, 1080), (112, 112), (333, 77))  #: (width, height) in pixels
    samples = 300  #: random actions for each screen

    @abstractmethod
    def make(self) -> Codec:
        """The codec under test."""

    def actions(self, screen: tuple[int, int], rng: random.Random) -> Iterator[Action]:
        """Random actions of every type, every key, and the corners of the screen."""
        for x in (0, screen[0] - 1):
            for y in (0, screen[1] - 1):
                yield Action.click(x, y)
        for key in Key:
            yield Action.press(key, *(m for m in Modifier if rng.random() < 0.3))
        for text in TEXTS:
            yield Action.type_text(text)
        for _ in range(self.samples):
            kind = rng.choice(list(ActionType))
            values = {
                "point": (rng.randrange(screen[0]), rng.randrange(screen[1])),
                "to": (rng.randrange(screen[0]), rng.randrange(screen[1])),
                "button": rng.choice(list(Button)),
                "clicks": rng.randint(1, 3),
                "scroll": (rng.randint(-MAX_SCROLL, MAX_SCROLL), rng.randint(-MAX_SCROLL, MAX_SCROLL)),
                "key": rng.choice(list(Key)),
                "modifiers": tuple(m for m in Modifier if rng.random() < 0.3),
                "wait": rng.randint(0, MAX_WAIT),
                "text": rng.choice(TEXTS),
            }
            yield Action(kind, **{name: values[name] for name in FIELDS[kind]})  # type: ignore[arg-type]

    def expressible(self, codec: Codec, screen: tuple[int, int]) -> Iterator[tuple[Action, str]]:
        """The actions that the format can express, with their text."""
        for action in self.actions(screen, random.Random(0)):
            try:
                yield action, codec.format(action, screen)
            except ActionFormatError:
                continue

    def test_what_is_written_is_read_back(self) -> None:
        codec = self.make()
        for screen in self.screens:
            error = codec.frame.max_error(screen)
            kinds = set()
            for action, text in self.expressible(codec, screen):
                found = codec.parse(text, screen, (0, 0))
                assert len(found) == 1, (action, text, found)
                for name, value in action.used().items():
                    got = getattr(found[0], name)
                    if name in ("point", "to"):
                        assert all(abs(p - q) <= e for p, q, e in zip(value, got, error, strict=True)), (action, text, got)  # type: ignore[call-overload]
                    else:
                        assert got == value, (action, text, got)
                assert found[0].type is action.type
                kinds.add(action.type)
            assert ActionType.CLICK in kinds, "a format that cannot click is of no use"

    def test_a_thought_before_an_action_changes_nothing(self) -> None:
        codec, screen = self.make(), self.screens[0]
        thoughts = ("I see it.", "It's (x) \u201cOK\u201d:\n it is there", "Action: none", "```", "{}", "漢😀")
        for i, (_, text) in enumerate(list(self.expressible(codec, screen))[::5]):
            thought = thoughts[i % len(thoughts)]
            assert codec.parse(codec.with_thought(thought, text), screen, (0, 0)) == codec.parse(text, screen, (0, 0)), (thought, text)
        for thought in ("", " \n", "a <think> b", text):
            try:
                codec.with_thought(thought, text)
            except ActionFormatError:
                continue
            raise AssertionError(f"expected ActionFormatError for the thought {thought!r}")

    def test_a_truncated_completion_is_an_error_whatever_it_says(self) -> None:
        codec = self.make()
        for _, text in self.expressible(codec, self.screens[0]):
            try:
                codec.parse(text, self.screens[0], (0, 0), truncated=True)
            except ActionParseError as error:
                assert error.truncated
            else:
                raise AssertionError(f"expected ActionParseError for the truncated {text!r}")

    def test_garbage_is_an_error_of_its_own_kind(self) -> None:
        codec, rng = self.make(), random.Random(0)
        texts = [text for _, text in self.expressible(codec, self.screens[0])]
        spoilt = []
        for text in texts:
            at = rng.randrange(len(text) + 1)
            spoilt += [text[:at], text[:at] + rng.choice("\"'\\(){}[],=:9\n") + text[at:]]
        for text in [*GARBAGE, *spoilt]:
            try:
                found = codec.parse(text, self.screens[0], (0, 0))
            except ActionParseError as error:
                assert str(error) and not error.truncated
                continue
            assert found and text not in GARBAGE, (text, found)
            for action in found:
                action.check(*self.screens[0])

    def test_what_cannot_be_done_cannot_be_written(self) -> None:
        codec, (width, height) = self.make(), self.screens[0]
        for action in (Action.click(width, 0), Action.click(0, height), Action.click(-1, 0), Action.click(0, 0, clicks=4), Action.wait_for(-1)):
            try:
                text = codec.format(action, (width, height))
            except ActionFormatError:
                continue
            raise AssertionError(f"expected ActionFormatError for {action}, got {text!r}")

    def test_the_prompt_says_how_points_are_written(self) -> None:
        codec = self.make()
        assert codec.name and codec.frame.range(self.screens[0], 0) in codec.describe(self.screens[0])
