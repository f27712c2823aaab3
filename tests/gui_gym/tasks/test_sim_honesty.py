"""What could be had without doing a task: by its wording, by the commonest answer, or where a verifier does not look."""

import re
from collections import Counter

import pytest
from sim_hand import SUITE, Hand, each

from gui_gym.actions import Action, Key, Modifier
from gui_gym.desktops.sim.apps.agenda import CALENDAR
from gui_gym.desktops.sim.apps.mailbox import MAIL
from gui_gym.desktops.sim.web.sites import HISTORY
from gui_gym.tasks.sim import FAMILIES
from gui_gym.tasks.sim.brief import Difficulty
from gui_gym.tasks.sim.families.web_questions import said_amount
from gui_gym.tasks.sim.suite import side_effects

DRAWS = 40
WITH_INFEASIBLE = [name for name in FAMILIES.names() if FAMILIES.get(name).has_infeasible]
#: Families in which what is missing is of one kind, while what is there is of several.
TOLD = {"several-settings"}


def frame(instruction: str) -> str:
    """An instruction without what it names."""
    return re.sub(r"“.*?”|[\d.,:-]+", "…", instruction)


@pytest.mark.parametrize("family", [name for name in WITH_INFEASIBLE if name not in TOLD])
def test_infeasible_instances_are_worded_as_feasible_ones(family: str) -> None:
    for level in (Difficulty.EASY, Difficulty.HARD):
        drawn = [(SUITE.get(f"{family}#{seed}/{level}"), SUITE.get(f"{family}#{seed}/{level}/infeasible")) for seed in range(DRAWS)]
        right, wrong = (Counter(frame(pair[i].instruction) for pair in drawn) for i in (0, 1))
        telling = {text: count for text, count in wrong.items() if count >= 7 and not right[text]}
        assert not telling, level


@pytest.mark.parametrize("family", ["count-mails", "count-events"])
@pytest.mark.parametrize("level", ["/easy", "", "/hard"])
def test_no_number_is_right_too_often(family: str, level: str) -> None:
    numbers = Counter(SUITE.get(f"{family}#{seed}{level}").params["goal"]["number"] for seed in range(300))
    assert max(numbers.values()) < 60, numbers


@pytest.mark.parametrize("level", ["/easy", "", "/hard"])
def test_no_word_is_right_too_often(level: str) -> None:
    words = Counter(SUITE.get(f"find-in-text#{seed}{level}").params["goal"]["word"].casefold() for seed in range(200))
    assert max(words.values()) < 20, words


def test_no_place_is_at_a_right_angle_to_most_lines() -> None:
    turns = Counter(SUITE.get(f"right-angle#{seed}/easy").params["goal"]["turns"][0] % 180 for seed in range(300))
    assert max(turns.values()) < 75, turns


def sent(task_id: str, *more: Action) -> Hand:
    """A letter as the script writes it, with more typed before it is sent."""
    hand = Hand(task_id)
    *actions, send, _ = hand.solution()
    return hand(*actions, *more, send)


WRITERS = ["send-mail", "reply-to-mail", "forward-mail"]


@pytest.mark.parametrize("family", WRITERS)
@pytest.mark.parametrize("more", ["\n\n-- \nI do not mean it", "\n> you are a fool", "\nNo:\n> you are a fool"])
def test_signatures_and_quotes_hide_no_words(family: str, more: str) -> None:
    for seed in range(6):
        assert sent(f"{family}#{seed}").score() == 1
        assert sent(f"{family}#{seed}", Action.type_text(more)).score() == 0
        end = [Action.press(Key.END, Modifier.CTRL), Action.type_text(more)]
        assert sent(f"{family}#{seed}", *end).score() == 0


@pytest.mark.parametrize("family", WRITERS)
def test_a_letter_may_go_without_signature_and_a_reply_without_its_quote(family: str) -> None:
    for seed in range(6):
        rest = [Action.press(Key.END, Modifier.CTRL, Modifier.SHIFT), Action.press(Key.DELETE)]
        assert sent(f"{family}#{seed}", *rest).score() == (0 if family == "forward-mail" else 1)


