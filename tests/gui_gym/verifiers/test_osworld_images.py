"""Metrics on images: what GIMP made of ``photo.png``, ``triangle.png``, ``text.png`` and ``object.png``, and images that are no such things."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("skimage")

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from gui_gym.verifiers.osworld.metrics import MODULES, load_metric
from gui_gym.verifiers.osworld.safe_files import UnreadableFile

FILES = Path(__file__).with_name("files") / "images"

#: Where OSWorld's metric says otherwise, the comment tells why it is wrong.
CASES: list[tuple[str, Any, Any, dict[str, Any], float]] = [
    ("check_brightness_decrease_and_structure_sim", "gimp_darker.png", "photo.png", {}, 1),
    ("check_brightness_decrease_and_structure_sim", "photo.png", "gimp_darker.png", {}, 0),
    ("check_brightness_decrease_and_structure_sim", "gimp_mirror.png", "photo.png", {}, 0),
    ("check_brightness_decrease_and_structure_sim", "gimp_darker.png", "photo.png", {"threshold": 1e-6}, 0),
    ("check_saturation_increase_and_structure_sim", "gimp_saturated.png", "photo.png", {}, 1),
    ("check_saturation_increase_and_structure_sim", "photo.png", "gimp_saturated.png", {}, 0),
    ("check_contrast_increase_and_structure_sim", "gimp_contrast.png", "photo.png", {}, 1),
    ("check_contrast_increase_and_structure_sim", "photo.png", "gimp_contrast.png", {}, 0),
    ("check_contrast_increase_and_structure_sim", "gimp_darker.png", "photo.png", {}, 0),
    ("check_image_mirror", "gimp_mirror.png", "photo.png", {}, 1),
    ("check_image_mirror", "photo.png", "photo.png", {}, 0),
    ("check_palette_and_structure_sim", "gimp_palette.png", "photo.png", {}, 1),
    ("check_palette_and_structure_sim", "photo.png", "photo.png", {}, 0),
    ("check_palette_and_structure_sim", "gimp_palette.png", "gimp_mirror.png", {}, 0),
    ("check_structure_sim", "gimp_photo.jpg", "photo.png", {}, 1),
    ("check_structure_sim", "gimp_mirror.png", "photo.png", {}, 0),
    ("check_structure_sim", "gimp_scaled.png", "photo.png", {}, 0),
    ("check_structure_sim_with_threshold", "gimp_photo.jpg", "photo.png", {"ssim_threshold": 0.85}, 1),
    ("check_structure_sim_with_threshold", "gimp_photo.jpg", "photo.png", {"ssim_threshold": 0.9999}, 0),
    ("check_file_exists_and_structure_sim", "gimp_photo.jpg", "photo.png", {}, 1),
    ("check_file_exists_and_structure_sim", "gimp_mirror.png", "photo.png", {}, 0),
    ("check_structure_sim_resized", "gimp_scaled.png", "photo.png", {}, 1),
    ("check_structure_sim_resized", "gimp_layer_scaled.png", "photo.png", {}, 1),
    ("check_structure_sim_resized", "gimp_mirror.png", "photo.png", {}, 0),
    ("check_image_size", "gimp_scaled.png", {"height": 48}, {}, 1),
    ("check_image_size", "gimp_scaled.png", {"height": 48, "width": 96}, {}, 0),
    ("check_image_size", "gimp_layer_scaled.png", {"height": 48, "ignore_transparent": True}, {}, 1),
    ("check_image_file_size", "gimp_photo.jpg", {"max_size": 6000}, {}, 1),
    ("check_image_file_size", "gimp_photo.jpg", {"max_size": 5000}, {}, 0),
    ("check_triangle_position", "gimp_triangle.png", None, {}, 1),
    ("check_triangle_position", "triangle.png", None, {}, 0),  # of two colours OSWorld's takes the commoner one, the background
    ("check_textbox_on_leftside", "gimp_text.png", None, {}, 1),
    ("check_textbox_on_leftside", "text.png", None, {}, 0),
    ("check_green_background", "gimp_green.png", "object.png", {}, 1),
    ("check_green_background", "object.png", "object.png", {}, 0),
    ("check_green_background", "photo.png", "object.png", {}, 0),
    ("compare_images", "photo.png", "photo.png", {}, 1),
    ("compare_images", "gimp_photo.jpg", "photo.png", {"unknown": 1}, 0.992463),
    ("compare_images", "gimp_mirror.png", "photo.png", {}, 0.377073),
    ("compare_images", "gimp_scaled.png", "photo.png", {}, 0.994703),
    ("compare_images", "gimp_photo.jpg", "photo.png", {"reference_base_result": 0.5}, 0.984925),
    ("compare_images", "gimp_mirror.png", "photo.png", {"reference_base_result": 0.5}, 0),
    ("compare_image_list", "photo.png", "photo.png", {}, 1),
    ("compare_image_list", ["photo.png", "text.png"], ["photo.png", "text.png"], {}, 1),
    ("compare_image_list", ["photo.png", "gimp_photo.jpg"], ["photo.png", "photo.png"], {}, 0),
    ("compare_image_list", ["photo.png", None], ["photo.png", "photo.png"], {}, 0),
    ("compare_image_list", ["photo.png"], ["photo.png", "photo.png"], {}, 0),  # OSWorld's compares only as many as there are
]


def _path(name: Any) -> Any:
    return [_path(item) for item in name] if isinstance(name, list) else str(FILES / name) if isinstance(name, str) else name


@pytest.mark.parametrize(("name", "result", "expected", "options", "score"), CASES)
def test_what_gimp_made(name: str, result: Any, expected: Any, options: dict[str, Any], score: float) -> None:
    arguments = [_path(result)] if expected is None else [_path(result), _path(expected)]
    assert load_metric(name)(*arguments, **options) == pytest.approx(score, abs=1e-5)


def test_every_metric_has_an_example() -> None:
    assert set(MODULES["images"]) == {row[0] for row in CASES}


@pytest.mark.parametrize("content", [b"", b"no image", (FILES / "photo.png").read_bytes()[:2000]], ids=["empty", "text", "half"])
@pytest.mark.parametrize("name", MODULES["images"])
def test_the_agents_file_that_is_no_image_is_0(name: str, content: bytes, tmp_path: Path) -> None:
    bad = tmp_path / "bad.png"
    bad.write_bytes(content)
    expected = {"width": 1, "height": 1, "max_size": 10**6} if name in ("check_image_size", "check_image_file_size") else _path("photo.png")
    assert load_metric(name)(str(bad), expected) == 0.0


@pytest.mark.parametrize("name", ["check_structure_sim", "compare_images", "compare_image_list", "check_image_mirror"])
def test_the_authors_file_that_is_no_image_is_an_error(name: str, tmp_path: Path) -> None:
    bad = tmp_path / "gold.png"
    bad.write_bytes(b"no image")
    with pytest.raises(UnreadableFile, match="gold.png"):
        load_metric(name)(_path("photo.png"), str(bad))


def _save(image: Image.Image, path: Path) -> str:
    image.save(path)
    return str(path)


def test_a_triangle_cut_from_its_place_may_leave_a_transparent_hole(tmp_path: Path) -> None:
    picture = Image.open(_path("triangle.png")).convert("RGBA")
    triangle = picture.crop((10, 10, 31, 31))
    moved = picture.copy()
    moved.paste((0, 0, 0, 0), (10, 10, 31, 31))
    moved.paste(triangle, (38, 30))
    assert load_metric("check_triangle_position")(_save(moved, tmp_path / "a.png")) == 1.0
    clear = Image.new("RGBA", picture.size)
    clear.paste((255, 224, 0, 255), (38, 30, 58, 50))
    assert load_metric("check_triangle_position")(_save(clear, tmp_path / "b.png")) == 1.0
    assert load_metric("check_triangle_position")(_save(Image.new("RGB", (90, 90), "white"), tmp_path / "c.png")) == 0.0


def test_alpha_plays_no_part_in_contrast(tmp_path: Path) -> None:
    """Opaque alpha beside dark colours is no contrast; OSWorld's counts it as one more colour."""
    with_alpha = Image.open(_path("gimp_darker.png")).convert("RGBA")
    assert load_metric("check_contrast_increase_and_structure_sim")(_save(with_alpha, tmp_path / "a.png"), _path("photo.png")) == 0.0


