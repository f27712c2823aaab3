"""Dialogs: forms whose closing buttons hand in what was entered, message boxes, and questions for a line of text."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gui_gym.actions import Key
from gui_gym.desktops.sim.layout import Column, put_over
from gui_gym.desktops.sim.state import Event, Window
from gui_gym.desktops.sim.widgets.base import Stroke, Widget
from gui_gym.desktops.sim.widgets.basic import Button, Clickable, Label
from gui_gym.desktops.sim.widgets.text import TextField

if TYPE_CHECKING:
    from gui_gym.desktops.sim.session import Session

#: The buttons of message boxes by id, in English.
BUTTONS = {
    "ok": "OK",
    "cancel": "Cancel",
    "yes": "Yes",
    "no": "No",
    "save": "Save",
    "discard": "Don't save",
    "delete": "Delete",
    "replace": "Replace",
}


@dataclass(kw_only=True)
class Dialog(Window):
    """A click on one of the buttons ``closing`` logs a ``"submitted"`` event and closes the window. Activating a row presses the default one.

    The event names the button; its value is JSON: the value of every other widget that has one, by id.
    """

    role = "dialog"

    closing: list[str] = field(default_factory=list)

    def on_signal(self, session: Session, widget: Widget, signal: str, value: str) -> None:
        if signal == "clicked" and widget.id in self.closing:
            values = {each.id: each.value for each in self.widgets if each.value is not None}
            session.state.log.append(Event(self.id, widget.id, "submitted", json.dumps(values, ensure_ascii=False)))
            session.close(self)
        elif signal == "activated" and isinstance(button := self.find(self.default), Clickable):
            button.use(session, self)


@dataclass(kw_only=True)
class Question(Window):
    """A dialog that tells its owner, for which it is modal, what was answered to it.

    Args:
        purpose: what the owner asked for.
        escape: id of the button that Escape and the close button stand for.
    """

    role = "dialog"

    purpose: str = ""
    escape: str = "cancel"

    def tell(self, session: Session, button: str) -> None:
        """Close, and give the owner the answer."""
        raise NotImplementedError

    def on_signal(self, session: Session, widget: Widget, signal: str, value: str) -> None:
        if signal == "clicked":
            self.tell(session, widget.id)

    def on_stroke(self, session: Session, stroke: Stroke) -> bool:
        if stroke.is_(Key.ESCAPE):
            self.tell(session, self.escape)
            return True
        return False

    def on_close(self, session: Session) -> bool:
        self.tell(session, self.escape)
        return False


class MessageBox(Question):
    """Says something and has some buttons. Its widgets: "message" and the buttons by their ids."""

    def tell(self, session: Session, button: str) -> None:
        session.close(self)
        owner = session.state.window(self.modal_for)
        if owner is not None:
            owner.on_answer(session, self.purpose, button)
        elif not self.modal_for:
            from gui_gym.desktops.sim import icons  # they open dialogs, so they know this module

            icons.on_answer(session, self.purpose, button)


class Prompt(Question):
    """Asks for one line of text. Its widgets: "question", "text", "ok", "cancel"."""

    def tell(self, session: Session, button: str) -> None:
        text = str(self.widget("text").value)
        session.close(self)
        owner = session.state.window(self.modal_for)
        if owner is not None and button == "ok":
            owner.on_prompt(session, self.purpose, text)
        elif not self.modal_for and button == "ok":
            from gui_gym.desktops.sim import icons

            icons.on_prompt(session, self.purpose, text)


def ask(session: Session, owner: Window | None, purpose: str, title: str, text: str, buttons: Sequence[str] = ("ok", "cancel")) -> MessageBox:
    """Open a message box: ``owner.on_answer(session, purpose, button_id)`` gets the button, "cancel" too.

    ``buttons`` are ids of :data:`BUTTONS`; Enter presses the first one, Escape "cancel", else "no", else the last one. Without an owner
    the desktop asks, and hears the answer as :func:`gui_gym.desktops.sim.icons.on_answer`.
    """
    escape = next((name for name in ("cancel", "no") if name in buttons), buttons[-1])
    box = MessageBox(
        id=f"ask:{_id(owner)}", title=title, modal_for=owner.id if owner else "", purpose=purpose, default=buttons[0], focus=buttons[0], escape=escape
    )
    column = _column(session, box, 26)
    _say(column, "message", text)
    column.row(*(Button(id=name, name=session.label(BUTTONS[name]), primary=name == buttons[0]) for name in buttons), align="right")
    column.finish()
    _replace(session, box, owner)
    return box


def tell(session: Session, owner: Window | None, title: str, text: str) -> MessageBox:
    """Open a message box that can only be confirmed."""
    return ask(session, owner, "told", title, text, ("ok",))


def prompt(session: Session, owner: Window | None, purpose: str, title: str, question: str, text: str = "", selected: int = -1) -> Prompt:
    """Ask for a line of text: ``owner.on_prompt(session, purpose, text)`` gets it unless it is cancelled.

    ``text`` is what is in the field at first, with its first ``selected`` characters (all by default) selected.
    """
    box = Prompt(id=f"prompt:{_id(owner)}", title=title, modal_for=owner.id if owner else "", purpose=purpose, focus="text", default="ok")
    column = _column(session, box, 24)
    _say(column, "question", question)
    column.row(TextField(id="text", name=question, text=text, caret=len(text) if selected < 0 else selected, anchor=0))
    column.row(Button(id="ok", name=session.label("OK"), primary=True), Button(id="cancel", name=session.label("Cancel")), align="right")
    column.finish()
    _replace(session, box, owner)
    return box


def _id(owner: Window | None) -> str:
    return owner.id if owner is not None else "desktop"


def _say(column: Column, name: str, text: str) -> None:
    """A label as high as its text, up to a dozen lines."""
    font, size = column.look.sans, column.look.size
    lines = min(len(font.wrap(text, column.width)), 12)
    column.row(Label(id=name, name=text), height=size.control if lines == 1 else lines * font.height + size.gap)


def _column(session: Session, window: Window, ems: int) -> Column:
    size = session.look.size
    return Column(session, window, min(ems * size.font, session.state.width - 4 * size.pad))


def _replace(session: Session, window: Window, owner: Window | None) -> None:
    """Open a dialog over its owner, in the place of an earlier one of its kind."""
    earlier = session.state.window(window.id)
    if earlier is not None:
        session.close(earlier)
    put_over(session, window, owner)
