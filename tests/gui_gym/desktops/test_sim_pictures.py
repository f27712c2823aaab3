"""Picture files, what drawing makes of them, and the program that shows and draws them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sim_rig import Rig

from gui_gym.actions import Action, Button, Key, Modifier
from gui_gym.desktops.sim.fonts import font
from gui_gym.desktops.sim.painting import edit
from gui_gym.desktops.sim.painting.picture import (
    MAX_COLORS,
    MAX_SIDE,
    Picture,
    PictureError,
    blank,
    from_array,
    index_of,
    read_picture,
    write_picture,
)

FOLDER = "/home/user/Pictures"
RED, BLUE, WHITE = (214, 48, 49), (36, 92, 214), (255, 255, 255)


def sample_picture() -> Picture:
    """A white picture with a red box at its upper left."""
    return edit.rectangle(blank(60, 40), (5, 5, 20, 10), RED, filled=True)


class Album(Rig):
    """A viewer on ``a.pic``, beside ``b.pic`` and one that is no picture."""

    def __init__(self, size: tuple[int, int] = (640, 400), **more: Any):
        files = {f"{FOLDER}/a.pic": write_picture(sample_picture()), f"{FOLDER}/b.pic": write_picture(blank(30, 50, BLUE)), f"{FOLDER}/c.pic": "no"}
        super().__init__(files, size, **more)
        self.window = self.launch("pictures", f"{FOLDER}/a.pic")

    @property
    def picture(self) -> Picture:
        return self.window.view.picture

    def saved(self, name: str = "a.pic") -> Picture:
        return read_picture(self.state.files[f"{FOLDER}/{name}"])

    def point(self, x: int, y: int) -> tuple[int, int]:
        left, top, _, _ = self.window.rect_of(self.window.view)
        dx, dy = self.window.view.place_of(self.session.look, x, y)
        return left + dx, top + dy

    def drag(self, x: int, y: int, to_x: int, to_y: int) -> None:
        self.do(Action.drag(*self.point(x, y), *self.point(to_x, to_y)))

    def take(self, tool: str, color: str = "") -> None:
        self.click(f"tool {tool}")
        if color:
            swatches = self.window.widget("colors")
            x, y, w, h = swatches.cells()[swatches.names.index(color)]
            left, top, _, _ = self.window.rect_of(swatches)
            self.click((left + x, top + y, w, h))


# Files


@given(st.integers(1, 40), st.integers(1, 30), st.integers(1, MAX_COLORS), st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_what_is_written_is_read(width: int, height: int, colors: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    palette = tuple((int(r), int(g), i) for i, (r, g) in enumerate(rng.integers(0, 256, (colors, 2))))
    picture = from_array(np.sort(rng.integers(0, colors, (height, width)), axis=int(rng.integers(2))), palette)
    again = read_picture(write_picture(picture))
    assert again.same_as(picture) and write_picture(again) == write_picture(picture)


def test_the_text_of_a_picture_is_the_same_whatever_way_it_was_made() -> None:
    one = edit.rectangle(blank(20, 10), (2, 2, 5, 5), RED, filled=True)
    two = edit.fill(edit.rectangle(edit.fill(blank(20, 10), (0, 0), BLUE), (2, 2, 5, 5), RED, filled=True), (0, 0), WHITE)
    assert one.palette != two.palette and write_picture(one) == write_picture(two)
    assert write_picture(blank(320, 240)) == "pic 320 240\nA ffffff\n240*320A\n"


@pytest.mark.parametrize(
    "text",
    [
        "", "hello", "pic", "pic 3", "pic 0 5\n", "pic 99999 5\nA ffffff\n", f"pic {MAX_SIDE + 1} 1\nA ffffff\n{MAX_SIDE + 1}A\n",
        "pic 3 2\nA ffffff\n3A\n", "pic 3 1\nA ffffff\n3A\n3A\n", "pic 3 1\nA ffffff\n2A\n", "pic 3 1\nA ffffff\n4A\n", "pic 3 1\nA ffffff\n3B\n",
        "pic 3 1\nA ffffff\nA 000000\n3A\n", "pic 3 1\nA fffff\n3A\n", "pic 3 9\nA ffffff\n9999*3A\n", "pic 3 1\nA ffffff\n9999A9999A9999A\n",
        "pic 3 1\nA ffffff\n\x00\n", "pic 3 1\nÄ ffffff\n3Ä\n", "pic ٣ ١\nA ffffff\n3A\n", "pic 2 1\nA ffffff\n" + "A" * 600_000,
    ],
)  # fmt: skip
def test_rubbish_is_no_picture(text: str) -> None:
    with pytest.raises(PictureError, match="."):
        read_picture(text)
    album = Album()
    album.state.files[f"{FOLDER}/a.pic"] = text
    album.session.files_changed()
    album.check()
    assert album.window.view.picture is None and album.window.view.problem
    for key in (Key.S, Key.L, Key.C, Key.V, Key.Z, Key.A):
        album.press(key, Modifier.CTRL)
    album.click("tool pencil").click("picture")
    assert album.state.files[f"{FOLDER}/a.pic"] == text


@given(st.text("pic 0123456789*ABab\nf", max_size=80))
@settings(max_examples=200, deadline=None)
def test_no_text_breaks_the_reader(text: str) -> None:
    try:
        picture = read_picture("pic 4 3\nA ffffff\nB 000000\n" + text)
    except PictureError:
        return
    assert (picture.width, picture.height, len(picture.pixels)) == (4, 3, 12)


def test_a_full_palette_gives_the_nearest_colour() -> None:
    palette = tuple((i, i, i) for i in range(MAX_COLORS))
    assert index_of(palette, (200, 200, 200)) == (palette, MAX_COLORS - 1)
    assert index_of(palette, (7, 7, 7)) == (palette, 7)


# Drawing


def count(picture: Picture, color: tuple[int, int, int]) -> int:
    return int((picture.rgb == color).all(axis=2).sum())


def test_tools_draw_what_they_are_called() -> None:
    base = blank(50, 40)
    assert count(edit.line(base, (3, 3), (12, 3), RED), RED) == 10
    assert count(edit.rectangle(base, (10, 10, 8, 6), RED), RED) == 24
    assert count(edit.rectangle(base, (10, 10, 8, 6), RED, filled=True), RED) == 48
    oval = edit.ellipse(base, (10, 10, 21, 11), RED, filled=True)
    assert abs(count(oval, RED) - 181) < 6
    ring = edit.ellipse(base, (5, 5, 31, 31), RED, 3)
    assert count(edit.fill(ring, (20, 20), BLUE), BLUE) == count(edit.ellipse(base, (5, 5, 31, 31), RED, filled=True), RED) - count(ring, RED)
    assert count(edit.line(base, (-30, -30), (90, 90), RED, 9), RED) > 300  # what is outside is left out
    assert edit.fill(base, (50, 0), RED) is base
    assert count(edit.write(base, (2, 2), "Lake", font("bold", 16), RED), RED) > 50


def test_turning_and_flipping_come_back() -> None:
    picture = sample_picture()
    assert edit.turn(picture, 1).color_at(30, 6) == RED and (edit.turn(picture, 1).width, edit.turn(picture, 1).height) == (40, 60)
    assert edit.turn(edit.turn(picture, 1), 3).same_as(picture)
    assert edit.flip(picture).color_at(50, 6) == RED and edit.flip(edit.flip(picture, True), True).same_as(picture)
    assert edit.crop(picture, (5, 5, 20, 10)).same_as(blank(20, 10, RED))
    assert edit.crop(picture, (-9, -9, 4, 4)) is picture
    assert edit.resize(edit.resize(picture, 120, 80), 60, 40).same_as(picture)
    assert edit.paste(picture, blank(20, 10), (5, 5)).same_as(blank(60, 40))


# The program


@pytest.mark.parametrize("size", [(1280, 720), (640, 400), (320, 200)])
def test_it_draws_undoes_and_saves(size: tuple[int, int]) -> None:
    album = Album(size)
    album.take("rectangle", "blue")
    album.drag(30, 20, 50, 35)
    expected = edit.rectangle(sample_picture(), (30, 20, 21, 16), BLUE, 3)
    assert album.picture.same_as(expected) and album.window.title.endswith("*")
    album.press(Key.Z, Modifier.CTRL)
    assert album.picture.same_as(sample_picture()) and not album.window.title.endswith("*")
    album.press(Key.Z, Modifier.CTRL, Modifier.SHIFT).press(Key.S, Modifier.CTRL)
    assert album.saved().same_as(expected) and not album.window.unsaved
    album.take("fill", "red")
    album.do(Action.click(*album.point(40, 28)))
    assert count(album.picture, RED) == 200 + 15 * 10
    album.menu("menu", "File", "Revert")
    assert album.picture.same_as(expected)


def test_the_pencil_follows_the_pointer_and_escape_gives_it_up() -> None:
    album = Album()
    album.take("pencil", "black")
    album.do(Action.mouse_down(*album.point(10, 30)), Action.move(*album.point(30, 30)), Action.move(*album.point(30, 20)))
    assert album.picture.color_at(20, 30) == album.picture.color_at(30, 25) == (24, 26, 32)
    album.press(Key.ESCAPE).do(Action.mouse_up(*album.point(50, 30)))
    assert album.picture.same_as(sample_picture()) and not album.window.view.done
    album.take("eraser")
    album.drag(7, 9, 22, 9)
    assert 0 < count(album.picture, RED) < 200
    album.take("picker")
    album.do(Action.click(*album.point(6, 6)))
    assert album.window.view.color == RED and album.window.widget("colors").value == "red"


def test_a_selection_is_cropped_cut_and_pasted() -> None:
    album = Album()
    album.drag(5, 5, 24, 14)
    assert album.window.view.selection == (5, 5, 20, 10)
    album.press(Key.X, Modifier.CTRL)
    assert count(album.picture, RED) == 0
    album.drag(30, 20, 33, 23)
    album.press(Key.V, Modifier.CTRL)
    assert album.picture.color_at(30, 20) == album.picture.color_at(49, 29) == RED
    album.menu("menu", "Edit", "Crop to selection")
    assert album.picture.same_as(blank(20, 10, RED))


def test_it_goes_through_the_folder_and_asks_before_it_leaves_changes() -> None:
    album = Album()
    album.click("button forward")
    assert album.window.path.endswith("b.pic") and (album.picture.width, album.picture.height) == (30, 50)
    album.click("button turn right").press(Key.PAGE_UP)
    assert album.active.id == "ask:" + album.window.id
    album.click("save")
    assert album.window.path.endswith("a.pic") and album.saved("b.pic").width == 50
    album.press(Key.PAGE_UP)
    assert album.window.path.endswith("c.pic") and album.window.view.picture is None
    album.press(Key.PAGE_DOWN).click("button flip")
    album.session.ask_to_close(album.window)
    album.click("discard")
    assert not album.state.windows and album.saved().same_as(sample_picture())


def test_it_zooms_and_scrolls() -> None:
    album = Album()
    for _ in range(9):
        album.click("button zoom in")
    assert album.window.view.scale(album.session.look) == 800
    x, y, w, h = album.window.rect_of(album.window.view)
    album.do(Action.scroll_by(x + w // 2, y + h // 2, dy=20, dx=20))
    album.do(Action.drag(x + w - 4, y + h // 2, x + w - 4, y + 5))
    assert album.window.view.pixel_at(album.session.look, w // 2, h // 2)[0] > 30
    album.press(Key.DIGIT_0, Modifier.CTRL)
    assert album.window.view.zoom == 0 and album.window.view.top == 0
    album.do(Action.key_down(Key.CTRL), Action.scroll_by(x + w // 2, y + h // 2, dy=-1), Action.key_up(Key.CTRL))
    assert album.window.view.scale(album.session.look) > 100


def test_text_size_and_copies() -> None:
    album = Album()
    album.take("text", "blue")
    album.do(Action.click(*album.point(8, 18))).type("Hi\n")
    assert album.picture.same_as(edit.write(sample_picture(), (8, 18), "Hi", font("bold", 16), BLUE))
    album.menu("menu", "Picture", "Change size").press(Key.A, Modifier.CTRL).type("120 x 80\n")
    assert (album.picture.width, album.picture.height) == (120, 80)
    album.menu("menu", "Picture", "Change size").press(Key.A, Modifier.CTRL).type("9 x 99999\n").press(Key.ENTER)
    assert album.picture.width == 120
    album.press(Key.S, Modifier.CTRL, Modifier.SHIFT).press(Key.A, Modifier.CTRL).type("d\n")
    assert album.saved("d.pic").width == 120 and album.saved().same_as(sample_picture()) and album.window.id == f"picture:{FOLDER}/d.pic"
    fresh = album.launch("pictures")
    assert fresh.view.picture.same_as(blank(160, 120)) and not fresh.unsaved
    album.right(fresh.rect_of(fresh.view), fresh).press(Key.ESCAPE)


def test_files_open_from_the_file_manager_and_change_under_the_viewer() -> None:
    album = Album()
    album.state.files[f"{FOLDER}/a.pic"] = write_picture(blank(10, 10, BLUE))
    album.session.files_changed()
    album.check()
    assert album.picture.same_as(blank(10, 10, BLUE))
    album.launch("files", FOLDER)
    album.row("b.pic", clicks=2)
    assert album.active.id == f"picture:{FOLDER}/b.pic"
    album.do(Action.click(5, 5, button=Button.MIDDLE))
