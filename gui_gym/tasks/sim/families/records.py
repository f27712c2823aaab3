"""Records of people and orders: read a field, point into one, and copy from one window to another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gui_gym.actions import Action, Key, Modifier
from gui_gym.desktops.sim.apps.dialog import Dialog
from gui_gym.desktops.sim.apps.form import Form, make_form
from gui_gym.desktops.sim.layout import Column, place
from gui_gym.desktops.sim.session import Session
from gui_gym.desktops.sim.state import State, Window
from gui_gym.desktops.sim.widgets.basic import Label
from gui_gym.desktops.sim.widgets.text import TextField
from gui_gym.tasks.sim.brief import Brief
from gui_gym.tasks.sim.families.common import DialogFamily, closed, clutter, ok_cancel, quoted, wording
from gui_gym.tasks.sim.families.entering import WORDS
from gui_gym.tasks.sim.families.fields import content_width, label_width, retype, reveal, rows_of, spec
from gui_gym.tasks.sim.family import Family, Params
from gui_gym.tasks.sim.solver import Solver
from gui_gym.tasks.sim.words import CITIES, FIRST, LAST
from gui_gym.verifiers.score import Outcome


def _digits(brief: Brief, count: int) -> str:
    return "".join(brief.pick("0123456789") for _ in range(count))


def _phone(brief: Brief) -> str:
    return f"+{brief.integer(30, 99)} {brief.integer(100, 999)} {_digits(brief, 6)}"


def _mail(brief: Brief) -> str:
    return f"{brief.pick(WORDS)}.{brief.pick(WORDS)}@{brief.pick(WORDS)}.{brief.pick(['org', 'net', 'example'])}"


def _number(brief: Brief) -> str:
    return f"{brief.pick('ABCDEFGH')}{brief.pick('KLMNPRST')}{_digits(brief, 6)}"


#: What the fields of a record hold, by their English labels.
FIELDS: dict[str, Callable[[Brief], str]] = {
    "First name": lambda brief: brief.pick(FIRST),
    "Last name": lambda brief: brief.pick(LAST),
    "Nickname": lambda brief: f"{brief.pick(WORDS)}{brief.integer(1, 99)}",
    "Company": lambda brief: f"{brief.pick(LAST)} & {brief.pick(LAST)}",
    "Street": lambda brief: f"{brief.pick(WORDS).capitalize()} Lane {brief.integer(1, 199)}",
    "Postal code": lambda brief: _digits(brief, 5),
    "City": lambda brief: brief.pick(CITIES),
    "Phone": _phone,
    "Mobile phone": _phone,
    "Work phone": _phone,
    "E-mail": _mail,
    "Work e-mail": _mail,
    "Customer number": _number,
    "Order number": _number,
    "Invoice number": _number,
    "Contract number": _number,
    "Reference": lambda brief: f"{brief.pick(WORDS)}-{_digits(brief, 3)}",
}
NUMBERS = ("Customer number", "Order number", "Invoice number", "Contract number", "Reference")  #: fields that are easily mixed up
REACH = ("Phone", "Mobile phone", "Work phone", "E-mail", "Work e-mail")


def some_fields(brief: Brief, count: int) -> list[str]:
    """So many fields of a record: with more of them, ones that are easily mixed up."""
    alike = brief.sample(NUMBERS if brief.chance(0.5) else REACH, min(count, brief.by_level(1, 2, 4)))
    return brief.sample([*alike, *brief.sample([name for name in FIELDS if name not in alike], count - len(alike))], count)


class _CardFamily(Family):
    """A task about the fields of a form that has nothing to hand in: what they hold is not to be changed."""

    has_infeasible = True

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        clutter(session, rng)
        form = Form(id="form", title=params["title"])
        width = content_width(session, params["fields"], int(rng.integers(24, 32)))
        make_form(session, form, width, rows_of(session, params["fields"]), self.view(rng), "Save")
        place(session, form, rng)

    def view(self, rng: np.random.Generator) -> int:
        """How many rows of the form are in view."""
        return 6

    @staticmethod
    def is_unchanged(state: State, params: Params) -> bool:
        """Whether the form holds what it held; closing it does no harm."""
        form = state.window("form")
        return form is None or all(form.widget(field["id"]).value == field["value"] for field in params["fields"])

    def go_to_target(self, solver: Solver, params: Params) -> None:
        """Put back what was changed, and bring the field that the task is about into view."""
        for field in params["fields"]:
            if solver.window("form").widget(field["id"]).value != field["value"]:
                reveal(solver, "form", field["id"])
                retype(solver, "form", field["id"], field["value"])
        solver.raise_window(solver.window("form"))
        reveal(solver, "form", params["target"])


class ReadField(_CardFamily):
    """Say what a form holds in the named field, which may have to be scrolled to."""

    id = "read-field"
    skills = ("read", "scroll", "form", "answer")
    max_steps = 16

    def draw(self, brief: Brief) -> dict[str, Any]:
        *names, missing = some_fields(brief, brief.by_level(4, 8, 14) + 1)
        values = {name: FIELDS[name](brief) for name in names}
        fields = [spec(f"field{i}", brief.label(name), value=values[name]) for i, name in enumerate(names)]
        at = brief.integer(brief.by_level(0, 0, 6), len(names) - 1)
        asked = brief.label(names[at] if brief.feasible else missing)
        title = brief.label("Customer card")
        choices = [
            "What does the form {title} hold in the field {name}?",
            "Read the field {name} of {title}.",
            "What has been entered for {name} in the window {title}?",
        ]
        instruction = f"{wording(brief, choices, title=quoted(title), name=quoted(asked))} Answer with exactly that and change nothing."
        return {"instruction": instruction, "title": title, "fields": fields, "target": f"field{at}", "value": values[names[at]]}

    def view(self, rng: np.random.Generator) -> int:
        return int(rng.integers(5, 7))

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        said = " ".join((outcome.answer or "").strip(" “”\"'").split()).casefold()
        return self.is_unchanged(state, params) and said == params["value"].casefold()

    def solve(self, solver: Solver, params: Params) -> None:
        self.go_to_target(solver, params)
        solver.answer(params["value"])

    def spoil(self, solver: Solver, params: Params) -> bool:
        solver.click("form", params["target"])
        solver.type("x")
        return True


def click_gap(solver: Solver, window_id: str, widget_id: str, index: int) -> None:
    """Click between two characters of a text field."""
    window = solver.window(window_id)
    field = window.part(widget_id, TextField)
    look = solver.session.look
    columns = [x for x in range(field.w) if field.index_at(look, x, field.h // 2) == index]
    x, y, _, h = window.rect_of(field)
    solver.act(Action.click(*solver.reach(window, (x + columns[len(columns) // 2], y, 1, h))))


class FocusField(_CardFamily):
    """Put the caret right before a word in the named field, and change nothing. In harder forms the word is in every field."""

    id = "focus-field"
    skills = ("click", "keyboard", "edit")
    max_steps = 12

    def draw(self, brief: Brief) -> dict[str, Any]:
        *names, missing = some_fields(brief, brief.by_level(2, 4, 9) + 1)
        words = brief.sample(WORDS, 3)
        fields = []
        for i, name in enumerate(names):
            value = " ".join(brief.sample(words, 3) if brief.by_level(False, False, True) else brief.sample(WORDS, 3))
            fields.append(spec(f"field{i}", brief.label(name), value=value))
        at = brief.integer(0, len(names) - 1)
        word = fields[at]["value"].split(" ")[brief.integer(1, 2)]
        asked = fields[at]["label"] if brief.feasible else brief.label(missing)
        choices = [
            "Put the caret right before the word {word} in the field {name}.",
            "Place the text cursor in front of {word} in {name}, without changing anything.",
            "In {name}, set the caret between {word} and the space before it.",
        ]
        instruction = wording(brief, choices, word=quoted(word), name=quoted(asked))
        index = fields[at]["value"].index(f" {word}") + 1
        return {"instruction": instruction, "title": brief.label("Customer card"), "fields": fields, "target": f"field{at}", "index": index}

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        form = state.window("form")
        if form is None or not self.is_unchanged(state, params):
            return False
        active = next((w for w in reversed(state.windows) if not w.minimised), None)
        target = form.part(params["target"], TextField)
        return active is form and form.focus == target.id and (target.caret, target.anchor) == (params["index"], params["index"])

    def solve(self, solver: Solver, params: Params) -> None:
        self.go_to_target(solver, params)
        click_gap(solver, "form", params["target"], params["index"])

    def spoil(self, solver: Solver, params: Params) -> bool:
        solver.press(Key.RIGHT)
        return True


class CopyBetweenWindows(DialogFamily):
    """Copy values from the named window into the fields of another, and hand it in."""

    id = "copy-between-windows"
    skills = ("clipboard", "keyboard", "window", "read")
    max_steps = 40
    has_infeasible = True

    def draw(self, brief: Brief) -> dict[str, Any]:
        names = some_fields(brief, brief.by_level(2, 4, 5))
        *people, missing = brief.sample([f"{first} {last}" for first in FIRST for last in LAST], brief.by_level(1, 2, 3) + 1)
        sources = {person: {brief.label(name): FIELDS[name](brief) for name in names} for person in people}
        asked = brief.sample(names, brief.by_level(1, 1, 2))
        into = ["Subject", "Comment", "Note"][: len(asked) + brief.by_level(0, 1, 1)]
        fields = [spec(f"into{i}", brief.label(name), value=brief.by_level("", "", "?")) for i, name in enumerate(into)]
        moves = [[brief.label(name), f"into{i}"] for i, name in enumerate(asked)]
        source = brief.pick(people) if brief.feasible else missing
        title = brief.label("New customer")
        listing = " and ".join(f"{quoted(name)} into {quoted(fields[i]['label'])}" for i, (name, _) in enumerate(moves))
        choices = [
            "From the window {source}, copy {listing} of the window {title}; then press {ok} there.",
            "Copy {listing} of {title}, taking what the window {source} says, and press {ok}.",
            "The window {source} has what {title} needs: copy {listing}, and confirm with {ok}.",
        ]
        instruction = wording(brief, choices, source=quoted(source), listing=listing, title=quoted(title))
        return {"instruction": instruction, "title": title, "sources": sources, "source": source, "fields": fields, "moves": moves}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        size = session.look.size
        for person, record in params["sources"].items():
            window = Window(id=person, title=person)
            shown = [spec(f"field{i}", name, value=value) for i, (name, value) in enumerate(record.items())]
            column = Column(session, window, content_width(session, shown, int(rng.integers(20, 28))))
            wide = label_width(session, shown)
            for name, value in record.items():
                column.row(Label(id=f"{name}-label", name=name, w=wide), TextField(id=name, name=name, text=value, readonly=True))
            column.space(int(rng.integers(0, 3)) * size.gap)
            column.finish()
            place(session, window, rng)
        dialog = Dialog(id="dialog", title=params["title"])
        column = Column(session, dialog, content_width(session, params["fields"], int(rng.integers(22, 30))))
        for row in rows_of(session, params["fields"]):
            column.row(*row)
        ok_cancel(session, column)
        place(session, dialog, rng)

    def values(self, params: Params) -> dict[str, str]:
        values = {field["id"]: field["value"] for field in params["fields"]}
        record = params["sources"].get(params["source"], {})
        return values | {into: record[name] for name, into in params["moves"] if name in record}

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        return super().check(state, start, params, outcome) and closed(state, start) == {"dialog"}

    def fill(self, solver: Solver, params: Params) -> None:
        values = self.values(params)
        copied = {into: name for name, into in params["moves"]}
        for field in params["fields"]:
            into = field["id"]
            if solver.widget("dialog", into).value == values[into]:
                continue
            if into not in copied:
                retype(solver, "dialog", into, values[into])
                continue
            solver.click(params["source"], copied[into])
            solver.press(Key.A, Modifier.CTRL)
            solver.press(Key.C, Modifier.CTRL)
            solver.click("dialog", into)
            solver.press(Key.A, Modifier.CTRL)
            solver.press(Key.V, Modifier.CTRL)

    def spoil(self, solver: Solver, params: Params) -> bool:
        solver.close(params["source"])
        return True