@pytest.mark.parametrize("family", ["reply-to-mail", "delete-mails", "create-event", "count-events", "event-from-mail"])
def test_files_that_are_no_mail_and_no_events_are_side_effects(family: str) -> None:
    for hand in each([family], 4):
        answer = hand.solve()
        assert hand.score(answer) == 1
        solved = hand.desktop.snapshot()
        for path in (f"{MAIL}/list.txt", f"{MAIL}/1.eml", f"{CALENDAR}/list.txt"):
            hand.desktop.state.files[path] = "x"
            assert hand.score(answer) == 0, path
            hand.desktop.restore(solved)


@pytest.mark.parametrize("family", ["create-event", "delete-event", "when-is-event", "event-from-mail"])
def test_what_is_written_into_the_file_of_an_event_counts(family: str) -> None:
    for hand in each([family], 4):
        answer = hand.solve()
        solved = hand.desktop.snapshot()
        paths = [path for path in sorted(hand.desktop.state.files) if path.startswith(CALENDAR) and path.endswith(".ics")]
        for path in paths:
            for text in ("x", "Title: Other\n"):
                hand.desktop.state.files[path] += text
                assert hand.score(answer) == 0, path
                hand.desktop.restore(solved)
            hand.desktop.state.files[path] = "x" + hand.desktop.state.files[path].replace("Date", "Day")
            assert hand.score(answer) == 0, path
            hand.desktop.restore(solved)


def test_pages_that_were_looked_at_are_no_side_effect() -> None:
    for hand in each(["rename-file"], 4):
        hand.solve()
        hand.desktop.state.files[HISTORY] = "mugs.example\n"
        assert hand.score() == 1 and not side_effects(hand.task, hand.desktop)


@pytest.mark.parametrize("family", ["find-in-text", "read-field"])
def test_what_was_read_may_be_closed(family: str) -> None:
    for hand in each([family], 4):
        answer = hand.solve()
        hand.press(Key.F4, Modifier.ALT)
        assert hand.score(answer) == 1


@pytest.mark.parametrize(
    "said, number, right",
    [
        ("12345", "12345", True), ("12 345", "12345", True), ("12,345", "12345", True), ("123.45", "12345", False), ("1.2345", "12345", False),
        ("12,5", "12.50", True), ("€ 12.50", "12.50", True), ("12.505", "12.50", False), ("1250", "12.50", False),
        ("042-123456", "042 123456", True), ("04 21 23 45 6", "042 123456", True), ("42123456", "042 123456", False),
    ],
)  # fmt: skip
def test_a_number_on_a_page_is_no_other_number(said: str, number: str, right: bool) -> None:
    assert said_amount(said, number) is right


def test_mail_that_cannot_be_moved_is_not_there_while_its_folder_is() -> None:
    """A folder that is missing could be made."""
    for seed in range(40):
        for level in ("/easy", "", "/hard"):
            goal = SUITE.get(f"move-mails#{seed}{level}/infeasible").params["goal"]
            *named, folder = re.findall("“(.*?)”", goal["instruction"])
            subjects = [data["subject"] for data in goal["mail"]]
            assert folder == goal["folder"] and folder in goal["folders"]
            assert sum(name not in subjects for name in named) == 1


@pytest.mark.parametrize("mark", ["", "/infeasible"])
def test_who_is_on_a_later_page_would_be_there_if_feasible_or_not(mark: str) -> None:
    for seed in range(40):
        goal = SUITE.get(f"turn-pages#{seed}/hard{mark}").params["goal"]
        rows = [row[0] for page in goal["pages"] for row in page]
        assert len(rows) % 4 == 0 and (goal["target"] in rows[4:]) == (not mark)
        if rows == sorted(rows):
            assert goal["target"] > rows[3]
