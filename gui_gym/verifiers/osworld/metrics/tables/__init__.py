"""Metrics on spreadsheets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gui_gym.verifiers.osworld.metrics.tables.books import Book, Books
from gui_gym.verifiers.osworld.metrics.tables.cells import check_cell, sheet_data, sheet_fuzzy, sheet_name, sheet_print
from gui_gym.verifiers.osworld.metrics.tables.objects import chart, pivot_table, sparkline
from gui_gym.verifiers.osworld.metrics.tables.sheets import col_props, data_validation, filter, freeze, row_props, zoom
from gui_gym.verifiers.osworld.metrics.tables.styles import style
from gui_gym.verifiers.osworld.safe_files import reading, zero_if_unreadable

__all__ = ["RULES", "compare_conference_city_in_order", "compare_table"]

#: The rules of :func:`compare_table` by their ``type``.
RULES: dict[str, Callable[[Books, Mapping[str, Any]], bool]] = {
    rule.__name__: rule
    for rule in (
        sheet_name, sheet_data, sheet_print, sheet_fuzzy, check_cell, style, freeze, zoom, data_validation, row_props, col_props, filter, chart,
        pivot_table, sparkline,
    )
}  # fmt: skip


@zero_if_unreadable
def compare_table(result: str, expected: str | None = None, *, rules: Sequence[Mapping[str, Any]], **options: Any) -> float:
    """1 if the workbook ``result`` fulfills all ``rules``, each ``{"type": a key of RULES, ...}``.

    Sheets are named as in :meth:`Books.sheet`. A sheet that the result has not is 0; one that ``expected`` has not is an error.
    """
    for rule in rules:
        if rule["type"] not in RULES:
            raise ValueError(f"compare_table: type: expected one of {', '.join(RULES)}, got {rule['type']!r}")
    books = Books(Book(result), None if expected is None else Book(expected))
    return float(all(RULES[rule["type"]](books, rule) for rule in rules))


@zero_if_unreadable
def compare_conference_city_in_order(result: str, rules: Mapping[str, Sequence[str | Sequence[str]]]) -> float:
    """1 if column C of the active sheet holds the cities ``rules["expected"]`` from C2 on: in each cell the city, or one of a list, is a part."""
    book = Book(result)
    with reading(result):
        values = book.sheet(book.calculated.active.title).values
    for row, wanted in enumerate(rules["expected"], start=2):
        city = values.get((row, 3))
        if not isinstance(city, str) or not any(name in city for name in ([wanted] if isinstance(wanted, str) else wanted)):
            return 0.0
    return 1.0
