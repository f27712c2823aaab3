"""Every family: what it draws, that it can be solved, and that nothing else passes for solving it."""

import hashlib
import json
import os
import re
from collections.abc import Iterator
from functools import cache
from itertools import count

import numpy as np
import pytest

from gui_gym.actions import Action, ActionType, Key, Modifier
from gui_gym.desktops.sim import SimDesktop
from gui_gym.desktops.sim.canvas import covers
from gui_gym.desktops.sim.fonts import Font
from gui_gym.desktops.sim.labels import LANGUAGES
from gui_gym.desktops.sim.look import TEXT_SIZES
from gui_gym.tasks import Task, TaskError
from gui_gym.tasks.sim import FAMILIES, SimSuite
from gui_gym.tasks.sim.brief import Difficulty
from gui_gym.verifiers import EndReason, Outcome, Score, verify

SUITE = SimSuite()
SIZES = [(1280, 720), (640, 400), (320, 200)]
SEEDS = 2  #: instances of each difficulty on each screen; `gui-gym verify` measures with hundreds
DONE = Outcome(EndReason.DONE)
FAMILY_NAMES = FAMILIES.names()
#: Families whose instances are counted: all of them with SIM_ALL_FAMILIES=1, which takes minutes.
MANY = FAMILY_NAMES if os.environ.get("SIM_ALL_FAMILIES") else ["press-the-button", "move-window"]
WITH_INFEASIBLE = [name for name in FAMILY_NAMES if FAMILIES.get(name).has_infeasible]


def carry_out(desktop: SimDesktop, task: Task, actions: list[Action]) -> Score:
    """The score after ``actions``, of which the last ends the episode."""
    *before, last = actions
    for action in before:
        desktop.perform(action.check(desktop.width, desktop.height))
    assert last.type in (ActionType.DONE, ActionType.ANSWER)
    return verify(task, desktop, Outcome(EndReason.DONE, last.text if last.type is ActionType.ANSWER else None))


def instances(family: str, seeds: int = SEEDS, first: int = 0) -> Iterator[Task]:
    """Some instances of each difficulty."""
    for seed in range(first, first + seeds):
        for level in Difficulty:
            yield SUITE.get(f"{family}#{seed}" if level is Difficulty.MEDIUM else f"{family}#{seed}/{level}")


@cache
def in_each_language(family: str) -> dict[str, Task]:
    """An instance in each language the family has."""
    found: dict[str, Task] = {}
    seeds = count()
    while len(found) < (len(LANGUAGES) if FAMILIES.get(family).localised else 1):
        task = SUITE.get(f"{family}#{next(seeds)}")
        found.setdefault(task.params["language"], task)
    return found


def sizes_of(family: str) -> list[tuple[int, int]]:
    """Screens of each kind that are large enough for it."""
    width, height = FAMILIES.get(family).min_size
    return [size for size in SIZES if size[0] >= width and size[1] >= height]


@pytest.mark.parametrize("family", FAMILY_NAMES)
def test_the_scripted_solution_solves_it_and_doing_nothing_does_not(family: str) -> None:
    for i, size in enumerate(sizes_of(family)):
        desktop = SimDesktop(*size)
        for task in instances(family, first=i * SEEDS):
            desktop.reset(task, 0)
            before = desktop.snapshot()
            for closing in (DONE, Outcome(EndReason.DONE, ""), Outcome(EndReason.FAIL)):
                assert verify(task, desktop, closing) == Score.of(0)
            actions = SUITE.solution(task, desktop)
            assert desktop.snapshot() == before
            assert len(actions) <= task.max_steps
            score = carry_out(desktop, task, actions)
            assert score == Score.of(1), (task.id, task.instruction)
            assert score.side_effects == (), task.id


@pytest.mark.parametrize("family", FAMILY_NAMES)
def test_a_solution_that_is_ruined_scores_0(family: str) -> None:
    """In the task's own windows where something is left to ruin there, and by a change of anything else that lasts."""
    desktop = SimDesktop(max(640, FAMILIES.get(family).min_size[0]), max(400, FAMILIES.get(family).min_size[1]))
    for task in instances(family, 1):
        desktop.reset(task, 0)
        *_, last = actions = SUITE.solution(task, desktop)
        assert carry_out(desktop, task, actions) == Score.of(1)
        solved, outcome = desktop.snapshot(), Outcome(EndReason.DONE, last.text if last.type is ActionType.ANSWER else None)
        for kind in SUITE.damages:
            if SUITE.damage(kind, task, desktop):
                assert verify(task, desktop, outcome) == Score.of(0), (task.id, kind)
            desktop.restore(solved)


