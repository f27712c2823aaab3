"""Checks of what a task file holds: each failure names the file, the field and what was expected."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from gui_gym.tasks.task import TaskError


@dataclass(frozen=True)
class Field:
    """One field of a JSON object: what is expected, in words, and the test for it."""

    expected: str
    accepts: Callable[[Any], bool]

    def check(self, value: Any, where: str) -> Any:
        """``value`` if it is what is expected, else :class:`TaskError` that begins with ``where``."""
        if not self.accepts(value):
            shown = repr(value)
            raise TaskError(f"{where}: expected {self.expected}, got {shown if len(shown) <= 120 else shown[:120] + '...'}")
        return value


MAX_NAME = 200  #: bytes of each part of a path: with what the content cache puts before it, a file system takes it


def _any_text(value: Any) -> bool:
    return isinstance(value, str) and "\0" not in value and not any("\ud800" <= char <= "\udfff" for char in value)


def _text(value: Any) -> bool:
    return _any_text(value) and bool(value)


def _texts(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(map(_any_text, value)) and bool(value[0])


def _path(value: Any) -> bool:
    return _text(value) and len(value) <= 2048 and all(len(part.encode()) <= MAX_NAME for part in value.split("/"))


def _plain_name(value: Any) -> bool:
    return _path(value) and value not in (".", "..") and "/" not in value and "\\" not in value


def _files(key: str) -> Callable[[Any], bool]:
    return lambda value: (
        isinstance(value, list) and bool(value) and all(isinstance(f, dict) and _path(f.get(key)) and _path(f.get("path")) for f in value)
    )


def _one_or_more(accepts: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: accepts(value) or (isinstance(value, list) and bool(value) and all(map(accepts, value)))


OBJECT = Field("an object", lambda v: isinstance(v, dict))
RULES = Field("an object or a list", lambda v: isinstance(v, (dict, list)))
TEXT = Field("a string that is not empty and has no NUL character and no half of a surrogate pair", _text)
NAME = Field("a plain file name (no folder, not '..')", _plain_name)
NAMES = Field("a plain file name (no folder, not '..') or a list of them", _one_or_more(_plain_name))
PATH = Field(f"a path, its parts of at most {MAX_NAME} bytes", _path)
PATHS = Field(f"a path, its parts of at most {MAX_NAME} bytes, or a list of them", _one_or_more(_path))
COMMAND = Field("a command: a string or a list of strings", lambda v: _text(v) or _texts(v))
#: OSWorld's files write some flags as the string "true".
FLAG = Field("true or false", lambda v: isinstance(v, bool) or v in ("true", "false", "True", "False"))
SECONDS = Field("a number of seconds from 0 to 120", lambda v: isinstance(v, (int, float)) and not isinstance(v, bool) and 0 <= v <= 120)
INDICES = Field("a list of indices", lambda v: isinstance(v, list) and all(isinstance(i, int) and i >= 0 for i in v))
DOWNLOADS = Field('a list of {"url": ..., "path": ...}', _files("url"))
UPLOADS = Field('a list of {"local_path": ..., "path": ...}', _files("local_path"))
UNTIL = Field(
    'an object with "returncode" (an integer), "stdout" or "stderr" (strings)',
    lambda v: (
        isinstance(v, dict)
        and set(v) <= {"returncode", "stdout", "stderr"}
        and isinstance(v.get("returncode", 0), int)
        and all(isinstance(v.get(k, ""), str) for k in ("stdout", "stderr"))
    ),
)


def flag(value: Any) -> bool:
    """The truth of a :data:`FLAG`."""
    return value if isinstance(value, bool) else str(value).lower() == "true"


def check_fields(values: Mapping[str, Any], where: str, required: Mapping[str, Field], optional: Mapping[str, Field], *, only: bool = True) -> None:
    """Check an object's fields; with ``only``, one that is neither required nor optional is an error too."""
    for name, field in required.items():
        if name not in values:
            raise TaskError(f"{where}.{name}: expected {field.expected}, got nothing")
        field.check(values[name], f"{where}.{name}")
    for name, field in optional.items():
        if name in values and values[name] is not None:
            field.check(values[name], f"{where}.{name}")
    unexpected = set(values) - set(required) - set(optional)
    if only and unexpected:
        raise TaskError(f"{where}.{min(unexpected)}: unknown field: expected only {', '.join([*required, *optional]) or 'none'}")
