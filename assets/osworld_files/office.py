"""Workbooks, text documents and slides."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import docx
import openpyxl
import pptx
from openpyxl.styles import Font
from openpyxl.workbook import Workbook

from osworld_files.registry import makes


def book(*rows: Sequence[Any], sheet: str = "Sheet1") -> Workbook:
    """A workbook of one sheet."""
    made = openpyxl.Workbook()
    made.active.title = sheet
    for row in rows:
        made.active.append(list(row))
    for column, cells in zip("ABCDEFGH", zip(*rows, strict=True), strict=False):
        made.active.column_dimensions[column].width = max(len(str(cell)) for cell in cells) + 4
    return made


def document(*paragraphs: str, font: str = "Liberation Serif", size: float = 12) -> Any:
    """A text document whose default style has that font."""
    made = docx.Document()
    style = made.styles["Normal"]
    style.font.name, style.font.size = font, docx.shared.Pt(size)
    for paragraph in paragraphs:
        made.add_paragraph(paragraph)
    return made


def slides(*pages: tuple[str, Sequence[str]]) -> Any:
    """A presentation with a title and points on each slide."""
    made: Any = pptx.Presentation()
    for title, points in pages:
        page = made.slides.add_slide(made.slide_layouts[1])
        page.shapes.title.text = title
        page.placeholders[1].text = "\n".join(points)
    return made


def convert(path: Path, extension: str, folder: Path) -> Path:
    """``path`` as LibreOffice saves it with that extension, into ``folder``."""
    with tempfile.TemporaryDirectory() as profile:
        settings = f"-env:UserInstallation=file://{profile}"
        command = ["soffice", settings, "--headless", "--convert-to", extension, "--outdir", str(folder), str(path)]
        subprocess.run(command, check=True, timeout=180, stdout=subprocess.DEVNULL, env={**os.environ, "SOURCE_DATE_EPOCH": "1767225600"})
    made = folder / f"{path.stem}.{extension}"
    if not made.is_file():
        raise RuntimeError(f"LibreOffice made no {made.name} of {path}")
    return made


def as_saved(path: Path) -> None:
    """Let LibreOffice load and save the file, so that what it rewrites is the same in all files of a task."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copyfile(convert(path, path.suffix[1:], Path(folder)), path)


# -- spreadsheets ----------------------------------------------------------------------------------------------------

ORDERS = [
    ("Rope 9.8 mm", 4, 119.5),
    ("Helmet", 6, 48),
    ("Chalk bag", 11, 14.25),
    ("Carabiner", 40, 7.9),
    ("Harness", 5, 62),
    ("Sling 60 cm", 24, 4.75),
    ("Belay device", 9, 27.4),
    ("Guide book", 3, 33),
]


@makes("calc-line-totals")
def _line_totals(folder: Path) -> None:
    head = ("Article", "Quantity", "Unit price", "Total")
    book(head, *[(*row, None) for row in ORDERS], sheet="Orders").save(folder / "orders.xlsx")
    book(head, *[(name, n, price, n * price) for name, n, price in ORDERS], sheet="Orders").save(folder / "orders_gold.xlsx")


HARVEST = [("Allotment", "Crop", "Kilograms"), (12, "Beans", 18), (7, "Carrots", 31), (31, "Beans", 9), (4, "Leeks", 22), (19, "Kale", 14)]


@makes("calc-header-row")
def _header_row(folder: Path) -> None:
    made = book(*HARVEST, sheet="Harvest")
    made.save(folder / "harvest.xlsx")
    for cell in made.active[1]:
        cell.font = Font(name=cell.font.name, size=cell.font.size, bold=True)
    made.active.freeze_panes = "A2"
    made.save(folder / "harvest_gold.xlsx")


SPENDING = [("Theatre", "Year", "Costs"), ("Mill", 2023, 18450), ("Harbour", 2023, 9120.5), ("Mill", 2024, 1204333.25), ("Harbour", 2024, 780)]


@makes("calc-thousands")
def _thousands(folder: Path) -> None:
    made = book(*SPENDING, sheet="Costs")
    made.active.column_dimensions["C"].width = 20
    made.save(folder / "theatres.xlsx")
    for (cell,) in made.active["C2:C5"]:
        cell.number_format = "#,##0.00"
    made.save(folder / "theatres_gold.xlsx")
    lines = ["Theatre,Year,Costs", 'Mill,2023,"18,450.00"', 'Harbour,2023,"9,120.50"', 'Mill,2024,"1,204,333.25"', "Harbour,2024,780.00"]
    (folder / "theatres_gold-Costs.csv").write_text("".join(f"{line}\n" for line in lines))


READINGS = [("Day", "Rain in mm", "Wind"), ("Monday", 3.2, "W"), ("Tuesday", 0, "NW"), ("Wednesday", 11.5, "SW"), ("Thursday", 0.4, "S")]


@makes("calc-sheets")
def _sheets(folder: Path) -> None:
    made = book(*READINGS, sheet="Sheet1")
    made.save(folder / "weather.xlsx")
    made.active.title = "Week 14"
    made.create_sheet("Week 15")
    made.save(folder / "weather_gold.xlsx")


TIDES = [("Harbour", "High water", "Metres"), ("Dunmore", "04:12", 3.9), ("Rosslare", "05:40", 1.8), ("Arklow", "08:05", 1.3)]


@makes("calc-export-csv")
def _export_csv(folder: Path) -> None:
    book(*TIDES, sheet="Tides").save(folder / "tides.xlsx")
    (folder / "tides_gold.csv").write_text("".join(",".join(map(str, row)) + "\n" for row in TIDES))


