"""Documents, made with python-docx, and cases of the metrics on them: also what ``tests/peers`` compares with OSWorld's own."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

from docx import Document
from docx.enum.style import WD_STYLE_TYPE
from docx.enum.text import WD_BREAK, WD_COLOR_INDEX, WD_PARAGRAPH_ALIGNMENT, WD_TAB_ALIGNMENT
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Cm, Pt, RGBColor
from PIL import Image

Change = Callable[[Any], Any]
RED, BLUE, GREEN = RGBColor(255, 0, 0), RGBColor(0, 0, 255), RGBColor(0, 255, 0)


def document(path: Path, *changes: Change) -> str:
    """A .docx file in ``path``."""
    made = Document()
    for change in changes:
        change(made)
    made.save(str(path))
    return str(path)


def lines(*texts: str) -> Change:
    return lambda made: [made.add_paragraph(text) for text in texts] and None


def words(*runs: tuple[str, dict[str, Any]], **layout: Any) -> Change:
    """A paragraph of runs; names beside a text are attributes of its font, ``layout`` of the paragraph's format."""

    def change(made: Any) -> None:
        paragraph = made.add_paragraph()
        for text, looks in runs:
            run = paragraph.add_run(text)
            for name, value in looks.items():
                if name == "color":
                    run.font.color.rgb = value
                else:
                    setattr(run.font, name, value)
        for name, value in layout.items():
            setattr(paragraph.paragraph_format, name, value)

    return change


def page_break(count: int = 1) -> Change:
    return lambda made: [made.add_paragraph("before").add_run().add_break(WD_BREAK.PAGE) for _ in range(count)] and None


def line_break(made: Any) -> None:
    made.add_paragraph("before").add_run().add_break()


def table(*rows: list[str], colors: list[RGBColor | None] | None = None) -> Change:
    def change(made: Any) -> None:
        grid = made.add_table(rows=len(rows), cols=len(rows[0]))
        for index, text in enumerate(text for row in rows for text in row):
            run = grid.cell(*divmod(index, len(rows[0]))).paragraphs[0].add_run(text)
            if colors is not None and colors[index] is not None:
                run.font.color.rgb = colors[index]

    return change


def picture(color: str, size: int = 4, kind: str = "PNG") -> Change:
    def change(made: Any) -> None:
        buffer = io.BytesIO()
        Image.new("RGB", (size, size), color).save(buffer, kind)
        made.add_picture(io.BytesIO(buffer.getvalue()), Cm(1))

    return change


def tabs(text: str, *stops: tuple[float, Any]) -> Change:
    def change(made: Any) -> None:
        paragraph = made.add_paragraph(text)
        for position, alignment in stops:
            paragraph.paragraph_format.tab_stops.add_tab_stop(Cm(position), alignment)

    return change


def no_section(made: Any) -> None:
    """Take out what says that there is a page."""
    for properties in list(made.element.body.iter(qn("w:sectPr"))):
        properties.getparent().remove(properties)


def normal(**looks: Any) -> Change:
    """Attributes of the font, or of the paragraph format, of the style of all paragraphs."""

    def change(made: Any) -> None:
        style = made.styles["Normal"]
        for name, value in looks.items():
            setattr(style.font if hasattr(style.font, name) else style.paragraph_format, name, value)

    return change


def styled(text: str, **looks: Any) -> Change:
    """A run of a character style with a font of these attributes."""

    def change(made: Any) -> None:
        style = made.styles.add_style("Own", WD_STYLE_TYPE.CHARACTER)
        for name, value in looks.items():
            setattr(style.font, name, value)
        made.add_paragraph().add_run(text, style=style)

    return change


