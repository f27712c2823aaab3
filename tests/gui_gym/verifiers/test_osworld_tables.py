"""compare_table: every kind of rule says yes and no, the agent's broken file is 0, the author's raises."""

from __future__ import annotations

import datetime
import zipfile
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("openpyxl")

from openpyxl.formatting.rule import FormulaRule  # noqa: E402
from table_cases import CASES, RED_FORMAT, Change, book, cell, conditional, do, fuzzy, put, rule  # noqa: E402

from gui_gym.tasks import Task, TaskError  # noqa: E402
from gui_gym.tasks.setup import Stage  # noqa: E402
from gui_gym.verifiers.osworld.getters import GETTERS, check_getter  # noqa: E402
from gui_gym.verifiers.osworld.metrics import load_metric  # noqa: E402
from gui_gym.verifiers.osworld.metrics.tables.books import Book  # noqa: E402
from gui_gym.verifiers.osworld.metrics.tables.formulas import Budget, CalculationError, Formula, UnsupportedFormula  # noqa: E402
from gui_gym.verifiers.osworld.safe_files import UnreadableFile  # noqa: E402

compare_table = load_metric("compare_table")


@pytest.mark.parametrize(("result", "expected", "rule", "verdict"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_rules(result: list[Change], expected: list[Change], rule: dict[str, Any], verdict: bool, tmp_path: Path) -> None:
    paths = book(tmp_path / "result.xlsx", *result), book(tmp_path / "expected.xlsx", *expected)
    assert compare_table(*paths, rules=[rule]) == float(verdict)


def test_all_rules_must_hold(tmp_path: Path) -> None:
    paths = book(tmp_path / "result.xlsx", put(B2=9)), book(tmp_path / "expected.xlsx")
    names, data = {"type": "sheet_name"}, rule("sheet_data")
    assert [compare_table(*paths, rules=rules) for rules in ([names], [names, data], [data, names])] == [1, 0, 0]


def test_a_result_alone(tmp_path: Path) -> None:
    result = book(tmp_path / "result.xlsx")
    assert compare_table(result, rules=[cell("A2", value=("eq", "tea"))]) == 1
    with pytest.raises(ValueError, match="expected a number, RI0, RNname, EI0 or ENname .*'EI0'"):
        compare_table(result, rules=[rule("sheet_data")])


@pytest.mark.parametrize("kind", ["sheet_data", "sheet_fuzzy", "style", "freeze", "row_props", "filter", "chart", "pivot_table", "sparkline"])
def test_a_sheet_that_the_authors_book_has_not_is_an_error(kind: str, tmp_path: Path) -> None:
    paths = book(tmp_path / "result.xlsx"), book(tmp_path / "expected.xlsx")
    fields = {"sheet_idx1": "ENSheet9", "rules": [{"range": ["A1"], "type": "exact_match"}], "props": []}
    with pytest.raises(UnreadableFile, match="expected.xlsx: expected a sheet 'Sheet9', got .'Sheet1'"):
        compare_table(*paths, rules=[rule(kind, **fields)])
    with pytest.raises(UnreadableFile, match="expected.xlsx: expected a sheet at 4"):
        compare_table(*paths, rules=[rule(kind, **{**fields, "sheet_idx1": "EI4"})])


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 half", b"<html>"])
def test_a_broken_book(content: bytes, tmp_path: Path) -> None:
    good, bad = book(tmp_path / "good.xlsx"), tmp_path / "bad.xlsx"
    bad.write_bytes(content)
    assert compare_table(str(bad), good, rules=[rule("sheet_data")]) == 0
    with pytest.raises(UnreadableFile, match="bad.xlsx"):
        compare_table(good, str(bad), rules=[rule("sheet_data")])


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        ({"type": "sheet_date"}, "type: expected one of sheet_name.*'sheet_date'"),
        (rule("sheet_data", sheet_idx0="XY0"), "sheet index: expected a number"),
        (rule("style", props=["color"]), "style: expected some of font_name.*'color'"),
        (rule("chart", chart_props=["colour"]), "chart_props: expected some of title.*colour"),
        (rule("pivot_table", pivot_props=["rows"]), "pivot_props: expected some of .*rows"),
        (rule("row_props", props=["color"]), "props: expected some of hidden.*'color'"),
        (fuzzy({"type": "regex"}), "sheet_fuzzy: type: expected exact_match.*'regex'"),
        (cell("A1", value=("like", "x")), "method: expected eq.*'like'"),
    ],
)
def test_a_rule_that_is_wrong_is_an_error_and_no_zero(bad: dict[str, Any], why: str, tmp_path: Path) -> None:
    paths = book(tmp_path / "result.xlsx"), book(tmp_path / "expected.xlsx")
    with pytest.raises(ValueError, match=why):
        compare_table(*paths, rules=[bad])