RUNNERS: list[tuple[Any, ...]] = [
    ("Runner", "Club", "Minutes"),
    ("Ines", "Falcons", 47),
    ("Bo", "Harriers", 52),
    ("Mara", "Falcons", 39),
    ("Tim", "Striders", 61),
]


@makes("calc-sort")
def _sort(folder: Path) -> None:
    book(*RUNNERS, sheet="Race").save(folder / "race.xlsx")
    book(RUNNERS[0], *sorted(RUNNERS[1:], key=lambda row: row[2]), sheet="Race").save(folder / "race_gold.xlsx")


BEES = [("Hive", "Honey in kg", "Queen"), ("Lime", 21, "2024"), ("Orchard", 17, "2025"), ("Heath", 26, "2024"), ("Clover", 12, "2023")]


@makes("calc-filter-hide")
def _filter_hide(folder: Path) -> None:
    made = book(*BEES, sheet="Hives")
    made.save(folder / "hives.xlsx")
    made.active.auto_filter.ref = "A1:C5"
    made.active.column_dimensions["C"].hidden = True
    made.save(folder / "hives_gold.xlsx")


# -- text documents --------------------------------------------------------------------------------------------------

MINUTES = (
    "Minutes of the garden committee",
    "Present were Mrs Halloran, Mr Dietz and Mrs Okafor. Mr Dietz took the minutes.",
    "The committee thanked Mrs Halloran for the new tool shed. Mrs Halloran will also order the seeds for the spring.",
    "The next meeting is on the first Thursday of May in the club room.",
)


@makes("writer-replace")
def _replace(folder: Path) -> None:
    document(*MINUTES).save(folder / "minutes.docx")
    document(*(line.replace("Halloran", "Brennan") for line in MINUTES)).save(folder / "minutes_gold.docx")


LETTER = (
    "Dear neighbours,",
    "on Saturday, 18 April, we are going to clear the path along the canal between the lock and the old brick works.",
    "Please bring gloves and stout shoes. Bags and rakes will be there, and so will tea and soup.",
    "Children are welcome if somebody looks after them near the water.",
)


@makes("writer-double-spacing")
def _double_spacing(folder: Path) -> None:
    made = document(*LETTER)
    made.save(folder / "canal.docx")
    for paragraph in made.paragraphs:
        paragraph.paragraph_format.line_spacing = 2.0
    made.save(folder / "canal_gold.docx")


@makes("writer-font")
def _font(folder: Path) -> None:
    document(*LETTER).save(folder / "invitation.docx")
    document(*LETTER, font="DejaVu Sans").save(folder / "invitation_gold.docx")


@makes("writer-center-title")
def _center_title(folder: Path) -> None:
    made = document(*MINUTES)
    made.save(folder / "protocol.docx")
    made.save(folder / "protocol_gold.docx")


ROTA = [("Day", "Duty"), ("Monday", "Water the tomatoes"), ("Friday", "Sweep the shed")]


@makes("writer-table")
def _table(folder: Path) -> None:
    made = document("Duties of this week:")
    made.save(folder / "rota.docx")
    table = made.add_table(len(ROTA), 2)
    for row, texts in zip(table.rows, ROTA, strict=True):
        for cell, text in zip(row.cells, texts, strict=True):
            cell.text = text
    made.save(folder / "rota_gold.docx")


RECIPE = (
    "Barley soup",
    "Soak 150 g of pearl barley over night. Fry an onion, two carrots and a leek in butter until they are soft.",
    "Add the barley and a litre and a half of stock, and let it simmer for forty minutes.",
    "Serve with chives and black bread.",
)


@makes("writer-export-pdf")
def _export_pdf(folder: Path) -> None:
    document(*RECIPE).save(folder / "soup.docx")
    convert(folder / "soup.docx", "pdf", folder).rename(folder / "soup_gold.pdf")


# -- slides ----------------------------------------------------------------------------------------------------------


def presentation(folder: Path, name: str, edit: Callable[[Any], None], *pages: tuple[str, Sequence[str]]) -> None:
    """``<name>.pptx`` with these slides, and ``<name>_gold.pptx`` after ``edit``, both as Impress saves them."""
    start, gold = folder / f"{name}.pptx", folder / f"{name}_gold.pptx"
    slides(*pages).save(start)
    as_saved(start)
    changed: Any = pptx.Presentation(str(start))
    edit(changed)
    changed.save(gold)
    as_saved(gold)


@makes("impress-retitle")
def _retitle(folder: Path) -> None:
    def edit(deck: Any) -> None:
        deck.slides[1].shapes.title.text_frame.paragraphs[0].runs[0].text = "Parade of lanterns"

    pages = [("Canal days", ["Three days in June", "Music at the lock"]), ("Boat parade", ["Twelve boats"]), ("Thanks", ["See you next year"])]
    presentation(folder, "canal-days", edit, *pages)


@makes("impress-drop-slide")
def _drop_slide(folder: Path) -> None:
    def edit(deck: Any) -> None:
        slide_list = deck.slides._sldIdLst  # python-pptx has no public way to delete a slide
        deck.part.drop_rel(slide_list[2].rId)
        del slide_list[2]

    seasons = [("Rowing", ["From April"]), ("Swimming", ["From June"]), ("Ice skating", ["The hall is closed"]), ("Gymnastics", ["Always"])]
    presentation(folder, "season", edit, *seasons)


@makes("impress-bold-points")
def _bold_points(folder: Path) -> None:
    def edit(deck: Any) -> None:
        for paragraph in deck.slides[0].shapes[1].text_frame.paragraphs:
            for run in paragraph.runs:
                run.font.bold = True

    pages = [("Helpers wanted", ["Friday: set up the tents", "Sunday: take them down"]), ("Where to meet", ["At the brick works"])]
    presentation(folder, "helpers", edit, *pages)
