"""Rules on the values of cells: ``sheet_name``, ``sheet_data``, ``sheet_print``, ``sheet_fuzzy``, ``check_cell``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from openpyxl.utils import coordinate_to_tuple, get_column_letter
from openpyxl.worksheet.cell_range import MultiCellRange
from rapidfuzz import fuzz

from gui_gym.verifiers.osworld.metrics.records import matches
from gui_gym.verifiers.osworld.metrics.tables.books import Books, Sheet, cells
from gui_gym.verifiers.osworld.metrics.tables.styles import cell_style, check_property
from gui_gym.verifiers.osworld.safe_files import reading

_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d{1,3})?", re.ASCII)


def sheet_name(books: Books, rule: Mapping[str, Any]) -> bool:
    """The two books have the same sheets in the same order."""
    if books.expected is None:
        raise ValueError("sheet_name: expected a file to compare with")
    return books.result.names == books.expected.names


def sheet_data(books: Books, rule: Mapping[str, Any]) -> bool:
    """Two sheets (``sheet_idx0``, ``sheet_idx1``) have the same saved values at the same places.

    Numbers are rounded to ``precision`` decimals (4); a text that is a number counts as that number. With ``ignore_case``
    texts are compared in lower case. An empty text is an empty cell.
    """
    precision, ignore_case = rule.get("precision", 4), rule.get("ignore_case", False)

    def alike(value: Any) -> tuple[str, Any]:
        if isinstance(value, bool):
            return ("bool", value)
        if isinstance(value, str) and _NUMBER.fullmatch(value):
            value = float(value)
        if isinstance(value, (int, float)):
            return ("number", round(value, precision) + 0.0)
        return ("text", value.lower() if ignore_case else value) if isinstance(value, str) else ("other", value)

    first, second = (books.sheet(rule[side]).values for side in ("sheet_idx0", "sheet_idx1"))
    return {place: alike(value) for place, value in first.items()} == {place: alike(value) for place, value in second.items()}


def sheet_print(books: Books, rule: Mapping[str, Any]) -> bool:
    """Two sheets look the same, see :meth:`Sheet.lines`; with ``ignore_case`` in lower case."""
    first, second = (books.sheet(rule[side]).lines() for side in ("sheet_idx0", "sheet_idx1"))
    if rule.get("ignore_case", False):
        first, second = [line.lower() for line in first], [line.lower() for line in second]
    return first == second


def sheet_fuzzy(books: Books, rule: Mapping[str, Any]) -> bool:
    """Ranges of two sheets match by the ``rules``, each ``{"range": [...], "type": ...}``.

    Types: ``exact_match``, ``includes`` and ``included_by`` (the first holds, or is in, the second), ``fuzzy_match``
    (:func:`rapidfuzz.fuzz.ratio` of ``threshold``, 85, or more). Before, texts pass ``normalization`` (pairs to replace),
    ``trim_leadings``, ``trim_trailings`` and ``ignore_chars`` (characters), ``ignore_case``. An empty cell matches only an
    empty one.
    """
    first, second = (books.sheet(rule[side]) for side in ("sheet_idx0", "sheet_idx1"))
    return all(
        _alike(first, second, f"{get_column_letter(column)}{row}", how)
        for how in rule["rules"]
        for block in MultiCellRange(how["range"])
        for row, column in block.cells
    )


def _alike(first: Sheet, second: Sheet, coordinate: str, how: Mapping[str, Any]) -> bool:
    values = [sheet.plain(coordinate) for sheet in (first, second)]
    if None in values:
        return values[0] == values[1]
    ours, theirs = (_normal(str(value), how) for value in values)
    kind = how["type"]
    if kind == "exact_match":
        return ours == theirs
    if kind == "includes":
        return theirs in ours
    if kind == "included_by":
        return ours in theirs
    if kind == "fuzzy_match":
        return bool(fuzz.ratio(ours, theirs) >= how.get("threshold", 85.0))
    raise ValueError(f"sheet_fuzzy: type: expected exact_match, includes, included_by or fuzzy_match, got {kind!r}")


def _normal(text: str, how: Mapping[str, Any]) -> str:
    for old, new in how.get("normalization", []):
        text = text.replace(old, new)
    if "trim_leadings" in how:
        text = text.lstrip(how["trim_leadings"])
    if "trim_trailings" in how:
        text = text.rstrip(how["trim_trailings"])
    text = "".join(char for char in text if char not in how.get("ignore_chars", ""))
    return text.lower() if how.get("ignore_case", False) else text


def check_cell(books: Books, rule: Mapping[str, Any]) -> bool:
    """The cell ``coordinate`` of ``sheet_idx`` matches each of ``props``.

    Keys of ``props`` are ``value`` (numbers and dates as floats) and what :func:`cell_style` knows; values are rules of
    :func:`~gui_gym.verifiers.osworld.metrics.records.matches`.
    """
    sheet, place = books.sheet(rule["sheet_idx"]), coordinate_to_tuple(rule["coordinate"])
    cell = cells(sheet.written).get(place) or sheet.written.cell(*place)
    found: dict[str, Any] = {name: None for name in rule["props"] if name == "value" or check_property(name)}
    with reading(sheet.book.path):
        for name in found:
            found[name] = sheet.plain(rule["coordinate"]) if name == "value" else cell_style(name, cell, sheet.values.get(place))
    return all(matches(found[name], how) for name, how in rule["props"].items())