def test_the_authors_condition_that_cannot_be_calculated_is_an_error(tmp_path: Path) -> None:
    paths = book(tmp_path / "result.xlsx"), book(tmp_path / "expected.xlsx", conditional(FormulaRule(["RAND()>0"], **RED_FORMAT)))
    with pytest.raises(ValueError, match="function that is supported, got 'RAND'"):
        compare_table(*paths, rules=[rule("style", props=["bgcolor"])])


def test_a_sheet_as_it_is_printed(tmp_path: Path) -> None:
    paths = book(tmp_path / "result.xlsx"), book(tmp_path / "expected.xlsx")
    printed = rule("sheet_print", sheet_idx0="RNSheet1", sheet_idx1="ENSheet1")
    (tmp_path / "expected-Sheet1.csv").write_text("item,price\ntea,2.50\n")
    assert compare_table(*paths, rules=[printed]) == 0, "the result was not printed"
    for text, score, relaxed in [("item,price\n tea,2.50\n\n\n", 1, 1), ("item,price\ntea,2.5\n", 0, 0), ("Item,price\ntea,2.50", 0, 1)]:
        (tmp_path / "result-Sheet1.csv").write_text(text)
        assert compare_table(*paths, rules=[printed]) == score
        assert compare_table(*paths, rules=[{**printed, "sheet_idx0": 0, "ignore_case": True}]) == relaxed
    (tmp_path / "expected-Sheet1.csv").unlink()
    with pytest.raises(UnreadableFile, match="expected.xlsx: expected its printed sheet beside it"):
        compare_table(*paths, rules=[printed])


def test_hostile_books_are_refused_in_little_time(tmp_path: Path) -> None:
    good = book(tmp_path / "good.xlsx")
    everything = book(tmp_path / "merged.xlsx")
    edit(Path(everything), "xl/worksheets/sheet1.xml", b"</sheetData>", b'</sheetData><mergeCells><mergeCell ref="A1:XFD1048576"/></mergeCells>')
    far = book(tmp_path / "far.xlsx", do(lambda sheet: sheet.cell(1_048_576, 16_384, "far")))
    slow = [conditional(FormulaRule(["COUNTIF($A$1:$A$1500,A1)>1"], **RED_FORMAT), "A1:A1500")]
    long = book(tmp_path / "long.xlsx", *slow, table=[["x"]] * 1500)
    deep = book(tmp_path / "deep.xlsx", conditional(FormulaRule(["+".join(["1"] * 4000)], **RED_FORMAT)))
    looks = rule("style", props=["bgcolor"])
    assert [compare_table(path, good, rules=[looks]) for path in (everything, far, long, deep)] == [0, 1, 0, 1]
    assert compare_table(far, good, rules=[rule("sheet_data")]) == 0


def edit(path: Path, name: str, old: bytes, new: bytes) -> None:
    """Replace bytes in one part of an archive."""
    with zipfile.ZipFile(path) as archive:
        parts = {item: archive.read(item) for item in archive.namelist()}
    assert old in parts[name]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for item, data in parts.items():
            archive.writestr(item, data.replace(old, new) if item == name else data)


SPARKLINES = """</sheetData><extLst><ext xmlns:x14="http://schemas.microsoft.com/office/spreadsheetml/2009/9/main"
 uri="{05C60535-1F16-4fd2-B633-F4F36F0B64E0}"><x14:sparklineGroups xmlns:xm="http://schemas.microsoft.com/office/excel/2006/main">
<x14:sparklineGroup><x14:sparklines><x14:sparkline><xm:f>%s</xm:f><xm:sqref>F3</xm:sqref></x14:sparkline></x14:sparklines></x14:sparklineGroup>
</x14:sparklineGroups></ext></extLst>"""


def test_sparklines(tmp_path: Path) -> None:
    paths = [book(tmp_path / f"{name}.xlsx") for name in ("gold", "same", "other", "none", "half")]
    for path, cells in zip(paths, ["Sheet1!B2:B4", "Sheet1!B2:B4", "Sheet1!B2:B3", "", "Sheet1!B2:B4"], strict=True):
        if cells:
            edit(Path(path), "xl/worksheets/sheet1.xml", b"</sheetData>", (SPARKLINES % cells).encode())
    edit(Path(paths[4]), "xl/_rels/workbook.xml.rels", b'Id="rId1"', b'Id="rId99"')
    assert [compare_table(path, paths[0], rules=[rule("sparkline")]) for path in paths] == [1, 1, 0, 0, 0]


