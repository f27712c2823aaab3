"""A window with a form: its closing buttons hand in what was entered."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gui_gym.actions import Key
from gui_gym.desktops.sim.state import Event, Window
from gui_gym.desktops.sim.widgets.base import Stroke, Widget
from gui_gym.desktops.sim.widgets.basic import Clickable

if TYPE_CHECKING:
    from gui_gym.desktops.sim.session import Session


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
class Prompt(Window):
    """Asks for one line of text and gives it to the window ``owner``, unless cancelled. Its widgets: "text", "ok", "cancel"."""

    role = "dialog"

    owner: str

    def on_signal(self, session: Session, widget: Widget, signal: str, value: str) -> None:
        if signal == "clicked":
            owner = session.state.window(self.owner)
            text = str(self.widget("text").value)
            session.close(self)
            if widget.id == "ok" and isinstance(owner, PromptOwner):
                owner.on_prompt(session, text)

    def on_stroke(self, session: Session, stroke: Stroke) -> bool:
        if stroke.is_(Key.ESCAPE):
            session.close(self)
            return True
        return False


class PromptOwner:
    """A window that can open a :class:`Prompt`."""

    def on_prompt(self, session: Session, text: str) -> None:
        """The text was entered and confirmed."""
        raise NotImplementedError
