"""Forms: rows of fields that may be longer than their window, and that may refuse what was entered."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gui_gym.actions import Key, Modifier
from gui_gym.desktops.sim.apps.dialog import Dialog
from gui_gym.desktops.sim.layout import Column
from gui_gym.desktops.sim.state import Event, Window
from gui_gym.desktops.sim.widgets.base import Pointer, Stroke, Widget
from gui_gym.desktops.sim.widgets.basic import Button, Label
from gui_gym.desktops.sim.widgets.scroll import Scrolling

if TYPE_CHECKING:
    from gui_gym.desktops.sim.canvas import Canvas, Rect
    from gui_gym.desktops.sim.look import Look
    from gui_gym.desktops.sim.session import Session

Row = list[Widget]  #: widgets side by side


@dataclass(kw_only=True)
class Pane(Scrolling):
    """What the rows of a :class:`Form` are seen through: ``count`` rows, ``unit`` pixels apart, of which ``view`` fit, and a scroll bar."""

    role = "scroll pane"

    count: int
    view: int
    unit: int

    def rows_in_all(self, look: Look) -> int:
        return self.count

    def rows_in_view(self, look: Look) -> int:
        return self.view

    def press(self, session: Session, window: Window, pointer: Pointer) -> None:
        if self.press_bar(session.look, pointer):
            window.layout(session)

    def motion(self, session: Session, window: Window, pointer: Pointer) -> None:
        if self.move_bar(session.look, pointer):
            window.layout(session)

    def wheel(self, session: Session, window: Window, dx: int, dy: int) -> None:
        super().wheel(session, window, dx, dy)
        window.layout(session)

    def draw(self, canvas: Canvas, rect: Rect, look: Look, focused: bool) -> None:
        self.draw_bar(canvas, rect, look)


@dataclass(kw_only=True)
class Form(Dialog):
    """A dialog whose rows scroll in a pane between what is above and below them; those out of view are not among its ``widgets``.

    Args:
        above, below: widgets that stay, such as an introduction and the buttons.
        rows: the rows of the pane, from the top.
        rules: what is refused when it is handed in with the default button: widget id, a regular expression that all of its value must
            match, and the message that is shown otherwise. The first broken rule counts.
    """

    above: Row = field(default_factory=list)
    below: Row = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    rules: list[tuple[str, str, str]] = field(default_factory=list)

    @property
    def pane(self) -> Pane:
        """What the rows are seen through."""
        pane = super().find("pane")
        assert isinstance(pane, Pane)
        return pane

    @property
    def parts(self) -> list[Widget]:
        """All its widgets, in view or not."""
        return [*self.above, *(widget for row in self.rows for widget in row), *self.below]

    def find(self, widget_id: str) -> Widget | None:
        """The widget of that id, in view or not."""
        return super().find(widget_id) or next((w for w in self.parts if w.id == widget_id), None)

    def layout(self, session: Session) -> None:
        """Show the rows that are scrolled into view."""
        pane = self.pane
        seen = self.rows[pane.top : pane.top + pane.view]
        for i, row in enumerate(seen):
            for widget in row:
                widget.y = pane.y + i * pane.unit
        self.widgets = [*self.above, pane, *(widget for row in seen for widget in row), *self.below]
        session.touch(self, pane)

    def reveal(self, session: Session, widget: Widget) -> None:
        """Scroll a widget into view."""
        row = next((i for i, row in enumerate(self.rows) if any(w is widget for w in row)), None)
        if row is not None:
            self.pane.reveal(session.look, row)
            self.layout(session)

    def on_wheel(self, session: Session, dx: int, dy: int) -> None:
        self.pane.wheel(session, self, dx, dy)

    def on_stroke(self, session: Session, stroke: Stroke) -> bool:
        """Tab goes on to fields that are out of view, too."""
        order = [w for w in self.parts if w.focusable and w.enabled]
        if stroke.key is not Key.TAB or stroke.modifiers - {Modifier.SHIFT} or not order:
            return super().on_stroke(session, stroke)
        back = Modifier.SHIFT in stroke.modifiers
        at = next((i for i, w in enumerate(order) if w.id == self.focus), 0 if back else -1)
        widget = order[(at + (-1 if back else 1)) % len(order)]
        self.reveal(session, widget)
        session.focus(self, widget)
        return True

    def on_signal(self, session: Session, widget: Widget, signal: str, value: str) -> None:
        if signal != "clicked" or widget.id not in self.closing:
            super().on_signal(session, widget, signal, value)
        elif widget.id != self.default or not self.refuses(session):
            values = {each.id: each.value for each in self.parts if each.value is not None}
            session.state.log.append(Event(self.id, widget.id, "submitted", json.dumps(values, ensure_ascii=False)))
            session.close(self)

    def refuses(self, session: Session) -> bool:
        """Whether a rule is broken; if so, the label "problem" says which, and the field gets the keyboard."""
        for widget_id, pattern, message in self.rules:
            widget = self.widget(widget_id)
            if not re.fullmatch(pattern, str(widget.value)):
                problem = self.widget("problem")
                problem.name = f"✗ {message}"
                session.touch(self, problem)
                self.reveal(session, widget)
                session.focus(self, widget)
                return True
        return False


def make_form(
    session: Session, form: Form, width: int, rows: Sequence[Row], view: int, ok: str, above: Sequence[tuple[Row, int]] = (), cancel: str = "Cancel"
) -> None:
    """Lay out a form that is not open yet, ``width`` pixels wide without its margins.

    ``rows``: widgets side by side; one without a width takes what is left. ``view``: rows in view, less if the screen has no room for so
    many, and three in any case. ``ok``, ``cancel``: English labels of the buttons "ok" and "cancel". ``above``: rows that stay, with their
    height in pixels (0 is a control's).
    """
    look, size = session.look, session.look.size
    column = Column(session, form, width)
    for row, height in above:
        column.row(*row, height=height or None)
        form.above += row
    top = column.y
    unit = size.control + size.gap
    room = (session.work_area[3] - top - size.control - size.pad) // unit
    pane = Pane(id="pane", count=len(rows), view=max(3, min(view, len(rows), room)), unit=unit, x=size.pad, y=top, w=width + size.pad - 2)
    pane.h = pane.view * unit - size.gap
    scrolls = pane.count > pane.view
    bar = pane.track(look)[2] if scrolls else 0
    column.width = width - max(0, bar + size.gap - size.pad)
    for row in rows:
        column.row(*row)
        form.rows.append(list(row))
    column.width = width
    column.y = top + pane.view * unit
    buttons = [Button(id="ok", name=session.label(ok), primary=True), Button(id="cancel", name=session.label(cancel))]
    column.row(*buttons, align="right")
    form.below += buttons
    column.finish()
    form.closing, form.default = ["ok", "cancel"], "ok"
    form.widgets = [pane]
    form.layout(session)


def problem_label() -> Label:
    """Where a form says which rule is broken."""
    return Label(id="problem")