SHEET = [["tea", 2.5, datetime.datetime(2026, 11, 29)], ["Cake", 4, True], ["milk", 1, None]]


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        ("1+2*3^2", 19),
        ("-2^2+10%", 4.1),
        ("(1+2)*3", 9),
        ('"a"&B1&TRUE', "a4TRUE"),
        ("B1", 4),  # relative: the cell below
        ("$B$1", 2.5),
        ("Sheet1!$A1", "Cake"),
        ("B2>B1", False),
        ('$A$2="cake"', True),
        ("C2=0", True),
        ('AND(B1>3,OR(A1="x",NOT(FALSE)))', True),
        ('IF(B1>3,"yes","no")', "yes"),
        ("SUM($B$1:$B$3)-AVERAGE(B$1:B$1)", 5),
        ("MAX($B$1:$B$3)+MIN($B$1:$B$3)+MEDIAN($B$1:$B$3)", 7.5),
        ("LARGE($B$1:$B$3,2)+SMALL($B$1:$B$3,1)", 3.5),
        ('COUNTIF($B$1:$B$3,">=2")+COUNTIF($A$1:$A$3,"CAKE")', 3),
        ("COUNT($A$1:$C$3)+COUNTA($A$1:$A$3)", 7),
        ("MOD(ROW(),2)+COLUMN()", 1),
        ("ISBLANK($C$3)", True),
        ("ISNUMBER($B$1)", True),
        ('ISNUMBER(SEARCH("EA",$A$1))', True),
        ("ISERROR(1/0)", True),
        ('IFERROR(FIND("x",$A$1),-1)', -1),
        ('LEFT($A$1,2)&MID($A$1,2,1)&RIGHT($A$1)&LEN($A$1)&UPPER($A$1)&TRIM(" b ")', "teea3TEAb"),
        ("YEAR($C$1)*10000+MONTH($C$1)*100+DAY($C$1)", 20261129),
        ("WEEKDAY($C$1)+WEEKDAY($C$1,2)*10", 71),
        ("ROUND(ABS(-2.345),1)+INT(2.9)", 4.3),
    ],
)
def test_what_a_formula_gives(formula: str, value: Any, tmp_path: Path) -> None:
    sheet = Book(book(tmp_path / "a.xlsx", table=SHEET)).sheet("Sheet1")
    assert Formula(formula, sheet, (1, 1), Budget("a.xlsx"))((2, 1)) == pytest.approx(value)


@pytest.mark.parametrize("formula", ["1/0", '"x"+1', "SUM", "$A$1:$A$3", "LARGE($B$1:$B$3,9)", 'IF("x",1,2)', "9^999", "NOW()"])
def test_what_a_formula_cannot_give(formula: str, tmp_path: Path) -> None:
    sheet = Book(book(tmp_path / "a.xlsx", table=SHEET)).sheet("Sheet1")
    with pytest.raises((CalculationError, UnsupportedFormula)):
        Formula(formula, sheet, (1, 1), Budget("a.xlsx"))((2, 1))


def test_cities_in_order(tmp_path: Path) -> None:
    metric = load_metric("compare_conference_city_in_order")
    cities = [["", "", "city"], ["", "", "Lille, France"], ["", "", "Montréal"]]
    rules = {"expected": ["Lille", ["Montreal", "Montréal"]]}
    result = book(tmp_path / "cities.xlsx", table=cities)
    assert metric(result, rules) == 1
    assert metric(result, {"expected": ["Lille", "Montreal"]}) == 0
    assert metric(result, {"expected": [*rules["expected"], "Sydney"]}) == 0
    (tmp_path / "broken.xlsx").write_bytes(b"PK")
    assert metric(str(tmp_path / "broken.xlsx"), rules) == 0


def test_the_last_row_of_the_agents_book(guest: Any, tmp_path: Path) -> None:
    spec = {"type": "content_from_vm_file", "path": "/home/user/a.xlsx", "file_type": "xlsx", "file_content": "last_row"}

    def last_row() -> Any:
        return GETTERS.get(spec["type"]).get(Stage(Task("t", "osworld", "Do it."), guest, tmp_path), spec)

    assert last_row() is None, "there is no file"
    guest.files["/home/user/a.xlsx"] = b"no workbook"
    assert last_row() is None
    guest.files["/home/user/a.xlsx"] = Path(book(tmp_path / "a.xlsx", put(D4="x", A4="Ann"))).read_bytes()
    assert last_row() == ["Ann", "1", "", "x"]
    guest.files["/home/user/a.xlsx"] = Path(book(tmp_path / "a.xlsx", table=[["name", "cited"], ["Bo", 1.5]])).read_bytes()
    assert last_row() == ["Bo", "1.5"]
    guest.files["/home/user/a.xlsx"] = Path(book(tmp_path / "a.xlsx", table=[["name", "cited"]])).read_bytes()
    assert last_row() is None, "a header is no row"
    with pytest.raises(TaskError, match="file_type: expected 'xlsx', got 'ods'"):
        check_getter({**spec, "file_type": "ods"}, "result")
