"""Images that GIMP made of ``photo.png``, ``triangle.png``, ``text.png`` and ``object.png``, others drawn here, and what metrics say of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from PIL import Image

FILES = Path(__file__).with_name("files") / "images"


def _open(name: str, mode: str) -> Image.Image:
    return Image.open(FILES / name).convert(mode)


def _hole() -> Image.Image:
    """The triangle in the middle, with a transparent hole where it was."""
    picture = _open("triangle.png", "RGBA")
    triangle = picture.crop((10, 10, 31, 31))
    picture.paste((0, 0, 0, 0), (10, 10, 31, 31))
    picture.paste(triangle, (38, 30))
    return picture


def _no_background() -> Image.Image:
    picture = Image.new("RGBA", (96, 80))
    picture.paste((255, 224, 0, 255), (38, 30, 58, 50))
    return picture


def _palette(index: int) -> Image.Image:
    """An image of one colour, at ``index`` of its palette."""
    picture = Image.new("P", (9, 9), index)
    picture.putpalette([10, 20, 30, 0, 0, 0] if index == 0 else [0, 0, 0, 10, 20, 30])
    return picture


def _transparent_edge() -> Image.Image:
    picture = _open("text.png", "RGBA")
    picture.paste((0, 0, 0, 0), (0, 0, 10, 64))
    return picture


DRAWN: dict[str, Callable[[], Image.Image]] = {
    "darker_rgba.png": lambda: _open("gimp_darker.png", "RGBA"),
    "photo_rgba.png": lambda: _open("photo.png", "RGBA"),
    "triangle_hole.png": _hole,
    "triangle_alone.png": _no_background,
    "white.png": lambda: Image.new("RGB", (90, 90), "white"),
    "palette_0.png": lambda: _palette(0),
    "palette_1.png": lambda: _palette(1),
    "transparent_edge.png": _transparent_edge,
    "wide.png": lambda: Image.new("RGB", (40, 20), (10, 200, 10)),
    "wide_object.png": lambda: Image.new("RGB", (40, 20), "white"),
    "black.png": lambda: Image.new("RGB", (20, 20)),
    "tiny.png": lambda: Image.new("RGB", (3, 3), "red"),
    "speck.png": lambda: Image.new("RGB", (1, 1), "white"),
}


def path(name: Any, folder: Path) -> Any:
    """The file called ``name`` (of each of a list), drawn in ``folder`` if need be; what is no name stays."""
    if isinstance(name, list):
        return [path(item, folder) for item in name]
    if not isinstance(name, str):
        return name
    if name not in DRAWN:
        return str(FILES / name)
    DRAWN[name]().save(folder / name)
    return str(folder / name)


#: Metric, result, expected, options, score.
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
    ("check_triangle_position", "triangle.png", None, {}, 0),
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
    ("compare_image_list", ["photo.png"], ["photo.png", "photo.png"], {}, 0),
    ("check_contrast_increase_and_structure_sim", "darker_rgba.png", "photo.png", {}, 0),
    ("check_triangle_position", "triangle_hole.png", None, {}, 1),
    ("check_triangle_position", "triangle_alone.png", None, {}, 1),
    ("check_triangle_position", "white.png", None, {}, 0),
    ("check_textbox_on_leftside", "transparent_edge.png", None, {}, 0),
    ("check_green_background", "wide.png", "wide_object.png", {}, 1),
    ("check_image_size", "gimp_palette.png", {"height": 64, "width": 96}, {}, 1),
    ("check_brightness_decrease_and_structure_sim", "black.png", "photo.png", {}, 0),
    ("check_structure_sim", "tiny.png", "tiny.png", {}, 0),
    ("compare_images", "tiny.png", "tiny.png", {}, 1),
    ("compare_images", "tiny.png", "photo.png", {}, 0),
    ("compare_images", "speck.png", "white.png", {}, 0),
    ("compare_image_list", "palette_0.png", "palette_1.png", {}, 1),
    ("compare_image_list", "darker_rgba.png", "photo_rgba.png", {}, 0),
]

#: Why OSWorld's own metric says otherwise, by metric and result.
_NEW = "the published client does not have it yet"
_SMALL = "images smaller than the window of 7x7 pixels are an error, so that the agent's work is not judged"
REASONS = {
    ("check_structure_sim_with_threshold", "gimp_photo.jpg"): _NEW,
    ("check_triangle_position", "triangle.png"): "of two colours the commoner one, the background, is taken for the triangle",
    ("check_triangle_position", "triangle_hole.png"): "the second rarest colour is taken for the triangle, whatever the rarest is",
    ("check_triangle_position", "white.png"): "an image of one colour is an error, though the agent made it",
    ("check_contrast_increase_and_structure_sim", "darker_rgba.png"): "an opaque alpha channel counts as one more colour beside the dark ones",
    ("check_textbox_on_leftside", "transparent_edge.png"): "the black under full transparency is taken for text",
    ("check_green_background", "wide.png"): "rows and columns are mixed up, so that only square images are judged",
    ("check_brightness_decrease_and_structure_sim", "black.png"): "a black image divides by zero, though the agent made it",
    ("compare_images", "tiny.png"): _SMALL,
    ("compare_images", "speck.png"): _SMALL,
    ("compare_image_list", "['photo.png']"): "images that are missing at the end are not noticed",
    ("compare_image_list", "palette_0.png"): "indices are compared, whatever colours the palettes give them",
    ("compare_image_list", "darker_rgba.png"): "of images with alpha only the alpha is compared",
}
