"""Metrics on text files."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from typing import Any

from gui_gym.verifiers.osworld.safe_files import read_text, zero_if_unreadable

MAX_NUMBERS = 10  #: an answer with more is a list of guesses


@zero_if_unreadable
def compare_text_file(result: str, expected: str, ignore_blanks: bool = False, ignore_case: bool = False, **options: Any) -> float:
    """1 if the two files hold the same text; ``ignore_blanks`` makes one space of each run of blanks and trims the ends."""
    texts = [read_text(result), read_text(expected)]
    if ignore_blanks:
        texts = [re.sub(r"\s+", " ", re.sub(r"[\t\n]", " ", text).strip()) for text in texts]
    if ignore_case:
        texts = [text.lower() for text in texts]
    return float(texts[0] == texts[1])


@zero_if_unreadable
def diff_text_file(result: str, expected: str) -> float:
    """How alike the lines of the two files are: :meth:`difflib.SequenceMatcher.ratio`."""
    return difflib.SequenceMatcher(a=read_text(result).splitlines(), b=read_text(expected).splitlines()).ratio()


@zero_if_unreadable
def compare_config(result: str, rules: Mapping[str, str], **options: Any) -> float:
    """1 if the file's text is ``rules["expected"]``."""
    return float(read_text(result) == rules["expected"])


@zero_if_unreadable
def file_contains(result: str, rules: Mapping[str, list[str]]) -> float:
    """1 if every text of ``rules["expected"]`` is in the file."""
    text = read_text(result)
    return float(all(part in text for part in rules["expected"]))


@zero_if_unreadable
def check_line_number(result: str, rules: Mapping[str, Any]) -> float:
    """1 if as many lines of the file as ``rules["expected"]`` hold a time of day, hh:mm:ss."""
    timed = sum(re.search(r"([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)", line) is not None for line in read_text(result).split("\n"))
    return float(timed == int(rules["expected"]))


@zero_if_unreadable
def check_list(result: str, rules: Mapping[str, list[str]]) -> float:
    """1 if each regular expression of ``rules["expect"]`` is found in some line of the file and none of ``rules["unexpect"]`` in any."""
    lines = read_text(result).splitlines(keepends=True)

    def found(pattern: str) -> bool:
        expression = re.compile(pattern)
        return any(expression.search(line) for line in lines)

    return float(all(map(found, rules.get("expect", []))) and not any(map(found, rules.get("unexpect", []))))


@zero_if_unreadable
def compare_python_pure_text(result: str, expected: str) -> float:
    """1 if two Python files have the same lines; empty ones, blanks at ends, tabs for four spaces, ``#!`` and coding lines do not count."""
    return float(_python_lines(read_text(result)) == _python_lines(read_text(expected)))


def _python_lines(text: str) -> list[str]:
    lines = text.splitlines()
    start = 0
    while start < min(3, len(lines)) and re.match(r"\s*#(!| -\*- coding:| coding[:=])", lines[start]):
        start += 1
    return [line.expandtabs(4).rstrip() for line in lines[start:] if line.strip()]


@zero_if_unreadable
def compare_result_files(result: str, expected: str) -> float:
    """1 if two files hold the same trimmed text; if the expected is a number, 1 if the result holds that number, also written with more digits.

    Numbers are the same within 0.0001. A result of more than ten numbers names none.
    """
    ours, gold = read_text(result).strip(), read_text(expected).strip()
    try:
        wanted = float(gold)
    except ValueError:
        return float(ours == gold)
    numbers = re.findall(r"[-+]?(?:\d[\d,]*)?\.?\d+(?:[eE][-+]?\d+)?", ours)
    return float(
        len(numbers) <= MAX_NUMBERS
        and any(abs(float(text.replace(",", "")) - wanted) < 1e-4 or ("." in gold and text.startswith(gold)) for text in numbers)
    )
