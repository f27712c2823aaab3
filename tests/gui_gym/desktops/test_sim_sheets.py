from decimal import Decimal

import pytest

from gui_gym.desktops.sim.sheets.csv_text import from_tabs, read_csv, to_tabs, write_csv
from gui_gym.desktops.sim.sheets.formula import copied, renumbered, with_comma, without_comma
from gui_gym.desktops.sim.sheets.numbers import to_number, to_text
from gui_gym.desktops.sim.sheets.references import MAX_COLUMNS, cell_name, column_name, column_number, range_name, read_range
from gui_gym.desktops.sim.sheets.sheet import COLUMNS, MAX_UNDO, ROWS, Sheet


def sheet_of(*rows: str) -> Sheet:
    """A sheet from rows whose cells are parted by bars."""
    sheet = Sheet()
    sheet.write({(r, c): text for r, row in enumerate(rows) for c, text in enumerate(row.split("|"))})
    return sheet


def column_of(sheet: Sheet, column: int = 0) -> list[str]:
    return [sheet.text((row, column)) for row in range(sheet.used[0])]


@pytest.mark.parametrize(
    "formula, shown",
    [
        ("1+2*3", "7"),
        ("(1+2)*3", "9"),
        ("-2^2", "4"),
        ("2^10-1", "1023"),
        ("--3", "3"),
        ("10-4-3", "3"),
        ("0.1+0.2", "0.3"),
        ("1/3*3", "1"),
        ("2/3", "0.6666666667"),
        ("50%*8", "4"),
        ("1E20*3", "3E+20"),
        ("A1+B1*3", "17"),
        ("$A$1&\"x\"&B$1", "2x5"),
        ("SUM(A1:B2)", "20"),
        ("sum(a1:b1;10)", "17"),
        ("AVERAGE(A1:A2)", "5"),
        ("MIN(A1:B2)-MAX(A1:B2)", "-6"),
        ("COUNT(A1:C3)", "4"),
        ("COUNTA(A1:C3)", "6"),
        ("ROUND(2.345,2)", "2.35"),
        ("ROUND(-2.5,0)", "-3"),
        ("ROUND(1234,-2)", "1200"),
        ('IF(A1<B1,"less","more")', "less"),
        ("IF(A1>B1,1)", "FALSE"),
        ('A1=2', "TRUE"),
        ('"abc"="ABC"', "TRUE"),
        ('"b">"a"', "TRUE"),
        ('COUNTIF(A1:B2,">=5")', "3"),
        ('SUMIF(A1:A2,8,B1:B2)', "5"),
        ("MEDIAN(A1:B2)", "5"),
        ("MOD(-7,3)", "2"),
        ("LEN(C1)", "3"),
        ('"say ""hi"""', 'say "hi"'),
        ("C1+1", "#VALUE!"),
        ("A1/C9", "#DIV/0!"),
        ("AVERAGE(F1:F9)", "#DIV/0!"),
        ("NOPE(1)", "#NAME?"),
        ("nope", "#NAME?"),
        ("ZZ1", "#REF!"),
        ("SQRT(-1)", "#NUM!"),
        ("9E999*10", "#NUM!"),
        ("1+", "#ERROR!"),
        ("(1", "#ERROR!"),
        ("A1:B2", "#VALUE!"),
        ("(" * 60 + "1" + ")" * 60, "#ERROR!"),
        ("+".join("1" * 499), "499"),
        ("", "#ERROR!"),
        ("D9", "#CYCLE!"),
    ],
)  # fmt: skip
def test_what_formulas_show(formula: str, shown: str) -> None:
    sheet = sheet_of("2|5|abc", "8|5|", "||x")
    sheet.write({(8, 3): "=" + formula})
    assert sheet.shown((8, 3)) == shown