@pytest.mark.parametrize("family", FAMILY_NAMES)
def test_it_fits_its_smallest_screen_and_says_so_below_it(family: str) -> None:
    width, height = FAMILIES.get(family).min_size
    desktop = SimDesktop(width, height)
    for task in instances(family, 3):
        desktop.reset(task, 0)
        assert carry_out(desktop, task, SUITE.solution(task, desktop)) == Score.of(1), task.id
    with pytest.raises(TaskError, match=f"at least {width}x{height}"):
        SimDesktop(width - 1, height).reset(task, 0)


@pytest.mark.parametrize("family", FAMILY_NAMES)
def test_it_can_be_done_in_each_language(family: str) -> None:
    desktop = SimDesktop(*sizes_of(family)[-1])
    for language, task in in_each_language(family).items():
        desktop.reset(task, 0)
        assert desktop.state.settings["language"] == language
        assert carry_out(desktop, task, SUITE.solution(task, desktop)) == Score.of(1), task.id


def test_letters_come_in_all_sizes() -> None:
    desktop = SimDesktop(1280, 720)
    sizes: set[object] = set()
    for task in instances("click-button", 12):
        desktop.reset(task, 0)
        sizes.add(desktop.state.settings["text_size"])
    assert sizes == set(TEXT_SIZES)


