"""Forms as data: what their fields are, the widgets that stand for them, and how a script sets each."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gui_gym.actions import Action, Key, Modifier
from gui_gym.desktops.sim.apps.form import Form, Row, make_form, problem_label
from gui_gym.desktops.sim.layout import place
from gui_gym.desktops.sim.session import Session
from gui_gym.desktops.sim.widgets.base import Widget
from gui_gym.desktops.sim.widgets.basic import CheckBox, Label
from gui_gym.desktops.sim.widgets.choice import DropDown, Slider
from gui_gym.desktops.sim.widgets.date_field import Calendar, DateField
from gui_gym.desktops.sim.widgets.month_view import MonthView
from gui_gym.desktops.sim.widgets.password import PasswordField
from gui_gym.desktops.sim.widgets.range_slider import RangeSlider
from gui_gym.desktops.sim.widgets.rating import Rating
from gui_gym.desktops.sim.widgets.scroll import NOTCH
from gui_gym.desktops.sim.widgets.spinner import Spinner
from gui_gym.desktops.sim.widgets.suggest import SuggestField
from gui_gym.desktops.sim.widgets.text import TextField, TextWidget
from gui_gym.tasks.sim.brief import Brief
from gui_gym.tasks.sim.families.common import DialogFamily, clutter, width_for
from gui_gym.tasks.sim.family import Params
from gui_gym.tasks.sim.solver import Solver
from gui_gym.tasks.task import TaskError

#: A field: "id", "label" as shown, "kind", "value" at the start, and what else its kind needs.
Spec = dict[str, Any]

CHECK, NOTE = "check", "note"  #: kinds whose label is not beside them: a box to tick, and a line of text, which has no value


def spec(field_id: str, label: str, kind: str = "text", value: Any = "", **more: Any) -> Spec:
    """A field."""
    return {"id": field_id, "label": label, "kind": kind, "value": value, **more}


def note(field_id: str, text: str) -> Spec:
    """A line of text between the fields."""
    return {"id": field_id, "label": text, "kind": NOTE}


def widget_of(session: Session, field: Spec) -> Widget:
    """The widget that stands for a field."""
    common = {"id": field["id"], "name": field["label"]}
    value: Any = field.get("value")
    match field["kind"]:
        case "text":
            return TextField(**common, text=value, caret=len(value), anchor=len(value))
        case "password":
            return PasswordField(**common, text=value, caret=len(value), anchor=len(value))
        case "suggest":
            return SuggestField(**common, text=value, caret=len(value), anchor=len(value), entries=list(field["entries"]))
        case "spinner":
            spinner = Spinner(**common, **{key: field[key] for key in ("low", "high", "step", "digits", "wrap") if key in field})
            spinner.text = spinner.written(value)
            return spinner
        case "choice":
            return DropDown(**common, choices=list(field["choices"]), selected=field["choices"].index(value) if value else -1)
        case "check":
            return CheckBox(**common, checked=value)
        case "slider":
            return Slider(**common, number=value, **{key: field[key] for key in ("low", "high", "step") if key in field})
        case "range":
            start, end = value
            return RangeSlider(**common, start=start, end=end, low=field["low"], high=field["high"], step=field["step"])
        case "rating":
            return Rating(**common, stars=value)
        case "date":
            return DateField(**common, day=value, pattern=field["pattern"])
        case "note":
            return Label(**common)
    raise ValueError(f"a field is of the kind {field['kind']!r}: expected one that widget_of knows")


def rows_of(session: Session, fields: Sequence[Spec]) -> list[Row]:
    """A row for each field: its label and its widget."""
    wide = label_width(session, fields)
    rows: list[Row] = []
    for field in fields:
        widget = widget_of(session, field)
        if field["kind"] in (CHECK, NOTE):
            rows.append([widget])
        else:
            rows.append([Label(id=f"{field['id']}-label", name=field["label"], w=wide), widget])
    return rows


def label_width(session: Session, fields: Sequence[Spec]) -> int:
    """The width in pixels of the labels beside fields."""
    labels = [field["label"] for field in fields if field["kind"] not in (CHECK, NOTE)]
    return max(map(session.look.sans.width, labels), default=0) + session.look.size.gap


def content_width(session: Session, fields: Sequence[Spec], ems: int) -> int:
    """A width in pixels with room for all labels and what is in the fields: about ``ems`` font sizes, or what the screen has."""
    look = session.look
    texts = [look.sans.width(field["value"]) + 2 * look.size.font for field in fields if field["kind"] == "text"]
    beside = label_width(session, fields) + max(10 * look.size.font, *texts, 0)
    alone = [look.sans.width(field["label"]) + 3 * look.size.font for field in fields if field["kind"] in (CHECK, NOTE)]
    return min(max(ems * look.size.font, beside, *alone, 0), width_for(session, 1000))


def expected(params: Params) -> dict[str, Any]:
    """The values by id that a form is to be handed in with: those wanted, and all others as they are."""
    return {field["id"]: params["wanted"].get(field["id"], field["value"]) for field in params["fields"] if field["kind"] != NOTE}


# Scripts


def dismiss_calendar(solver: Solver) -> None:
    """Close the calendar that is open, if any."""
    for window in solver.state.windows:
        if isinstance(window, Calendar):
            solver.raise_window(window)
            solver.press(Key.ESCAPE)
            return


def reveal(solver: Solver, window_id: str, widget_id: str) -> None:
    """Scroll a form until a widget can be seen."""
    window = solver.window(window_id)
    if not isinstance(window, Form):
        return
    x, y, w, h = window.pane.track(solver.session.look)
    pane = window.rect_of(window.pane)
    while all(widget.id != widget_id for widget in window.widgets):
        row = next(i for i, row in enumerate(window.rows) if any(w.id == widget_id for w in row))
        before, away = window.pane.top, row - window.pane.top
        point = solver.reach(window, (pane[0] + x, pane[1] + y, w, h))
        solver.act(Action.scroll_by(*point, dy=max(1, away // NOTCH) if away > 0 else min(-1, away // NOTCH)))
        if window.pane.top == before:
            raise TaskError(f"there is no scripted solution from here: the form does not scroll to {widget_id!r}")


def retype(solver: Solver, window_id: str, widget_id: str, text: str) -> None:
    """Make ``text`` all that is in a field that is typed into."""
    solver.click(window_id, widget_id)
    widget = solver.window(window_id).part(widget_id, TextWidget)
    if widget.text:
        solver.press(Key.A, Modifier.CTRL)
        if not text:
            solver.press(Key.DELETE)
    if text:
        solver.type(text)


def set_field(solver: Solver, window_id: str, field: Spec, wanted: Any) -> None:
    """Give a field a value, if it has another one."""
    name = field["id"]
    widget = solver.window(window_id).widget(name)
    if widget.value == wanted:
        return
    reveal(solver, window_id, name)
    match field["kind"]:
        case "text" | "password":
            retype(solver, window_id, name, wanted)
        case "suggest":
            _suggest(solver, window_id, name, wanted)
        case "spinner":
            retype(solver, window_id, name, str(wanted))
        case "choice":
            solver.click(window_id, name)
            solver.choose(wanted)
        case "check":
            solver.click(window_id, name)
        case "slider":
            solver.slide(window_id, name, wanted)
        case "range":
            _span(solver, window_id, name, wanted)
        case "rating":
            assert isinstance(widget, Rating)
            if wanted:
                _click_part(solver, window_id, widget, widget.star_rects(solver.session.look)[wanted - 1])
            else:
                solver.click(window_id, name)
                solver.press(Key.HOME)
        case "date":
            pick_day(solver, window_id, name, wanted)


def _click_part(solver: Solver, window_id: str, widget: Widget, part: tuple[int, int, int, int]) -> None:
    window = solver.window(window_id)
    x, y, _, _ = window.rect_of(widget)
    solver.act(Action.click(*solver.reach(window, (x + part[0], y + part[1], part[2], part[3]))))


def _suggest(solver: Solver, window_id: str, name: str, wanted: str) -> None:
    retype(solver, window_id, name, wanted[:2])
    widget = solver.window(window_id).part(name, SuggestField)
    for c in wanted[2:]:
        if wanted in widget.suggested:
            break
        solver.type(c)
    if wanted in widget.suggested:
        _click_part(solver, window_id, widget, (0, widget.line * (1 + widget.suggested.index(wanted)), widget.w, widget.line))


def _span(solver: Solver, window_id: str, name: str, wanted: Sequence[int]) -> None:
    window = solver.window(window_id)
    widget = window.part(name, RangeSlider)
    look = solver.session.look
    for second in (True, False) if wanted[1] >= widget.end else (False, True):
        now, to = (widget.end, wanted[1]) if second else (widget.start, wanted[0])
        x, y, _, h = window.rect_of(widget)
        at = widget.position(look, now)
        grip = solver.reach(window, (x + at, y, 1, h))
        shift = widget.position(look, to) - at
        solver.act(Action.drag(*grip, grip[0] + shift, grip[1]))
        if widget.second != second:
            solver.press(Key.SPACE)
        while (widget.end if second else widget.start) != to:
            before = widget.value
            solver.press(Key.RIGHT if (widget.end if second else widget.start) < to else Key.LEFT)
            if widget.value == before:
                raise TaskError("there is no scripted solution from here: the thumbs are in each other's way")


def pick_day(solver: Solver, window_id: str, name: str, day: str) -> None:
    """Choose a day ``YYYY-MM-DD`` in the calendar of a date."""
    solver.click(window_id, name)
    calendar = solver.window(f"calendar:{window_id}")
    month = calendar.part("month", MonthView)
    while month.shown != day[:7]:
        away = 12 * (int(day[:4]) - int(month.shown[:4])) + int(day[5:7]) - int(month.shown[5:])
        step = (12 if abs(away) >= 12 else 1) * (1 if away > 0 else -1)
        _click_part(solver, calendar.id, month, next(area for _, months, area in month.arrows() if months == step))
    _click_part(solver, calendar.id, month, dict(month.days())[day])


class FormFamily(DialogFamily):
    """A family whose tasks are forms: fill in the fields as asked, leave the others, and hand it in with the button "ok".

    Its parameters besides the instruction: "title", "fields" (a list of :data:`Spec`), "wanted" (values by id), "ok" (the button's English
    label), "view" (rows in view), and if there are any "rules" (see :class:`~gui_gym.desktops.sim.apps.form.Form`).
    """

    ems = (24, 32)  #: least and greatest width of the form in font sizes

    @abstractmethod
    def draw(self, brief: Brief) -> dict[str, Any]: ...

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        clutter(session, rng)
        self.open_form(session, params, rng)

    def open_form(self, session: Session, params: Params, rng: np.random.Generator) -> Form:
        """Lay out the form at a random place."""
        fields = params["fields"]
        form = Form(id="dialog", title=params["title"], rules=[tuple(rule) for rule in params.get("rules", [])])
        width = content_width(session, fields, int(rng.integers(self.ems[0], self.ems[1] + 1)))
        above: list[tuple[Row, int]] = [([problem_label()], 0)] if form.rules else []
        make_form(session, form, width, rows_of(session, fields), params.get("view", 100), params["ok"], above)
        place(session, form, rng)
        return form

    def values(self, params: Params) -> dict[str, Any]:
        return expected(params)

    def fill(self, solver: Solver, params: Params) -> None:
        dismiss_calendar(solver)
        solver.raise_window(solver.window("dialog"))
        values = expected(params)
        for field in params["fields"]:
            if field["id"] in values:
                set_field(solver, "dialog", field, values[field["id"]])


def goal(title: str, fields: Sequence[Spec], wanted: Mapping[str, Any], instruction: str, ok: str = "OK", **more: Any) -> dict[str, Any]:
    """The parameters of a :class:`FormFamily`."""
    return {"instruction": instruction, "title": title, "fields": list(fields), "wanted": dict(wanted), "ok": ok, **more}