def footer(text: str = "", field: str | None = None) -> Change:
    """The footer of the last section: a text, and a field of the kind that word processors write."""

    def change(made: Any) -> None:
        made.sections[-1].footer.is_linked_to_previous = False
        paragraph = made.sections[-1].footer.paragraphs[0]
        paragraph.add_run(text)
        if field is not None:
            for tag, attribute, value in (("w:fldChar", "begin", ""), ("w:instrText", "", f" {field} "), ("w:fldChar", "separate", "")):
                element = OxmlElement(tag)
                if attribute:
                    element.set(qn("w:fldCharType"), attribute)
                element.text = value or None
                paragraph.add_run()._r.append(element)
            paragraph.add_run("1")
            end = OxmlElement("w:fldChar")
            end.set(qn("w:fldCharType"), "end")
            paragraph.add_run()._r.append(end)

    return change


def section(made: Any) -> None:
    made.add_section()


CENTER, DOUBLE = {"alignment": WD_PARAGRAPH_ALIGNMENT.CENTER}, {"line_spacing": 2.0}
TEXT = lines("Water", "H2O is wet.", "", "The end.")
SPACED = words(("Far", {}), **DOUBLE)
REFERENCES = lines("Body", "References", "[1] The book of water, 2001", "", "[2] More water, 2002")
START, GOLD = ["1:00,A1,x,1", "2:00,B2,y,2", "3:00,A1,z,1", "Trains"], ["1:00,A1,x,1", "2:00,B2,y,2", "Trains"]
LEFT, RIGHT = WD_TAB_ALIGNMENT.LEFT, WD_TAB_ALIGNMENT.RIGHT
TABBED = tabs("one two\tp", (10.0, RIGHT))
FONT = {"font_name": "Times New Roman"}
TIMES, ARIAL = {"name": "Times New Roman"}, {"name": "Arial"}
WATER: tuple[tuple[str, dict[str, Any]], ...] = (("H", {}), ("2", {"subscript": True}), ("O", {}))
BIG, SMALL = {"italic": True, "size": Pt(14)}, {"italic": True, "size": Pt(12)}

