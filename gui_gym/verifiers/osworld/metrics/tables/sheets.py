"""Rules on a sheet's settings: ``freeze``, ``zoom``, ``data_validation``, ``row_props``, ``col_props``, ``filter``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from openpyxl.utils import column_index_from_string
from openpyxl.worksheet.cell_range import MultiCellRange
from openpyxl.worksheet.worksheet import Worksheet

from gui_gym.verifiers.osworld.metrics.records import matches
from gui_gym.verifiers.osworld.metrics.tables.books import Books, Sheet


def freeze(books: Books, rule: Mapping[str, Any]) -> bool:
    """Two sheets have as many rows and columns frozen, however far they are scrolled."""
    first, second = (books.sheet(rule[side]).read(_frozen) for side in ("sheet_idx0", "sheet_idx1"))
    return first == second


def _frozen(sheet: Worksheet) -> tuple[int, int]:
    pane = sheet.sheet_view.pane
    if pane is None or not (pane.state or "").startswith("frozen"):
        return (0, 0)
    return (int(pane.ySplit or 0), int(pane.xSplit or 0))


def zoom(books: Books, rule: Mapping[str, Any]) -> bool:
    """The zoom of the sheet ``sheet_idx``, in percent, matches the rule's own ``method`` and ``ref``."""
    return matches(books.sheet(rule["sheet_idx"]).written.sheet_view.zoomScale or 100, rule)


def data_validation(books: Books, rule: Mapping[str, Any]) -> bool:
    """Each validation of the sheet ``sheet_idx`` matches one of ``dv_props``, and each of these matches a validation.

    Keys of such a dict are attributes of :class:`openpyxl.worksheet.datavalidation.DataValidation`, such as ``ranges``,
    ``type``, ``formula1``, ``operator`` or ``allowBlank``; values are rules of
    :func:`~gui_gym.verifiers.osworld.metrics.records.matches`, or for ``ranges`` ``{"method": "spreadsheet_range", "ref":
    [least, most]}``.
    """
    found = books.sheet(rule["sheet_idx"]).written.data_validations.dataValidation
    wanted = rule["dv_props"]

    def fits(validation: Any, props: Mapping[str, Mapping[str, Any]]) -> bool:
        return all(_matches(getattr(validation, name), how) for name, how in props.items())

    return all(any(fits(validation, props) for props in wanted) for validation in found) and all(
        any(fits(validation, props) for validation in found) for props in wanted
    )


def _matches(value: Any, how: Mapping[str, Any]) -> bool:
    if how["method"] != "spreadsheet_range":
        return matches(value, how)
    least, most = (MultiCellRange(text) for text in how["ref"])
    return _covers(value, least) and _covers(most, value)


def _covers(outer: MultiCellRange, inner: MultiCellRange) -> bool:
    return all(any(part.issubset(whole) for whole in outer) for part in inner)


_ROW = {"hidden": False, "collapsed": False, "height": None}
_COLUMN = {"hidden": False, "collapsed": False, "width": 13.0, "auto_size": False, "min": None, "max": None}


def row_props(books: Books, rule: Mapping[str, Any]) -> bool:
    """The rows of two sheets have the same ``props``: of ``hidden``, ``collapsed``, ``height``."""
    first, second = (_rows(books.sheet(rule[side]), rule.get("props", [])) for side in ("sheet_idx0", "sheet_idx1"))
    return first == second


def col_props(books: Books, rule: Mapping[str, Any]) -> bool:
    """The columns of two sheets have the same ``props``: of ``hidden``, ``collapsed``, ``width``, ``auto_size``, and
    ``min``, ``max``, the first and last column of the group that shares them."""
    first, second = (_columns(books.sheet(rule[side]), rule.get("props", [])) for side in ("sheet_idx0", "sheet_idx1"))
    return first == second


def _rows(sheet: Sheet, names: list[str]) -> dict[int, list[Any]]:
    """By row, what differs from a row that the file does not mention."""
    plain = [_known(name, _ROW) for name in names]
    rows = {index: [_value(row, name) for name in names] for index, row in sheet.written.row_dimensions.items()}
    return {index: values for index, values in rows.items() if values != plain}


def _columns(sheet: Sheet, names: list[str]) -> dict[int, list[Any]]:
    plain = [_known(name, _COLUMN) for name in names]
    columns: dict[int, list[Any]] = {}
    for letter, column in sheet.written.column_dimensions.items():
        index = column_index_from_string(letter)
        values = [_value(column, name) for name in names]
        if values != plain:
            columns.update({at: values for at in range(column.min or index, min(column.max or index, 16_384) + 1)})
    return columns


def _known(name: str, known: Mapping[str, Any]) -> Any:
    if name not in known:
        raise ValueError(f"props: expected some of {', '.join(known)}, got {name!r}")
    return known[name]


def _value(dimension: Any, name: str) -> Any:
    value = getattr(dimension, name)
    return bool(value) if name in ("hidden", "collapsed", "auto_size") else value


def filter(books: Books, rule: Mapping[str, Any]) -> bool:
    """Two sheets have the same automatic filter: range, what each column lets pass, and sort order."""
    first, second = (books.sheet(rule[side]).read(_filter) for side in ("sheet_idx0", "sheet_idx1"))
    return first == second


def _filter(sheet: Worksheet) -> dict[str, Any]:
    found = sheet.auto_filter
    columns: dict[int, dict[str, Any]] = {}
    for column in found.filterColumn:
        entry: dict[str, Any] = {"hidden_button": bool(column.hiddenButton), "show_button": column.showButton is not False}
        if column.filters is not None:
            dates = [_fields(item) for item in column.filters.dateGroupItem]
            entry["filters"] = (bool(column.filters.blank), set(column.filters.filter), sorted(dates, key=repr))
        if column.customFilters is not None:
            custom = column.customFilters
            entry["custom"] = (bool(custom._and), {(item.operator or "equal", item.val) for item in custom.customFilter})
        for kind in ("top10", "dynamicFilter", "colorFilter", "iconFilter"):
            if getattr(column, kind) is not None:
                entry[kind] = _fields(getattr(column, kind))
        columns[column.colId] = entry
    sort = found.sortState
    order = sort and (_fields(sort), [_fields(condition) for condition in sort.sortCondition])
    return {"ref": found.ref, "columns": columns, "sort": order}


def _fields(item: Any) -> list[tuple[str, Any]]:
    """The attributes of an openpyxl object that are set, but its children."""
    return sorted(dict(item).items())
