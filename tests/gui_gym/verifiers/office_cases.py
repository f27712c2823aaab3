"""Rules and metrics for the files in files/office, which LibreOffice wrote: also what ``tests/peers`` compares with OSWorld's own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

HERE = Path(__file__).parent / "files" / "office"


def rule(kind: str, sheet: int | None = None, **fields: Any) -> dict[str, Any]:
    names = {"sheet_idx0": 0, "sheet_idx1": "EI0"} if sheet is None else {"sheet_idx0": f"RNSheet{sheet}", "sheet_idx1": f"ENSheet{sheet}"}
    return {"type": kind, **names, **fields}


def cell(coordinate: str, **props: tuple[str, Any]) -> dict[str, Any]:
    how = {name: {"method": method, "ref": ref} for name, (method, ref) in props.items()}
    return {"type": "check_cell", "sheet_idx": "RNSheet1", "coordinate": coordinate, "props": how}


LISTED = {
    "ranges": {"method": "spreadsheet_range", "ref": ["D2:D6", "D1:D1048576"]},
    "type": {"method": "eq", "ref": "list"},
    "formula1": {"method": "str_set_eq", "ref": ["Fail", "Pass"]},
}

#: Rules that say yes to sales and sales_by_hand, and no to sales_wrong, beside sales.
RULES: dict[str, dict[str, Any]] = {
    "data": rule("sheet_data"),
    "print": rule("sheet_print", 1),
    "texts": rule("sheet_fuzzy", 1, rules=[{"range": ["A1:C7"], "type": "exact_match"}]),
    "fills, by condition or by hand": rule("style", props=["bgcolor"]),
    "fonts": rule("style", props=["font_color", "font_bold", "font_size", "font_name"]),
    "freeze, scrolled or not": rule("freeze"),
    "zoom": {"type": "zoom", "sheet_idx": 0, "method": "lt", "ref": 100},
    "validation": {"type": "data_validation", "sheet_idx": 0, "dv_props": [LISTED]},
    "hidden rows": rule("row_props", props=["hidden"]),
    "columns": rule("col_props", props=["width", "hidden"]),
    "filter": rule("filter"),
    "chart": rule("chart", chart_props=["type", "title"]),
    "direction": rule("chart", chart_props=["direction"]),
    "axis": rule("chart", chart_props=["xtitle"]),
    "legend": rule("chart", chart_props=["legend"]),
    "pivot table": rule("pivot_table", 2, pivot_props=["col_fields", "filter", "row_fields", "data_fields"]),
    "rows of a pivot table": rule("pivot_table", 2, pivot_props=["row_fields"]),
    "sums of a pivot table": rule("pivot_table", 2, pivot_props=["data_fields"]),
    "looks of a cell": cell("A9", bgcolor=("eq", "FF0000FF"), font_color=("eq", "FFFFFFFF"), font_bold=("eq", True), value=("eq", "Summary")),
    "merged": cell("B9", merge=("eq", True)),
    "value of a formula": cell("C7", value=("approx:0.001", 108.8333)),
}

#: Metric, what else it gets ("itself": the right document), and its score of the wrong document.
DOCUMENTS: list[tuple[str, Any, float]] = [
    ("compare_docx_files", "itself", 0),
    ("compare_docx_tables", "itself", 0),
    ("compare_docx_images", "itself", 0),
    ("compare_line_spacing", "itself", 0),
    ("has_page_numbers_in_footers", None, 0),
    ("compare_font_names", {"font_name": "Liberation Serif"}, 0),
    ("check_italic_font_size_14", "itself", 0),
    ("compare_subscript_contains", "itself", 0),
    ("evaluate_strike_through_last_paragraph", "itself", 0),
    ("evaluate_colored_words_in_tables", "itself", 0),
    ("is_first_line_centered", None, 0),
    ("contains_page_break", {"page_break_count": 1}, 0),
    ("check_tabstops", "itself", 0),
    ("compare_references", "itself", 0.5277777777777777),
    ("check_highlighted_words", "itself", 0),
]

#: Metric, a rule that LibreOffice's settings in the folder meet, and one that they do not.
SETTINGS: list[tuple[str, list[Any], list[Any]]] = [
    ("find_default_font", [{"font_name": "Times New Roman"}], [{"font_name": "Arial"}]),
    ("check_presenter_console_disable", [], []),
    ("check_auto_saving_time", [{"minutes": 3}], [{"minutes": 10}]),
]
