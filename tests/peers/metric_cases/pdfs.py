"""PDF files of LibreOffice's and Pillow's."""

from pathlib import Path
from typing import Any

from test_osworld_pdfs import CHANGED, DECK, pdf_of, picture

_LINES = "the same text, but another library writes its lines otherwise: the ratio differs in the second decimal"
_UNREADABLE = "output of the agent that cannot be read is a 0; theirs raises"


def cases(folder: Path) -> list[dict[str, Any]]:
    """Each with PDF files in ``folder``."""
    found: list[dict[str, Any]] = []

    def add(metric: str, name: str, result: Any, expected: Any, reason: str = "") -> None:
        found.append({"name": name, "metric": metric, "result": result, "expected": expected, "reason": reason})

    (folder / "bad.pdf").write_bytes(b"no PDF")
    bad = str(folder / "bad.pdf")
    add("compare_pdfs", "same", DECK, DECK)
    add("compare_pdfs", "changed", CHANGED, DECK, _LINES)
    add("compare_pdfs", "two", [DECK, CHANGED], [DECK, CHANGED])
    add("compare_pdfs", "one missing", [DECK, None], [DECK, CHANGED])
    add("compare_pdfs", "one broken", [bad, DECK], [DECK, DECK])
    add("compare_pdfs", "broken", bad, DECK)
    for relation in ("eq", "ne", "lt", "le", "gt", "ge"):
        for value in (1, 2, 3):
            add("check_pdf_pages", f"{relation} {value}", DECK, {"relation": relation, "ref_value": value})
    add("check_pdf_pages", "broken", bad, {"relation": "ge", "ref_value": 0}, _UNREADABLE)
    both = pdf_of(folder / "both.pdf", picture("red"), picture("blue"))
    for name, images in {
        "same": [picture("red"), picture("blue")],
        "half": [picture("red"), picture("red", (30, 40))],
        "one": [picture("red")],
        "other colors": [picture("green"), picture("navy")],
    }.items():
        add("compare_pdf_images", name, pdf_of(folder / f"{name}.pdf", *images), both)
    add("compare_pdf_images", "larger", CHANGED, DECK)
    add("compare_pdf_images", "broken", bad, both, f"{_UNREADABLE}: a folder is removed twice")
    return found