@pytest.mark.parametrize("family", FAMILY_NAMES)
def test_what_is_named_is_shown_whole_and_everything_is_in_its_window(family: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """No label that the instruction quotes is cut off, in any language, at any size of letters or difficulty."""
    cut: set[str] = set()
    whole: set[str] = set()
    shorten = Font.shorten

    def watched(font: Font, text: str, width: int) -> str:
        shown = shorten(font, text, width)
        (whole if shown == text else cut).add(text)
        return shown

    monkeypatch.setattr(Font, "shorten", watched)
    tasks = [*in_each_language(family).values(), *instances(family, 1)]
    for size, those in ((FAMILIES.get(family).min_size, tasks), (sizes_of(family)[-1], [*instances(family, 1, first=1)])):
        desktop = SimDesktop(*size)
        for task in those:
            desktop.reset(task, 0)
            cut.clear()
            whole.clear()
            desktop.screenshot()
            named = re.findall("“(.*?)”", task.instruction)
            assert not [text for text in cut - whole if any(name in text for name in named if name)], (task.id, size)
            for window in desktop.state.windows:
                assert covers(desktop.session.work_area, window.bounds), (task.id, size, window.id)
                for widget in [each for each in window.widgets if each.w and each.h]:
                    assert covers(window.bounds, window.rect_of(widget)), (task.id, size, window.id, widget.id)


@pytest.mark.parametrize("family", FAMILY_NAMES)
def test_a_solution_from_any_state_is_a_solution_or_an_error(family: str) -> None:
    """After some random clicks, keys and drags the script still solves the task, or says that it cannot be solved any more."""
    rng = np.random.default_rng(3)
    (width, height), solved = sizes_of(family)[min(1, len(sizes_of(family)) - 1)], 0
    desktop = SimDesktop(width, height)
    for seed in range(6):
        task = SUITE.get(f"{family}#{seed}")
        desktop.reset(task, 0)
        for _ in range(6):
            x, y = int(rng.integers(width)), int(rng.integers(height))
            to = int(rng.integers(width)), int(rng.integers(height))
            actions = [
                Action.mouse_down(x, y),
                Action.drag(x, y, *to),
                Action.key_down(Key.SHIFT),
                Action.scroll_by(x, y, dy=2),
                Action.press(Key.TAB),
            ]
            desktop.perform(actions[int(rng.integers(len(actions)))])
        try:
            actions = SUITE.solution(task, desktop)
        except TaskError:
            continue
        solved += 1
        assert carry_out(desktop, task, actions) == Score.of(1), task.id
    assert solved >= 2


@pytest.mark.parametrize("family", FAMILY_NAMES)
def test_an_instance_is_plain_data_and_the_same_each_time(family: str) -> None:
    one, two = SUITE.get(f"{family}#5"), SUITE.get(f"{family}#5")
    assert one == two and json.loads(json.dumps(one.params)) == one.params
    assert one.suite == "sim" and one.feasible and one.instruction.strip() == one.instruction and one.instruction[-1] in ".?"
    assert FAMILIES.get(family).skills and FAMILIES.get(family).id == family
    frames: list[np.ndarray] = []
    for task in (one, two):
        desktop = SimDesktop(*sizes_of(family)[-1])
        desktop.reset(task, len(frames))
        frames.append(desktop.screenshot())
    assert np.array_equal(frames[0], frames[1])


@pytest.mark.parametrize("family", FAMILY_NAMES)
def test_instances_differ_in_wording_or_goal_and_in_layout(family: str) -> None:
    desktop, frames = SimDesktop(*sizes_of(family)[-1]), set()
    tasks = [SUITE.get(f"{family}#{seed}") for seed in range(24)]
    for task in tasks[:12]:
        desktop.reset(task, 0)
        frames.add(desktop.screenshot().tobytes())
    assert len(frames) == 12
    assert len({re.sub(r"“.*?”|\d+", "…", task.instruction) for task in tasks}) >= 3, "wordings, whatever they name"


@pytest.mark.parametrize("family", FAMILY_NAMES)
def test_the_difficulties_differ(family: str) -> None:
    """Harder instances are other instances: no two levels draw the same goals."""
    goals = [[SUITE.get(f"{family}#{seed}/{level}".removesuffix("/medium")).params["goal"] for seed in range(6)] for level in Difficulty]
    assert goals[0] != goals[1] != goals[2]


@pytest.mark.parametrize("family", MANY)
def test_there_are_more_than_a_million_instances(family: str) -> None:
    """By the birthday bound: of 3,000 drawn from a million, two would be equal with a probability of 98.9 %."""
    desktop, seen = SimDesktop(*max(SIZES[0], FAMILIES.get(family).min_size)), set()
    for seed in range(3000):
        task = SUITE.get(f"{family}#{seed}")
        desktop.reset(task, 0)
        state = desktop.state
        layout = [(window.bounds, window.widgets) for window in state.windows]
        seen.add(hashlib.sha256(repr((task.params["goal"], state.settings, state.files, layout)).encode()).digest())
    assert len(seen) == 3000


@pytest.mark.parametrize("family", WITH_INFEASIBLE)
def test_what_an_infeasible_instance_asks_for_is_not_there(family: str) -> None:
    """On it FAIL is right and DONE is wrong, even after the script of the family has tried."""
    for seed in range(9):
        task_id = f"{family}#{seed}/{['easy/', '', 'hard/'][seed % 3]}infeasible"
        task = SUITE.get(task_id)
        assert task.id == task_id and not task.feasible
        desktop = SimDesktop(*sizes_of(family)[-1])
        desktop.reset(task, 0)
        assert SUITE.solution(task, desktop) == [Action.fail()]
        assert verify(task, desktop, Outcome(EndReason.FAIL)) == Score.of(1)
        assert verify(task, desktop, DONE) == Score.of(0)
        quoted = task.instruction.split("“")[1:]
        shown = json.dumps(desktop.accessibility_tree(), ensure_ascii=False)
        if quoted and "perceive" not in FAMILIES.get(family).skills:  # what is told by its look alone is not quoted
            assert any(f'"{part.split("”")[0]}"' not in shown for part in quoted), task.instruction


def test_at_least_two_families_have_infeasible_instances() -> None:
    assert len(WITH_INFEASIBLE) >= 2
    assert len(FAMILY_NAMES) >= 8


def press(desktop: SimDesktop, window: str, widget: str) -> None:
    """Click the middle of a widget."""
    target = desktop.state.window(window)
    assert target is not None
    x, y, w, h = target.rect_of(target.widget(widget))
    desktop.perform(Action.click(x + w // 2, y + h // 2))


def start(task_id: str) -> tuple[Task, SimDesktop]:
    """A task, begun."""
    task, desktop = SUITE.get(task_id), SimDesktop(1280, 720)
    desktop.reset(task, 0)
    return task, desktop


def test_the_wrong_button_scores_0_even_when_the_right_one_follows() -> None:
    for family, window in (("click-button", "dialog"), ("click-colour", "tiles")):
        task, desktop = start(f"{family}#3")
        right = SUITE.solution(task, desktop)
        wrong = next(w.id for w in desktop.state.windows[-1].widgets if w.focusable and task.params["goal"]["target"] not in (w.id, w.name))
        press(desktop, window, wrong)
        assert carry_out(desktop, task, right) == Score.of(0)
        with pytest.raises(TaskError, match="cannot be mended"):
            SUITE.solution(task, desktop)


def test_a_miss_is_not_a_wrong_button() -> None:
    task, desktop = start("press-the-button#3")
    solution = SUITE.solution(task, desktop)
    panel = desktop.state.windows[0]
    button = panel.rect_of(panel.widgets[0])
    for x in range(panel.x + 2, panel.x + panel.w - 2, 40):
        for y in range(panel.y + 40, panel.y + panel.h - 2, 40):
            if not (button[0] <= x < button[0] + button[2] and button[1] <= y < button[1] + button[3]):
                desktop.perform(Action.click(x, y))
    assert verify(task, desktop, DONE) == Score.of(0)
    assert carry_out(desktop, task, solution) == Score.of(1)


def test_another_window_closed_beside_the_right_one_scores_0() -> None:
    task, desktop = start("close-window#4")
    solution = SUITE.solution(task, desktop)
    other = next(w for w in desktop.state.windows if w.id not in task.params["goal"]["targets"])
    assert carry_out(desktop, task, solution) == Score.of(1)
    x, y, w, h = desktop.session.close_rect(other)
    desktop.session.activate(other)
    desktop.perform(Action.click(x + w // 2, y + h // 2))
    assert verify(task, desktop, DONE) == Score.of(0)


def test_cancel_scores_0_with_the_right_values() -> None:
    for family in ("check-boxes", "enter-text", "fill-form", "set-slider", "pick-from-list", "copy-text"):
        task, desktop = start(f"{family}#2")
        for action in SUITE.solution(task, desktop)[:-2]:
            desktop.perform(action)
        press(desktop, "dialog", "cancel")
        assert verify(task, desktop, DONE) == Score.of(0), family


def test_damage_to_another_file_scores_0() -> None:
    for family in ("rename-file", "delete-file", "edit-and-save", "read-size"):
        task, desktop = start(f"{family}#2")
        solution = SUITE.solution(task, desktop)
        assert carry_out(desktop, task, solution) == Score.of(1)
        other = next(
            p
            for p in sorted(desktop.state.files)
            if not p.endswith(task.params["goal"]["target"]) and p.endswith(tuple(task.params["goal"]["files"]))
        )
        desktop.write_file(other, b"overwritten")
        last = solution[-1]
        assert verify(task, desktop, Outcome(EndReason.DONE, last.text)) == Score.of(0), family


def test_an_edit_that_is_not_saved_scores_0() -> None:
    task, desktop = start("edit-and-save#2")
    solution = SUITE.solution(task, desktop)
    assert carry_out(desktop, task, [*solution[:-2], Action.done()]) == Score.of(0)


@pytest.mark.parametrize(
    "said, right", [("{}", 1), (" {} ", 1), ("{} bytes", 1), ("{}B", 1), ("-{}", 0), ("{}0", 0), ("{} kB", 0), ("about {}", 0), ("", 0)]
)
def test_how_a_size_may_be_said(said: str, right: int) -> None:
    task, desktop = start("read-size#2")
    size = SUITE.solution(task, desktop)[-1].text
    assert verify(task, desktop, Outcome(EndReason.DONE, said.format(size))) == Score.of(right)


@pytest.mark.parametrize("to", [(1279, 300), (0, 300), (600, 719), (1279, 719), (0, 0)])
@pytest.mark.parametrize("family", ["fill-form", "set-slider", "check-boxes", "pick-from-list", "rename-file", "choose-menu", "press-the-button"])
def test_a_window_that_hangs_over_an_edge_is_brought_back_first(family: str, to: tuple[int, int]) -> None:
    task, desktop = start(f"{family}#6")
    x, y, _, h = desktop.session.title_rect(desktop.state.windows[-1])
    desktop.perform(Action.drag(x + 40, y + h // 2, *to))
    solution = SUITE.solution(task, desktop)
    assert len(solution) <= task.max_steps
    assert carry_out(desktop, task, solution) == Score.of(1)


def test_a_covered_window_is_raised_first() -> None:
    for seed in range(12):
        task, desktop = start(f"close-window#{seed}")
        target = desktop.state.window(task.params["goal"]["targets"][0])
        assert target is not None
        for other in desktop.state.windows:
            if other is not target:
                other.x, other.y = target.x, target.y
        desktop.session.activate(next(w for w in desktop.state.windows if w is not target))
        assert carry_out(desktop, task, SUITE.solution(task, desktop)) == Score.of(1)


def test_there_is_no_script_once_the_window_is_closed() -> None:
    task, desktop = start("fill-form#1")
    desktop.perform(Action.press(Key.F4, Modifier.ALT))
    with pytest.raises(TaskError, match="'dialog' is closed"):
        SUITE.solution(task, desktop)