def test_formulas_follow_what_they_read() -> None:
    sheet = sheet_of("1|=A1*2|=B1+1", "=C1|=SUM(A1:A2)|=C3", "=A9|=A3|=B3")
    assert [sheet.shown((r, c)) for r in range(3) for c in range(3)] == ["1", "2", "3", "3", "4", "0", "0", "0", "0"]
    sheet.write({(0, 0): "10"})
    assert [sheet.shown((r, c)) for r in range(2) for c in range(2)] == ["10", "20", "21", "31"]
    sheet.write({(8, 0): "=C2"})
    assert sheet.shown((2, 2)) == "#CYCLE!" and sheet.shown((1, 1)) == "31"
    sheet.write({(8, 0): "4"})
    assert sheet.shown((1, 2)) == "4"


def test_a_long_chain_of_formulas_is_no_recursion() -> None:
    sheet = Sheet()
    sheet.write({(0, 0): "1", **{(row, 0): f"=A{row}+1" for row in range(1, 900)}})
    assert sheet.shown((899, 0)) == "900"
    sheet.write({(0, 0): "=A900"})
    assert sheet.shown((450, 0)) == "#CYCLE!"


@pytest.mark.parametrize(
    "text, number", [("1.50", "1.5"), ("-.5", "-0.5"), ("2e3", "2000"), ("50%", "0.5"),
     (" 7 ", "7"), ("1,5", None), ("0x1", None), ("nan", None), ("²", None)]
)  # fmt: skip
def test_which_texts_are_numbers(text: str, number: str | None) -> None:
    found = to_number(text)
    assert (None if found is None else to_text(found)) == number


def test_numbers_are_shown_exactly() -> None:
    assert to_text(Decimal("1234567890123456.5")) == "1234567890123456.5" and to_text(Decimal("1E-11")) == "1E-11"
    assert to_text(Decimal("-0.00")) == "0" and to_text(Decimal("12.50"), comma=True) == "12,5"


def test_decimal_commas_are_typed_and_shown_but_not_stored() -> None:
    sheet = Sheet(comma=True)
    sheet.write({(0, 0): sheet.typed("1,5"), (0, 1): sheet.typed("=A1*2,5+SUM(A1;1)"), (0, 2): sheet.typed("a, b")})
    assert sheet.rows[0] == ("1.5", "=A1*2.5+SUM(A1,1)", "a, b")
    assert [sheet.shown((0, c)) for c in range(3)] == ["1,5", "6,25", "a, b"]
    assert sheet.edited((0, 1)) == "=A1*2,5+SUM(A1;1)" and sheet.edited((0, 0)) == "1,5"
    assert without_comma(with_comma('=IF(A1>1.5,"1.5, x",2)')) == '=IF(A1>1.5,"1.5, x",2)'


def test_copied_formulas() -> None:
    assert copied('=A1+$B$2*SUM(A1:C$3)&"A1"', 2, 1) == '=B3+$B$2*SUM(B3:D$3)&"A1"'
    assert copied("=A1", -1, 0) == "=#REF!" and copied("A1", 5, 5) == "A1"


@pytest.mark.parametrize(
    "formula, axis, first, count, after",
    [
        ("=SUM(A2:A5)+A3+A9", ROWS, 2, -1, "=SUM(A2:A4)+#REF!+A8"),
        ("=SUM(A2:A5)+A3+A9", ROWS, 1, 2, "=SUM(A4:A7)+A5+A11"),
        ("=SUM(A2:A5)", ROWS, 3, -5, "=SUM(A2:A3)"),
        ("=SUM(A2:A3)", ROWS, 1, -2, "=SUM(#REF!)"),
        ("=$A$1+B1+C1", COLUMNS, 1, 1, "=$A$1+C1+D1"),
        ('="A9"&A9', ROWS, 0, 1, '="A9"&A10'),
    ],
)
def test_formulas_after_rows_or_columns_came_or_went(formula: str, axis: int, first: int, count: int, after: str) -> None:
    assert renumbered(formula, axis, first, count) == after


