"""OSWorld's metrics on PDF files, on files that LibreOffice wrote and on broken ones."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

pytest.importorskip("pypdfium2")
pytest.importorskip("rapidfuzz")

from gui_gym.verifiers.osworld.metrics import load_metric, pdfs
from gui_gym.verifiers.osworld.safe_files import UnreadableFile

FILES = Path(__file__).parent / "files" / "slides"
DECK, CHANGED = (str(FILES / f"{name}.pdf") for name in ("deck", "changed"))


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Paths of files that are no PDF files, or not whole ones."""
    folder, whole = tmp_path_factory.mktemp("broken"), Path(DECK).read_bytes()
    for name, data in {"empty": b"", "text": b"hello", "head": whole[:1000], "noise": b"%PDF-1.7\n" + bytes(range(256)) * 4}.items():
        (folder / name).write_bytes(data)
    return [str(path) for path in sorted(folder.iterdir())]


def picture(color: str, corner: tuple[int, int] = (10, 10)) -> Image.Image:
    image = Image.new("RGB", (64, 64), "white")
    image.paste(Image.new("RGB", (30, 20), color), corner)
    return image


def pdf_of(path: Path, *images: Image.Image) -> str:
    """A PDF file with an image on each page."""
    images[0].save(path, "PDF", save_all=True, append_images=images[1:])
    return str(path)


def test_texts() -> None:
    assert pdfs.read_pdf(DECK, "text") == "1\nTide and harbour\n• boats\n• nets\n2\ncatch\n7\ncrew\n4"
    compare = load_metric("compare_pdfs")
    assert compare(DECK, DECK) == compare([DECK, CHANGED], [DECK, CHANGED]) == 1
    assert compare(CHANGED, DECK) == pytest.approx(1 - 1 / 50)
    assert compare([DECK, None], [DECK, CHANGED]) == 0.5


def test_texts_of_broken_files(broken: list[str]) -> None:
    compare = load_metric("compare_pdfs")
    for path in broken:
        assert compare(path, DECK) == 0
        assert compare([path, DECK], [DECK, DECK]) == 0.5
    with pytest.raises(UnreadableFile, match="empty: expected a PDF file"):
        compare(DECK, broken[0])


def test_pages(broken: list[str]) -> None:
    check = load_metric("check_pdf_pages")
    holds = [relation for relation in ("eq", "ne", "lt", "le", "gt", "ge") if check(DECK, {"relation": relation, "ref_value": 2})]
    assert holds == ["eq", "le", "ge"]
    assert check(DECK, {"relation": "lt", "ref_value": 3}) == 1
    assert check(broken[0], {"relation": "ge", "ref_value": 0}) == 0
    with pytest.raises(ValueError, match="relation: expected one of eq, ne"):
        check(DECK, {"relation": "contains", "ref_value": 0})


def test_images(tmp_path: Path, broken: list[str]) -> None:
    compare = load_metric("compare_pdf_images")
    both = pdf_of(tmp_path / "both.pdf", picture("red"), picture("blue"))
    assert compare(both, both) == 1
    assert compare(pdf_of(tmp_path / "half.pdf", picture("red"), picture("red", (30, 40))), both) == 0.5
    assert compare(pdf_of(tmp_path / "one.pdf", picture("red")), both) == 0
    assert compare(CHANGED, DECK) == 1  # the same picture, larger
    assert compare(both, DECK) == 0
    assert compare(broken[0], both) == 0
    with pytest.raises(UnreadableFile):
        compare(both, broken[0])


def test_the_hash_is_that_of_imagehash() -> None:
    """Of the picture in ``deck.fodp``; the reference is ``str(imagehash.phash(image))`` of ImageHash 4.3."""
    import base64
    import re

    text = (FILES / "deck.fodp").read_text()
    found = re.search("<office:binary-data>(.*?)</office:binary-data>", text)
    assert found is not None
    image = Image.open(io.BytesIO(base64.b64decode(found[1])))
    grey = image.convert("L").resize((32, 32), Image.Resampling.LANCZOS)
    assert np.packbits(pdfs._hash(grey.tobytes().hex())).tobytes().hex() == "bf37c0c099c9c31d"


def test_a_reader_that_takes_too_long_is_ended(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    slow = tmp_path / "slow.py"
    slow.write_text("import time\ntime.sleep(600)\n")
    monkeypatch.setattr(pdfs, "_READER", slow)
    monkeypatch.setattr(pdfs, "READ_SECONDS", 0.2)
    with pytest.raises(UnreadableFile, match="read in 0 s"):
        pdfs.read_pdf(DECK, "text")


def test_a_reader_that_crashes_is_an_unreadable_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    crash = tmp_path / "crash.py"
    crash.write_text("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n")
    monkeypatch.setattr(pdfs, "_READER", crash)
    with pytest.raises(UnreadableFile, match="ended with status -9"):
        pdfs.read_pdf(DECK, "text")
