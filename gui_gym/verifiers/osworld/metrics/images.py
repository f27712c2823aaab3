"""Metrics on images. Structural similarity (SSIM) is scikit-image's with its 7x7 window.

``result`` is the agent's image and ``expected`` the author's, both paths, unless a metric says otherwise.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from PIL import Image, ImageChops, ImageStat
from skimage.metrics import structural_similarity

from gui_gym.verifiers.osworld.safe_files import open_image, zero_if_unreadable

WINDOW = 7  #: side of SSIM's window, pixels
ALIKE = 0.9  #: least SSIM of images of one structure
MIRRORED = 0.99  #: least SSIM of an image and its mirror image
CONTRAST_ALIKE = 0.65  #: least SSIM where contrast was raised
MID_GREY = 128.0  #: mean grey value that both images are brought to before their pixels are compared
DARK = 128  #: grey values below are dark
EDGE = 0.05  #: what part of a side is "at its edge", or "in the middle"
GAIN = 0.01  #: how much better than the reference a comparison must be to count


def ssim(first: Image.Image, second: Image.Image) -> float:
    """Mean SSIM of two images as RGB; 0 if their sizes differ, or if they are smaller than the window."""
    if first.size != second.size or min(first.size) < WINDOW:
        return 0.0
    return float(structural_similarity(np.asarray(first.convert("RGB")), np.asarray(second.convert("RGB")), channel_axis=2))


def _grey(image: Image.Image) -> float:
    """Mean grey value in [0, 255]."""
    return ImageStat.Stat(image.convert("L")).mean[0]


def _content(image: Image.Image) -> Image.Image | None:
    """What is not fully transparent, without the rows and columns around it; None if nothing is."""
    alpha = image.convert("RGBA").getchannel("A")
    box = alpha.getbbox()
    return image.crop(box) if box else None


def _is_transparent(image: Image.Image) -> bool:
    return image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info


@zero_if_unreadable
def compare_images(result: str, expected: str, reference_base_result: float | None = None, **options: Any) -> float:
    """SSIM of the two as grey images of the smaller one's size, at least 0. Where one is smaller than the window, 1 if they are the same.

    ``reference_base_result`` is the SSIM of an image where nothing was done: the score is then how far between that and 1 it is.
    """
    images = [open_image(path).convert("L") for path in (result, expected)]
    size = min(image.size for image in images)
    arrays = [np.asarray(image.resize(size, Image.Resampling.LANCZOS)) for image in images]
    if min(size) < WINDOW:
        similarity = float(images[0].size == images[1].size and np.array_equal(arrays[0], arrays[1]))
    else:
        similarity = max(0.0, float(structural_similarity(arrays[0], arrays[1])))
    if reference_base_result is None:
        return similarity
    return (similarity - reference_base_result) / (1.0 - reference_base_result) if similarity >= reference_base_result + GAIN else 0.0


@zero_if_unreadable
def compare_image_list(result: str | Sequence[str | None], expected: str | Sequence[str]) -> float:
    """1 if each image's pixels are its counterpart's, once scaled to the size and brought to the mode of that."""
    results = [result] if isinstance(result, str) else list(result)
    golds = [expected] if isinstance(expected, str) else list(expected)
    return float(len(results) == len(golds) and all(one is not None and _same_pixels(one, gold) for one, gold in zip(results, golds, strict=True)))


def _same_pixels(result: str, expected: str) -> bool:
    gold, image = open_image(expected), open_image(result)
    if image.size != gold.size:
        image = image.resize(gold.size, Image.Resampling.LANCZOS)
    if "P" in (image.mode, gold.mode):  # equal indices say nothing: palettes differ
        image, gold = image.convert("RGBA"), gold.convert("RGBA")
    return ImageChops.difference(image.convert(gold.mode), gold).getbbox(alpha_only=False) is None


@zero_if_unreadable
def check_structure_sim(result: str, expected: str) -> float:
    """1 if the two are of one size and their SSIM is at least 0.9."""
    return float(ssim(open_image(result), open_image(expected)) >= ALIKE)


@zero_if_unreadable
def check_structure_sim_with_threshold(result: str, expected: str, ssim_threshold: float = ALIKE, **options: Any) -> float:
    """1 if the two are of one size and their SSIM is at least ``ssim_threshold``."""
    return float(ssim(open_image(result), open_image(expected)) >= ssim_threshold)


check_file_exists_and_structure_sim = check_structure_sim


@zero_if_unreadable
def check_structure_sim_resized(result: str, expected: str) -> float:
    """1 if the image, without transparent edges and scaled to the size of ``expected``, has an SSIM of at least 0.9 with it."""
    image, gold = open_image(result), open_image(expected)
    content = _content(image.convert("RGBA")) if _is_transparent(image) else image
    return float(content is not None and ssim(content.convert("RGB").resize(gold.size), gold) >= ALIKE)


@zero_if_unreadable
def check_image_mirror(result: str, expected: str) -> float:
    """1 if the image is the mirror image (left to right) of ``expected``: an SSIM of at least 0.99."""
    return float(ssim(open_image(result).transpose(Image.Transpose.FLIP_LEFT_RIGHT), open_image(expected)) >= MIRRORED)


@zero_if_unreadable
def check_palette_and_structure_sim(result: str, expected: str) -> float:
    """1 if the image has a palette and an SSIM of at least 0.9 with ``expected``."""
    image = open_image(result)
    return float(image.mode == "P" and ssim(image, open_image(expected)) >= ALIKE)


@zero_if_unreadable
def check_brightness_decrease_and_structure_sim(result: str, expected: str, threshold: float = 0.03, **options: Any) -> float:
    """1 if ``result`` is darker than ``expected`` and shows the same.

    The same: once both have a mean grey value of 128, and ``result`` the size of ``expected``, the mean squared difference of their
    RGB values in [0, 1] is below ``threshold``. Task files name the author's image as ``result`` where the agent is to brighten it.
    """
    images = [open_image(path).convert("RGB") for path in (result, expected)]
    greys = [_grey(image) for image in images]
    if not 0.0 < greys[0] < greys[1]:
        return 0.0
    dark, bright = (image.point([min(255, int(x * MID_GREY / grey)) for x in range(256)] * 3) for image, grey in zip(images, greys, strict=True))
    if dark.size != bright.size:
        dark = dark.resize(bright.size, Image.Resampling.LANCZOS)
    difference = (np.asarray(dark, np.float32) - np.asarray(bright, np.float32)) / 255.0
    return float(np.mean(difference**2) < threshold)


@zero_if_unreadable
def check_saturation_increase_and_structure_sim(result: str, expected: str) -> float:
    """1 if the image is on average more saturated than ``expected``, and the SSIM of their hues and of their values (HSV) is at least 0.9."""
    image, gold = (open_image(path).convert("RGB").convert("HSV") for path in (result, expected))
    saturated = ImageStat.Stat(image.getchannel("S")).mean[0] > ImageStat.Stat(gold.getchannel("S")).mean[0]
    return float(saturated and all(ssim(image.getchannel(channel), gold.getchannel(channel)) >= ALIKE for channel in "HV"))


@zero_if_unreadable
def check_contrast_increase_and_structure_sim(result: str, expected: str) -> float:
    """1 if the RGB values of the image have a larger standard deviation than those of ``expected``, and their SSIM is at least 0.65."""
    image, gold = (open_image(path).convert("RGB") for path in (result, expected))
    higher = np.std(np.asarray(image, np.float32)) > np.std(np.asarray(gold, np.float32))
    return float(higher and ssim(image, gold) >= CONTRAST_ALIKE)


@zero_if_unreadable
def check_image_size(result: str, rules: Mapping[str, Any]) -> float:
    """1 if the image has ``rules["width"]`` and ``rules["height"]``, pixels, each where given.

    With ``rules["ignore_transparent"]`` rows and columns at the edges that are fully transparent do not count.
    """
    image: Image.Image | None = open_image(result)
    if rules.get("ignore_transparent") and image is not None and _is_transparent(image):
        image = _content(image)
    width, height = image.size if image else (0, 0)
    return float(rules.get("width") in (None, width) and rules.get("height") in (None, height))


@zero_if_unreadable
def check_image_file_size(result: str, rules: Mapping[str, Any]) -> float:
    """1 if it is an image whose file has fewer than ``rules["max_size"]`` bytes."""
    open_image(result)
    return float(os.path.getsize(result) < rules["max_size"])


@zero_if_unreadable
def check_triangle_position(result: str, rules: Any = None) -> float:
    """1 if the triangle's centre of mass is less than 5 % of each side from the image's centre.

    The background is the most common colour or what is transparent, the triangle the most common colour besides.
    """
    pixels = np.asarray(open_image(result).convert("RGBA"))
    transparent = 1 << 24
    packed = np.where(pixels[..., 3] > 0, pixels[..., :3].astype(np.uint32) @ np.array([1, 1 << 8, 1 << 16], np.uint32), transparent)
    colours, counts = np.unique(packed, return_counts=True)
    ranked = colours[np.argsort(-counts, kind="stable")].tolist()
    others = [colour for colour in ranked[1:] if colour != transparent]
    if not others:
        return 0.0
    centre = np.argwhere(packed == others[0]).mean(axis=0)
    sides = np.array(packed.shape)
    return float(np.all(np.abs(centre - sides / 2) < EDGE * sides))


@zero_if_unreadable
def check_textbox_on_leftside(result: str, rules: Any = None) -> float:
    """1 if the leftmost dark pixel (grey value below 128, shown on white) lies in the left 5 % of the image."""
    image = open_image(result).convert("RGBA")
    shown = Image.alpha_composite(Image.new("RGBA", image.size, "white"), image).convert("L")
    columns = np.flatnonzero((np.asarray(shown) < DARK).any(axis=0))
    return float(columns.size > 0 and columns[0] < image.width * EDGE)


@zero_if_unreadable
def check_green_background(result: str, expected: str) -> float:
    """1 if the image, of the size of ``expected``, has more green than red and than blue wherever ``expected`` is not black."""
    image, gold = (np.asarray(open_image(path).convert("RGB")) for path in (result, expected))
    if image.shape != gold.shape:
        return 0.0
    background = image[(gold != 0).any(axis=2)]
    return float(np.all((background[:, 1] > background[:, 0]) & (background[:, 1] > background[:, 2])))
