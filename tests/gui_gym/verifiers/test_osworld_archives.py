"""OSWorld's metrics on archives, electronic books and web pages."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("lxml")

from gui_gym.verifiers.osworld.metrics import archives, load_metric
from gui_gym.verifiers.osworld.safe_files import UnreadableFile

FILES = Path(__file__).parent / "files" / "slides"
TEXTS = {"a.txt": b"one", "sub/b.txt": b"two"}


def zipped(path: Path, files: dict[str, bytes]) -> str:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return str(path)


def tarred(mode: Any) -> Callable[[Path, dict[str, bytes]], str]:
    def write(path: Path, files: dict[str, bytes]) -> str:
        with tarfile.open(path, mode) as archive:
            for name, data in files.items():
                member = tarfile.TarInfo(name)
                member.size = len(data)
                archive.addfile(member, io.BytesIO(data))
        return str(path)

    return write


MAKERS = {"zip": zipped, "tar": tarred("w"), "tar.gz": tarred("w:gz"), "tar.bz2": tarred("w:bz2"), "tar.xz": tarred("w:xz")}
compare = load_metric("compare_archive")


@pytest.mark.parametrize("kind", MAKERS)
def test_archives_of_each_kind(kind: str, tmp_path: Path) -> None:
    make = MAKERS[kind]
    gold = zipped(tmp_path / "gold", TEXTS)
    assert compare(make(tmp_path / "a", {f"./{name}": data for name, data in TEXTS.items()}), gold) == 1
    assert compare(make(tmp_path / "b", {**TEXTS, "a.txt": b"other"}), gold) == 0.5
    assert compare(make(tmp_path / "c", {**TEXTS, "more.txt": b""}), gold) == 0
    assert compare(make(tmp_path / "d", {"a.txt": b"one"}), gold) == 0
    assert compare(make(tmp_path / "e", {"in/x": b"1", "out/y": b"2"}), make(tmp_path / "f", {"in/x": b"1"}), file_path="in") == 1
    whole = (tmp_path / "a").read_bytes()
    (tmp_path / "half").write_bytes(whole[: min(len(whole) // 2, 1100)])
    assert compare(str(tmp_path / "half"), gold) == 0


def test_the_type_says_how_files_are_compared(tmp_path: Path) -> None:
    pytest.importorskip("pypdfium2")
    pdfs = [(FILES / f"{name}.pdf").read_bytes() for name in ("deck", "changed")]
    result, gold = zipped(tmp_path / "a.zip", {"x.pdf": pdfs[1]}), zipped(tmp_path / "b.zip", {"x.pdf": pdfs[0]})
    assert compare(result, gold, file_type="pdf") == pytest.approx(0.98)
    assert compare(result, gold) == 0
    assert compare(zipped(tmp_path / "c.zip", {"a": b"A "}), zipped(tmp_path / "d.zip", {"a": b"a"}), ignore_case=True, ignore_blanks=True) == 1
    with pytest.raises(ValueError, match="file_type: expected one of text, pdf"):
        compare(result, gold, file_type="odt")


def test_broken_archives(tmp_path: Path) -> None:
    gold = zipped(tmp_path / "gold.zip", TEXTS)
    for name, data in {"empty": b"", "text": b"hello", "gzip": gzip.compress(b"hello"), "odd": b"\x1f\x8bhello"}.items():
        (tmp_path / name).write_bytes(data)
        assert compare(str(tmp_path / name), gold) == 0
        with pytest.raises((UnreadableFile, ValueError)):
            compare(gold, str(tmp_path / name))
    with pytest.raises(ValueError, match="expected files in 'none'"):
        compare(gold, gold, file_path="none")


def test_nothing_is_written_outside_the_folder(tmp_path: Path) -> None:
    folder = tmp_path / "private" / "fetched"
    folder.mkdir(parents=True)
    for name in ("../escaped", f"{tmp_path}/escaped", "in/../../escaped"):
        for make in (zipped, tarred("w")):
            result = make(folder / "result", {name: b"x", "a.txt": b"one"})
            assert compare(result, zipped(folder / "gold", {"a.txt": b"one"})) <= 1
    with tarfile.open(folder / "links", "w") as archive:
        for name, kind, target in (
            ("link", tarfile.SYMTYPE, "/etc/passwd"),
            ("hard", tarfile.LNKTYPE, "/etc/passwd"),
            ("pipe", tarfile.FIFOTYPE, ""),
        ):
            member = tarfile.TarInfo(name)
            member.type, member.linkname = kind, target
            archive.addfile(member)
    (tmp_path / "out").mkdir()
    assert archives.unpack(str(folder / "links"), tmp_path / "out" / "links") == {}
    assert {path.name for path in tmp_path.rglob("*") if "escaped" in path.name} == set()


def test_bombs_are_unreadable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MAX_UNPACKED", 1 << 20)
    monkeypatch.setattr(archives, "MAX_FILES", 50)
    gold = zipped(tmp_path / "gold.zip", {"a": b""})
    large, many = {"a": bytes(2 << 20)}, {str(number): b"" for number in range(60)}
    for make in MAKERS.values():
        for files in (large, many):
            with pytest.raises(UnreadableFile, match="expected at most"):
                archives.unpack(make(tmp_path / "bomb", files), tmp_path / f"out{len(list(tmp_path.iterdir()))}")
            assert compare(str(tmp_path / "bomb"), gold) == 0


def test_zip_files(tmp_path: Path) -> None:
    pytest.importorskip("pypdfium2")
    metric = load_metric("compare_zip_files")
    deck, changed = ((FILES / f"{name}.pdf").read_bytes() for name in ("deck", "changed"))
    gold = zipped(tmp_path / "gold.zip", {**TEXTS, "x.PDF": deck})
    assert metric(zipped(tmp_path / "a.zip", {**TEXTS, "x.PDF": deck}), gold) == 1
    assert metric(zipped(tmp_path / "b.zip", {**TEXTS, "x.PDF": changed}), gold) == 1  # 98 % alike
    assert metric(zipped(tmp_path / "c.zip", {**TEXTS, "x.PDF": b"no"}), gold) == 0
    assert metric(zipped(tmp_path / "d.zip", {**TEXTS, "x.PDF": deck, "a.txt": b"One"}), gold) == 0
    assert metric(zipped(tmp_path / "e.zip", TEXTS), gold) == 0
    (tmp_path / "bad").write_bytes(b"PK\3\4")
    assert metric(str(tmp_path / "bad"), gold) == 0
    with pytest.raises(UnreadableFile):
        metric(gold, str(tmp_path / "bad"))


PAGE = b"<html><head><title>One</title></head><body><p>Once upon</p><p>a time</p></body></html>"
BOOK = {
    "mimetype": b"application/epub+zip",
    "toc.ncx": b'<ncx>\n<navMap>\n<navPoint id="1">\n<text>One</text>\n</navPoint>\n</navMap>\n</ncx>\n',
    "content.opf": b"<package>\n<dc:identifier>1</dc:identifier>\n<dc:title>Book</dc:title>\n</package>\n",
    "one.html": PAGE,
}


def test_books(tmp_path: Path) -> None:
    metric = load_metric("compare_epub")
    gold = zipped(tmp_path / "gold.epub", BOOK)

    def score(**parts: bytes | None) -> float:
        named = {"toc": "toc.ncx", "opf": "content.opf", "one": "one.html", "two": "two.html"}
        changed = {**BOOK, **{named[name]: data for name, data in parts.items()}}
        return metric(zipped(tmp_path / "book.epub", {name: data for name, data in changed.items() if data is not None}), gold)

    assert score() == 1
    assert score(toc=BOOK["toc.ncx"].replace(b'"1"', b'"other"'), opf=BOOK["content.opf"].replace(b">1<", b">2<")) == 1
    assert score(one=PAGE.replace(b"><", b">\n<")) == 1
    assert score(one=None) == pytest.approx(2 / 3)
    assert score(two=PAGE) == pytest.approx(3 / 4)
    assert 2 / 3 < score(one=PAGE.replace(b"time", b"day")) < 1
    assert score(one=b"") == pytest.approx(2 / 3)
    (tmp_path / "bad").write_bytes(b"no book")
    assert metric(str(tmp_path / "bad"), gold) == 0
    assert metric(zipped(tmp_path / "none.epub", {"x": b""}), gold) == 0
    with pytest.raises(ValueError, match="expected a book"):
        metric(gold, zipped(tmp_path / "none.epub", {"x": b""}))
    with pytest.raises(UnreadableFile):
        metric(gold, str(tmp_path / "bad"))


TABLE = '<html><body><table><tr><td sdval="1" sdnum="1033;">1</td></tr></table></body></html>'


PAGES: list[tuple[str, dict[str, Any], float]] = [
    (TABLE, {}, 1),
    (TABLE.upper().replace("SD", "sd"), {}, 1),
    (TABLE.replace('sdnum="1033;"', 'sdnum="2057;"'), {}, 0),
    (TABLE.replace('sdnum="1033;"', 'sdnum="2057;"'), {"ignore_sdnum": True}, 1),
    (TABLE.replace(' sdnum="1033;"', ""), {"ignore_sdnum": True, "unknown": 1}, 1),
    (TABLE.replace('sdval="1"', 'sdval="2"'), {"ignore_sdnum": True}, 0),
    (TABLE.replace(">1<", ">2<"), {"ignore_sdnum": True}, 0),
    (TABLE.replace("</table>", "</table><hr>"), {}, 0),
    ("", {}, 0),
    ("\0\xff", {}, 0),
    ("<b>" * 50_000, {}, 0),
]


@pytest.mark.parametrize(("page", "options", "score"), PAGES)
def test_web_pages(page: str, options: dict[str, object], score: float, tmp_path: Path) -> None:
    (tmp_path / "result.html").write_text(page, "latin-1")
    (tmp_path / "gold.html").write_text(TABLE)
    assert load_metric("compare_htmls")(str(tmp_path / "result.html"), str(tmp_path / "gold.html"), **options) == score


def test_books_of_too_many_lines_are_unreadable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MAX_LINES", 10)
    gold = zipped(tmp_path / "gold.epub", BOOK)
    assert load_metric("compare_epub")(zipped(tmp_path / "a.epub", {**BOOK, "toc.ncx": b"a\n" * 11}), gold) == 0
