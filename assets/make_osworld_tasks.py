"""Make the files that the shipped OSWorld tasks start from and are compared with: ``python assets/make_osworld_tasks.py [TASK ...]``.

Every file is made from the data below, those that only a real application can write (PDF, slides as Impress saves them) by LibreOffice
without a screen. A file goes to the content cache of its task under the name that OSWorld's client would give it, so the files of a task
are those that its JSON names: one too many, or one missing, is an error. Needs the extra ``osworld``, LibreOffice and ffmpeg.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
import uuid
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import docx
import numpy as np
import openpyxl
import pptx
from openpyxl.styles import Font
from openpyxl.workbook import Workbook
from PIL import Image, ImageDraw, ImageOps

ROOT = Path(__file__).parent / "tasks" / "osworld"
Maker = Callable[[Path], None]
MAKERS: dict[str, Maker] = {}


def makes(*tasks: str) -> Callable[[Maker], Maker]:
    """Register what makes the files of these tasks in the folder that it is given."""

    def register(maker: Maker) -> Maker:
        MAKERS.update(dict.fromkeys(tasks, maker))
        return maker

    return register


# -- helpers ---------------------------------------------------------------------------------------------------------


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
        subprocess.run(command, check=True, timeout=180, stdout=subprocess.DEVNULL)
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


# -- pictures --------------------------------------------------------------------------------------------------------


def picture(seed: int, size: tuple[int, int] = (120, 80)) -> Image.Image:
    """A picture of overlapping discs: no two parts of it are alike."""
    rng = np.random.default_rng(seed)
    made = Image.new("RGB", size, tuple(int(c) for c in rng.integers(60, 200, 3)))
    draw = ImageDraw.Draw(made)
    for _ in range(14):
        (x, y), radius = rng.integers((0, 0), size), int(rng.integers(6, size[1] // 3))
        draw.ellipse((int(x) - radius, int(y) - radius, int(x) + radius, int(y) + radius), tuple(int(c) for c in rng.integers(0, 256, 3)))
    return made


@makes("gimp-scale")
def _scale(folder: Path) -> None:
    made = picture(11, (240, 160))
    made.save(folder / "mosaic.png")
    made.save(folder / "mosaic_same.png")
    made.resize((120, 80), Image.Resampling.BICUBIC).save(folder / "mosaic_gold.png")


@makes("gimp-mirror")
def _mirror(folder: Path) -> None:
    made = picture(12, (240, 160))
    made.save(folder / "stencil.png")
    made.save(folder / "stencil_start.png")
    ImageOps.mirror(made).save(folder / "stencil_gold.png")


@makes("gimp-invert")
def _invert(folder: Path) -> None:
    made = picture(13, (240, 160))
    made.save(folder / "tiles.png")
    ImageOps.invert(made).save(folder / "tiles_gold.png")


@makes("gimp-voice-note")
def _voice_note(folder: Path) -> None:
    picture(14, (240, 160)).save(folder / "note.png")


# -- pages, served on the desktop itself ------------------------------------------------------------------------------

STYLE = "body{font:18px sans-serif;margin:2em 3em}nav a{margin-right:2em}td,th{padding:6px 24px;text-align:left}label{display:block;margin:1em 0}"
FARES = [("Island", "Single", "Return"), ("Brae", "4.20", "7.50"), ("Hunda", "6.80", "12.40"), ("Little Rysa", "9.10", "16.00")]
BOATS = [("07:10", "Brae", "direct"), ("08:45", "Hunda", "direct"), ("09:30", "Brae", "by Hunda"), ("11:05", "Little Rysa", "direct")]


def page(title: str, body: str) -> str:
    """A page of the ferries' site, with its title and links to the others."""
    links = {"index": "Home", "timetable": "Timetable", "fares": "Fares", "search": "Book a crossing", "offices": "Ticket offices"}
    navigation = "".join(f'<a href="{name}.html">{text}</a>' for name, text in links.items())
    head = f'<meta charset="utf-8"><title>{title} - Skerry Ferries</title><style>{STYLE}</style>'
    return f'<!doctype html><html lang="en"><head>{head}</head><body><nav>{navigation}</nav><h1>{title}</h1>{body}</body></html>\n'


def table(rows: Sequence[Sequence[str]]) -> str:
    """An HTML table, the first row its head."""
    tags = ["th", *["td"] * (len(rows) - 1)]
    lines = ("".join(f"<{tag}>{text}</{tag}>" for text in row) for tag, row in zip(tags, rows, strict=True))
    return f"<table>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>"


TIMETABLE = """<label>Island <select id="island"><option>All<option>Brae<option>Hunda<option>Little Rysa</select></label>
<label><input type="checkbox" id="direct"> Direct boats only</label><p><b class="count"></b> boats</p><ul id="boats"></ul>
<script>
const boats = %s, island = document.getElementById("island"), direct = document.getElementById("direct")
function show() {
  const found = boats.filter(([, to, way]) => (island.value === "All" || to === island.value) && (!direct.checked || way === "direct"))
  document.querySelector(".count").textContent = found.length
  document.getElementById("boats").innerHTML = found.map(boat => `<li class="boat">${boat.join(" ")}</li>`).join("")
}
island.onchange = direct.onchange = show
show()
</script>"""
BOOKING = """<form action="crossings.html"><label>To <input name="to"></label><label>Day <input name="day" placeholder="2026-12-31"></label>
<label>Persons <select name="persons"><option>1<option>2<option>3<option>4</select></label><button>Search</button></form>"""


