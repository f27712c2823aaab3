"""The bar in which a browser finds words on a page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gui_gym.desktops.sim.apps.toolbar import hide, show
from gui_gym.desktops.sim.state import Window
from gui_gym.desktops.sim.widgets.base import Widget
from gui_gym.desktops.sim.widgets.basic import Button, Label
from gui_gym.desktops.sim.widgets.page_view import PageView
from gui_gym.desktops.sim.widgets.text import TextField

if TYPE_CHECKING:
    from gui_gym.desktops.sim.session import Session

FIND = ("find", "find next", "find previous", "find close", "find count")  #: the widgets of the bar


@dataclass(kw_only=True)
class PageFinder(Window):
    """A window with a page, below which the bar :data:`FIND` opens. Capitals do not matter."""

    @property
    def view(self) -> PageView:
        """Where the page is."""
        return self.part("page", PageView)

    @property
    def finding(self) -> bool:
        """Whether the bar is open."""
        return any(widget.id == "find" for widget in self.widgets)

    def put_controls(self, session: Session) -> None:
        """Show those fields of the page that are in view."""
        raise NotImplementedError

    def layout_find(self, session: Session, y: int) -> None:
        look, side, gap = session.look, session.look.size.control, session.look.size.gap
        x = gap
        wide = max(6 * look.size.font, min(20 * look.size.font, self.w - 3 * side - 5 * gap - 8 * look.size.font))
        for name, w in zip(FIND, (wide, side, side, side, self.w - wide - 3 * side - 6 * gap), strict=True):
            if w > 0:
                show(self.widget(name), x, y, w, side)
            else:
                hide(self.widget(name))
            x += w + gap

    def open_find(self, session: Session) -> None:
        """Open the bar that finds on the page."""
        if not self.finding:
            label = session.label
            self.widgets += [
                TextField(id="find", name=label("Find"), hint=label("Find"), text=self.view.find, caret=len(self.view.find)),
                Button(id="find next", name="▼", tip=label("Next")),
                Button(id="find previous", name="▲", tip=label("Previous")),
                Button(id="find close", name="×", tip=label("Close")),
                Label(id="find count", muted=True),
            ]
        self.focus = "find"
        self.layout(session)
        session.touch(self)

    def close_find(self, session: Session) -> None:
        """Close that bar."""
        self.widgets = [w for w in self.widgets if w.id not in FIND]
        self.view.find, self.focus = "", "page"
        self.layout(session)
        session.touch(self)

    def on_find(self, session: Session, widget: Widget, signal: str) -> None:
        if widget.id == "find" and signal == "changed":
            self.view.find, self.view.found = str(widget.value)[:200], 0
            self.search(session, 0)
        elif signal == "clicked" and widget.id == "find close":
            self.close_find(session)
        elif signal == "clicked":
            self.search(session, 1 if widget.id == "find next" else -1)

    def search(self, session: Session, step: int) -> None:
        """Show another place where the text is found."""
        view, look = self.view, session.look
        matches = view.flow(look).matches(view.find)
        if matches:
            view.found = (view.found + step) % len(matches)
            view.reveal_rect(look, matches[view.found][0])
        self.put_controls(session)
        self.say_count(session)

    def say_count(self, session: Session) -> None:
        """Say how often it is found."""
        count = self.find("find count")
        if count is not None:
            view = self.view
            n = len(view.flow(session.look).matches(view.find))
            count.name = "" if not view.find else f"{view.found % n + 1} / {n}" if n else session.label("Not found")
            session.touch(self, count)
