"""What guest client and guest server must agree on: tokens, limits, and how an action is written in JSON."""

from __future__ import annotations

import json
import os
from enum import IntEnum
from pathlib import Path
from typing import Any

from gui_gym.actions import FIELDS, Action, ActionError, ActionType, Button, Key, Modifier

TOKEN_VARIABLE = "GUI_GYM_GUEST_TOKEN"  #: environment variable with the token
TOKEN_FILE_VARIABLE = "GUI_GYM_GUEST_TOKEN_FILE"  #: environment variable with the path of a file that holds it
MIN_TOKEN = 16  #: characters of a token

ROOT = "/gui-gym"  #: where the server's own routes begin; all others are OSWorld's
SESSION_HEADER = "X-Gui-Gym-Session"  #: names the session, and so the desktop, that a request is for
CURSOR_HEADER = "X-Gui-Gym-Cursor"  #: "x,y" beside a screenshot
RAW_FRAME = "image/x-portable-pixmap"  #: type of a screenshot that is not packed, for clients on the same machine

MAX_OUTPUT = 64 << 20  #: longest output of a program, in bytes
MAX_BODY = 16 << 20  #: longest request, in bytes, but for uploads
MAX_FILE = 1 << 30  #: longest file, in bytes

_ENUMS: dict[str, type[IntEnum]] = {"type": ActionType, "button": Button, "key": Key}
_LENGTHS = {"point": 2, "to": 2, "scroll": 2}


def read_token() -> str | None:
    """The token that the environment names, or None.

    Raises ValueError if it cannot be a token, or its file cannot be read.
    """
    token, path = os.environ.get(TOKEN_VARIABLE), os.environ.get(TOKEN_FILE_VARIABLE)
    if token is None and path is not None:
        try:
            token = Path(path).expanduser().read_text("utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise ValueError(f"{TOKEN_FILE_VARIABLE}: expected a file with the token, but {path!r} cannot be read: {error}") from error
    return None if token is None else check_token(token)


def check_token(token: str) -> str:
    """``token`` if it can be one; ValueError says what is expected, not what came."""
    if len(token) < MIN_TOKEN or not token.isascii() or not token.isprintable() or any(char in " :@/" for char in token):
        raise ValueError(f"the token of a guest: expected at least {MIN_TOKEN} ASCII characters without blanks, ':', '@' and '/'")
    return token


def action_to_json(action: Action) -> dict[str, Any]:
    """The fields that the type of ``action`` uses; enums by their names."""
    fields: dict[str, Any] = {"type": action.type.name}
    for name, value in action.used().items():
        if name == "modifiers":
            fields[name] = [modifier.name for modifier in action.modifiers]
        else:
            fields[name] = value.name if isinstance(value, IntEnum) else list(value) if isinstance(value, tuple) else value
    return fields


def action_from_json(fields: Any) -> Action:
    """The action that :func:`action_to_json` wrote. Raises :class:`ActionError` that says what was expected.

    >>> action_from_json({"type": "CLICK", "point": [3, 4], "button": "LEFT", "clicks": 1, "modifiers": ["CTRL"]}).modifiers
    (<Modifier.CTRL: 0>,)
    """
    if not isinstance(fields, dict):
        raise ActionError(f"expected an action as an object, got {json.dumps(fields)[:80]}")
    kind = _member(ActionType, fields.get("type"), "type")
    expected = {"type", *FIELDS[kind]}
    if set(fields) != expected:
        raise ActionError(f"{kind.name}: expected the fields {', '.join(sorted(expected))}, got {', '.join(sorted(map(str, fields)))[:200]}")
    values: dict[str, Any] = {}
    for name in FIELDS[kind]:
        value = fields[name]
        if name in _ENUMS:
            values[name] = _member(_ENUMS[name], value, name)
        elif name == "modifiers":
            if not isinstance(value, list):
                raise ActionError(f"modifiers: expected a list of names, got {json.dumps(value)[:80]}")
            values[name] = tuple(sorted({_member(Modifier, each, name) for each in value}))
        elif name in _LENGTHS:
            if not isinstance(value, list) or len(value) != _LENGTHS[name] or not all(map(_whole, value)):
                raise ActionError(f"{name}: expected two whole numbers, got {json.dumps(value)[:80]}")
            values[name] = tuple(value)
        elif not (isinstance(value, str) if name == "text" else _whole(value)):
            raise ActionError(f"{name}: expected a {'text' if name == 'text' else 'whole number'}, got {json.dumps(value)[:80]}")
        else:
            values[name] = value
    return Action(kind, **values)


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _member(enum: type[IntEnum], name: Any, field: str) -> Any:
    if not isinstance(name, str) or name not in enum.__members__:
        raise ActionError(f"{field}: expected one of {', '.join(enum.__members__)[:300]}, got {json.dumps(name)[:80]}")
    return enum[name]
