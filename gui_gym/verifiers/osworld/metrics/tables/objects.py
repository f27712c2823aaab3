"""Rules on what lies on a sheet: ``chart``, ``pivot_table``, ``sparkline``."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from zipfile import ZipFile

from openpyxl.utils import range_boundaries

from gui_gym.verifiers.osworld.metrics.tables.books import Books, Sheet
from gui_gym.verifiers.osworld.safe_files import open_file, parse_xml, reading


def same_items(first: Iterable[Any], second: Iterable[Any]) -> bool:
    """Whether two iterables hold equal items, in any order."""
    left = list(second)
    for item in first:
        if item not in left:
            return False
        left.remove(item)
    return not left


def chart(books: Books, rule: Mapping[str, Any]) -> bool:
    """Two sheets have charts on the same data with the same ``chart_props``, see :func:`chart_info`."""
    names = _known("chart_props", rule, _CHART_PROPS)
    first, second = (books.sheet(rule[side]).read(lambda sheet: [chart_info(item, names) for item in sheet._charts]) for side in _SIDES)
    return same_items(first, second)


_SIDES = ("sheet_idx0", "sheet_idx1")
_CHART_PROPS = ("title", "xtitle", "ytitle", "ztitle", "legend", "type", "direction", "anchor", "width", "height")


def _known(field: str, rule: Mapping[str, Any], known: Iterable[str]) -> set[str]:
    names = set(rule.get(field, []))
    if unknown := sorted(names - set(known)):
        raise ValueError(f"{field}: expected some of {', '.join(known)}, got {', '.join(unknown)}")
    return names


def chart_info(item: Any, names: Iterable[str]) -> dict[str, Any]:
    """The data that a chart shows and its properties ``names``.

    ``title``, ``xtitle``, ``ytitle``, ``ztitle`` (a text, or None), ``legend`` (its position: "b", "tr", "l", "r", "t", or
    None), ``type`` (such as "barChart", "lineChart"; of a chart of several kinds the first), ``direction`` ("bar" or "col"
    of a bar chart), ``anchor`` (kind, first column and row, last column and row), ``width`` and ``height`` (columns and rows
    that it spans, with the offsets in EMU, or its extent in EMU).
    """
    series = [
        tuple(_source(getattr(part, name, None)) for name in ("val", "cat", "xVal", "yVal", "bubbleSize"))
        for plot in (getattr(item, "_charts", None) or [item])
        for part in plot.series
    ]
    return {"series": series, **{name: _chart_property(item, name) for name in names}}


def _source(data: Any) -> str:
    """The range that holds the data of an axis or a series."""
    for kind in ("numRef", "strRef", "multiLvlStrRef"):
        reference = getattr(data, kind, None)
        if reference is not None:
            return reference.f or ""
    return ""


def _chart_property(item: Any, name: str) -> Any:
    if name == "title":
        return _title(item.title)
    if name in ("xtitle", "ytitle", "ztitle"):
        return _title(getattr(getattr(item, f"{name[0]}_axis", None), "title", None))
    if name == "legend":
        return item.legend.position if item.legend is not None else None
    if name == "type":
        return item.tagname
    if name == "direction":
        return getattr(item, "barDir", None)
    anchor = item.anchor
    start, end, extent = getattr(anchor, "_from", None), getattr(anchor, "to", None), getattr(anchor, "ext", None)
    if name == "anchor":
        return [getattr(anchor, "editAs", None), *((mark.col, mark.row) for mark in (start, end) if mark is not None)]
    if extent is not None:
        return getattr(extent, name)
    axis = "col" if name == "width" else "row"
    return tuple(getattr(end, mark) - getattr(start, mark) for mark in (axis, f"{axis}Off"))


def _title(title: Any) -> str | None:
    rich = getattr(getattr(title, "tx", None), "rich", None)
    if rich is None:
        return None
    return "\n".join("".join(run.t or "" for run in paragraph.r or []) for paragraph in rich.p)


def pivot_table(books: Books, rule: Mapping[str, Any]) -> bool:
    """Two sheets have pivot tables on the same data with the same ``pivot_props``, see :func:`pivot_info`."""
    names = _known("pivot_props", rule, _PIVOT_PROPS)
    first, second = (books.sheet(rule[side]).read(lambda sheet: [pivot_info(item, names) for item in sheet._pivots]) for side in _SIDES)
    return same_items(first, second)


_PIVOT_FLAGS = {"show_total": "visualTotals", "show_empty_row": "showEmptyRow", "show_empty_col": "showEmptyCol", "show_headers": "showHeaders"}
_PIVOT_PROPS = (
    *_PIVOT_FLAGS, "name", "location", "selection", "ordered", "filter", "col_fields", "row_fields", "data_fields", "data_fields_name",
)  # fmt: skip


def pivot_info(item: Any, names: set[str]) -> dict[str, Any]:
    """The range that a pivot table sums up, and its properties ``names``.

    ``name``, ``location``, ``show_total``, ``show_empty_row``, ``show_empty_col``, ``show_headers``; ``col_fields``,
    ``row_fields``, ``data_fields`` (with ``data_fields_name`` also their names): fields by their number; ``selection``: of
    each field the items and whether they are hidden, with ``ordered`` in their order; ``filter``: the selection and
    the fields that filter. The first and last columns that no field uses do not count: programs differ in taking them in.
    """
    items = [[(bool(entry.h), entry.x) for entry in field.items if entry.x is not None] for field in item.pivotFields]
    used = [index for index, entries in enumerate(items) if entries]
    first, last = (used[0], used[-1]) if used else (0, len(items) - 1)
    source = item.cache.cacheSource
    info: dict[str, Any] = {"source": _pivot_source(source, first, len(items) - 1 - last)}
    info |= {name: getattr(item, attribute) for name, attribute in _PIVOT_FLAGS.items() if name in names}
    if "name" in names:
        info["name"] = item.name
    if "location" in names:
        info["location"] = item.location.ref
    if names & {"selection", "filter"}:
        selection = items[first : last + 1]
        info["selection"] = selection if "ordered" in names else [set(entries) for entries in selection]
    if "filter" in names:
        info["filter_fields"] = {field.fld - first for field in item.pageFields}
    for name, fields in (("col_fields", item.colFields), ("row_fields", item.rowFields)):
        if name in names:  # -2 stands for the values themselves
            info[name] = [field.x - first if field.x >= 0 else field.x for field in fields]
    if "data_fields" in names:
        info["data_fields"] = [
            (field.fld - first, field.name if "data_fields_name" in names else "", field.subtotal, field.showDataAs) for field in item.dataFields
        ]
    return info


def _pivot_source(source: Any, left: int, right: int) -> tuple[Any, ...]:
    sheet = source.worksheetSource
    if sheet is None or sheet.ref is None:
        return (source.type, sheet and sheet.name)
    first, top, last, low = range_boundaries(sheet.ref)
    return (source.type, sheet.sheet, first + left, top, last - right, low)


def sparkline(books: Books, rule: Mapping[str, Any]) -> bool:
    """Two sheets have sparklines in the same cells on the same ranges."""
    first, second = (dict(_sparklines(books.sheet(rule[side]))) for side in _SIDES)
    return first == second


def _sparklines(sheet: Sheet) -> Iterator[tuple[str, str]]:
    """``(cells, range)`` of each sparkline; openpyxl does not read them."""
    path = sheet.book.path
    with open_file(path) as file, reading(path), ZipFile(file) as archive:
        workbook = parse_xml(archive.read("xl/workbook.xml"), path=path)
        relations = parse_xml(archive.read("xl/_rels/workbook.xml.rels"), path=path)
        targets = {relation.get("Id"): relation.get("Target") for relation in relations}
        own = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
        parts = {entry.get("name"): posixpath.normpath(posixpath.join("xl", targets[entry.get(own)])) for entry in workbook.iter("{*}sheet")}
        root = parse_xml(archive.read(parts[sheet.written.title].lstrip("/")), path=path)
    for entry in root.iter("{*}sparkline"):
        yield entry.findtext("{*}sqref", ""), entry.findtext("{*}f", "")
