"""Tasks about pictures: other ways of doing them, and ways of not doing them."""

from __future__ import annotations

import numpy as np
import pytest
from sim_hand import SUITE, Hand

from gui_gym.actions import Key, Modifier
from gui_gym.desktops.sim.apps.pictures import COLORS
from gui_gym.desktops.sim.painting import edit
from gui_gym.desktops.sim.painting.picture import Picture, blank, read_picture, write_picture
from gui_gym.tasks.sim.families.painting import enclosed
from gui_gym.tasks.sim.families.picture_world import box_of, mask_of, path_of, render

CHANGED = ("rotate-picture", "crop-picture", "draw-around-shape", "fill-shape", "recolour-shapes", "caption-picture")


class Painter(Hand):
    """Someone at a task with pictures."""

    @property
    def path(self) -> str:
        return path_of(self.goal["target"])

    @property
    def first(self) -> Picture:
        return read_picture(self.desktop.start.files[self.path])

    def put(self, picture: Picture, path: str = "") -> Painter:
        """Write a picture to the task's file, as another program could."""
        self.desktop.write_file(path or self.path, write_picture(picture).encode())
        return self


@pytest.mark.parametrize("family", CHANGED)
def test_a_solution_that_is_not_saved_or_saved_elsewhere_scores_0(family: str) -> None:
    for seed in range(3):
        painter = Painter(f"{family}#{seed}")
        *actions, _ = painter.solution()
        for action in actions:
            if action.key is not Key.S:
                painter(action)
        assert painter.score() == 0
        painter.press(Key.S, Modifier.CTRL)
        assert painter.score() == 1
        done = read_picture(painter.desktop.state.files[painter.path])
        painter.put(done, painter.path + "2.pic")
        assert painter.score() == 0  # another file


def test_a_picture_turned_twice_too_often_or_mirrored_is_not_upright() -> None:
    painter = Painter("rotate-picture#4")
    upright = render(painter.goal["scenes"][painter.goal["target"]])
    for wrong in (edit.turn(upright, 2), edit.turn(upright, 1), edit.flip(upright), edit.crop(upright, (0, 0, 159, 120))):
        assert painter.put(wrong).score() == 0
    assert painter.put(upright).score() == 1


def test_a_crop_may_be_a_few_pixels_off_and_no_more() -> None:
    painter = Painter("crop-picture#2")
    x, y, w, h = painter.goal["frame"]
    for by in (-2, 0, 2):
        assert painter.put(edit.crop(painter.first, (x - by, y - by, w + 2 * by, h + 2 * by))).score() == 1
    for wrong in ((x, y, w - 9, h), (x + 7, y, w, h), (0, 0, 160, 120), (x, y - 8, w, h)):
        assert painter.put(edit.crop(painter.first, wrong)).score() == 0
    assert painter.put(blank(w, h)).score() == 0


def around(painter: Painter, i: int = 0, by: int = 5) -> tuple[int, int, int, int]:
    """A box around one of the shapes."""
    scene = painter.goal["scenes"][painter.goal["target"]]
    x, y, w, h = box_of(mask_of(scene["parts"][i], scene["size"]))
    return x - by, y - by, w + 2 * by, h + 2 * by


def test_a_mark_encloses_the_shape_alone_in_its_colour() -> None:
    seed = next(n for n in range(99) if SUITE.get(f"draw-around-shape#{n}/easy").params["goal"]["tool"] == "rectangle")
    painter = Painter(f"draw-around-shape#{seed}/easy")
    first, color = painter.first, COLORS[painter.goal["color"]]
    for by, thick in ((4, 1), (6, 3), (8, 5)):
        assert painter.put(edit.rectangle(first, around(painter, by=by), color, thick)).score() == 1
    other = next(value for name, value in COLORS.items() if value != color)
    assert painter.put(edit.rectangle(first, around(painter), other, 3)).score() == 0
    assert painter.put(edit.rectangle(first, around(painter, 1), color, 3)).score() == 0
    assert painter.put(edit.rectangle(first, around(painter), color, filled=True)).score() == 0
    assert painter.put(edit.rectangle(first, (0, 0, 160, 120), color, 2)).score() == 0
    assert painter.put(edit.ellipse(first, around(painter, by=9), color, 1)).score() == 0
    x, y, w, h = around(painter)
    open_line = edit.rectangle(edit.rectangle(first, (x, y, w, h), color, 2), (x + w // 2, y, 6, 2), first.color_at(x, y), filled=True)
    assert painter.put(open_line).score() == 0
    both = edit.rectangle(edit.rectangle(first, around(painter), color, 2), around(painter, 1), color, 2)
    assert painter.put(both).score() == 0


def test_a_line_with_a_gap_encloses_nothing() -> None:
    line = np.zeros((20, 20), bool)
    line[3, 3:12] = line[11, 3:12] = line[3:12, 3] = line[3:12, 11] = True
    target = np.zeros((20, 20), bool)
    target[6:9, 6:9] = True
    inside = enclosed(line, target)
    assert inside is not None and inside.sum() == 49
    line[3, 7] = False
    assert enclosed(line, target) is None


def test_another_shape_filled_too_or_the_ground_scores_0() -> None:
    for family in ("fill-shape", "recolour-shapes"):
        painter = Painter(f"{family}#1")
        painter.solve()
        assert painter.score() == 1
        done, color = read_picture(painter.desktop.state.files[painter.path]), COLORS[painter.goal["color"]]
        parts = painter.goal["scenes"][painter.goal["target"]]["parts"]
        other = next(i for i in range(len(parts)) if i not in painter.goal["shapes"] and tuple(parts[i][2]) != color)
        _, _, _, x, y, side, _ = parts[other]
        assert painter.put(edit.fill(done, (x + side // 2, y + side // 2), color)).score() == 0
        assert painter.put(edit.fill(done, (0, 0), color)).score() == 0
        assert painter.put(edit.line(done, (0, 0), (1, 0), color)).score() == 0
        assert painter.put(done).score() == 1


def test_a_caption_may_stand_anywhere_but_must_be_right() -> None:
    painter = Painter("caption-picture#3")
    painter.solve()
    done = read_picture(painter.desktop.state.files[painter.path])
    wrong = edit.line(done, (1, 1), (2, 1), COLORS[painter.goal["color"]])
    assert painter.score() == 1 and painter.put(wrong).score() == 0
    assert painter.put(painter.first).score() == 0


def test_the_original_must_stay_when_a_copy_is_saved() -> None:
    painter = Painter("save-picture-as#2/hard")
    painter.solve()
    assert painter.score() == 1
    painter.put(read_picture(painter.desktop.state.files[painter.goal["new"]]))
    assert painter.score() == 0


def test_answers_about_pictures() -> None:
    painter = Painter("find-picture#1")
    name = painter.goal["target"]
    assert painter.solve() == name
    for said, score in ((name, 1), (name.upper(), 1), (name.removesuffix(".pic"), 1), (f"“{name}”", 1), ("", 0), (f"{name} or x", 0)):
        assert painter.score(said) == score
    assert all(painter.score(other) == 0 for other in painter.goal["scenes"] if other != name)
    painter = Painter("read-sign#1/hard")
    number = painter.goal["number"]
    assert painter.solve() == number and painter.score(number) == 1
    assert painter.score(number[:-1]) == painter.score(f"{number} {number}") == painter.score("1") == 0