def test_rows_and_columns_come_and_go() -> None:
    sheet = sheet_of("a|b", "1|2", "3|=A3+B2")
    sheet.insert(ROWS, 1, 2)
    assert sheet.rows == [("a", "b"), (), (), ("1", "2"), ("3", "=A5+B4")] and sheet.shown((4, 1)) == "5"
    sheet.remove(COLUMNS, 0, 1)
    assert sheet.rows == [("b",), (), (), ("2",), ("=#REF!+A4",)] and sheet.shown((4, 0)) == "#REF!"
    assert sheet.undo() and sheet.undo() and sheet.rows[1] == ("1", "2") and sheet.shown((2, 1)) == "5"
    assert sheet.redo() and len(sheet.rows) == 5


def test_sorting() -> None:
    sheet = sheet_of("name|n", "b|10", "c|", "a|9", "D|x", "e|-1")
    assert sheet.has_header
    sheet.sort((1, 0, 5, 1), 1)
    assert column_of(sheet) == ["name", "e", "a", "b", "D", "c"]
    sheet.sort((1, 0, 5, 1), 1, descending=True)
    assert column_of(sheet) == ["name", "D", "b", "a", "e", "c"]
    sheet.sort((1, 0, 5, 1), 0)
    assert column_of(sheet) == ["name", "a", "b", "c", "D", "e"]
    assert not sheet_of("1|2", "3|4").has_header


def test_filling() -> None:
    sheet = sheet_of("1|=A1*2|x|1", "2", "3|||3")
    sheet.fill((0, 1, 0, 1), (0, 1, 2, 1))
    assert [sheet.shown((r, 1)) for r in range(3)] == ["2", "4", "6"]
    sheet.fill((1, 0, 2, 0), (0, 0, 5, 0))
    assert column_of(sheet) == ["1", "2", "3", "4", "5", "6"]
    sheet.fill((0, 2, 0, 2), (0, 2, 0, 4))
    assert sheet.rows[0] == ("1", "=A1*2", "x", "x", "x")


def test_undo_is_bounded_and_edges_are_found() -> None:
    sheet = Sheet()
    for i in range(50):
        sheet.write({(0, 0): str(i)})
    assert len(sheet.earlier) == MAX_UNDO
    assert not sheet.write({(0, 0): "49"}) and not sheet.write({(5000, 0): "x"})
    sheet = sheet_of("a|b||d", "a", "", "a")
    assert sheet.edge((0, 0), 0, 1) == (0, 1) and sheet.edge((0, 1), 0, 1) == (0, 3)
    assert sheet.edge((0, 0), 1, 0) == (1, 0) and sheet.edge((1, 0), 1, 0) == (3, 0) and sheet.edge((3, 0), -1, 0) == (1, 0)


def test_comma_separated_files() -> None:
    text = 'a,"b, c","say ""hi"""\n1,,\n"two\nlines",x\n,\n'
    rows = read_csv(text)
    assert rows == [("a", "b, c", 'say "hi"'), ("1",), ("two\nlines", "x")]
    assert write_csv(rows) == 'a,"b, c","say ""hi"""\n1,,\n"two\nlines",x,\n' and read_csv(write_csv(rows)) == rows
    assert (
        read_csv("") == [] and read_csv('"open') == [("open",)] and read_csv("a,\r\nb") == [("a",), ("b",)] and read_csv("a,,b,") == [("a", "", "b")]
    )
    assert from_tabs(to_tabs([["a", "b\tc"], ["", "d"]])) == [["a", "b c"], ["", "d"]]


def test_names_of_cells() -> None:
    assert [column_name(c) for c in (0, 25, 26, 77)] == ["A", "Z", "AA", "BZ"]
    assert all(column_number(column_name(c)) == c for c in range(MAX_COLUMNS))
    assert cell_name((2, 1)) == "B3" and range_name((0, 0, 2, 1)) == "A1:B3" and range_name((1, 1, 1, 1)) == "B2"
    assert read_range("c9:a1") == (0, 0, 8, 2) and read_range(" B3 ") == (2, 1, 2, 1) and read_range("A0") is None and read_range("ZZ1") is None


def test_what_is_too_large_is_cut() -> None:
    sheet = Sheet.from_csv("x,\n" * 5000 + "," * 500 + "x\n")
    assert sheet.used == (1000, 1)
    assert len(Sheet.from_csv("y" * 5000).text((0, 0))) == 1000
