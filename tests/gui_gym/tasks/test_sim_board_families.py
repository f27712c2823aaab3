"""Families of boards: other ways of doing them, and ways of not doing them."""

from __future__ import annotations

from collections import Counter

import pytest
from sim_hand import SUITE, Hand

from gui_gym.actions import Action, ActionType, Key
from gui_gym.desktops.sim.widgets.board import MarkBoard, PickBoard
from gui_gym.desktops.sim.widgets.drawboard import DrawBoard, LinkBoard
from gui_gym.desktops.sim.widgets.moveboard import MoveBoard
from gui_gym.desktops.sim.widgets.shapes import UNIT, direction
from gui_gym.tasks.sim.families.common import plain_number
from gui_gym.tasks.sim.families.dates import said_time
from gui_gym.tasks.sim.families.games import GuessWindow, MemoryWindow, TreasureWindow

LEVELS = ("easy", "medium", "hard")
ANSWERED = [
    "calendar-arithmetic", "count-shapes", "count-sides", "measure-shape", "read-bar-chart", "read-clock", "read-line-plot", "read-table",
    "visual-addition",
]  # fmt: skip
WITH_OK = [
    "bisect-angle", "circle-centre", "find-midpoint", "find-shades", "find-word", "grid-coordinate", "identify-shape", "move-in-list", "number-line",
    "number-series", "odd-one-out", "odd-or-even", "right-angle", "set-clock", "simple-algebra", "simple-arithmetic", "sort-by-drag", "tic-tac-toe",
]  # fmt: skip


class BoardHand(Hand):
    """A user of one task around a board."""

    def __init__(self, task_id: str, size: tuple[int, int] = (640, 400)):
        super().__init__(task_id, size)
        self.desktop.session.activate(self.window("board"))

    def at(self, x: int, y: int) -> tuple[int, int]:
        """A pixel of the board, on the screen."""
        left, top, _, _ = self.window("board").rect_of(self.window("board").widget("board"))
        return left + x, top + y

    def drag(self, *points: tuple[int, int]) -> BoardHand:
        """Press, move and let go, by single mouse actions."""
        spots = [self.at(*point) for point in points]
        self(Action.mouse_down(*spots[0]), *(Action.move(*spot) for spot in spots[1:]), Action.mouse_up(*spots[-1]))
        return self

    def click(self, x: int, y: int) -> BoardHand:
        self(Action.click(*self.at(x, y)))
        return self

    def done(self) -> BoardHand:
        """What the script does, done."""
        self.solve()
        return self

    def push(self, name: str) -> BoardHand:
        """Click a button of the board's window."""
        self.use("click", "board", name)
        return self


def board(hand: BoardHand, kind: type) -> object:
    found = hand.desktop.state.widget("board", "board")
    assert isinstance(found, kind)
    return found


# ------------------------------------------------------------------------------------------------------------ answers


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("family", ANSWERED)
def test_no_answer_is_right_often(family: str, level: str) -> None:
    answers = Counter(
        SUITE.get(f"{family}#{seed}/{level}" if level != "medium" else f"{family}#{seed}").params["goal"]["answer"] for seed in range(400)
    )
    assert answers.most_common(1)[0][1] <= 0.15 * 400, answers.most_common(3)


@pytest.mark.parametrize("family", ANSWERED)
def test_only_the_answer_alone_is_right(family: str) -> None:
    for seed in range(4):
        hand = BoardHand(f"{family}#{seed}")
        right = hand.solution()[-1]
        assert right.type is ActionType.ANSWER and hand.score(right.text) == hand.score(f" {right.text}. ") == 1
        spam = " ".join(map(str, range(100)))
        for wrong in (
            spam,
            f"{right.text} {right.text}",
            f"about {right.text}",
            f"-{right.text}",
            f"{right.text}0",
            "",
            "0x1",
            hand.task.instruction,
        ):
            assert hand.score(wrong) == 0, wrong
        assert hand.score(None) == 0


def test_numbers_and_times_are_read_as_people_write_them() -> None:
    assert [plain_number(text) for text in ("7", " 1,250. ", "−3", "-3", "1,25", "٣", "seven")] == ["7", "1250", "-3", "-3", "1,25", "٣", "seven"]
    assert [said_time(text) for text in ("7:05", "07.05", "19:05", "12:00", "0:00", "7:60", "25:00", "7", "7:05 pm")] == [
        425, 425, 425, 0, 0, None, None, None, 425,
    ]  # fmt: skip


