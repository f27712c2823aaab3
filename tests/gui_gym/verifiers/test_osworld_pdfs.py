"""OSWorld's metrics on PDF files, on files that LibreOffice wrote and on broken ones."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

pytest.importorskip("pypdfium2")
pytest.importorskip("rapidfuzz")
pytest.importorskip("scipy")

from gui_gym import Task
from gui_gym.verifiers import EndReason, Outcome, Score, verify
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
    assert pdfs.text_of(DECK) == "1\nTide and harbour\n• boats\n• nets\n2\ncatch\n7\ncrew\n4"
    compare = load_metric("compare_pdfs")
    assert compare(DECK, DECK) == compare([DECK, CHANGED], [DECK, CHANGED]) == 1
    assert compare(CHANGED, DECK) == pytest.approx(1 - 1 / 50)
    assert compare([DECK, None], [DECK, CHANGED]) == compare([DECK, CHANGED], [DECK, None]) == 0.5


def test_texts_of_broken_files(broken: list[str]) -> None:
    compare = load_metric("compare_pdfs")
    for path in broken:
        assert compare(path, DECK) == 0
        assert compare([path, DECK], [DECK, DECK]) == 0.5
    with pytest.raises(UnreadableFile, match="empty: cannot be read"):
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
    assert np.packbits(pdfs.perceptual_hash(image)).tobytes().hex() == "bf37c0c099c9c31d"


def test_files_that_take_too_long_to_read_are_unreadable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdfs, "READ_SECONDS", -1.0)
    with pytest.raises(UnreadableFile, match="expected a PDF file that is read in"):
        pdfs.text_of(DECK)


def test_images_are_bounded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    two = pdf_of(tmp_path / "two.pdf", picture("red"), picture("blue"))
    for limit in ("MAX_IMAGES", "MAX_PIXELS"):
        with monkeypatch.context() as patch:
            patch.setattr(pdfs, limit, 1)
            with pytest.raises(UnreadableFile, match="expected at most"):
                pdfs.image_hashes(two)


@pytest.mark.parametrize("many", [False, True])
def test_the_agents_files_may_be_the_expected_ones(many: bool, guest: Any, tmp_path: Path) -> None:
    """As one of OSWorld's tasks has it: what the author supplied is the result."""
    for name in ("gold.pdf", "more.pdf"):
        (tmp_path / name).write_bytes(Path(DECK).read_bytes())
    names = ["gold.pdf", "more.pdf"] if many else "gold.pdf"
    more: dict[str, Any] = {"multi": True, "gives": [0, 1]} if many else {}
    gold = {
        "type": "cloud_file",
        "path": ["https://example.com/a", "https://example.com/b"] if many else "https://example.com/a",
        "dest": names,
        **more,
    }
    own = {"type": "vm_file", "path": ["/a.pdf"] * 2 if many else "/a.pdf", "dest": names, **more}
    verifier = {"type": "osworld", "func": "compare_pdfs", "result": gold, "expected": own}
    task = Task("t", "osworld", "Export it.", verifier=verifier, params={"cache": str(tmp_path)})
    for content, score in ((Path(DECK).read_bytes(), 1), (b"no PDF", 0)):
        guest.files["/a.pdf"] = content
        assert verify(task, guest, Outcome(EndReason.DONE)) == Score.of(score)
