"""Boards, lists to sort, letters and clocks: what mouse and keyboard do with them, and how shapes are drawn."""

import json
import math
import pickle
from typing import Any

import numpy as np
import pytest

from gui_gym.actions import Action, Button, Key, Modifier
from gui_gym.desktops.sim import SimDesktop
from gui_gym.desktops.sim.canvas import Canvas
from gui_gym.desktops.sim.state import Window
from gui_gym.desktops.sim.widgets.base import Widget
from gui_gym.desktops.sim.widgets.board import Board, Item, MarkBoard, PickBoard
from gui_gym.desktops.sim.widgets.clockface import HOUR, MINUTE, ClockFace
from gui_gym.desktops.sim.widgets.drawboard import CIRCLE, LINE, MAX_POINTS, MAX_STROKES, PEN, DrawBoard, LinkBoard, radius_of
from gui_gym.desktops.sim.widgets.letters import LetterGrid
from gui_gym.desktops.sim.widgets.moveboard import MoveBoard, MovePiece
from gui_gym.desktops.sim.widgets.reorder import Reorder
from gui_gym.desktops.sim.widgets.shapes import FINE, SHAPES, UNIT, direction, draw_line, draw_ring, polygon, shape, sine


class Rig:
    """A desktop with one window around one widget of 240 x 160 pixels, and short ways to act on it."""

    def __init__(self, widget: Widget):
        self.desktop = SimDesktop(640, 400)
        self.widget, self.window = widget, Window(id="window", title="Window", x=100, y=60, w=300, h=260)
        widget.x, widget.y, widget.w, widget.h = 20, 40, widget.w or 240, widget.h or 160
        self.window.widgets = [widget]
        self.desktop.session.open(self.window)
        self.window.focus = widget.id

    def at(self, x: int, y: int) -> tuple[int, int]:
        """A pixel of the widget, on the screen."""
        left, top, _, _ = self.window.rect_of(self.widget)
        return left + x, top + y

    def click(self, x: int, y: int, **more: Any) -> "Rig":
        self.desktop.perform(Action.click(*self.at(x, y), **more))
        return self

    def drag(self, *points: tuple[int, int]) -> "Rig":
        """Press at the first point, move over the others, let go at the last."""
        self.desktop.perform(Action.mouse_down(*self.at(*points[0])))
        for point in points[1:]:
            self.desktop.perform(Action.move(*self.at(*point)))
        self.desktop.perform(Action.mouse_up(*self.at(*points[-1])))
        return self

    def keys(self, *keys: Key, modifiers: tuple[Modifier, ...] = ()) -> "Rig":
        for key in keys:
            self.desktop.perform(Action.press(key, *modifiers))
        return self

    def signals(self) -> list[tuple[str, str]]:
        return [(event.signal, event.value) for event in self.desktop.state.log]


def tile(name: str, x: int, y: int, **more: Any) -> Item:
    return Item(id=name, shape="card", label=name, x=x, y=y, w=30, h=20, active=True, **more)


def piece(name: str, x: int, y: int, w: int = 20, h: int = 20, **more: Any) -> MovePiece:
    return MovePiece(id=name, shape="box", name=name, x=x, y=y, w=w, h=h, color=(200, 40, 40), **{"active": True, **more})


# ------------------------------------------------------------------------------------------------------------- shapes


def test_sines_are_those_of_the_text_book() -> None:
    assert [sine(d) for d in range(-720, 720)] == [round(math.sin(math.radians(d % 360)) * UNIT) for d in range(-720, 720)]
    assert direction(0) == (0, -UNIT) and direction(90) == (UNIT, 0) and direction(180) == (0, UNIT)