#: name of the case, metric, changes of the result, changes of the expected document or a rule or None, options, score
CASES: list[tuple[str, str, list[Change], Any, dict[str, Any], float]] = [
    ("same text", "compare_docx_files", [TEXT], [TEXT], {}, 1),
    ("another word", "compare_docx_files", [TEXT], [lines("Water", "H2O is dry.", "The end.")], {}, 0),
    ("other blanks", "compare_docx_files", [lines(" Water", "H2O  is\twet. The end.")], [TEXT], {}, 1),
    ("blanks count", "compare_docx_files", [lines("Water", "H2O is wet.", "The end.")], [TEXT], {"ignore_blanks": False}, 0),
    ("blanks are the same", "compare_docx_files", [TEXT], [TEXT], {"ignore_blanks": False}, 1),
    ("case counts", "compare_docx_files", [lines("WATER")], [lines("water")], {}, 0),
    ("case is ignored", "compare_docx_files", [lines("WATER")], [lines("water")], {"ignore_case": True}, 1),
    ("case is ignored, by paragraph", "compare_docx_files", [lines("A")], [lines("a")], {"ignore_case": True, "ignore_blanks": False}, 1),
    ("order counts", "compare_docx_files", [lines("b", "a")], [lines("a", "b")], {}, 0),
    ("order is ignored", "compare_docx_files", [lines("b", "a")], [lines("a", "b")], {"ignore_order": True}, 1),
    ("empty lines", "compare_docx_files", [lines("a", " ")], [lines("a")], {"ignore_blanks": False}, 0),
    ("empty lines deleted", "compare_docx_files", [lines("a", " ")], [lines("a")], {"ignore_blanks": False, "delete_empty_lines": True}, 1),
    ("content is alike", "compare_docx_files", [lines("abcde")], [lines("abcdx")], {"content_only": True}, 0.8),
    ("fuzzy", "compare_docx_files", [lines("abcde")], [lines("abcdx")], {"fuzzy_match": True}, 0.8),
    ("fuzzy by paragraph", "compare_docx_files", [lines("a", "bb")], [lines("a", "bc")], {"fuzzy_match": True, "ignore_blanks": False}, 0.75),
    ("fuzzy, a paragraph more", "compare_docx_files", [lines("a", "b")], [lines("a")], {"fuzzy_match": True, "ignore_blanks": False}, 0),
    ("two empty ones", "compare_docx_files", [], [], {"fuzzy_match": True, "ignore_blanks": False}, 1),
    ("text in tables is not looked at", "compare_docx_files", [TEXT, table(["a"])], [TEXT, table(["b"])], {}, 1),
    ("new lines", "compare_docx_files_and_ignore_new_lines", [lines("a", "", "b")], [lines("a", "b")], {"ignore_blanks": False}, 1),
    ("a blank", "compare_docx_files_and_ignore_new_lines", [lines("a", " ", "b")], [lines("a", "b")], {"ignore_blanks": False}, 0),
    ("a blank is ignored", "compare_docx_files_and_ignore_new_lines", [lines("a", " ", "b")], [lines("a", "b")], {}, 1),
    ("other text", "compare_docx_files_and_ignore_new_lines", [lines("a")], [lines("b")], {}, 0),
    ("same tables", "compare_docx_tables", [table(["a ", "b"], ["c", "d"])], [table(["a", "b"], ["c", "d"])], {}, 1),
    ("another cell", "compare_docx_tables", [table(["a", "b"])], [table(["a", "c"])], {}, 0),
    ("another shape", "compare_docx_tables", [table(["a", "b"])], [table(["a"], ["b"])], {}, 0),
    ("a table too few", "compare_docx_tables", [TEXT], [table(["a"])], {}, 0),
    ("same picture", "compare_docx_images", [picture("red")], [TEXT, picture("red")], {}, 1),
    ("same picture, other format", "compare_docx_images", [picture("red", kind="BMP")], [picture("red")], {}, 1),
    ("another picture", "compare_docx_images", [picture("blue")], [picture("red")], {}, 0),
    ("another size", "compare_docx_images", [picture("red", 2)], [picture("red")], {}, 0),
    ("no picture", "compare_docx_images", [TEXT], [picture("red")], {}, 0),
    ("other order", "compare_docx_images", [picture("red"), picture("blue")], [picture("blue"), picture("red")], {}, 0),
    ("same spacing", "compare_line_spacing", [SPACED], [SPACED], {}, 1),
    ("no spacing", "compare_line_spacing", [lines("Far")], [SPACED], {}, 0),
    ("spacing of another text", "compare_line_spacing", [words(("Near", {}), **DOUBLE)], [SPACED], {}, 0),
    ("spacing by the style", "compare_line_spacing", [lines("Far"), normal(line_spacing=2.0)], [SPACED], {}, 1),
    ("spacing in points", "compare_line_spacing", [words(("Far", {}), line_spacing=Pt(24))], [SPACED], {}, 0),
    ("page number", "has_page_numbers_in_footers", [footer(field="PAGE")], None, {}, 1),
    ("page number in words", "has_page_numbers_in_footers", [footer("page ", field="PAGE \\* MERGEFORMAT")], None, {}, 1),
    ("a number that is typed", "has_page_numbers_in_footers", [footer("page 1")], None, {}, 0),
    ("the number of pages", "has_page_numbers_in_footers", [footer(field="NUMPAGES")], None, {}, 0),
    ("a footer without", "has_page_numbers_in_footers", [footer("the end")], None, {}, 0),
    ("no section", "has_page_numbers_in_footers", [TEXT, no_section], None, {}, 0),
    ("no footer", "has_page_numbers_in_footers", [TEXT], None, {}, 0),
    ("a section that follows the first", "has_page_numbers_in_footers", [footer(field="PAGE"), section], None, {}, 1),
    ("a section that comes before", "has_page_numbers_in_footers", [section, footer(field="PAGE")], None, {}, 0),
    ("font of runs", "compare_font_names", [words(("a", TIMES), ("b", TIMES))], FONT, {}, 1),
    ("font of one run", "compare_font_names", [words(("a", TIMES), ("b", ARIAL))], FONT, {}, 0),
    ("font of the style", "compare_font_names", [lines("a"), normal(**TIMES)], FONT, {}, 1),
    ("font of a character style", "compare_font_names", [styled("a", **TIMES)], FONT, {}, 1),
    ("font of the theme", "compare_font_names", [lines("a"), normal(name="Other")], FONT, {}, 0),
    ("no text has a font", "compare_font_names", [lines("")], FONT, {}, 0),
    ("a picture has no font", "compare_font_names", [words(("a", TIMES)), picture("red")], FONT, {}, 1),
    ("italics of 14", "check_italic_font_size_14", [words(("a", BIG), ("b", {}))], [words(("a", SMALL), ("b", {}))], {}, 1),
    ("italics of 12", "check_italic_font_size_14", [words(("a", SMALL), ("b", {}))], [words(("a", BIG), ("b", {}))], {}, 0),
    ("no italics left", "check_italic_font_size_14", [lines("ab")], [words(("a", BIG), ("b", {}))], {}, 0),
    ("other text in italics", "check_italic_font_size_14", [words(("x", BIG))], [words(("a", BIG))], {}, 0),
    ("italics by style", "check_italic_font_size_14", [styled("a", **BIG)], [words(("a", BIG))], {}, 1),
    ("subscript", "compare_subscript_contains", [words(*WATER)], [words(*WATER)], {}, 1),
    ("no subscript", "compare_subscript_contains", [lines("H2O")], [words(*WATER)], {}, 0),
    ("runs split otherwise", "compare_subscript_contains", [words(("H", {}), ("", {}), *WATER[1:])], [words(*WATER)], {}, 1),
    ("another subscript", "compare_subscript_contains", [words(("H", {"subscript": True}), ("2O", {}))], [words(*WATER)], {}, 0),
    ("struck", "evaluate_strike_through_last_paragraph", [lines("a"), words(("b", {"strike": True}))], [lines("a", "b")], {}, 1),
    ("struck in part", "evaluate_strike_through_last_paragraph", [words(("b", {"strike": True}), ("c", {}))], [lines("bc")], {}, 0),
    ("not struck", "evaluate_strike_through_last_paragraph", [lines("a", "b")], [lines("a", "b")], {}, 0),
    ("an empty paragraph after it", "evaluate_strike_through_last_paragraph", [lines("a", "b", "")], [lines("a", "b")], {}, 0),
    ("struck twice", "evaluate_strike_through_last_paragraph", [words(("b", {"double_strike": True}))], [lines("b")], {}, 1),
    ("colors", "evaluate_colored_words_in_tables", [table(["apple", "we"], colors=[RED, BLUE])], [table(["apple", "we"])], {}, 1),
    ("nearly the color", "evaluate_colored_words_in_tables", [table(["apple"], colors=[RGBColor(250, 0, 0)])], [table(["apple"])], {}, 1),
    ("colors turned", "evaluate_colored_words_in_tables", [table(["apple", "we"], colors=[BLUE, RED])], [table(["apple", "we"])], {}, 0),
    ("no color", "evaluate_colored_words_in_tables", [table(["apple"])], [table(["apple"])], {}, 0),
    ("another threshold", "evaluate_colored_words_in_tables", [table(["we"], colors=[RED])], [table(["we"])], {"threshold": 100}, 1),
    ("two words in a run", "evaluate_colored_words_in_tables", [table(["apple pie"], colors=[RED])], [table(["apple pie"])], {}, 0),
    ("centered", "is_first_line_centered", [words(("Title", {}), **CENTER), lines("a")], None, {}, 1),
    ("the second is centered", "is_first_line_centered", [lines("Title"), words(("a", {}), **CENTER)], None, {}, 0),
    ("centered by the style", "is_first_line_centered", [lines("Title"), normal(**CENTER)], None, {}, 1),
    ("nothing to center", "is_first_line_centered", [], None, {}, 0),
    ("a page break", "contains_page_break", [page_break()], {}, {}, 1),
    ("no page break", "contains_page_break", [line_break], {}, {}, 0),
    ("as many page breaks", "contains_page_break", [page_break(3)], {"page_break_count": 3}, {}, 1),
    ("not as many page breaks", "contains_page_break", [page_break(2)], {"page_break_count": 3}, {}, 0),
    ("same tab stops", "check_tabstops", [TABBED], [TABBED], {"word_number_split_by_tabstop": 2, "index": 0}, 1),
    ("nearby tab stops", "check_tabstops", [tabs("one two\tp", (9.0, RIGHT))], [TABBED], {}, 0.934375),
    ("another alignment", "check_tabstops", [tabs("one two\tp", (10.0, LEFT))], [TABBED], {}, 0),
    ("no tab stop", "check_tabstops", [tabs("one two\tp")], [TABBED], {}, 0),
    ("tab stops that do not count", "check_tabstops", [tabs("x", (0.0, LEFT), (3.0, WD_TAB_ALIGNMENT.CLEAR))], [lines("x")], {}, 1),
    ("not as many words", "check_tabstops", [TABBED], [TABBED], {"word_number_split_by_tabstop": 3}, 0),
    ("no tab", "check_tabstops", [lines("one two")], [lines("one two")], {"word_number_split_by_tabstop": 1, "index": 1}, 0),
    ("a paragraph more", "check_tabstops", [TABBED, lines("x")], [TABBED], {}, 0),
    ("tab stops far away", "check_tabstops", [tabs("x", (50.0, RIGHT))], [tabs("x", (1.0, RIGHT))], {}, 0),
    ("not highlighted", "check_highlighted_words", [lines("a")], [lines("a")], {}, 1),
    ("highlighted", "check_highlighted_words", [words(("a", {"highlight_color": WD_COLOR_INDEX.YELLOW}))], [lines("a")], {}, 0),
    ("one record of each", "compare_unique_train_records", [lines(*GOLD)], [[lines(*GOLD)], [lines(*START)]], {}, 1),
    ("the other record", "compare_unique_train_records", [lines(*START[1:])], [[lines(*GOLD)], [lines(*START)]], {}, 1),
    ("a record twice", "compare_unique_train_records", [lines(*START)], [[lines(*GOLD)], [lines(*START)]], {}, 0),
    ("a record too few", "compare_unique_train_records", [lines(*GOLD[1:])], [[lines(*GOLD)], [lines(*START)]], {}, 0),
    ("a record made up", "compare_unique_train_records", [lines("9:00,A1,x,1", *GOLD[1:])], [[lines(*GOLD)], [lines(*START)]], {}, 0),
    ("same references", "compare_references", [lines("Other body"), REFERENCES], [REFERENCES], {}, 1),
    ("no references", "compare_references", [TEXT], [REFERENCES], {}, 0),
    ("references on no side", "compare_references", [TEXT], [TEXT], {}, 1),
    ("a reference too few", "compare_references", [lines("References", "[1] The book of water, 2001")], [REFERENCES], {}, 0),
    ("alike", "compare_references", [lines("Refs", "abcde")], [lines("Refs", "abcdx")], {"reference_indicator": "Refs"}, 0.6),
    ("as it was", "compare_references", [lines("References", "abcde")], [lines("References", "abcdx")], {"reference_base_result": 0.8}, 0),
    ("three places", "fuzzy_place_math", [lines("abc abc", " abc")], {"expected": ["abc", "xyz"]}, {}, 1),
    ("three places nearly", "fuzzy_place_math", [lines("abcde abcde", "abcdx")], {"expected": ["abcde"]}, {}, 2.8 / 3),
    ("two places", "fuzzy_place_math", [lines("abc", "abc")], {"expected": ["abc"]}, {}, 0),
]  # fmt: skip


def sides(folder: Path, index: int, result: list[Change], expected: Any) -> list[Any]:
    """What a metric gets for a case, with its documents in ``folder``."""
    arguments: list[Any] = [document(folder / f"{index}-result.docx", *result)]
    if isinstance(expected, list) and expected and isinstance(expected[0], list):
        arguments.append([document(folder / f"{index}-expected{which}.docx", *changes) for which, changes in enumerate(expected)])
    elif isinstance(expected, list):
        arguments.append(document(folder / f"{index}-expected.docx", *expected))
    elif expected is not None:
        arguments.append(expected)
    return arguments
