"""Tasks about the calendar and the settings: other ways of doing them, and ways of not doing them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from test_sim_mail_families import Hand

from gui_gym.actions import Action, Key
from gui_gym.desktops.sim.apps import agenda, launch
from gui_gym.desktops.sim.apps.agenda import CALENDAR, Appointment
from gui_gym.desktops.sim.settings import SETTINGS, Value
from gui_gym.desktops.sim.shell import VOLUME, bar_parts
from gui_gym.tasks.sim import Solver
from gui_gym.tasks.sim.families.agenda_world import as_appointment, select_event, show_day
from gui_gym.tasks.sim.families.settings import set_setting
from gui_gym.tasks.sim.solver import middle

MAKING = ("create-event", "free-slot", "move-event", "change-event")
SETTING = ("change-theme", "set-volume", "change-language", "change-clock-format", "several-settings")


def change(hand: Hand, **changes: object) -> float | None:
    """The score after a solution whose appointment is changed."""
    hand.solve()
    event = as_appointment(hand.goal["event"])
    path = next(path for path, each in agenda.appointments(hand.files).items() if each == event)
    hand.files[path] = agenda.write_appointment(replace(event, **changes))  # type: ignore[arg-type]
    return hand.score()


@pytest.mark.parametrize("family", MAKING)
def test_an_appointment_has_to_be_right_in_every_part(family: str) -> None:
    task = f"{family}#2/easy"
    event = as_appointment(Hand(task).goal["event"])
    assert change(Hand(task)) == 1
    assert change(Hand(task), title="Else") == 0 and change(Hand(task), date=event.date.replace(year=2025)) == 0
    assert change(Hand(task), place="Else") == 0 and change(Hand(task), start=None, end=None) == (0 if event.start else 1)


@pytest.mark.parametrize("family", [*MAKING, "delete-event", "when-is-event", "count-events", "longest-event"])
def test_an_appointment_too_many_or_too_few_scores_0(family: str) -> None:
    hand = Hand(f"{family}#3").solve()
    assert hand.score() == 1
    path = agenda.add_appointment(hand.files, Appointment("Else", as_appointment(hand.goal["agenda"][0]).date))
    assert hand.score() == 0
    del hand.files[path]
    assert hand.score() == 1
    del hand.files[next(iter(agenda.appointments(hand.files)))]
    assert hand.score() == 0


def test_any_program_may_write_the_file() -> None:
    hand = Hand("create-event#4")
    hand.files[f"{CALENDAR}/meeting.ics"] = agenda.write_appointment(as_appointment(hand.goal["event"]))
    assert hand.score() == 1


def test_an_appointment_may_be_dragged_to_its_new_day() -> None:
    done = 0
    for seed in range(30):
        hand = Hand(f"move-event#{seed}/easy")
        old, new = as_appointment(hand.goal["agenda"][hand.goal["target"]]), as_appointment(hand.goal["event"])

        def act(solver: Solver, old: Appointment = old, new: Appointment = new) -> None:
            window = show_day(solver, old.date)
            x, y, _, _ = window.rect_of(window.grid)
            key = next(path for path, each in agenda.appointments(solver.state.files).items() if each == old)
            rects = {k: rect for k, _, rect in window.grid.entry_rects(solver.session.look, old.date)}
            cell = window.grid.cell(solver.session.look, new.date)
            if key in rects and cell:
                (a, b), (c, d) = middle(rects[key]), middle(cell)
                solver.act(Action.drag(x + a, y + b, x + c, y + d))

        done += hand.scripted(act).score() == 1
    assert done >= 20


def test_without_the_answer_to_its_question_nothing_is_deleted() -> None:
    hand = Hand("delete-event#3")
    event = as_appointment(hand.goal["agenda"][hand.goal["targets"][0]])

    def act(solver: Solver) -> None:
        select_event(solver, event)
        solver.press(Key.DELETE)

    assert hand.scripted(act).score() == 0
    assert hand.scripted(lambda solver: solver.press(Key.ENTER)).score() == 1


def test_how_a_time_and_a_date_may_be_said() -> None:
    seen = set()
    for seed in range(20):
        hand = Hand(f"when-is-event#{seed}")
        event, asked = as_appointment(hand.goal["agenda"][hand.goal["target"]]), hand.goal["asked"]
        seen.add(asked)
        if asked == "date":
            assert hand.score(event.date.isoformat()) == 1 and hand.score(f"{event.date.day}") == 0 and hand.score("2026-03-32") == 0
        else:
            moment = event.start if asked == "start" else event.end
            assert moment is not None
            said = [f"{moment:%H:%M}", f"{moment:%H.%M}", f"{moment:%I:%M %p}", f" {moment:%H:%M}. "]
            assert [hand.score(text) for text in said] == [1] * 4
            wrong = [f"about {moment:%H:%M}", f"{moment:%H:%M} or 12:00", "", "25:00", f"{(moment.hour + 1) % 24}:{moment.minute:02d}"]
            assert [hand.score(text) for text in wrong] == [0] * 5
    assert seen == {"start", "end", "date"}


@pytest.mark.parametrize("family", SETTING)
def test_another_setting_changed_besides_scores_0(family: str) -> None:
    for seed in range(3):
        hand = Hand(f"{family}#{seed}").solve()
        assert hand.score() == 1
        for name, setting in SETTINGS.items():
            before = hand.desktop.state.settings[name]
            others: dict[type, Value] = {bool: not before, int: setting.high if before == setting.low else setting.low, str: "Else"}
            hand.desktop.state.settings[name] = next((c for c in setting.choices if c != before), others[type(before)])
            assert hand.score() == 0, name
            hand.desktop.state.settings[name] = before
        assert hand.score() == 1


def test_sound_may_be_switched_in_the_task_bar() -> None:
    hand = Hand("set-volume#0")
    seeds = (seed for seed in range(60) if set(Hand(f"set-volume#{seed}").goal["wanted"]) == {"volume", "mute"})
    hand = Hand(f"set-volume#{next(seeds)}")

    def act(solver: Solver) -> None:
        set_setting(solver, "volume", hand.goal["wanted"]["volume"])
        solver.act(Action.click(*middle(bar_parts(solver.session)[VOLUME])))
        solver.choose("toggle")

    assert hand.scripted(act).score() == 1


def test_which_setting_wants_it_exactly_and_unchanged() -> None:
    for seed in range(12):
        hand = Hand(f"which-setting#{seed}")
        value = hand.goal["given"][hand.goal["asked"]]
        assert hand.score(str(value)) == 1 and hand.score(f"{value}0") == 0 and hand.score("") == 0 and hand.score(f"it is {value}") == 0
        launch(hand.desktop.session, "settings")
        assert hand.score(str(value)) == 1
        hand.desktop.session.change_setting("bluetooth", not hand.desktop.state.settings["bluetooth"])
        assert hand.score(str(value)) == 0


def test_the_title_of_the_longest_event_is_said_alone() -> None:
    for seed in range(6):
        hand = Hand(f"longest-event#{seed}")
        title = hand.goal["title"]
        wrong = next(data["title"] for data in hand.goal["agenda"] if data["title"] != title)
        assert [hand.score(said) for said in (title, title.lower(), f"“{title}”.")] == [1] * 3
        assert [hand.score(said) for said in (wrong, f"{title} or {wrong}", f"it is {title}", "")] == [0] * 4


def test_events_are_counted_exactly() -> None:
    for seed in range(6):
        hand = Hand(f"count-events#{seed}/hard")
        number = hand.goal["number"]
        assert hand.score(str(number)) == 1 and hand.score(str(number + 1)) == hand.score("") == hand.score(f"{number}, {number + 1}") == 0