def test_a_polygon_covers_what_it_holds_and_no_more() -> None:
    box = tuple((x * FINE, y * FINE) for x, y in ((2, 3), (10, 3), (10, 8), (2, 8)))
    alpha, left, top = polygon(box)
    assert (left, top, alpha.shape) == (2, 3, (5, 8)) and (alpha == 255).all()
    halves = tuple((x * FINE + FINE // 2, y * FINE) for x, y in ((0, 0), (4, 0), (4, 3), (0, 3)))
    alpha, _, _ = polygon(halves)
    assert (alpha[:, 0] == 128).all() and (alpha[:, 1:-1] == 255).all() and (alpha[:, -1] == 128).all()


@pytest.mark.parametrize("turn", [0, 17, 90, 200])
@pytest.mark.parametrize("name", SHAPES)
def test_shapes_stay_in_their_square_and_turn_about_its_middle(name: str, turn: int) -> None:
    alpha, left, top = shape(name, 61, turn)
    area, centre = alpha.sum() / 255, [np.average(np.arange(n) + 0.5, weights=alpha.sum(axis=1 - axis)) for axis, n in enumerate(alpha.shape)]
    assert left >= -1 and top >= -1 and left + alpha.shape[1] <= 63 and top + alpha.shape[0] <= 63
    assert 300 < area <= 61 * 61
    assert name == "arrow" or abs(left + centre[1] - 30.5) < 2 and abs(top + centre[0] - 30.5) < 2


@pytest.mark.parametrize("name, corners", [("triangle", 3), ("pentagon", 5), ("octagon", 8)])
def test_the_area_of_a_regular_polygon_is_right(name: str, corners: int) -> None:
    alpha, _, _ = shape(name, 100)
    assert alpha.sum() / 255 == pytest.approx(corners / 2 * 50**2 * math.sin(2 * math.pi / corners), rel=0.02)


@pytest.mark.parametrize("to", [(40, 3), (2, 40), (130, 90), (-25, 31), (-90, -170), (1, 1)])
@pytest.mark.parametrize("thick", [1, 4, 9])
def test_a_line_is_as_wide_as_it_says_and_the_same_both_ways(to: tuple[int, int], thick: int) -> None:
    def paint(start: tuple[int, int], end: tuple[int, int]) -> np.ndarray:
        pixels = np.zeros((400, 400, 3), np.uint8)
        draw_line(Canvas(pixels, (0, 0, 400, 400)), start, end, (255, 255, 255), thick)
        return pixels[..., 0]

    there, end = paint((200, 200), (200 + to[0], 200 + to[1])), (200 + to[0], 200 + to[1])
    assert there.sum() / 255 == pytest.approx(thick * math.hypot(*to) + math.pi * thick**2 / 4, rel=0.06, abs=0.5)
    assert np.array_equal(there, paint(end, (200, 200)))


def test_a_long_line_or_a_ring_is_the_same_in_parts_as_at_once() -> None:
    def paint(*clips: tuple[int, int, int, int]) -> np.ndarray:
        pixels = np.zeros((300, 400, 3), np.uint8)
        for clip in clips:
            draw_line(Canvas(pixels, clip), (5, 7), (390, 280), (255, 255, 255), 3)
            draw_ring(Canvas(pixels, clip), 200, 150, 140, (9, 200, 40), 4)
        return pixels

    whole = paint((0, 0, 400, 300))
    assert np.array_equal(whole, paint((0, 0, 133, 300), (133, 0, 267, 111), (133, 111, 267, 189)))
    assert (whole[150, 200 - 140 : 200 - 136] == (9, 200, 40)).all() and not whole[150, 70:80].any()


def test_a_huge_circle_costs_no_more_than_what_is_seen() -> None:
    pixels = np.zeros((100, 100, 3), np.uint8)
    draw_ring(Canvas(pixels, (0, 0, 100, 100)), 50, 100_050, 100_000, (255, 255, 255), 2)
    assert (pixels[50:52, 50] == 255).all() and not pixels[60:, 50].any()


# -------------------------------------------------------------------------------------------------- looking and picking


def test_a_board_tells_what_lies_on_it_and_takes_no_input() -> None:
    board = Board(
        id="board", items=[Item(id="a", shape="star", name="red star", x=5, y=6, w=20, h=20), Item(id="b", shape="box", x=0, y=0, w=9, h=9)]
    )
    rig = Rig(board).click(10, 10)
    nodes = rig.desktop.accessibility_tree()["children"]
    mine = next(node for node in nodes if node["name"] == "Window")
    inner = next(node for node in mine["children"] if node["role"] == "canvas")
    assert [(node["name"], node["bounds"]) for node in inner["children"]] == [("red star", [*rig.at(5, 6), 20, 20])]
    assert board.value is None and not rig.signals()
    with pytest.raises(KeyError, match="no item 'c'"):
        board.item("c")


def test_items_are_picked_and_let_go() -> None:
    board = PickBoard(id="board", items=[tile("a", 10, 10), tile("b", 60, 10)], several=2)
    rig = Rig(board).click(20, 20).click(70, 20)
    assert board.value == ["a", "b"]
    rig.click(20, 20)
    assert board.value == ["b"] and rig.signals() == [("clicked", "a"), ("clicked", "b"), ("clicked", "a")]
    rig.click(150, 100).click(70, 20, button=Button.RIGHT).drag((20, 20), (150, 100)).drag((20, 20), (70, 20))
    assert board.value == ["b"] and len(rig.signals()) == 3


def test_one_of_several_is_picked_and_the_others_are_let_go() -> None:
    board = PickBoard(id="board", items=[tile("a", 10, 10), tile("b", 60, 10)], several=1)
    assert Rig(board).click(20, 20).click(70, 20) and board.value == ["b"]


def test_items_are_picked_by_keys() -> None:
    board = PickBoard(id="board", items=[tile("a", 10, 10), tile("b", 60, 10), tile("c", 110, 10)], several=3)
    rig = Rig(board).keys(Key.SPACE)
    assert board.value == []
    rig.keys(Key.RIGHT, Key.DOWN, Key.SPACE, Key.LEFT, Key.LEFT, Key.SPACE)
    assert board.value == ["b", "c"]


def test_a_mark_is_put_moved_and_kept_on_the_board() -> None:
    board = MarkBoard(id="board")
    rig = Rig(board)
    assert board.value == []
    rig.click(50, 60)
    assert board.value == [50, 60]
    rig.keys(Key.RIGHT, Key.UP).keys(Key.DOWN, modifiers=(Modifier.CTRL,))
    assert board.value == [51, 69]
    rig.drag((20, 20), (300, -50))
    assert board.value == [238, 1]
    rig.click(9, 9, button=Button.MIDDLE)
    assert board.value == [238, 1]


# ------------------------------------------------------------------------------------------------------------- moving


def test_an_item_is_dragged_within_the_board() -> None:
    board = MoveBoard(id="board", items=[piece("a", 10, 10), piece("b", 60, 10)])
    rig = Rig(board).drag((15, 15), (100, 90))
    assert board.value == {"a": [95, 85, 20, 20], "b": [60, 10, 20, 20]} and rig.signals() == [("moved", "a")]
    rig.drag((100, 90), (600, -100))
    assert board.value["a"] == [219, 1, 20, 20]
    rig.desktop.perform(Action.drag(*rig.at(70, 20), *rig.at(80, 30), Button.RIGHT))
    assert board.value["b"] == [60, 10, 20, 20]


def test_the_item_that_was_touched_last_is_on_top() -> None:
    board = MoveBoard(id="board", items=[piece("a", 10, 10), piece("b", 15, 10)])
    Rig(board).drag((12, 15), (13, 15)).drag((20, 20), (100, 100))
    assert board.value["a"] == [91, 90, 20, 20] and board.value["b"] == [15, 10, 20, 20]


def test_what_is_let_go_over_a_holder_goes_into_it() -> None:
    board = MoveBoard(id="board", items=[piece("a", 10, 10), piece("bin", 150, 100, 40, 40, active=False, holds=True)])
    rig = Rig(board).drag((15, 15), (160, 110))
    assert board.value == {"a": "bin"} and rig.signals() == [("dropped", "a > bin")]
    rig.drag((160, 110), (20, 20)).keys(Key.PAGE_DOWN, Key.LEFT)
    assert board.value == {"a": "bin"} and board.item_at(160, 110) is None
    assert "a" not in json.dumps([node["name"] for node in board.children((0, 0, 240, 160), rig.desktop.session.look)])


def test_items_keep_to_cells_and_go_back_from_one_that_is_taken() -> None:
    board = MoveBoard(id="board", items=[piece("a", 10, 10), piece("b", 90, 10)], cells=(4, 4))
    rig = Rig(board).drag((15, 15), (70, 70))
    a = board.item("a")
    assert board.cell_of(a) == (1, 1) and a.middle == (90, 60)
    rig.drag(a.middle, (100, 20))
    assert board.cell_of(a) == (1, 1) and board.cell_of(board.item("b")) == (1, 0)
    rig.keys(Key.LEFT, Key.DOWN)
    assert board.cell_of(a) == (0, 2)


def test_a_wall_sends_what_touches_it_back() -> None:
    wall = piece("wall", 100, 0, 10, 120, active=False, wall=True)
    board = MoveBoard(id="board", items=[wall, piece("ball", 20, 20)])
    rig = Rig(board)
    rig.desktop.perform(Action.drag(*rig.at(30, 30), *rig.at(200, 30)))
    assert board.value["ball"] == [20, 20, 20, 20] and rig.signals() == [("crashed", "ball")]
    rig.drag((30, 30), (30, 145), (200, 145), (200, 30))
    assert board.value["ball"] == [190, 20, 20, 20]
    rig.keys(*[Key.LEFT] * 60)
    assert board.value["ball"] == [110, 20, 20, 20]


def test_a_box_is_resized_by_its_grip_in_whole_units() -> None:
    board = MoveBoard(id="board", items=[piece("box", 20, 20, 40, 30, sizable=True)], unit=10)
    rig = Rig(board).drag((57, 47), (91, 66))
    assert board.value["box"] == [20, 20, 70, 50]
    rig.drag((87, 67), (0, 0))
    assert board.value["box"] == [20, 20, 10, 10]
    rig.drag((28, 28), (900, 900))
    assert board.value["box"] == [20, 20, 210, 130]


def test_items_are_moved_by_keys() -> None:
    board = MoveBoard(id="board", items=[piece("a", 10, 10), piece("b", 60, 10)])
    rig = Rig(board).keys(Key.RIGHT)
    assert board.value["a"] == [10, 10, 20, 20]
    rig.keys(Key.PAGE_DOWN, Key.PAGE_DOWN, Key.RIGHT, Key.DOWN, Key.DOWN)
    assert board.value == {"a": [10, 10, 20, 20], "b": [62, 14, 20, 20]}


# ------------------------------------------------------------------------------------------------------------ drawing


def test_a_line_goes_from_the_press_to_the_release() -> None:
    board = DrawBoard(id="board", tool=LINE)
    rig = Rig(board).drag((10, 10), (50, 90), (100, 20)).click(30, 30)
    assert board.value == [[[10, 10], [100, 20]]] and rig.signals() == [("drawn", "line")]
    rig.drag((5, 5), (9, 9)).keys(Key.Z, modifiers=(Modifier.CTRL,))
    assert len(board.value) == 1
    rig.keys(Key.BACKSPACE, Key.BACKSPACE)
    assert board.value == []


def test_a_pen_draws_where_it_goes_and_a_circle_around_its_start() -> None:
    board = DrawBoard(id="board", tool=PEN)
    Rig(board).drag((10, 10), (50, 90), (50, 90), (100, 20))
    assert board.value == [[[10, 10], [50, 90], [100, 20]]]
    board = DrawBoard(id="board", tool=CIRCLE)
    Rig(board).drag((100, 80), (120, 80), (130, 120))
    assert board.value == [[[100, 80], [130, 120]]] and radius_of(board.strokes[0]) == 50


def test_strokes_and_points_are_bounded() -> None:
    board = DrawBoard(id="board", tool=PEN)
    rig = Rig(board)
    for i in range(MAX_STROKES + 5):
        rig.drag((i, 10), (i, 20))
    assert len(board.strokes) == MAX_STROKES and board.strokes[-1] == [(MAX_STROKES + 4, 10), (MAX_STROKES + 4, 20)]
    board.strokes = [[(i % 200, i // 200) for i in range(MAX_POINTS)]]
    board.drawing = True
    rig.desktop.perform(Action.mouse_down(*rig.at(5, 5)))
    assert len(board.strokes[0]) == MAX_POINTS


def test_items_are_joined_and_parted() -> None:
    board = LinkBoard(id="board", items=[tile("a", 10, 10), tile("b", 110, 10), tile("c", 110, 60)])
    rig = Rig(board).drag((20, 20), (120, 20)).drag((120, 70), (20, 20))
    assert board.value == [["a", "b"], ["a", "c"]] and rig.signals() == [("linked", "a b"), ("linked", "a c")]
    rig.drag((120, 20), (20, 20)).drag((20, 20), (200, 140)).drag((20, 20), (15, 15)).drag((200, 140), (20, 20))
    assert board.value == [["a", "c"]]
    rig.keys(Key.DELETE)
    assert board.value == []
    rig.keys(Key.RIGHT, Key.SPACE, Key.RIGHT, Key.SPACE)
    assert len(board.value) == 1


# ------------------------------------------------------------------------------------------ lists, letters and clocks


def test_rows_are_dragged_into_another_order() -> None:
    rows = Reorder(id="rows", rows=["a", "b", "c", "d"])
    rig = Rig(rows).drag((50, 20), (50, 100))
    assert rows.value == ["b", "c", "a", "d"] and rig.signals() == [("moved", "a")]
    rig.drag((50, 140), (50, -30))
    assert rows.value == ["d", "b", "c", "a"]
    rig.drag((50, 60), (50, 65)).click(30, 60)
    assert rows.value == ["d", "b", "c", "a"] and rows.selected == 1
    rig.keys(Key.DOWN).keys(Key.DOWN, Key.DOWN, Key.DOWN, modifiers=(Modifier.ALT,))
    assert rows.value == ["d", "b", "a", "c"]


@pytest.mark.parametrize(
    "start, end, word", [((0, 0), (2, 0), "abc"), ((2, 0), (0, 0), "cba"), ((0, 0), (2, 2), "aei"), ((0, 2), (2, 0), "gec"), ((0, 0), (1, 2), "")]
)
def test_letters_are_marked_along_a_line(start: tuple[int, int], end: tuple[int, int], word: str) -> None:
    grid = LetterGrid(id="grid", rows=["abc", "def", "ghi"])
    rig = Rig(grid)
    ends = [(x + w // 2, y + h // 2) for x, y, w, h in (grid.cell_rect(*cell) for cell in (start, end))]
    rig.drag(*ends)
    assert grid.value == word


def test_letters_are_marked_by_keys() -> None:
    grid = LetterGrid(id="grid", rows=["abc", "def"])
    rig = Rig(grid).keys(Key.RIGHT, Key.DOWN)
    assert grid.value == "d"
    rig.keys(Key.RIGHT, Key.RIGHT, Key.RIGHT, modifiers=(Modifier.SHIFT,))
    assert grid.value == "def"


def test_hands_of_a_clock_are_dragged() -> None:
    clock = ClockFace(id="clock", minutes=3 * 60)
    rig = Rig(clock).drag(clock.hand_end(MINUTE), clock.spot(MINUTE, 35))
    assert clock.value == "3:35"
    rig.drag(clock.hand_end(HOUR), clock.spot(HOUR, 7))
    assert clock.value == "7:35"
    rig.keys(Key.UP, Key.PAGE_DOWN)
    assert clock.value == "6:36"
    rig.drag((120, 80), (5, 5)).drag((3, 3), (120, 20))
    assert clock.value == "6:36"
    clock.minutes = 0
    rig.keys(Key.DOWN)
    assert clock.value == "11:59"


def test_a_fixed_clock_is_only_read() -> None:
    clock = ClockFace(id="clock", minutes=200, fixed=True)
    Rig(clock).drag(clock.hand_end(MINUTE), (10, 10)).keys(Key.UP, Key.PAGE_UP)
    assert clock.minutes == 200 and clock.value is None


# --------------------------------------------------------------------------------------------------------------- all


def widgets() -> list[Widget]:
    tiles = [tile("a", 10, 10), tile("b", 110, 10), tile("c", 110, 60)]
    pieces: list[Item] = [piece("a", 10, 10), piece("b", 60, 10, 40, 40, sizable=True), piece("bin", 180, 90, 40, 40, active=False, holds=True)]
    return [
        PickBoard(id="pick", items=tiles, several=2),
        MarkBoard(id="mark", anchor=(30, 30)),
        MoveBoard(id="move", items=pieces, unit=10),
        MoveBoard(id="cells", items=[piece("a", 10, 10), piece("b", 90, 10)], cells=(6, 4)),
        MoveBoard(id="maze", items=[piece("wall", 100, 0, 10, 120, active=False, wall=True), piece("ball", 20, 20)]),
        *(DrawBoard(id=tool, tool=tool) for tool in (LINE, CIRCLE, PEN)),
        LinkBoard(id="link", items=[tile("a", 10, 10), tile("b", 110, 10), tile("c", 110, 60)]),
        Reorder(id="rows", rows=["a", "b", "c", "d"]),
        LetterGrid(id="grid", rows=["abc", "def", "ghi"]),
        ClockFace(id="clock", minutes=100),
    ]


@pytest.mark.parametrize("at", range(len(widgets())))
def test_whatever_is_done_the_frame_shows_the_state(at: int) -> None:
    """Random mouse paths in and around the widget, and keys: no exception, plain data, and what is redrawn is what has changed."""
    rng = np.random.default_rng(at)
    rig = Rig(widgets()[at])
    keys = [Key.LEFT, Key.RIGHT, Key.UP, Key.DOWN, Key.SPACE, Key.PAGE_UP, Key.PAGE_DOWN, Key.BACKSPACE, Key.DELETE, Key.ENTER, Key.TAB, Key.Z]
    for step in range(150):
        x, y = rig.at(int(rng.integers(-30, 270)), int(rng.integers(-10, 170)))
        button = Button(int(rng.integers(3))) if rng.random() < 0.2 else Button.LEFT
        modifiers = tuple(m for m in Modifier if rng.random() < 0.1)
        actions = [
            Action.mouse_down(x, y, button), Action.move(x, y), Action.move(x, y), Action.mouse_up(x, y, button), Action.click(x, y, button, 2),
            Action.press(keys[int(rng.integers(len(keys)))], *modifiers), Action.drag(x, y, *rig.at(int(rng.integers(240)), int(rng.integers(160)))),
        ]  # fmt: skip
        rig.desktop.perform(actions[int(rng.integers(len(actions)))])
        frame = rig.desktop.screenshot()
        if step % 3 == 0:
            again = SimDesktop(640, 400)
            again.restore(rig.desktop.snapshot())
            assert np.array_equal(frame, again.screenshot()), step
    json.dumps([rig.widget.value, rig.desktop.accessibility_tree()])
    assert pickle.loads(pickle.dumps(rig.widget)) == rig.widget
