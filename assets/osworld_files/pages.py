"""Pages that a task serves on the desktop itself, and what is made of them in another program."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from osworld_files.office import book
from osworld_files.registry import makes

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


@makes("browser-fax")
def _fax(folder: Path) -> None:
    (folder / "fares.html").write_text(page("Fares", table(FARES)))


@makes("fares-to-sheet")
def _fares_to_sheet(folder: Path) -> None:
    (folder / "fares.html").write_text(page("Fares", table(FARES)))
    head, *fares = FARES
    book(head, sheet="Fares").save(folder / "fares.xlsx")
    book(head, *[(island, float(single), float(both)) for island, single, both in fares], sheet="Fares").save(folder / "fares_gold.xlsx")