@makes("browser-ticket-office", "browser-booking", "browser-tabs", "browser-bookmark", "browser-direct-boats")
def _site(folder: Path) -> None:
    pages = {
        "index": page("Welcome", "<p>Boats to the islands, all the year, in any weather that lets us.</p>"),
        "timetable": page("Timetable", TIMETABLE % json.dumps(BOATS)),
        "fares": page("Fares", table(FARES)),
        "search": page("Book a crossing", BOOKING),
        "crossings": page("Crossings", "<p>These boats have seats left: 08:45, 11:05.</p>"),
        "offices": page("Ticket offices", '<p><a href="office-lerhaven.html">Lerhaven</a></p><p><a href="office-stromness.html">Stromness</a></p>'),
        "office-lerhaven": page("Ticket office Lerhaven", "<p>Open from 6:30 to 18:00, on Sundays from 8:00.</p>"),
        "office-stromness": page("Ticket office Stromness", "<p>Open from 7:00 to 19:00, closed on Sundays.</p>"),
    }
    for name, text in pages.items():
        (folder / f"{name}.html").write_text(text)


@makes("fares-to-sheet")
def _fares_to_sheet(folder: Path) -> None:
    (folder / "fares.html").write_text(page("Fares", table(FARES)))
    head, *fares = FARES
    book(head, sheet="Fares").save(folder / "fares.xlsx")
    book(head, *[(island, float(single), float(both)) for island, single, both in fares], sheet="Fares").save(folder / "fares_gold.xlsx")


SPEECH = ("Dear members,", "The boat house has a new roof.", "Thanks to all who carried tiles in April!", "The old roof lasted sixty years.")


@makes("notes-to-letter")
def _notes_to_letter(folder: Path) -> None:
    (folder / "speech.txt").write_text("".join(f"{line}\n" for line in SPEECH))
    document(*SPEECH).save(folder / "speech_gold.docx")


@makes("vlc-tags")
def _tags(folder: Path) -> None:
    sound = ["-f", "lavfi", "-i", "sine=frequency=330:duration=4", "-ac", "1", "-b:a", "16k"]
    tags = ["-id3v2_version", "3", "-metadata", "title=Track 7", "-metadata", "artist=Unknown"]
    subprocess.run(["ffmpeg", "-v", "error", *sound, *tags, str(folder / "take7.mp3")], check=True)


# -- files -----------------------------------------------------------------------------------------------------------


@makes("files-move-photos")
def _move_photos(folder: Path) -> None:
    for seed, name in enumerate(("beans.jpg", "shed.jpg", "tomatoes.jpg", "plan.png")):
        picture(seed).save(folder / name)


@makes("terminal-pack")
def _pack(folder: Path) -> None:
    with tarfile.open(folder / "minutes_gold.tar.gz", "w:gz") as archive:
        for month, decision in (("april", "A new hose is bought."), ("may", "The shed is painted green."), ("june", "The gate stays open.")):
            (folder / f"{month}.txt").write_text(f"Minutes of {month.title()}\n\n{decision}\n")
            archive.add(folder / f"{month}.txt", f"minutes/{month}.txt")


@makes("terminal-count-errors")
def _count_errors(folder: Path) -> None:
    kinds = ["INFO pressure ok", "WARNING pressure low", "ERROR valve stuck", "INFO no ERRORS today"]
    lines = [f"2026-04-{1 + n // 8:02} {n % 24:02}:15 {kinds[2 if n % 9 == 4 else n % 2 if n % 5 else 3]}" for n in range(120)]
    (folder / "pump.log").write_text("".join(f"{line}\n" for line in lines))


# -- putting them where they belong ----------------------------------------------------------------------------------


def named_files(task: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """``(file name, name in the content cache)`` of all that a task downloads or compares with."""
    evaluator = task["evaluator"]
    for step in [*task["config"], *evaluator.get("postconfig", [])]:
        for file in step["parameters"].get("files", []) if step["type"] == "download" else []:
            yield base(file["url"]), f"{uuid.uuid5(uuid.NAMESPACE_URL, file['url'])}_{base(file['path'])}"
    for side in ("result", "expected"):
        getters = evaluator.get(side) or []
        for getter in getters if isinstance(getters, list) else [getters]:
            if getter and getter["type"] == "cloud_file":
                paths, dests = (getter["path"], getter["dest"]) if getter.get("multi") else ([getter["path"]], [getter["dest"]])
                yield from ((base(path), dest) for path, dest in zip(paths, dests, strict=True))


def base(path: str) -> str:
    return path.rsplit("/", 1)[-1]


def make(task_id: str) -> None:
    """Make the files of one task anew."""
    (source,) = ROOT.glob(f"examples/*/{task_id}.json")
    names = dict(named_files(json.loads(source.read_text())))
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        MAKERS[task_id](folder)
        made = {path.name for path in folder.iterdir()}
        if made != set(names):
            raise RuntimeError(f"{task_id}: its JSON names {sorted(names)}, made were {sorted(made)}")
        cache = ROOT / "cache" / task_id
        shutil.rmtree(cache, ignore_errors=True)
        cache.mkdir(parents=True)
        for name, cached in names.items():
            shutil.copyfile(folder / name, cache / cached)
    print(f"{task_id}: {', '.join(sorted(names.values()))}")


if __name__ == "__main__":
    for task in sys.argv[1:] or MAKERS:
        make(task)
