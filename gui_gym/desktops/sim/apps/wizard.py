"""A dialog of several pages, one after the other."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gui_gym.desktops.sim.apps.dialog import Dialog
from gui_gym.desktops.sim.layout import Column
from gui_gym.desktops.sim.state import Event
from gui_gym.desktops.sim.widgets.base import Widget
from gui_gym.desktops.sim.widgets.basic import Button, Label

if TYPE_CHECKING:
    from gui_gym.desktops.sim.session import Session


@dataclass(kw_only=True)
class Wizard(Dialog):
    """Pages of widgets, gone through with the buttons "back" and "next"; "finish", on the last one, which sums up, hands all of them in.

    Args:
        titles: the pages' titles, the last one that of the summary.
        pages: the widgets of all pages but the summary.
        buttons: "back", "next", "finish" and "cancel".
        heading: says which page it is.
        lines: the labels of the summary.
        page: the page shown, counted from 0.
    """

    titles: list[str]
    pages: list[list[Widget]]
    buttons: dict[str, Button]
    heading: Label
    lines: list[Label] = field(default_factory=list)
    page: int = 0

    @property
    def parts(self) -> list[Widget]:
        """The widgets of all pages."""
        return [widget for page in self.pages for widget in page]

    def find(self, widget_id: str) -> Widget | None:
        """The widget of that id, on the page shown or not."""
        return super().find(widget_id) or next((w for w in self.parts if w.id == widget_id), None)

    def layout(self, session: Session) -> None:
        """Show the present page."""
        last = len(self.pages)
        self.heading.name = f"{self.page + 1}/{last + 1}  {self.titles[self.page]}"
        fields = [w for w in self.parts if w.value is not None]
        for label, widget in zip(self.lines, fields, strict=True):
            value = session.label("Yes" if widget.value else "No") if isinstance(widget.value, bool) else str(widget.value)
            label.name = f"{widget.name}: {value}"
        forward = "finish" if self.page == last else "next"
        self.buttons["back"].enabled = self.page > 0
        shown: list[Widget] = [*self.lines] if self.page == last else self.pages[self.page]
        self.widgets = [self.heading, *shown, self.buttons["back"], self.buttons[forward], self.buttons["cancel"]]
        self.default = forward
        self.focus = next((w.id for w in shown if w.focusable and w.enabled), forward)
        session.touch(self)

    def on_signal(self, session: Session, widget: Widget, signal: str, value: str) -> None:
        if signal != "clicked" or self.buttons.get(widget.id) is not widget:
            super().on_signal(session, widget, signal, value)
        elif widget.id in ("back", "next"):
            self.page = max(0, min(self.page + (1 if widget.id == "next" else -1), len(self.pages)))
            self.layout(session)
        else:
            values = {each.id: each.value for each in self.parts if each.value is not None}
            session.state.log.append(Event(self.id, widget.id, "submitted", json.dumps(values, ensure_ascii=False)))
            session.close(self)


def make_wizard(session: Session, window_id: str, title: str, width: int, pages: Sequence[tuple[str, Sequence[list[Widget]]]]) -> Wizard:
    """A wizard, ``width`` pixels wide without its margins, not open yet. ``pages``: title and rows of each, without the summary."""
    buttons = {name: Button(id=name, name=session.label(english)) for name, english in zip(NAMES, ("Back", "Next", "Finish", "Cancel"), strict=True)}
    buttons["next"].primary = buttons["finish"].primary = True
    wizard = Wizard(
        id=window_id, title=title, titles=[*(name for name, _ in pages), session.label("Summary")], buttons=buttons, heading=Label(id="heading"),
        pages=[[widget for row in rows for widget in row] for _, rows in pages],
    )  # fmt: skip
    fields = [w for w in wizard.parts if w.value is not None]
    wizard.lines = [Label(id=f"line{i}") for i in range(len(fields))]
    column = Column(session, wizard, width)
    column.row(wizard.heading)
    top, bottom = column.y, column.y
    for _, rows in pages:
        column.y = top
        for row in rows:
            column.row(*row)
        bottom = max(bottom, column.y)
    column.y = top
    for label in wizard.lines:
        column.row(label, height=session.look.sans.height)
    column.y = max(bottom, column.y)
    wide = max(session.look.sans.width(buttons[name].name) for name in ("next", "finish")) + 2 * session.look.size.pad
    buttons["next"].w = buttons["finish"].w = wide
    column.row(buttons["back"], buttons["next"], buttons["cancel"], align="right")
    buttons["finish"].x, buttons["finish"].y, buttons["finish"].h = buttons["next"].x, buttons["next"].y, buttons["next"].h
    column.finish()
    wizard.layout(session)
    return wizard


NAMES = ("back", "next", "finish", "cancel")  #: the ids of a wizard's buttons
