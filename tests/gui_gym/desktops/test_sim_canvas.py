"""What a canvas remembers makes it faster, and changes no byte."""

from __future__ import annotations

import numpy as np
import pytest

from gui_gym import Action
from gui_gym.desktops.sim import SimDesktop
from gui_gym.desktops.sim.art import ART
from gui_gym.desktops.sim.canvas import Canvas, Color, Rect
from gui_gym.desktops.sim.fonts import font
from gui_gym.tasks.sim import FAMILIES, SimSuite

WHITE, BLUE, RED = (255, 255, 255), (20, 60, 200), (210, 30, 20)


@pytest.mark.parametrize("size", [(640, 400), (320, 200)])
def test_remembered_images_are_what_blending_gives(size: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    suite, looked = SimSuite(), [0, 0]
    fitting = [name for name in FAMILIES.names() if all(np.less_equal(FAMILIES.get(name).min_size, size))]

    def frames() -> list[bytes]:
        desktop, shown = SimDesktop(*size), []
        for family in fitting:
            task = suite.get(f"{family}#2")
            desktop.reset(task, 0)
            for action in [Action.wait_for(60), *suite.solution(task, desktop)[:-1]]:
                desktop.perform(action)
                shown.append(desktop.screenshot().tobytes())
        return shown

    ground = Canvas._ground

    def counting(self: Canvas, part: Rect) -> Color | None:
        found = ground(self, part)
        looked[found is not None] += 1
        return found

    monkeypatch.setattr(Canvas, "_ground", counting)
    remembered = frames()
    monkeypatch.setattr(Canvas, "_ground", lambda self, part: None)
    assert remembered == frames() and looked[True] > looked[False], looked


def test_random_drawing_is_the_same_without_what_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    def draw(seed: int) -> np.ndarray:
        rng = np.random.default_rng(seed)
        canvas: Canvas = Canvas(np.full((60, 90, 3), 90, np.uint8), (5, 5, 80, 50))
        for _ in range(60):
            x, y, w, h = (int(n) for n in rng.integers([-10, -10, 1, 1], [90, 60, 90, 60]))
            color = [WHITE, BLUE, RED][int(rng.integers(3))]
            part = canvas.within((x, y, w, h)) or canvas
            match int(rng.integers(7)):
                case 0 | 1:
                    canvas.fill((x, y, w, h), color)
                case 2:
                    part.text(x, y, ["Save", "ill", "漢字", "a😀b"][int(rng.integers(4))], font("sans", [9, 11, 14][int(rng.integers(3))]), color)
                case 3:
                    canvas.rounded((x, y, w, h), color, int(rng.integers(12)), ["t", "b", "tb"][int(rng.integers(3))])
                case 4:
                    part.panel((x, y, w, h), color, BLUE, int(rng.integers(12)))
                case 5:
                    canvas.shadow((x, y, w, h), int(rng.integers(1, 12)), 90)
                case 6:
                    canvas.tint((x, y, w, h), color, 90)
        return canvas.pixels

    remembered = [draw(seed) for seed in range(40)]
    monkeypatch.setattr(Canvas, "_ground", lambda self, part: None)
    assert all(np.array_equal(frame, draw(seed)) for seed, frame in enumerate(remembered))


@pytest.mark.parametrize("side", [8, 9, 11, 14, 17, 20, 33, 42, 60])
def test_pictures_stay_in_their_rectangle(side: int) -> None:
    for name, draw in ART.items():
        pixels = np.full((side + 40, side + 40, 3), 77, np.uint8)
        draw(Canvas(pixels, (0, 0, side + 40, side + 40)), (20, 20, side, side))
        assert (pixels[20 : 20 + side, 20 : 20 + side] != 77).any(), name
        pixels[20 : 20 + side, 20 : 20 + side] = 77
        assert (pixels == 77).all(), name


def test_what_was_drawn_over_is_no_ground() -> None:
    canvas = Canvas(np.zeros((40, 40, 3), np.uint8), (0, 0, 40, 40))
    assert canvas._ground((0, 0, 4, 4)) is None
    canvas.fill((0, 0, 30, 30), WHITE)
    assert canvas._ground((2, 2, 28, 28)) == WHITE and canvas._ground((2, 2, 29, 28)) is None
    inner = canvas.within((10, 10, 5, 5))
    assert inner is not None
    inner.fill((0, 0, 40, 40), BLUE)
    assert canvas._ground((2, 2, 28, 28)) is None and canvas._ground((11, 11, 3, 3)) == BLUE and canvas._ground((0, 0, 10, 10)) == WHITE
    canvas.mask(0, 0, np.full((3, 3), 9, np.uint8), RED)
    assert canvas._ground((2, 2, 4, 4)) is None and canvas._ground((3, 3, 4, 4)) == WHITE
