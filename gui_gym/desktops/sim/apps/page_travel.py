"""Going from page to page in a browser: its tabs, what was visited in each, links and forms."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gui_gym.desktops.sim import filesystem
from gui_gym.desktops.sim.apps.dialog import tell
from gui_gym.desktops.sim.apps.page_finder import PageFinder
from gui_gym.desktops.sim.apps.web_form import read_controls, wrong_field
from gui_gym.desktops.sim.apps.web_tab import Tab, Visit, fresh
from gui_gym.desktops.sim.state import Event
from gui_gym.desktops.sim.web import sites
from gui_gym.desktops.sim.web.flow import control_id
from gui_gym.desktops.sim.web.sites import START, Address
from gui_gym.desktops.sim.widgets.base import Widget
from gui_gym.desktops.sim.widgets.text import TextField

if TYPE_CHECKING:
    from gui_gym.desktops.sim.session import Session

MAX_TABS = 12
MAX_BACK = 50


@dataclass(kw_only=True)
class PageTravel(PageFinder):
    """A window that shows one of several tabs, with an "address" to enter.

    Args:
        tabs: from the left.
        current: the tab that is shown, by number.
    """

    tabs: list[Tab] = field(default_factory=list)
    current: int = 0

    @property
    def address(self) -> TextField:
        """Where addresses are entered."""
        return self.part("address", TextField)

    def refresh(self, session: Session) -> None:
        """Show the address, the tabs and what can be done now."""
        raise NotImplementedError

    @property
    def tab(self) -> Tab:
        """The tab that is shown."""
        return self.tabs[self.current]

    def find(self, widget_id: str) -> Widget | None:
        """The widget of that id; the fields of the page are found out of view, too."""
        return super().find(widget_id) or next((w for w in self.tab.shown.controls if w.id == widget_id), None)

    def put_controls(self, session: Session) -> None:
        """Show those fields of the page that are in view."""
        fixed = [w for w in self.widgets if ":" not in w.id]
        self.widgets = [*fixed, *self.view.place(session.look)]
        session.touch(self, self.view)

    # Going to pages

    def go(self, session: Session, address: Address, carried: dict[str, str] | None = None) -> None:
        """Go to an address in the tab that is shown."""
        tab = self.tab
        tab.visit.top = tab.shown.top
        tab.before = [*tab.before[1 - MAX_BACK :], tab.visit]
        tab.after = []
        tab.visit = Visit(address.text, carried or {})
        self.load(session)

    def travel(self, session: Session, source: list[Visit], target: list[Visit]) -> None:
        """Go back or forth."""
        if source:
            tab = self.tab
            tab.visit.top = tab.shown.top
            target.append(tab.visit)
            tab.visit = source.pop()
            self.load(session)

    def load(self, session: Session) -> None:
        """Show the page that the tab is to show now."""
        files, tab = session.state.files, self.tab
        before = dict(files)
        tab.visit.address = sites.visit(files, tab.address).text
        if tab.visit.address != START:
            sites.remember(files, tab.visit.address)
        fresh(session, tab)
        self.view.found = 0
        self.view.show(session.look, tab.shown)
        self.focus = "page" if self.focus not in ("find", "page") else self.focus
        self.refresh(session)
        if files != before:
            session.files_changed()

    def follow(self, session: Session, target: str, in_tab: bool = False) -> None:
        """Go where a link leads."""
        files, base = session.state.files, self.tab.address
        if target.startswith("get:"):
            path = sites.download(files, base, target[4:])
            if path:
                session.state.log.append(Event(self.id, "page", "downloaded", path))
                session.files_changed()
                tell(session, self, session.label("Download"), session.label("“{}” was saved in Downloads.", filesystem.name_of(path)))
            else:
                tell(session, self, session.label("Download"), session.label("There is no such file."))
        elif target == "do:leave":
            sites.leave(files, base.site)
            session.files_changed()
            self.go(session, Address(base.site))
        elif in_tab:
            self.open_tab(session, sites.resolve(base, target))
        else:
            self.go(session, sites.resolve(base, target))

    def submit(self, session: Session, form: int) -> None:
        """Hand a form in and go on to its page, unless something in it is wrong."""
        tab, files = self.tab, session.state.files
        page = tab.page
        if not 0 <= form < len(page.forms):
            return
        head, values = page.forms[form], read_controls(page, form, tab.shown.controls)
        wrong = wrong_field(session, page, form, values) if head.kind != "ask" else None
        if wrong is not None:
            block, message = wrong
            tell(session, self, page.title, message)
            rect = self.view.flow(session.look).controls.get(control_id(block, 0 if block.kind == "radio" else -1))
            if rect:
                self.view.reveal_rect(session.look, rect)
                self.put_controls(session)
            return
        if head.kind == "ask":
            asked = tuple((name, value) for name, value in values.items() if value)
            target = sites.resolve(tab.address, head.target)
            self.go(session, Address(target.site, target.page, asked))
            return
        if head.kind == "next":
            self.go(session, sites.resolve(tab.address, head.target), {**tab.visit.carried, **values})
            return
        carried = tab.visit.carried if head.kind in ("send", "order") else {}
        if not sites.hand_in(files, tab.address, head, {**carried, **values}):
            tell(session, self, page.title, session.label("The user name or the password is wrong."))
            return
        session.state.log.append(Event(self.id, "page", "handed in", head.name))
        session.files_changed()
        self.go(session, sites.resolve(tab.address, head.target))

    # Tabs

    def open_tab(self, session: Session, address: Address) -> None:
        """Show an address in a new tab."""
        if len(self.tabs) >= MAX_TABS:
            return
        self.tabs.insert(self.current + 1, Tab(Visit(address.text)))
        self.current += 1
        self.load(session)
        session.focus(self, self.address if address.site == START else self.view)

    def choose_tab(self, session: Session, number: int) -> None:
        """Show another tab."""
        if number != self.current and 0 <= number < len(self.tabs):
            self.current = number
            self.turn_to(session)

    def close_tab(self, session: Session, number: int) -> None:
        """Close a tab, and the browser with the last one."""
        if not 0 <= number < len(self.tabs):
            return
        if len(self.tabs) == 1:
            session.ask_to_close(self)
            return
        del self.tabs[number]
        self.current = min(self.current - (number < self.current), len(self.tabs) - 1)
        self.turn_to(session)

    def turn_to(self, session: Session) -> None:
        """Show the tab that is the current one now."""
        self.view.show(session.look, self.tab.shown)
        self.view.found = 0
        if ":" in self.focus:
            self.focus = "page"
        self.refresh(session)
