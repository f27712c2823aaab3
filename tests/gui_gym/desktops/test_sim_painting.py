"""Frames are the same bytes everywhere: golden hashes and the exact arithmetic of drawing."""

import hashlib
import json
from fractions import Fraction

import numpy as np
import pytest

from gui_gym.desktops.sim import SimDesktop
from gui_gym.desktops.sim.canvas import Canvas, Rect, disc
from gui_gym.desktops.sim.fonts import font
from gui_gym.desktops.sim.painter import merge
from gui_gym.tasks.sim import SimSuite

#: blake2b of the frame in the middle of a task's scripted solution. A change of looks changes them, and the ids' version with them.
GOLDEN: dict[str, str] = {
    "press-the-button#3 112x112": "b3775129715a3bc37827f155",
    "click-button#4 240x150": "79994daaaef0ab8367e5b0dd",
    "edit-and-save#5 1280x720": "18602f7d831369c7e16c4d1c",
    "rename-file#5 640x400": "73178d9d655b670fff075deb",
    "fill-form#8 320x200": "040b200274623ada1f62746f",
    "choose-menu#6 1280x720": "99e4bba28b5b630ce09313fd",
    "set-slider#2 1920x1080": "aa7d29c41c83b58db47ef2c6",
    "pick-from-list#7 640x400": "46c32ea3cb5b7ae8553f462b",
    "close-window#9 320x200": "0c6061a586ba1ac8ebf8161e",
    "check-boxes#11 800x600": "b1dbb2cc12cbab4bb066ab69",
}


def digest(task_id: str, width: int, height: int) -> str:
    task, desktop = SimSuite().get(task_id), SimDesktop(width, height)
    desktop.reset(task, 0)
    solution = SimSuite().solution(task, desktop)
    for action in solution[: len(solution) // 2]:
        desktop.perform(action)
    return hashlib.blake2b(desktop.screenshot().tobytes(), digest_size=12).hexdigest()


@pytest.mark.parametrize("case", GOLDEN)
def test_frames_are_these_bytes(case: str) -> None:
    task_id, _, size = case.partition(" ")
    assert digest(task_id, *map(int, size.split("x"))) == GOLDEN[case]


def test_blending_rounds_to_the_nearest_value() -> None:
    values = np.arange(256, dtype=np.uint8)
    for color in (0, 1, 77, 128, 254, 255):
        pixels = np.repeat(values, 256).reshape(256, 256, 1).repeat(3, axis=2)
        Canvas(pixels, (0, 0, 256, 256)).mask(0, 0, np.broadcast_to(values, (256, 256)), (color,) * 3)
        for under in range(0, 256, 15):
            for alpha in range(256):
                exact = Fraction(under * (255 - alpha) + color * alpha, 255)
                assert abs(int(pixels[under, alpha, 0]) - exact) <= Fraction(1, 2)


def test_drawing_stays_within_its_clip() -> None:
    pixels = np.zeros((60, 80, 3), np.uint8)
    canvas = Canvas(pixels, (20, 15, 30, 20))
    sans = font("sans", 14)
    canvas.fill((-10, -10, 200, 200), (9, 9, 9))
    canvas.panel((10, 10, 60, 40), (200, 10, 10), (1, 1, 1), 8)
    canvas.shadow((25, 20, 10, 5), 20, 200)
    canvas.text(5, 12, "Clipped text over all", sans, (255, 255, 255))
    canvas.paste(np.full((100, 100, 3), 7, np.uint8), -3, -3)
    outside = np.ones((60, 80), bool)
    outside[15:35, 20:50] = False
    assert not pixels[outside].any() and pixels[15:35, 20:50].any(axis=2).all()


def test_drawing_in_parts_gives_the_whole() -> None:
    """The same shapes, clipped to tiles, are the shapes."""
    sans = font("sans", 14)

    def draw(canvas: Canvas) -> None:
        canvas.fill((0, 0, 120, 90), (30, 60, 90))
        canvas.shadow((20, 20, 60, 40), 16, 90)
        canvas.panel((20, 20, 60, 40), (240, 240, 240), (90, 90, 90), 7)
        canvas.text(24, 30, "Zoë g", sans, (10, 10, 10))
        canvas.mask(90, 50, disc(21), (200, 30, 30))

    whole, tiles = np.zeros((90, 120, 3), np.uint8), np.zeros((90, 120, 3), np.uint8)
    draw(Canvas(whole, (0, 0, 120, 90)))
    for x in range(0, 120, 17):
        for y in range(0, 90, 13):
            draw(Canvas(tiles, (x, y, min(17, 120 - x), min(13, 90 - y))))
    assert np.array_equal(whole, tiles)


@pytest.mark.parametrize("scale", [1, 20])
def test_merged_damage_covers_all_and_nothing_twice(scale: int) -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        rects: list[Rect] = [
            tuple(scale * int(v) for v in (*rng.integers(0, 80, 2), *rng.integers(1, 30, 2))) for _ in range(int(rng.integers(1, 9)))
        ]  # type: ignore[misc]
        merged = merge(rects)
        wanted, covered = (np.zeros((110 * scale, 110 * scale), np.int64) for _ in range(2))
        for x, y, w, h in rects:
            wanted[y : y + h, x : x + w] = 1
        for x, y, w, h in merged:
            covered[y : y + h, x : x + w] += 1
        assert covered.max() == 1 and (covered >= wanted).all() and (covered - wanted).sum() <= 20_000 * len(rects)


def test_goldens_are_of_every_size_and_kind() -> None:
    assert len({case.partition(" ")[2] for case in GOLDEN}) >= 5 and len(GOLDEN) >= 8 and json.dumps(GOLDEN)
