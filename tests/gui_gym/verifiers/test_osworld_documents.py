"""Metrics on text documents: each says yes and no, the agent's broken file is 0, the author's raises."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import pytest

for library in ("docx", "rapidfuzz", "skimage", "lxml"):
    pytest.importorskip(library)

from document_cases import CASES, TEXT, Change, document, lines, sides, table  # noqa: E402

from gui_gym.verifiers.osworld.metrics import MODULES, load_metric  # noqa: E402
from gui_gym.verifiers.osworld.safe_files import UnreadableFile  # noqa: E402

DOCUMENTS = [*MODULES["documents.texts"], *MODULES["documents.looks"]]


@pytest.mark.parametrize(("metric", "result", "expected", "options", "score"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_cases(metric: str, result: list[Change], expected: Any, options: dict[str, Any], score: float, tmp_path: Path) -> None:
    assert load_metric(metric)(*sides(tmp_path, 0, result, expected), **options) == pytest.approx(score)


def test_every_metric_says_yes_and_no() -> None:
    for name in DOCUMENTS:
        scores = {case[5] for case in CASES if case[1] == name}
        assert 0 in scores and 1 in scores, name


ONE_OF_EACH = {case[1]: case for case in CASES if case[5] == 1}


@pytest.mark.parametrize("metric", DOCUMENTS)
@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 half", b"<html>"])
def test_a_broken_document(metric: str, content: bytes, tmp_path: Path) -> None:
    _, _, result, expected, options, _ = ONE_OF_EACH[metric]
    good, *gold = sides(tmp_path, 0, result, expected)
    bad = tmp_path / "bad.docx"
    bad.write_bytes(content)
    assert load_metric(metric)(str(bad), *gold, **options) == 0
    if isinstance(expected, list):
        broken = [str(bad)] * 2 if isinstance(gold[0], list) else str(bad)
        with pytest.raises(UnreadableFile, match="bad.docx"):
            load_metric(metric)(good, broken, **options)


def test_documents_of_two_kinds_are_the_authors_mistake(tmp_path: Path) -> None:
    good = document(tmp_path / "a.docx", TEXT)
    with pytest.raises(ValueError, match="expected two .docx or two .odt files, got 'a.docx' and 'b.txt'"):
        load_metric("compare_docx_files")(good, "b.txt")
    with pytest.raises(ValueError, match="expected two files, got 1"):
        load_metric("compare_unique_train_records")(good, [good])


ODT = b"""<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
 xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><office:body><office:text>%s</office:text></office:body></office:document-content>"""


def odt(path: Path, body: bytes) -> str:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("content.xml", ODT % body)
    return str(path)


def test_text_of_an_odt_document(tmp_path: Path) -> None:
    compare = load_metric("compare_docx_files")
    gold = odt(tmp_path / "gold.odt", b"<text:h>Title</text:h><text:p>a  b<text:span>c</text:span></text:p>")
    same = odt(tmp_path / "same.odt", b'<text:h>Ti<text:span>tle</text:span></text:h><text:p>a<text:s text:c="2"/>bc</text:p>')
    deleted = b"<text:tracked-changes><text:p>gone</text:p></text:tracked-changes>"
    tracked = odt(tmp_path / "tracked.odt", deleted + b"<text:h>Title</text:h><text:p>a b<text:line-break/>c</text:p>")
    other = odt(tmp_path / "other.odt", b"<text:h>Other</text:h><text:p>a bc</text:p>")
    assert [compare(path, gold, ignore_blanks=False) for path in (gold, same, tracked, other)] == [1, 1, 0, 0]
    assert [compare(path, gold) for path in (same, tracked, other)] == [1, 0, 0]
    half = odt(tmp_path / "half.odt", b"<text:p>")
    assert compare(half, gold) == 0
    with pytest.raises(UnreadableFile, match="half.odt"):
        compare(gold, half)


def test_hostile_documents_are_refused(tmp_path: Path) -> None:
    good = document(tmp_path / "good.docx", TEXT, table(["a", "b"]))
    wide, circle, entities = (edit(Path(good), tmp_path / f"{name}.docx", *change) for name, change in HOSTILE.items())
    assert load_metric("compare_docx_tables")(wide, good) == 0
    assert load_metric("compare_font_names")(circle, {"font_name": "Other"}) == 0
    assert load_metric("compare_docx_files")(entities, good) == 0
    nest = b"<text:span>" * 5000 + b"x" + b"</text:span>" * 5000
    assert load_metric("compare_docx_files")(odt(tmp_path / "deep.odt", nest), odt(tmp_path / "gold.odt", b"")) == 0


HOSTILE = {
    "wide": ("word/document.xml", b"<w:tcPr>", b'<w:tcPr><w:gridSpan w:val="2000000000"/>'),
    "circle": ("word/styles.xml", b'<w:name w:val="Normal"/>', b'<w:name w:val="Normal"/><w:basedOn w:val="Normal"/>'),
    "entities": ("word/document.xml", b"<w:document ", b'<!DOCTYPE x [<!ENTITY a "aaaa">]><w:document '),
}


def edit(source: Path, target: Path, name: str, old: bytes, new: bytes) -> str:
    """A copy of an archive with bytes of one part replaced."""
    with zipfile.ZipFile(source) as archive, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as copy:
        for item in archive.namelist():
            data = archive.read(item)
            assert item != name or old in data
            copy.writestr(item, data.replace(old, new) if item == name else data)
    return str(target)


def test_a_paragraph_that_a_link_or_an_insertion_is_part_of(tmp_path: Path) -> None:
    document(tmp_path / "a.docx", lines("seen"))
    linked = edit(tmp_path / "a.docx", tmp_path / "b.docx", "word/document.xml", b"<w:r>", b'<w:ins w:id="1"><w:r>')
    linked = edit(Path(linked), tmp_path / "c.docx", "word/document.xml", b"</w:r>", b"</w:r></w:ins>")
    assert load_metric("compare_font_names")(linked, {"font_name": "Other"}) == 0
