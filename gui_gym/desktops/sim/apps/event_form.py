"""The form for an appointment of the calendar."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, time
from typing import TYPE_CHECKING

from gui_gym.actions import Key
from gui_gym.desktops.sim import clock
from gui_gym.desktops.sim.apps.agenda import Appointment, add_appointment, write_appointment
from gui_gym.desktops.sim.apps.dialog import tell
from gui_gym.desktops.sim.layout import Column, put_over
from gui_gym.desktops.sim.state import Event, Window
from gui_gym.desktops.sim.widgets.base import Stroke, Widget
from gui_gym.desktops.sim.widgets.basic import Button, CheckBox, Label
from gui_gym.desktops.sim.widgets.text import TextField

if TYPE_CHECKING:
    from gui_gym.desktops.sim.session import Session

FIELDS = {"title": "Title", "date": "Date", "begins": "Begins", "ends": "Ends", "place": "Place"}


@dataclass(kw_only=True)
class EventForm(Window):
    """Its widgets: the fields "title", "date", "begins", "ends" and "place", the box "all-day", and the buttons "ok" and "cancel".

    ``path`` is that of the appointment that is edited, or "" for a new one.
    """

    role = "dialog"
    icon = "calendar"

    path: str = ""

    def on_signal(self, session: Session, widget: Widget, signal: str, value: str) -> None:
        if signal == "clicked" and widget.id == "ok":
            self._accept(session)
        elif signal == "clicked":
            session.close(self)
        elif signal == "toggled":
            for name in ("begins", "ends"):
                self.widget(name).enabled = not self.widget("all-day").value
                session.touch(self, self.widget(name))

    def on_stroke(self, session: Session, stroke: Stroke) -> bool:
        if stroke.is_(Key.ESCAPE):
            session.close(self)
            return True
        return False

    def _accept(self, session: Session) -> None:
        """Write the appointment and close, or say what is wrong."""
        appointment = self._read(session)
        if isinstance(appointment, str):
            tell(session, self, self.title, appointment)
            return
        files = session.state.files
        if self.path:
            files[self.path] = write_appointment(appointment)
        else:
            self.path = add_appointment(files, appointment)
        session.state.log.append(Event(self.id, "ok", "saved", self.path))
        session.close(self)
        session.files_changed()

    def _read(self, session: Session) -> Appointment | str:
        """What was entered, or what is wrong with it."""
        texts = {name: str(self.widget(name).value).strip() for name in FIELDS}
        settings, day = session.state.settings, clock.read_date(texts["date"])
        if not texts["title"]:
            return session.label("Enter a title.")
        if day is None:
            return session.label("Enter a date such as {}.", clock.START.date().isoformat())
        if self.widget("all-day").value:
            return Appointment(texts["title"], day, None, None, texts["place"])
        begins, ends = (clock.read_time(texts[name]) for name in ("begins", "ends"))
        if begins is None or ends is None:
            return session.label("Enter a time such as {}.", clock.time_text(settings, time(14, 30)))
        if ends < begins:
            return session.label("The end is before the start.")
        return Appointment(texts["title"], day, begins, ends, texts["place"])


def open_form(session: Session, owner: Window, day: date, path: str = "", appointment: Appointment | None = None) -> EventForm:
    """Open the form over the window ``owner`` for a new appointment on a day, or to edit the one at ``path``."""
    label, settings, size = session.label, session.state.settings, session.look.size
    given = appointment or Appointment("", day, time(9), time(10))
    title = label("Edit event") if path else label("New event")
    form = EventForm(id=f"event:{owner.id}", title=title, modal_for=owner.id, path=path, default="ok", focus="title")
    texts = {"title": given.title, "date": given.date.isoformat(), "place": given.place}
    texts |= {name: clock.time_text(settings, moment) if moment else "" for name, moment in (("begins", given.start), ("ends", given.end))}
    fields = {name: TextField(id=name, name=label(text), text=texts[name], caret=len(texts[name])) for name, text in FIELDS.items()}
    for field in fields.values():
        field.anchor = field.caret
    box = CheckBox(id="all-day", name=label("All day"), checked=given.start is None)
    fields["begins"].enabled = fields["ends"].enabled = not box.checked
    column = Column(session, form, min(30 * size.font, session.state.width - 4 * size.pad))
    wide = max(session.look.sans.width(label(text)) for text in FIELDS.values()) + size.gap

    def caption(name: str) -> Label:
        return Label(id=f"{name}-label", name=label(FIELDS[name]), w=wide, muted=True)

    column.row(caption("title"), fields["title"])
    column.row(caption("date"), fields["date"], box)
    column.row(caption("begins"), fields["begins"], caption("ends"), fields["ends"])
    column.row(caption("place"), fields["place"])
    column.row(Button(id="ok", name=label("OK"), primary=True), Button(id="cancel", name=label("Cancel")), align="right")
    column.finish()
    put_over(session, form, owner)
    return form
