"""Archives, electronic books and web pages, made as in ``tests/gui_gym/verifiers/test_osworld_archives.py``."""

from pathlib import Path
from typing import Any

from test_osworld_archives import BOOK, FILES, MAKERS, PAGE, PAGES, TABLE, TEXTS, zipped

UNREADABLE = "output of the agent that cannot be read is a 0; theirs raises"
_END = "what follows the end of the shorter page is not looked at"
REASONS = {
    "a file in a folder": "a file in a folder is not looked at: the folder itself is read as a file",
    "a part missing": "parts of books are paired by their place in the list of names, not by their names",
    "an empty page": "a page without anything ends the comparison with an error",
    "folder that is not there": UNREADABLE,
    "an element more": _END,
    "page 7": _END,
    "page 8": f"{_END}, so that an empty page passes",
}


def cases(folder: Path) -> list[dict[str, Any]]:
    """Each with files in ``folder``."""
    found: list[dict[str, Any]] = []

    def add(metric: str, name: str, result: str, expected: str, reason: str = "", **options: Any) -> None:
        reason = reason or REASONS.get(name, "")
        found.append({"name": name, "metric": metric, "result": result, "expected": expected, "options": options, "reason": reason})

    deck, changed = ((FILES / f"{name}.pdf").read_bytes() for name in ("deck", "changed"))
    flat = {"a.txt": b"one", "b.txt": b"two"}
    for kind, make in MAKERS.items():

        def archive(name: str, files: dict[str, bytes], kind: str = kind, make: Any = make) -> str:
            (folder / kind).mkdir(exist_ok=True)
            return str(make(folder / kind / f"{name}.{kind}", files))

        gold = archive("gold", flat)
        add("compare_archive", f"{kind}, same", archive("same", flat), gold)
        add("compare_archive", f"{kind}, other", archive("other", {**flat, "a.txt": b"other"}), gold)
        add("compare_archive", f"{kind}, one more", archive("more", {**flat, "c.txt": b""}), gold)
        add("compare_archive", f"{kind}, blanks", archive("blanks", {**flat, "a.txt": b" one\n"}), gold, ignore_blanks=True)
        nested = archive("nested", {"in/a": b"1", "out/b": b"2"}), archive("nested-gold", {"in/a": b"1"})
        add("compare_archive", f"{kind}, in a folder", *nested, file_path="in")
        add("compare_archive", "folder that is not there", gold, nested[1], file_path="in")
        add("compare_archive", "a file in a folder", archive("deep", TEXTS), archive("deep-gold", TEXTS))
        pdfs = archive("pdf", {"x.pdf": deck}), archive("pdf-gold", {"x.pdf": deck})
        add("compare_archive", f"{kind}, PDF", *pdfs, file_type="pdf")
        (folder / f"half.{kind}").write_bytes(Path(gold).read_bytes()[:60])
        add("compare_archive", f"{kind}, half", str(folder / f"half.{kind}"), gold, UNREADABLE)

    gold = zipped(folder / "gold.zip", {**TEXTS, "x.PDF": deck})
    changes = {"same": {}, "alike": {"x.PDF": changed}, "other": {"a.txt": b"One"}, "more": {"c.txt": b""}}
    for name, change in changes.items():
        add("compare_zip_files", name, zipped(folder / f"{name}.zip", {**TEXTS, "x.PDF": deck, **change}), gold)

    book = zipped(folder / "gold.epub", BOOK)
    books: dict[str, dict[str, bytes | None]] = {
        "same": {},
        "other identifier": {"content.opf": BOOK["content.opf"].replace(b">1<", b">2<")},
        "other points": {"toc.ncx": BOOK["toc.ncx"].replace(b'"1"', b'"other"')},
        "other lines": {"one.html": PAGE.replace(b"><", b">\n<")},
        "another text": {"one.html": PAGE.replace(b"time", b"day")},
        "a part missing": {"one.html": None},
        "a page more": {"two.html": PAGE},
        "an empty page": {"one.html": b""},
    }
    for name, parts in books.items():
        result = zipped(folder / f"{name}.epub", {part: data for part, data in {**BOOK, **parts}.items() if data is not None})
        add("compare_epub", name, result, book)
    (folder / "bad.epub").write_bytes(b"no book")
    add("compare_epub", "no book", str(folder / "bad.epub"), book)

    (folder / "gold.html").write_text(TABLE)
    for index, (page, options, _) in enumerate(PAGES):
        (folder / f"{index}.html").write_text(page, encoding="utf-8")
        add("compare_htmls", f"page {index}", str(folder / f"{index}.html"), str(folder / "gold.html"), **options)
    (folder / "more.html").write_text(TABLE.replace("</body>", "<hr></body>"))
    add("compare_htmls", "an element more", str(folder / "more.html"), str(folder / "gold.html"))
    return found
