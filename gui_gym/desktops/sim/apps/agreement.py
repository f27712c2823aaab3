"""A text that has to be read to its end before it can be agreed to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gui_gym.desktops.sim.apps.dialog import Dialog
from gui_gym.desktops.sim.widgets.area import TextArea
from gui_gym.desktops.sim.widgets.base import Pointer, Stroke, Widget

if TYPE_CHECKING:
    from gui_gym.desktops.sim.session import Session
    from gui_gym.desktops.sim.state import Window


@dataclass(kw_only=True)
class Terms(TextArea):
    """A text that cannot be changed, and that tells its window with the signal ``"changed"`` once its end has been in view."""

    seen: bool = False  #: whether its end has been in view

    def look_for_end(self, session: Session, window: Window) -> None:
        """Note whether the end is in view now."""
        look = session.look
        if not self.seen and self.top + self.rows_in_view(look) >= self.rows_in_all(look):
            self.seen = True
            session.changed(window, self)

    def wheel(self, session: Session, window: Window, dx: int, dy: int) -> None:
        super().wheel(session, window, dx, dy)
        self.look_for_end(session, window)

    def press(self, session: Session, window: Window, pointer: Pointer) -> None:
        super().press(session, window, pointer)
        self.look_for_end(session, window)

    def motion(self, session: Session, window: Window, pointer: Pointer) -> None:
        super().motion(session, window, pointer)
        self.look_for_end(session, window)

    def stroke(self, session: Session, window: Window, stroke: Stroke) -> bool:
        used = super().stroke(session, window, stroke)
        self.look_for_end(session, window)
        return used


@dataclass(kw_only=True)
class Agreement(Dialog):
    """A dialog whose box "accept" can be ticked only when the end of its :class:`Terms` has been in view, and whose button "ok" works only
    when it is ticked."""

    def on_signal(self, session: Session, widget: Widget, signal: str, value: str) -> None:
        accept, button = self.widget("accept"), self.widget("ok")
        if isinstance(widget, Terms) and widget.seen and not accept.enabled:
            accept.enabled = True
            session.touch(self, accept)
        if widget is accept:
            button.enabled = bool(accept.value)
            session.touch(self, button)
        super().on_signal(session, widget, signal, value)