def test_a_clock_may_be_read_a_minute_off_and_no_more() -> None:
    for seed in range(5):
        hand = BoardHand(f"read-clock#{seed}")
        minutes = said_time(hand.goal["answer"])
        assert minutes is not None
        for off, right in ((0, 1), (1, 1), (-1, 1), (2, 0), (-2, 0), (360, 0)):
            at = (minutes + off) % 720
            assert hand.score(f"{at // 60 or 12}:{at % 60:02d}") == right


# ---------------------------------------------------------------------------------------------------- dialogs with OK


@pytest.mark.parametrize("family", WITH_OK)
def test_cancel_and_ok_at_once_score_0(family: str) -> None:
    hand = BoardHand(f"{family}#3")
    hand(*hand.solution()[:-2]).push("cancel")
    assert hand.score() == 0
    assert BoardHand(f"{family}#3").push("ok").score() == 0
    assert BoardHand(f"{family}#3").done().score() == 1


@pytest.mark.parametrize("family", ["find-midpoint", "circle-centre", "grid-coordinate"])
def test_the_ring_of_the_mark_has_to_enclose_the_point(family: str) -> None:
    for seed in range(3):
        for dx, dy, right in ((0, 0, 1), (1, 0, 1), (0, -1, 1), (2, 2, 0), (-2, 0, 0), (0, 3, 0)):
            hand = BoardHand(f"{family}#{seed}")
            solution = hand.solution()
            mark = board(hand, MarkBoard)
            x, y = next(action.point for action in solution if action.type is ActionType.CLICK)
            off = mark.radius - 1 if right else mark.radius  # type: ignore[attr-defined]
            hand(Action.click(x + dx * off, y + dy * off)).push("ok")
            assert hand.score() == right, (seed, dx, dy)


