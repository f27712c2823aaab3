"""The patterns of grep: basic regular expressions without groups, matched in time that grows no faster than text times pattern."""

from __future__ import annotations

from dataclasses import dataclass


class PatternError(ValueError):
    """A pattern that cannot be read."""


@dataclass(frozen=True)
class _Item:
    """One character of the pattern: ``characters`` it stands for (None: any), or all others if ``negated``; ``many`` if a star follows."""

    characters: frozenset[str] | None
    negated: bool = False
    many: bool = False

    def fits(self, character: str) -> bool:
        return self.characters is None or (character in self.characters) != self.negated


class Pattern:
    """``^`` and ``$`` at the ends, ``.``, ``*``, ``[abc]``, ``[a-z]``, ``[^a]`` and ``\\`` before a character that stands for itself."""

    def __init__(self, text: str, ignore_case: bool = False):
        self.ignore_case = ignore_case
        if ignore_case:
            text = text.lower()
        self.start = text.startswith("^")
        self.end = text.endswith("$") and not text.endswith("\\$")
        text = text[self.start : len(text) - self.end]
        items: list[_Item] = []
        at = 0
        while at < len(text):
            c = text[at]
            if c == "*" and items and not items[-1].many:
                items[-1] = _Item(items[-1].characters, items[-1].negated, True)
                at += 1
            elif c == "[":
                item, at = _bracket(text, at + 1)
                items.append(item)
            elif c == "\\":
                if at + 1 == len(text):
                    raise PatternError("Trailing backslash")
                items.append(_Item(frozenset(text[at + 1])))
                at += 2
            else:
                items.append(_Item(None if c == "." else frozenset(c)))
                at += 1
        self.items = tuple(items)

    def found_in(self, line: str) -> bool:
        """Whether it matches anywhere in a line."""
        if self.ignore_case:
            line = line.lower()
        last = len(self.items)
        reached = self._skip({0})
        for character in line:
            if last in reached and not self.end:
                return True
            after = {i if self.items[i].many else i + 1 for i in reached if i < last and self.items[i].fits(character)}
            reached = self._skip(after if self.start else after | {0})
        return last in reached

    def _skip(self, reached: set[int]) -> set[int]:
        """Also the places after items that may be left out."""
        for i, item in enumerate(self.items):
            if item.many and i in reached:
                reached.add(i + 1)
        return reached


def _bracket(text: str, at: int) -> tuple[_Item, int]:
    negated = text[at : at + 1] == "^"
    at += negated
    end = text.find("]", at + 1)
    if end < 0:
        raise PatternError("Unmatched [")
    inner, characters = text[at:end], set()
    i = 0
    while i < len(inner):
        if inner[i + 1 : i + 2] == "-" and i + 2 < len(inner):
            characters |= {chr(code) for code in range(ord(inner[i]), min(ord(inner[i + 2]), ord(inner[i]) + 1000) + 1)}
            i += 3
        else:
            characters.add(inner[i])
            i += 1
    return _Item(frozenset(characters), negated), end + 1
