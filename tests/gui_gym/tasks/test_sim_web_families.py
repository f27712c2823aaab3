"""Tasks in the browser: other ways of doing them, and ways of not doing them."""

from __future__ import annotations

import pytest
from sim_hand import Hand

from gui_gym.actions import Key, Modifier
from gui_gym.desktops.sim.web.sites import BOOKMARKS, DOWNLOADS, WEB, read_record, submissions, write_record
from gui_gym.tasks.sim import Solver
from gui_gym.tasks.sim.families.web_questions import said_amount
from gui_gym.tasks.sim.families.web_world import enter, go_to, press_button, slug

SENT = ("buy-item", "book-trip", "web-sign-up", "post-review")
ANSWERED = ("search-site", "read-page-table", "compare-pages", "phone-book")


def solver_of(hand: Hand) -> Solver:
    """A solver that works on the desktop of a task itself."""
    solver = Solver(hand.desktop.state)
    solver.session = hand.desktop.session
    return solver


@pytest.mark.parametrize("family", SENT)
def test_what_is_sent_must_be_right_and_sent_once(family: str) -> None:
    for seed, level in ((0, "/easy"), (1, ""), (2, "/hard")):
        hand = Hand(f"{family}#{seed}{level}")
        hand.solve()
        assert hand.score() == 1
        folder = f"{WEB}/{hand.goal['site']}/submitted"
        record = read_record(hand.desktop.state.files[f"{folder}/1.txt"])
        for name in record:
            hand.desktop.state.files[f"{folder}/1.txt"] = write_record({**record, name: record[name] + "x"})
            assert hand.score() == 0, name
        hand.desktop.state.files[f"{folder}/1.txt"] = write_record(record)
        assert hand.score() == 1
        hand.desktop.state.files[f"{folder}/2.txt"] = write_record(record)
        assert hand.score() == 0


def test_something_else_left_in_the_cart_scores_0() -> None:
    hand = Hand("buy-item#3/hard")
    solver, site = solver_of(hand), hand.goal["site"]
    item = hand.goal["items"][0]
    go_to(solver, f"{site}/{slug(item['item'])}")
    press_button(solver)  # the wrong variant; the script takes it out again
    hand.solve()
    assert hand.score() == 1
    hand.desktop.state.files[f"{WEB}/{site}/cart.txt"] = write_record(item)
    assert hand.score() == 0


def test_another_trip_scores_0() -> None:
    for seed in range(3):
        hand = Hand(f"book-trip#{seed}")
        goal = hand.goal
        files = goal["sites"][goal["site"]]
        other = next(name for name in sorted(files) if name.startswith("book-") and name != f"book-{goal['record']['train'].lower()}")
        solver = solver_of(hand)
        go_to(solver, f"{goal['site']}/{other}")
        enter(solver, {name: goal["record"][name] for name in ("passenger", "class")})
        press_button(solver)
        assert len(submissions(hand.desktop.state.files, goal["site"])) == 1 and hand.score() == 0


def test_the_best_trip_is_the_best() -> None:
    for seed in range(12):
        goal = Hand(f"book-trip#{seed}/hard").goal
        head, *rows = [line.split(" | ") for line in goal["sites"][goal["site"]]["trips.txt"].splitlines()]
        trips = [dict(zip(head, row, strict=True)) for row in rows]
        good = [trip for trip in trips if all(trip[name] == goal["search"][name] for name in ("from", "to", "date"))]
        after = next((word for word in goal["instruction"].split() if word.count(":") == 1 and word[:2].isdigit()), "00:00")
        good = [trip for trip in good if trip["departure"] >= after]
        order = "price" if "cheapest" in goal["instruction"] else "departure"
        best = min(good, key=lambda trip: float(trip[order].split()[0]) if order == "price" else trip[order])
        assert best["train"] == goal["record"]["train"] and len(good) >= 2


def test_typing_an_address_is_another_way_to_a_page() -> None:
    hand = Hand("follow-links#2")
    hand.press(Key.L, Modifier.CTRL)
    go_to(solver_of(hand), hand.goal["address"])
    assert hand.score() == 1
    hand.press(Key.LEFT, Modifier.ALT)
    assert hand.score() == 0


def test_a_bookmark_of_another_page_scores_0() -> None:
    hand = Hand("bookmark-page#2/hard")
    hand.solve()
    assert hand.score() == 1
    marks = hand.desktop.state.files[BOOKMARKS]
    for wrong in (marks + "Other | other.example\n", "", "".join(marks.splitlines(True)[1:]), hand.goal["files"][BOOKMARKS]):
        hand.desktop.state.files[BOOKMARKS] = wrong
        assert hand.score() == 0


def test_one_download_and_no_other() -> None:
    hand = Hand("download-file#1")
    hand.solve()
    assert hand.score() == 1
    other = next(name for name in hand.goal["sites"][hand.goal["open"][0]] if name.endswith(".txt") and name != hand.goal["name"])
    hand.desktop.state.files[f"{DOWNLOADS}/{other}"] = "x"
    assert hand.score() == 0


def test_the_settings_that_are_not_named_must_stay() -> None:
    for level in ("/easy", "", "/hard"):
        hand = Hand(f"unsubscribe#1{level}")
        hand.solve()
        assert hand.score() == 1
        for name, value in hand.goal["after"].items():
            hand.desktop.state.files[hand.goal["kept"]] = write_record({**hand.goal["after"], name: "no" if value == "yes" else "yes"})
            assert hand.score() == 0


@pytest.mark.parametrize("family", ANSWERED)
def test_only_the_right_number_is_an_answer(family: str) -> None:
    for seed in range(4):
        hand = Hand(f"{family}#{seed}")
        number = hand.goal["number"]
        assert hand.solve() == number and hand.score(number) == 1
        for wrong in (f"1{number}", number[1:], "", "0", f"{number} {number}", f"{number} or 7", "1 2 3 4 5 6 7 8 9"):
            assert hand.score(wrong) == 0, (number, wrong)


@pytest.mark.parametrize(
    ("said", "number", "right"),
    [
        ("12.50", "12.50", True), ("12,50 €", "12.50", True), ("€12.5", "12.50", True), ("12.50 euros.", "12.50", True), ("1250", "12.50", False),
        ("12", "12.00", True), ("12.0", "12.00", True), ("120", "12.00", False), ("1,234", "1234", True), ("067 123456", "067 123456", True),
        ("067123456", "067 123456", True), ("067-123-456", "067 123456", True), ("67123456", "067 123456", False), ("12.50 or 13", "12.50", False),
        (None, "5", False), ("five", "5", False), ("-5", "5", False),
    ],
)  # fmt: skip
def test_amounts(said: str | None, number: str, right: bool) -> None:
    assert said_amount(said, number) is right


def test_a_tab_too_many_or_too_few_scores_0() -> None:
    hand = Hand("close-tabs#1")
    hand.solve()
    assert hand.score() == 1
    hand.press(Key.T, Modifier.CTRL)
    assert hand.score() == 0
    hand.press(Key.W, Modifier.CTRL)
    assert hand.score() == 1
    hand.press(Key.W, Modifier.CTRL)
    assert hand.score() == 0