def test_equal_alpha_does_not_make_images_equal(tmp_path: Path) -> None:
    """OSWorld's looks only at where alpha differs."""
    one, other = (_save(Image.open(_path(name)).convert("RGBA"), tmp_path / name) for name in ("gimp_darker.png", "photo.png"))
    assert load_metric("compare_image_list")(one, other) == 0.0


def test_palettes_are_compared_by_their_colours(tmp_path: Path) -> None:
    first, second = Image.new("P", (9, 9), 0), Image.new("P", (9, 9), 1)
    first.putpalette([10, 20, 30, 0, 0, 0])
    second.putpalette([0, 0, 0, 10, 20, 30])
    paths = [_save(image, tmp_path / f"{i}.png") for i, image in enumerate((first, second))]
    assert load_metric("compare_image_list")(*paths) == 1.0


def test_what_is_transparent_is_no_dark_text(tmp_path: Path) -> None:
    """OSWorld's takes the black under full transparency for text."""
    picture = Image.open(_path("text.png")).convert("RGBA")
    picture.paste((0, 0, 0, 0), (0, 0, 10, 64))
    assert load_metric("check_textbox_on_leftside")(_save(picture, tmp_path / "a.png")) == 0.0


def test_tiny_and_black_images_divide_nothing_by_zero(tmp_path: Path) -> None:
    black, tiny = _save(Image.new("RGB", (20, 20)), tmp_path / "black.png"), _save(Image.new("RGB", (3, 3), "red"), tmp_path / "tiny.png")
    assert load_metric("check_brightness_decrease_and_structure_sim")(black, _path("photo.png")) == 0.0
    assert load_metric("check_structure_sim")(tiny, tiny) == 0.0
    assert load_metric("compare_images")(tiny, tiny) == 1.0
    assert load_metric("compare_images")(tiny, _path("photo.png")) == 0.0


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
    path, read = _save(screen, tmp_path / "ls.png"), load_metric("compare_image_text")
    assert read(path, {"type": "text", "text": "Documents"}) == 1.0
    assert read(path, {"type": "text", "text": "Videos"}) == 0.0
    assert read(_path("photo.png"), {"type": "text", "text": "ls"}) == 0.0
    with pytest.raises(ValueError, match="type: expected 'text', got 'regex'"):
        read(path, {"type": "regex", "text": "ls"})
