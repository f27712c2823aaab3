"""Workbooks for compare_table, made with openpyxl, and cases of its rules: also what ``tests/peers`` compares with OSWorld's own."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from pathlib import Path
from typing import Any

from openpyxl import Workbook
from openpyxl.chart import BarChart, LineChart, Reference, ScatterChart, Series
from openpyxl.formatting.rule import CellIsRule, FormulaRule, Rule
from openpyxl.styles import Color, Font, PatternFill
from openpyxl.styles.differential import DifferentialStyle
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.filters import CustomFilter, CustomFilters, FilterColumn
from openpyxl.worksheet.worksheet import Worksheet

Change = Callable[[Worksheet], Any]
TABLE = [["item", "price"], ["tea", 2.5], ["cake", 4], ["milk", 1]]


def rows(*lines: list[Any]) -> Change:
    def change(sheet: Worksheet) -> None:
        for index, line in enumerate(lines, start=1):
            for column, value in enumerate(line, start=1):
                sheet.cell(index, column).value = value

    return change


def book(path: Path, *changes: Change, table: list[list[Any]] | None = None) -> str:
    workbook = Workbook()
    sheet = workbook.active
    sheet.title = "Sheet1"
    rows(*(TABLE if table is None else table))(sheet)
    for change in changes:
        change(sheet)
    workbook.save(path)
    return str(path)


def do(statement: Callable[[Worksheet], Any]) -> Change:
    return statement


def put(**values: Any) -> Change:
    def change(sheet: Worksheet) -> None:
        for coordinate, value in values.items():
            sheet[coordinate].value = value

    return change


def set_to(coordinate: str, **values: Any) -> Change:
    def change(sheet: Worksheet) -> None:
        for name, value in values.items():
            setattr(sheet[coordinate], name, value)

    return change


RED = PatternFill("solid", fgColor="FFFF0000")
RED_FORMAT = {"font": Font(color="FFFF0000"), "fill": PatternFill(bgColor="FFFF0000")}


def conditional(rule: Rule, cells: str = "B2:B4") -> Change:
    return lambda sheet: sheet.conditional_formatting.add(cells, rule)


def special(kind: str, cells: str = "B2:B4", **fields: Any) -> Change:
    return conditional(Rule(type=kind, dxf=DifferentialStyle(**RED_FORMAT), **fields), cells)


def searched(kind: str, text: str, formula: str) -> Change:
    return special(kind, "A2:A4", text=text, formula=[formula])


def reds(*coordinates: str) -> list[Change]:
    return [set_to(coordinate, fill=RED) for coordinate in coordinates]


def chart_of(kind: Any = BarChart, title: str | None = "Prices", cells: tuple[int, int] = (2, 4), at: str = "E5", **attributes: Any) -> Change:
    def change(sheet: Worksheet) -> None:
        found = kind()
        found.add_data(Reference(sheet, min_col=2, min_row=cells[0], max_row=cells[1]))
        found.set_categories(Reference(sheet, min_col=1, min_row=2, max_row=4))
        if title is not None:
            found.title = title
        for name, value in attributes.items():
            setattr(found, name, value)
        sheet.add_chart(found, at)

    return change


def scatter(last: int) -> Change:
    def change(sheet: Worksheet) -> None:
        found = ScatterChart()
        found.series.append(Series(Reference(sheet, min_col=2, min_row=2, max_row=last), Reference(sheet, min_col=1, min_row=2, max_row=last)))
        sheet.add_chart(found, "E5")

    return change


def validation(cells: str, **fields: Any) -> Change:
    def change(sheet: Worksheet) -> None:
        found = DataValidation(**fields)
        found.add(cells)
        sheet.add_data_validation(found)

    return change


def filtered(ref: str, *columns: FilterColumn) -> Change:
    def change(sheet: Worksheet) -> None:
        sheet.auto_filter.ref = ref
        sheet.auto_filter.filterColumn.extend(columns)

    return change


def rule(kind: str, **fields: Any) -> dict[str, Any]:
    return {"type": kind, "sheet_idx0": 0, "sheet_idx1": "EI0", **fields}


def cell(coordinate: str, **props: tuple[str, Any]) -> dict[str, Any]:
    how = {name: {"method": method, "ref": ref} for name, (method, ref) in props.items()}
    return {"type": "check_cell", "sheet_idx": 0, "coordinate": coordinate, "props": how}


def fuzzy(*rules: dict[str, Any]) -> dict[str, Any]:
    return rule("sheet_fuzzy", rules=[{"range": ["A2:A4"], **how} for how in rules])


def hide(*numbers: int) -> Change:
    def change(sheet: Worksheet) -> None:
        for number in numbers:
            sheet.row_dimensions[number].hidden = True

    return change


def width(letter: str, value: float) -> Change:
    return lambda sheet: setattr(sheet.column_dimensions[letter], "width", value)


def frozen(place: str, scrolled_to: str | None = None) -> Change:
    def change(sheet: Worksheet) -> None:
        sheet.freeze_panes = place
        if scrolled_to:
            sheet.sheet_view.pane.topLeftCell = scrolled_to

    return change


LISTED = {"type": "list", "formula1": '"Pass,Fail"'}
IS_LIST = {"type": {"method": "eq", "ref": "list"}, "formula1": {"method": "str_set_eq", "ref": ["Fail", "Pass"]}}
ON_D = {"ranges": {"method": "spreadsheet_range", "ref": ["D2:D9", "D1:D1048576"]}}
CHEAP = FilterColumn(colId=1, customFilters=CustomFilters(customFilter=[CustomFilter(operator="lessThan", val="3")]))
SUNDAY, TUESDAY = datetime.datetime(2026, 11, 29), datetime.datetime(2026, 12, 1)

#: name of the case, changes of the result, changes of the expected book, rule, verdict
CASES: list[tuple[str, list[Change], list[Change], dict[str, Any], bool]] = [
    ("same names", [], [], {"type": "sheet_name"}, True),
    ("another name", [do(lambda sheet: setattr(sheet, "title", "Other"))], [], {"type": "sheet_name"}, False),
    ("one sheet more", [do(lambda sheet: sheet.parent.create_sheet("More"))], [], {"type": "sheet_name"}, False),
    ("same data", [], [], rule("sheet_data"), True),
    ("by name", [], [], rule("sheet_data", sheet_idx0="RNSheet1", sheet_idx1="ENSheet1"), True),
    ("a sheet that the result has not", [], [], rule("sheet_data", sheet_idx0="RNSheet2"), False),
    ("an index that the result has not", [], [], rule("sheet_data", sheet_idx0=3), False),
    ("another number", [put(B2=2.6)], [], rule("sheet_data"), False),
    ("within four decimals", [put(B2=2.50001)], [], rule("sheet_data"), True),
    ("beyond four decimals", [put(B2=2.5001)], [], rule("sheet_data"), False),
    ("within the precision", [put(B2=2.52)], [], rule("sheet_data", precision=1), True),
    ("a number as text", [put(B3="4.0")], [], rule("sheet_data"), True),
    ("another number as text", [put(B3="5")], [], rule("sheet_data"), False),
    ("a number as text among texts", [put(A2="1")], [put(A2=1)], rule("sheet_data"), True),
    ("a number beside a text", [put(A2=2.00001)], [put(A2=2)], rule("sheet_data"), True),
    ("a text that says there is nothing", [put(A2="N/A")], [put(A2=None)], rule("sheet_data"), False),
    ("the same number in another way", [put(B3=4.0)], [], rule("sheet_data"), True),
    ("one is not true", [put(B4=True)], [], rule("sheet_data"), False),
    ("a text in upper case", [put(A2="TEA")], [], rule("sheet_data"), False),
    ("a text in upper case, ignored", [put(A2="TEA")], [], rule("sheet_data", ignore_case=True), True),
    ("a moved row", [do(lambda sheet: sheet.insert_rows(1))], [], rule("sheet_data"), False),
    ("an empty text is an empty cell", [put(F9="")], [], rule("sheet_data"), True),
    ("a blank is a value", [put(F9=" ")], [], rule("sheet_data"), False),
    ("dates", [put(C2=SUNDAY)], [put(C2=SUNDAY)], rule("sheet_data"), True),
    ("another date", [put(C2=TUESDAY)], [put(C2=SUNDAY)], rule("sheet_data"), False),
    ("texts are equal", [], [], fuzzy({"type": "exact_match"}), True),
    ("a text is not equal", [put(A2="teas")], [], fuzzy({"type": "exact_match"}), False),
    ("an empty cell is not equal", [put(A2=None)], [], fuzzy({"type": "exact_match"}), False),
    ("an empty cell holds nothing", [put(A2=None)], [], fuzzy({"type": "included_by"}), False),
    ("two empty cells", [put(A2=None)], [put(A2=None)], fuzzy({"type": "fuzzy_match"}), True),
    ("more text", [put(A2="green tea")], [], fuzzy({"type": "includes"}), True),
    ("less text", [put(A2="te")], [], fuzzy({"type": "includes"}), False),
    ("less text is included", [put(A2="te")], [], fuzzy({"type": "included_by"}), True),
    ("more text is not included", [put(A2="teas")], [], fuzzy({"type": "included_by"}), False),
    ("alike enough", [put(A3="cakes")], [], fuzzy({"type": "fuzzy_match"}), True),
    ("not alike enough", [put(A3="cakes")], [], fuzzy({"type": "fuzzy_match", "threshold": 90}), False),
    ("case", [put(A2="Tea")], [], fuzzy({"type": "exact_match", "ignore_case": True}), True),
    ("trimmed", [put(A2=" +tea. ")], [], fuzzy({"type": "exact_match", "trim_leadings": "+ ", "trim_trailings": " ."}), True),
    ("trimmed on one side", [put(A2=" tea ")], [], fuzzy({"type": "exact_match", "trim_leadings": " "}), False),
    ("characters ignored", [put(A2="t(e)a")], [], fuzzy({"type": "exact_match", "ignore_chars": "()"}), True),
    ("normalized", [put(A2="St 1")], [put(A2="Street 1")], fuzzy({"type": "exact_match", "normalization": [["St 1", "Street 1"]]}), True),
    ("a number is a float", [put(A2=3)], [put(A2="3.0")], fuzzy({"type": "exact_match"}), True),
    ("every rule counts", [], [put(A2="teas")], fuzzy({"type": "included_by"}, {"type": "exact_match"}), False),
    ("value of a cell", [], [], cell("B2", value=("approx:0.1", 2.45)), True),
    ("another value", [], [], cell("A2", value=("eq", "cake")), False),
    ("value that is not there", [], [], cell("Z9", value=("eq", "cake")), False),
    ("value of a date", [put(B2=SUNDAY)], [], cell("B2", value=("eq", 46355)), True),
    ("merged", [do(lambda sheet: sheet.merge_cells("A1:C1"))], [], cell("B1", merge=("eq", True)), True),
    ("the first merged", [do(lambda sheet: sheet.merge_cells("A1:C1"))], [], cell("A1", merge=("eq", False)), True),
    ("not merged", [], [], cell("B1", merge=("eq", True)), False),
    ("fill", reds("A1"), [], cell("A1", bgcolor=("eq", "FFFF0000"), fgcolor=("eq", "FFFF0000")), True),
    ("no fill", [], [], cell("A1", bgcolor=("eq", "FFFF0000")), False),
    ("bold, by theme white", [set_to("A1", font=Font(bold=True, color=Color(theme=0)))], [], cell("A1", font_color=("eq", "FFFFFFFF")), True),
    ("theme with tint", [set_to("A1", font=Font(color=Color(theme=1, tint=0.5)))], [], cell("A1", font_color=("eq", "FF808080")), True),
    ("indexed color", [set_to("A1", font=Font(color=Color(indexed=2)))], [], cell("A1", font_color=("eq", "FFFF0000")), True),
    ("font", [set_to("A1", font=Font(name="Arial", size=14))], [], cell("A1", font_name=("eq", "Arial"), font_size=("eq", 14)), True),
    ("underline", [set_to("A1", font=Font(underline="double"))], [], cell("A1", font_underline=("eq", "single")), False),
    ("not bold", [], [], cell("A1", font_bold=("eq", True)), False),
    ("number format", [set_to("B2", number_format="0.00")], [], cell("B2", number_format=("eq", "0.00")), True),
    ("link", [set_to("A2", hyperlink="http://a.b/")], [], cell("A2", hyperlink=("eq", "http://a.b/")), True),
    ("same style", reds("A2"), reds("A2"), rule("style", props=["bgcolor"]), True),
    ("one cell too many", reds("A2", "A3"), reds("A2"), rule("style", props=["bgcolor"]), False),
    ("an empty cell too many", reds("D9"), [], rule("style", props=["bgcolor"]), False),
    ("an empty cell without a style", [put(F9=None), do(lambda sheet: sheet.cell(9, 9))], [], rule("style", props=["bgcolor", "merge"]), True),
    ("automatic is black", [set_to("A2", font=Font(color="00000000"))], [], rule("style", props=["font_color"]), True),
    ("another font color", [set_to("A2", font=Font(color="FF00FF00"))], [], rule("style", props=["font_color"]), False),
    ("by condition", [conditional(CellIsRule("greaterThan", ["2"], **RED_FORMAT))], reds("B2", "B3"), rule("style", props=["bgcolor"]), True),
    ("by condition, not all", [conditional(CellIsRule("between", ["3", "5"], **RED_FORMAT))], reds("B2"), rule("style", props=["bgcolor"]), False),
    ("formula", [conditional(FormulaRule(["$B2=MAX($B$2:$B$4)"], **RED_FORMAT), "A2:B4")], reds("B3", "A3"), rule("style", props=["bgcolor"]), True),
    ("by no formula", [conditional(FormulaRule(['AND(A2="tea",B2>3)'], **RED_FORMAT), "A2:B4")], [], rule("style", props=["bgcolor"]), True),
    ("by text", [searched("containsText", "EA", 'NOT(ISERROR(SEARCH("EA",A2)))')], reds("A2"), rule("style", props=["bgcolor"]), True),
    ("by the end of a text", [searched("endsWith", "k", 'RIGHT(A2,1)="k"')], reds("A2"), rule("style", props=["bgcolor"]), False),
    ("by rank", [special("top10", rank=1)], reds("B3"), rule("style", props=["bgcolor"]), True),
    ("by rank from below", [special("top10", rank=2, bottom=True)], reds("B2", "B4"), rule("style", props=["bgcolor"]), True),
    ("above average", [special("aboveAverage")], reds("B3"), rule("style", props=["bgcolor"]), True),
    ("duplicates", [put(B2=4), special("duplicateValues")], [put(B2=4), *reds("B2", "B3")], rule("style", props=["bgcolor"]), True),
    ("what cannot be calculated is left out", [conditional(FormulaRule(["RAND()>0"], **RED_FORMAT))], [], rule("style", props=["bgcolor"]), True),
    ("same freeze, scrolled", [frozen("B2", "F20")], [frozen("B2")], rule("freeze"), True),
    ("another freeze", [frozen("A2")], [frozen("B2")], rule("freeze"), False),
    ("no freeze", [], [frozen("B2")], rule("freeze"), False),
    ("zoom", [do(lambda s: setattr(s.sheet_view, "zoomScale", 80))], [], {"type": "zoom", "sheet_idx": 0, "method": "lt", "ref": 100}, True),
    ("no zoom is 100", [], [], {"type": "zoom", "sheet_idx": 0, "method": "lt", "ref": 100}, False),
    ("validation", [validation("D2:D20", **LISTED)], [], {"type": "data_validation", "sheet_idx": 0, "dv_props": [{**IS_LIST, **ON_D}]}, True),
    ("too short", [validation("D2:D8", **LISTED)], [], {"type": "data_validation", "sheet_idx": 0, "dv_props": [{**IS_LIST, **ON_D}]}, False),
    ("too wide", [validation("D2:E20", **LISTED)], [], {"type": "data_validation", "sheet_idx": 0, "dv_props": [{**IS_LIST, **ON_D}]}, False),
    ("no validation", [], [], {"type": "data_validation", "sheet_idx": 0, "dv_props": [IS_LIST]}, False),
    ("hidden rows", [hide(3)], [hide(3)], rule("row_props", props=["hidden"]), True),
    ("one hidden row more", [hide(3, 4)], [hide(3)], rule("row_props", props=["hidden"]), False),
    ("a row that is only mentioned", [do(lambda s: setattr(s.row_dimensions[9], "height", 20))], [], rule("row_props", props=["hidden"]), True),
    ("another height", [do(lambda s: setattr(s.row_dimensions[9], "height", 20))], [], rule("row_props", props=["height"]), False),
    ("width", [width("B", 30)], [width("B", 30)], rule("col_props", props=["width", "hidden"]), True),
    ("another width", [width("B", 30)], [width("B", 31)], rule("col_props", props=["width"]), False),
    ("filter", [filtered("A1:B4", CHEAP)], [filtered("A1:B4", CHEAP)], rule("filter"), True),
    ("filter without its condition", [filtered("A1:B4")], [filtered("A1:B4", CHEAP)], rule("filter"), False),
    ("another column filtered", [filtered("A1:B4", FilterColumn(colId=0))], [filtered("A1:B4", FilterColumn(colId=1))], rule("filter"), False),
    ("chart", [chart_of()], [chart_of()], rule("chart", chart_props=["type", "title", "direction", "legend", "anchor", "width", "height"]), True),
    ("no chart", [], [chart_of()], rule("chart"), False),
    ("another kind", [chart_of(LineChart)], [chart_of()], rule("chart", chart_props=["type"]), False),
    ("another title", [chart_of(title="Price")], [chart_of()], rule("chart", chart_props=["title"]), False),
    ("no title", [chart_of(title=None)], [chart_of()], rule("chart", chart_props=["title"]), False),
    ("a title is not looked at", [chart_of(title="Price")], [chart_of()], rule("chart", chart_props=["type"]), True),
    ("other data", [chart_of(cells=(2, 3))], [chart_of()], rule("chart", chart_props=[]), False),
    ("bars lie", [chart_of(barDir="bar")], [chart_of(barDir="col")], rule("chart", chart_props=["direction"]), False),
    ("another place", [chart_of(at="F5")], [chart_of()], rule("chart", chart_props=["anchor"]), False),
    ("another width of a chart", [chart_of(width=10)], [chart_of(width=15)], rule("chart", chart_props=["width"]), False),
    ("a chart too many", [chart_of(), chart_of()], [chart_of()], rule("chart"), False),
    ("points of a scatter chart", [scatter(4)], [scatter(3)], rule("chart", chart_props=["type"]), False),
    ("no pivot table on both", [], [], rule("pivot_table", pivot_props=["row_fields"]), True),
    ("no sparkline on both", [], [], rule("sparkline"), True),
]  # fmt: skip
