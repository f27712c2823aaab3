"""Metrics on Thunderbird's files: preferences, message filters, and folders of messages."""

from __future__ import annotations

import json
import mailbox
import re
from collections.abc import Mapping
from typing import Any

from gui_gym.verifiers.osworld.metrics.records import matches
from gui_gym.verifiers.osworld.safe_files import open_file, read_text, reading, zero_if_unreadable

MAX_FOLDER = 64 << 20  #: most bytes of a folder of messages
_PREFERENCE = re.compile(r'user_pref\("((?:[^"\\]|\\.)+)",\s*(.+)\);')
_DELETED = 0x0008  #: the bit of X-Mozilla-Status of a message that is gone from the folder until it is compacted


@zero_if_unreadable
def check_thunderbird_prefs(result: str, rules: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> float:
    """1 if the preferences in a ``prefs.js`` match each rule of ``rules["expect"]`` and none of ``rules["unexpect"]``, both by name.

    A rule is ``{"method", "ref"}``, see :func:`~gui_gym.verifiers.osworld.metrics.records.matches`; a preference that is not in
    the file, and so has its default, matches none.
    """
    values: dict[str, Any] = {}
    for line in read_text(result).splitlines():
        if (found := _PREFERENCE.fullmatch(line.strip())) is not None:
            try:
                values[found[1].replace('\\"', '"').replace("\\\\", "\\")] = json.loads(found[2], strict=False)
            except (ValueError, RecursionError):  # a line that Thunderbird did not write
                continue

    def match(name: str, rule: Mapping[str, Any]) -> bool:
        return name in values and matches(values[name], rule)

    expected = [match(name, rule) for name, rule in rules.get("expect", {}).items()]
    unexpected = [match(name, rule) for name, rule in rules.get("unexpect", {}).items()]
    return float(all(expected) and not any(unexpected))


@zero_if_unreadable
def check_thunderbird_filter(result: str, rules: Mapping[str, list[Mapping[str, Any]]]) -> float:
    """1 if each of ``rules["expect"]`` describes a filter of a ``msgFilterRules.dat`` and none of ``rules["unexpect"]`` does.

    A filter has "name", "enabled" ("yes" or "no"), "type", "action" and "actionValue", and "condition", the list of its terms,
    such as ``["AND (subject,contains,discount)"]`` or ``["ALL"]``. A description has some of these, and of a filter with
    several actions each must be as it says.
    """
    filters = _filters(read_text(result))

    def there(description: Mapping[str, Any]) -> bool:
        return any(all(_has(filter_, key, value) for key, value in description.items()) for filter_ in filters)

    return float(all(map(there, rules.get("expect", []))) and not any(map(there, rules.get("unexpect", []))))


def _has(filter_: Mapping[str, list[Any]], key: str, value: Any) -> bool:
    if key == "condition":
        return value in filter_.get(key, [])
    return bool(filter_.get(key)) and all(found == value for found in filter_[key])


def _filters(text: str) -> list[dict[str, list[Any]]]:
    """The filters of the file, each with the values of its fields in order."""
    filters: list[dict[str, list[Any]]] = []
    for line in text.splitlines():
        found = re.fullmatch(r'(\w+)="(.*)"', line)
        if found is None:
            continue
        key, value = found[1], re.sub(r'\\(["\\])', r"\1", found[2])
        if key == "name":
            filters.append({})
        if filters:
            filters[-1].setdefault(key, []).append(_terms(value) if key == "condition" else value)
    return filters


def _terms(condition: str) -> list[str]:
    """The terms of a condition: ``AND (a,b,c) OR (d,e,"f)")`` has two. Brackets inside quotes belong to the value."""
    return re.findall(r'\bALL\b|\b(?:AND|OR) \((?:"[^"]*"|[^")])*\)', condition)


@zero_if_unreadable
def check_thunderbird_folder(
    result: str | list[str | None],
    expected: str | list[str],
    ignore_status: bool = False,
    ignore_keys: bool = False,
    remove_deleted: bool = True,
    remove_duplicate: bool = True,
    **options: Any,
) -> float:
    """1 if the folder in the file ``result`` (mbox, or one message) has the messages of ``expected``, in any order; so for each pair of two lists.

    Line ends do not count, nor the line before each message that says when it was filed.

    Args:
        ignore_status: leave out the headers X-Mozilla-Status and X-Mozilla-Status2 (read, answered, ...).
        ignore_keys: leave out the header X-Mozilla-Keys (tags).
        remove_deleted: leave out messages that are marked as deleted.
        remove_duplicate: count equal messages once.
    """
    results: list[str | None] = result if isinstance(result, list) else [result]
    golds = expected if isinstance(expected, list) else [expected]
    left_out = [name for name, ignored in (("X-Mozilla-Status2?", ignore_status), ("X-Mozilla-Keys", ignore_keys)) if ignored]

    def messages(path: str) -> list[bytes]:
        found = [_without(message, left_out) for message in _messages(path) if not (remove_deleted and _is_deleted(message))]
        return sorted(set(found) if remove_duplicate else found)

    if len(results) != len(golds):
        return 0.0
    return float(all(path is not None and messages(path) == messages(gold) for path, gold in zip(results, golds, strict=True)))


def _messages(path: str) -> list[bytes]:
    r"""The messages of a file, with "\n" line ends and without the "From " lines between them."""
    with open_file(path, MAX_FOLDER) as file:
        is_folder = file.read(5) == b"From "
        file.seek(0)
        if not is_folder:
            found = [file.read()]
        else:
            with reading(path):
                box = mailbox.mbox(path, create=False)
                found = [box.get_bytes(key) for key in box.keys()]
                box.close()
    return [message for message in (item.replace(b"\r\n", b"\n").strip() for item in found) if message]


def _without(message: bytes, headers: list[str]) -> bytes:
    head, end, body = message.partition(b"\n\n")
    for name in headers:
        head = re.sub(rb"(?im)^%s:.*\n?(?:[ \t]+.*\n?)*" % name.encode(), b"", head)
    return b"\n".join(line.rstrip() for line in head.splitlines()) + end + body


def _is_deleted(message: bytes) -> bool:
    found = re.search(rb"(?im)^X-Mozilla-Status:[ \t]*([0-9a-f]{4})", message.partition(b"\n\n")[0])
    return found is not None and bool(int(found[1], 16) & _DELETED)
