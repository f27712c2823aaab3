"""Names to things: one lookup for suites, desktops, verifiers, codecs and rewards, with near matches in its error."""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

T = TypeVar("T")


class UnknownNameError(LookupError):
    """A name that is not registered; the message lists near matches and what is known."""


def unknown(kind: str, name: str, known: Iterable[str]) -> UnknownNameError:
    """The error for ``name``, which is no known ``kind``."""
    names = sorted(known)
    near = difflib.get_close_matches(str(name), names, n=3, cutoff=0.4)
    hint = f"did you mean {', '.join(map(repr, near))}? " if near else ""
    shown = ", ".join(names[:40]) + (f", ... ({len(names)} in all)" if len(names) > 40 else "")
    return UnknownNameError(f"unknown {kind} {name!r}: {hint}known: {shown or 'none'}")


class Registry(Generic[T]):
    """A table from names to objects, or to ``"module:attribute"`` strings that are imported at first use."""

    def __init__(self, kind: str, entries: dict[str, T | str] | None = None):
        self.kind = kind
        self._entries: dict[str, T | str] = dict(entries or {})

    def register(self, name: str, entry: T | str | None = None) -> Callable[[T], T]:
        """Register ``entry`` (an object or ``"module:attribute"``), or use as a decorator. A name is taken once."""

        def add(value: T | str) -> T | str:
            if name in self._entries and self._entries[name] is not value:
                raise ValueError(f"{self.kind} {name!r} is registered already: choose another name")
            self._entries[name] = value
            return value

        if entry is not None:
            add(entry)
        return add  # type: ignore[return-value]

    def names(self) -> list[str]:
        return sorted(self._entries)

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def get(self, name: str) -> T:
        """The object registered as ``name``; :class:`UnknownNameError` if there is none."""
        if name not in self._entries:
            raise unknown(self.kind, name, self._entries)
        entry = self._entries[name]
        if isinstance(entry, str):
            module, _, attribute = entry.partition(":")
            self._entries[name] = entry = getattr(importlib.import_module(module), attribute)
        return entry  # type: ignore[return-value]
