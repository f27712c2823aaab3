"""A dialog of several pages, of which tabs show one."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gui_gym.desktops.sim.apps.dialog import Dialog
from gui_gym.desktops.sim.state import Event
from gui_gym.desktops.sim.widgets.base import Widget
from gui_gym.desktops.sim.widgets.tabs import Tabs

if TYPE_CHECKING:
    from gui_gym.desktops.sim.session import Session


@dataclass(kw_only=True)
class Tabbed(Dialog):
    """Its widgets are the tabs "tabs", those of the chosen page, and those below all pages; it hands in the values of all pages.

    Args:
        pages: the widgets of each page.
        below: the widgets that are there on every page.
    """

    pages: list[list[Widget]] = field(default_factory=list)
    below: list[Widget] = field(default_factory=list)

    @property
    def tabs(self) -> Tabs:
        """What chooses the page."""
        return self.part("tabs", Tabs)

    def turn(self, session: Session) -> None:
        """Show the page that the tabs say."""
        tabs = self.tabs
        self.widgets = [tabs, *self.pages[tabs.selected], *self.below]
        session.touch(self)

    def on_signal(self, session: Session, widget: Widget, signal: str, value: str) -> None:
        if widget.id == "tabs" and signal == "selected":
            self.turn(session)
        elif signal == "clicked" and widget.id in self.closing:
            values = {each.id: each.value for page in self.pages for each in page if each.value is not None}
            session.state.log.append(Event(self.id, widget.id, "submitted", json.dumps(values, ensure_ascii=False)))
            session.close(self)