def test_a_mark_is_put_by_keys_too() -> None:
    hand = BoardHand("grid-coordinate#2")
    mark = board(hand, MarkBoard)
    x, y = next(action.point for action in hand.solution() if action.type is ActionType.CLICK)
    left, top = hand.at(0, 0)
    while mark.value != [x - left, y - top]:  # type: ignore[attr-defined]
        at = mark.value or [mark.w // 2, mark.h // 2]  # type: ignore[attr-defined]
        key = Key.RIGHT if at[0] < x - left else Key.LEFT if at[0] > x - left else Key.DOWN if at[1] < y - top else Key.UP
        if hand.desktop.state.windows[-1].focus != "board":
            hand(Action.press(Key.TAB))
        hand(Action.press(key))
    assert hand(Action.press(Key.ENTER)).score() == 1


@pytest.mark.parametrize("family", ["bisect-angle", "right-angle"])
def test_how_many_degrees_a_ray_may_be_off(family: str) -> None:
    for seed in range(3):
        for off, right in ((-4, 1), (4, 1), (-9, 0), (9, 0), (180 if family == "bisect-angle" else 90, 0)):
            hand = BoardHand(f"{family}#{seed}", (1280, 720))
            mark = board(hand, MarkBoard)
            turn = hand.goal["middle"] if family == "bisect-angle" else hand.goal["turns"][0] + 90
            dx, dy = direction(turn + off)
            x, y = mark.anchor  # type: ignore[attr-defined]
            hand.click(x + dx * 90 // UNIT, y + dy * 90 // UNIT).push("ok")
            assert hand.score() == right, (seed, off)


def test_a_right_angle_may_be_on_either_side() -> None:
    hand = BoardHand("right-angle#1", (1280, 720))
    mark = board(hand, MarkBoard)
    dx, dy = direction(hand.goal["turns"][0] - 90)
    x, y = mark.anchor  # type: ignore[attr-defined]
    assert hand.click(x + dx * 80 // UNIT, y + dy * 80 // UNIT).push("ok").score() == 1


def test_all_tiles_or_one_too_few_are_not_the_right_tiles() -> None:
    for wrong in ("all", "one too few", "another"):
        hand = BoardHand("find-shades#5")
        tiles = board(hand, PickBoard)
        ids = [f"tile{i}" for i, hue in enumerate(hand.goal["hues"]) if hue == hand.goal["target"]]
        others = [item.id for item in tiles.items if item.id not in ids]  # type: ignore[attr-defined]
        chosen = {"all": ids + others, "one too few": ids[1:], "another": ids[1:] + others[:1]}[wrong]
        for item in chosen:
            hand.click(*tiles.item(item).middle)  # type: ignore[attr-defined]
        assert hand.push("ok").score() == 0, wrong


# ---------------------------------------------------------------------------------------------------- drag and draw


def test_another_shape_in_an_area_scores_0_until_it_is_taken_out() -> None:
    hand = BoardHand("drag-shape-to-area#4").done()
    pieces = board(hand, MoveBoard)
    goal = dict(hand.goal["goal"])
    other = next(pieces.item(f"shape{i}") for i in range(len(hand.goal["shapes"])) if i not in goal)  # type: ignore[attr-defined]
    home, area = other.middle, pieces.item(hand.goal["areas"][0])  # type: ignore[attr-defined]
    assert hand.drag(other.middle, (area.x + 9, area.y + 9)).score() == 0
    assert hand.drag((area.x + 9, area.y + 9), home).score() == 1


def test_a_file_in_the_wrong_folder_stays_there() -> None:
    hand = BoardHand("drag-into-folder#2")
    pieces = board(hand, MoveBoard)
    name = sorted(hand.goal["goal"])[0]
    wrong = next(folder for folder in hand.goal["folders"] if folder != hand.goal["goal"][name])
    hand.drag(pieces.item(name).middle, pieces.item(wrong).middle)  # type: ignore[attr-defined]
    with pytest.raises(Exception, match="cannot be mended"):
        hand.solution()
    assert hand.score() == 0


def test_a_cell_is_reached_by_keys() -> None:
    for seed in range(40):
        hand = BoardHand(f"drag-to-cell#{seed}")
        start, goal = hand.goal["start"], hand.goal["goal"]
        moved = next(i for i in range(len(start)) if start[i] != goal[i])
        across = [[c, start[moved][1]] for c in range(1, 20)] + [[goal[moved][0], r] for r in range(1, 20)]
        if any(cell in across for i, cell in enumerate(start) if i != moved):
            continue
        hand.click(*board(hand, MoveBoard).item(f"shape{moved}").middle)  # type: ignore[attr-defined]
        dx, dy = goal[moved][0] - start[moved][0], goal[moved][1] - start[moved][1]
        keys = [Key.RIGHT if dx > 0 else Key.LEFT] * abs(dx) + [Key.DOWN if dy > 0 else Key.UP] * abs(dy)
        assert hand(*map(Action.press, keys)).score() == 1
        return
    raise AssertionError("no instance with a free way")


def test_links_beside_the_named_ones_score_0_until_they_are_parted() -> None:
    hand = BoardHand("connect-pairs#1").done()
    links = board(hand, LinkBoard)
    ends = links.item("left0").middle, links.item("left1").middle  # type: ignore[attr-defined]
    assert hand.drag(*ends).score() == 0
    assert hand.drag(*ends).score() == 1


def test_a_line_beside_the_named_ones_scores_0_until_it_is_taken_back() -> None:
    for family in ("draw-line", "draw-circle", "trace-path"):
        hand = BoardHand(f"{family}#1").done()
        assert hand.drag((5, 5), (15, 9)).score() == 0
        assert hand(Action.press(Key.BACKSPACE)).score() == 1, family
        assert hand.push("clear").score() == 0
        assert hand.done().score() == 1


def test_a_line_from_the_wrong_dot_or_beside_it_scores_0() -> None:
    hand = BoardHand("draw-line#3/hard")
    dots = board(hand, DrawBoard)
    (a, b), (c, d) = ([dots.item(color).middle for color in pair] for pair in hand.goal["goal"])  # type: ignore[attr-defined]
    assert hand.drag(a, c).drag(b, d).score() == 0
    assert hand.push("clear").drag(b, a).drag(c, d).score() == 1
    side = dots.items[0].w  # type: ignore[attr-defined]
    assert hand.push("clear").drag(b, a).drag((c[0] + side, c[1]), d).score() == 0


def test_a_path_is_followed_in_its_order_and_without_a_short_cut() -> None:
    for seed in range(6):
        hand = BoardHand(f"trace-path#{seed}")
        drawing = board(hand, DrawBoard)
        corners = [item.middle for item in drawing.items if item.shape == "dot"]  # type: ignore[attr-defined]
        assert hand.drag(*corners[::-1]).score() == 0
        assert hand.push("clear").drag(*corners[:-1]).score() == 0
        assert hand.push("clear").drag(*corners[:2]).drag(*corners[1:]).score() == 0
        assert hand.push("clear").drag(corners[0], (corners[0][0], 2 if corners[0][1] > drawing.h // 2 else drawing.h - 3), *corners).score() == 0  # type: ignore[attr-defined]
        assert hand.push("clear").drag(*corners).score() == 1


def test_a_maze_has_no_short_cut() -> None:
    for seed in range(6):
        hand = BoardHand(f"lead-through-maze#{seed}")
        maze = board(hand, MoveBoard)
        ball, goal = maze.item("ball"), maze.item("goal")  # type: ignore[attr-defined]
        home = ball.middle
        hand(Action.drag(*hand.at(*ball.middle), *hand.at(*goal.middle)))
        assert hand.score() == 0 and ball.middle == home
        assert hand.done().score() == 1


def test_scales_show_what_lies_in_them_and_the_left_pan_is_not_touched() -> None:
    hand = BoardHand("balance-weights#1")
    pans = board(hand, MoveBoard)
    weight = pans.item("weight0")  # type: ignore[attr-defined]
    hand.drag(weight.middle, pans.item("left").middle)  # type: ignore[attr-defined]
    assert pans.item("left-sum").label == f"= {sum(hand.goal['left']) + hand.goal['weights'][0]}"  # type: ignore[attr-defined]
    assert hand.done().score() == 1
    other = next(piece for piece in pans.pieces() if piece.id not in {f"weight{i}" for i in hand.goal["answer"]})  # type: ignore[attr-defined]
    assert hand.drag(other.middle, pans.item("left").middle).score() == 0  # type: ignore[attr-defined]


# --------------------------------------------------------------------------------------------------- clicks and games


@pytest.mark.parametrize("family", ["find-greatest", "spot-difference"])
def test_clicking_everything_scores_0(family: str) -> None:
    hand = BoardHand(f"{family}#2")
    for item in list(board(hand, PickBoard).items):  # type: ignore[attr-defined]
        hand.click(*item.middle)
        if item.id != hand.goal["target"]:
            assert hand.score() == 0


def test_numbers_clicked_in_another_order_score_0_and_can_be_taken_back() -> None:
    hand = BoardHand("click-in-order#2")
    numbers = board(hand, PickBoard)
    for item in reversed(hand.goal["order"]):
        hand.click(*numbers.item(item).middle)  # type: ignore[attr-defined]
    assert hand.score() == 0
    assert hand.done().score() == 1


def test_guesses_are_answered_and_counted() -> None:
    hand = BoardHand("guess-number#1")
    window = hand.desktop.state.window("board")
    assert isinstance(window, GuessWindow)
    hand.push("guess")(Action.type_text("abc\n"), Action.type_text("-5\n"), Action.type_text("\n"))
    assert window.left == hand.goal["guesses"]
    window.widget("guess").text = ""  # type: ignore[attr-defined]
    wrong = hand.goal["answer"] + 1
    hand(*(Action.type_text(f"{wrong}\n") for _ in range(hand.goal["guesses"])))
    assert window.left == 0 and window.widget("answer").name.endswith(hand.desktop.session.label("Too high"))
    assert hand(Action.type_text(f"{hand.goal['answer']}\n")).score() == 0
    assert BoardHand("guess-number#1").push("guess")(Action.type_text(f"{hand.goal['answer']}\n")).score() == 1


def test_a_treasure_is_found_by_its_distances() -> None:
    for seed in range(12):
        hand = BoardHand(f"hot-cold#{seed}")
        window = hand.desktop.state.window("board")
        assert isinstance(window, TreasureWindow) and len(hand.solution()) <= 4
        assert hand.done().score() == 1
        hand.click(*board(hand, PickBoard).items[0].middle)  # type: ignore[attr-defined]
        assert hand.score() == 1 and window.found


def test_cards_are_turned_two_at_a_time() -> None:
    hand = BoardHand("memory-cards#1")
    window, cards = hand.desktop.state.window("board"), board(hand, PickBoard)
    assert isinstance(window, MemoryWindow)
    faces = window.faces
    pair = next([a, b] for a in faces for b in faces if a < b and faces[a] == faces[b])
    other = next(card for card in faces if card not in pair)
    hand.click(*cards.item(pair[0]).middle).click(*cards.item(other).middle)  # type: ignore[attr-defined]
    assert window.up == [pair[0], other] and cards.item(other).shape == faces[other][1]  # type: ignore[attr-defined]
    hand.click(*cards.item(pair[0]).middle)  # type: ignore[attr-defined]
    assert window.up == [pair[0]] and cards.item(other).shape == "card"  # type: ignore[attr-defined]
    hand.click(*cards.item(pair[0]).middle).click(*cards.item(pair[1]).middle)  # type: ignore[attr-defined]
    assert window.matched == pair and hand.score() == 0
    assert hand.done().score() == 1


def test_a_word_is_marked_from_either_end() -> None:
    hand = BoardHand("find-word#1")
    grid = hand.desktop.state.widget("board", "board")
    ends = [(x + w // 2, y + h // 2) for x, y, w, h in (grid.cell_rect(*hand.goal[end]) for end in ("end", "start"))]  # type: ignore[union-attr]
    assert hand.drag(*ends).push("ok").score() == 1
