"""Metrics on GIMP's settings files, such as ``gimprc`` and ``sessionrc``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from gui_gym.verifiers.osworld.safe_files import read_text, zero_if_unreadable

_WORD = re.compile(r'"(?:[^"\\]|\\.)*"|[^\s()"]+')


@zero_if_unreadable
def check_config_status(result: str, rules: Mapping[str, Any]) -> float:
    """1 if a line such as ``(key value)`` of the file has the key and the value of ``rules``.

    ``rules["key"]`` is a word, or the line's first two words as a list; ``rules["value"]`` is the line's last word, a text with its quotes.
    """
    key = [rules["key"]] if isinstance(rules["key"], str) else list(rules["key"])
    lines = (_WORD.findall(line) for line in read_text(result).split("\n") if not line.lstrip().startswith("#"))
    return float(any(len(words) > len(key) and words[: len(key)] == key and words[-1] == rules["value"] for words in lines))
