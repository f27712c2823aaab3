"""Metrics on images."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("skimage")

import numpy as np
from image_cases import CASES, FILES, path
from PIL import Image, ImageDraw, ImageFont

from gui_gym.verifiers.osworld.metrics import MODULES, load_metric
from gui_gym.verifiers.osworld.safe_files import UnreadableFile


@pytest.mark.parametrize(("name", "result", "expected", "options", "score"), CASES)
def test_scores(name: str, result: Any, expected: Any, options: dict[str, Any], score: float, tmp_path: Path) -> None:
    arguments = [path(side, tmp_path) for side in (result, expected) if side is not None]
    assert load_metric(name)(*arguments, **options) == pytest.approx(score, abs=1e-5)


def test_every_metric_has_an_example() -> None:
    assert set(MODULES["images"]) == {row[0] for row in CASES}


@pytest.mark.parametrize("content", [b"", b"no image", (FILES / "photo.png").read_bytes()[:2000]], ids=["empty", "text", "half"])
@pytest.mark.parametrize("name", MODULES["images"])
def test_the_agents_file_that_is_no_image_is_0(name: str, content: bytes, tmp_path: Path) -> None:
    bad = tmp_path / "bad.png"
    bad.write_bytes(content)
    expected = {"width": 1, "height": 1, "max_size": 10**6} if name in ("check_image_size", "check_image_file_size") else str(FILES / "photo.png")
    assert load_metric(name)(str(bad), expected) == 0.0


@pytest.mark.parametrize("name", ["check_structure_sim", "compare_images", "compare_image_list", "check_image_mirror"])
def test_the_authors_file_that_is_no_image_is_an_error(name: str, tmp_path: Path) -> None:
    bad = tmp_path / "gold.png"
    bad.write_bytes(b"no image")
    with pytest.raises(UnreadableFile, match="gold.png"):
        load_metric(name)(str(FILES / "photo.png"), str(bad))


def _save(image: Image.Image, where: Path) -> str:
    image.save(where)
    return str(where)


def test_similarity_is_never_negative(tmp_path: Path) -> None:
    noise = np.random.default_rng(0).integers(0, 256, (32, 32), np.uint8)
    one, other = (_save(Image.fromarray(pixels), tmp_path / f"{i}.png") for i, pixels in enumerate((noise, 255 - noise)))
    assert load_metric("compare_images")(one, other) == 0.0


def test_text_in_a_terminal(tmp_path: Path) -> None:
    if shutil.which("tesseract") is None:
        pytest.skip("needs tesseract")
    screen = Image.new("RGB", (640, 200), "#300a24")
    draw, font = ImageDraw.Draw(screen), ImageFont.load_default(15)
    for row, line in enumerate(["user@guest:~$ ls", "Desktop  Documents  Music  Pictures", "user@guest:~$"]):
        draw.text((8, 8 + 20 * row), line, "white", font)
    shot, read = _save(screen, tmp_path / "ls.png"), load_metric("compare_image_text")
    assert read(shot, {"type": "text", "text": "Documents"}) == 1.0
    assert read(shot, {"type": "text", "text": "Videos"}) == 0.0
    assert read(str(FILES / "photo.png"), {"type": "text", "text": "ls"}) == 0.0
    with pytest.raises(ValueError, match="type: expected 'text', got 'regex'"):
        read(shot, {"type": "regex", "text": "ls"})
