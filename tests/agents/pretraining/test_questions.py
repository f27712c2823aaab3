import numpy as np
import pytest

from agents.pretraining.questions import about_things, alternatives
from agents.pretraining.things import things
from gui_gym.actions import Action, ActionType
from gui_gym.codecs.frames import make_frame
from gui_gym.desktops.sim.canvas import inside
from gui_gym.desktops.sim.desktop import SimDesktop
from gui_gym.tasks import load_suite
from gui_gym.tasks.sim.suite import family_of
from gui_gym.verifiers.score import EndReason, Outcome

SIZE = (320, 192)
SUITE = load_suite("sim")
SUITE.screen = SIZE
OTHERS = ("click-button", "click-colour", "click-icon", "click-shade", "draw-circle", "drag-shape-to-area")


def cell(x, y):
    frame = make_frame("grid:32")
    numerals = [frame.encode(value, SIZE, axis) for axis, value in enumerate((x, y))]
    return f"x={numerals[0]},y={numerals[1]}", tuple(frame.decode(numeral, SIZE, axis) for axis, numeral in enumerate(numerals))


def screen(family, seed, difficulty="easy"):
    desktop = SimDesktop(*SIZE)
    task = SUITE.draw(np.random.default_rng(seed), family, difficulty=difficulty)
    desktop.reset(task, 0)
    return desktop, task


@pytest.mark.parametrize("family", [*OTHERS, None])
@pytest.mark.parametrize("seed", range(4))
def test_the_answer_to_where_something_is_lies_in_it_and_in_nothing_else_of_its_name(family, seed):
    desktop, _ = screen(family, seed, "mixed")
    found = things(desktop.session)
    asked = 0
    for question in [question for draw in range(6) for question in about_things(found, cell, np.random.default_rng(draw))]:
        if question.action.type is ActionType.CLICK:
            name = question.text.removesuffix(" and click it.").strip(".")
            assert inside(question.target, *question.action.point)
            assert sum(thing.rect == question.target and (thing.name in name) for thing in found) == 1
            window = desktop.session.window_at(*question.action.point)
            assert window is not None or desktop.state.popup is not None
            asked += 1
        else:
            assert any(question.action.text in (thing.name, thing.value) for thing in found)
    assert asked


def test_what_is_read_at_a_place_is_what_is_there():
    desktop, _ = screen("click-button", 3)
    found, read = things(desktop.session), 0
    for seed in range(20):
        for question in about_things(found, cell, np.random.default_rng(seed)):
            if question.action.type is ActionType.ANSWER and "x=" in question.text:
                x, y = (int(part.split("=")[1]) for part in question.text.rstrip("?.").split(" at ")[1].split(","))
                pixel = (10 * x + 5, 6 * y + 3)
                assert [thing.name for thing in found if inside(thing.rect, *pixel)] == [question.action.text]
                read += 1
    assert read > 20


@pytest.mark.parametrize("family", OTHERS)
def test_each_alternative_is_solved_by_its_answer_and_by_no_other_of_the_same_screen(family):
    for seed in range(6):
        desktop, task = screen(family, seed)
        questions = alternatives(task, desktop)
        assert task.instruction in [question.text for question in questions]
        assert len({question.text for question in questions}) == len(questions) >= 2
        snapshot = desktop.snapshot()
        for question in questions:
            desktop.perform(question.action)
            solved = family_of(task).check(desktop.state, desktop.start, task.params["goal"], Outcome(EndReason.DONE))
            assert solved == (question.text == task.instruction), (question, task.instruction)
            desktop.restore(snapshot)


def test_families_without_alternatives_have_none():
    desktop, task = screen("fill-form", 0)
    assert alternatives(task, desktop) == []


def test_what_is_covered_is_no_thing_and_an_open_menu_hides_the_rest():
    desktop, _ = screen("edit-and-save", 1)
    names = {thing.name for thing in things(desktop.session)}
    menu = next(thing for thing in things(desktop.session) if thing.role == "menu")
    desktop.perform(Action.click(*menu.middle))
    opened = things(desktop.session)
    assert opened and {thing.role for thing in opened} == {"menu item"} and not names & {thing.name for thing in opened}
