"""Metrics on text files."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def read_text(path: str) -> str:
    r"""A text file with "\n" line ends. Bytes that are not UTF-8 are kept as lone surrogates, so that they match only themselves."""
    with Path(path).open(encoding="utf-8", errors="surrogateescape") as file:
        return file.read()


def compare_text_file(result: str, expected: str, ignore_blanks: bool = False, ignore_case: bool = False, **options: Any) -> float:
    """1 if the two files hold the same text; ``ignore_blanks`` makes one space of each run of blanks and trims the ends."""
    texts = [read_text(result), read_text(expected)]
    if ignore_blanks:
        texts = [re.sub(r"\s+", " ", re.sub(r"[\t\n]", " ", text).strip()) for text in texts]
    if ignore_case:
        texts = [text.lower() for text in texts]
    return float(texts[0] == texts[1])


def diff_text_file(result: str, expected: str) -> float:
    """How alike the lines of the two files are: :meth:`difflib.SequenceMatcher.ratio`."""
    return difflib.SequenceMatcher(a=read_text(result).splitlines(), b=read_text(expected).splitlines()).ratio()


def compare_config(result: str, rules: Mapping[str, str], **options: Any) -> float:
    """1 if the file's text is ``rules["expected"]``."""
    return float(read_text(result) == rules["expected"])


def file_contains(result: str, rules: Mapping[str, list[str]]) -> float:
    """1 if every text of ``rules["expected"]`` is in the file."""
    text = read_text(result)
    return float(all(part in text for part in rules["expected"]))


def check_line_number(result: str, rules: Mapping[str, Any]) -> float:
    """1 if as many lines of the file as ``rules["expected"]`` hold a time of day, hh:mm:ss."""
    timed = sum(re.search(r"([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)", line) is not None for line in read_text(result).split("\n"))
    return float(timed == int(rules["expected"]))


def check_list(result: str, rules: Mapping[str, list[str]]) -> float:
    """1 if each regular expression of ``rules["expect"]`` is found in some line of the file and none of ``rules["unexpect"]`` in any."""
    lines = read_text(result).splitlines(keepends=True)

    def found(pattern: str) -> bool:
        expression = re.compile(pattern)
        return any(expression.search(line) for line in lines)

    return float(all(map(found, rules.get("expect", []))) and not any(map(found, rules.get("unexpect", []))))
