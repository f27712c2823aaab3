"""The browser on the pages of :mod:`gui_gym.desktops.sim.web`: its tool bar, menus and keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gui_gym.actions import Key, Modifier
from gui_gym.desktops.sim.apps.page_finder import FIND
from gui_gym.desktops.sim.apps.page_travel import PageTravel
from gui_gym.desktops.sim.apps.toolbar import show
from gui_gym.desktops.sim.apps.web_tab import Tab, Visit, fresh
from gui_gym.desktops.sim.layout import cascade, fit
from gui_gym.desktops.sim.state import Item, Window
from gui_gym.desktops.sim.web import sites
from gui_gym.desktops.sim.web.sites import START
from gui_gym.desktops.sim.widgets.base import Stroke, Widget
from gui_gym.desktops.sim.widgets.basic import Button, Clickable, Radio
from gui_gym.desktops.sim.widgets.menu_button import MenuButton
from gui_gym.desktops.sim.widgets.page_tabs import PageTabs
from gui_gym.desktops.sim.widgets.page_view import PageView
from gui_gym.desktops.sim.widgets.text import TextField
from gui_gym.desktops.sim.widgets.tool_button import ToolButton

if TYPE_CHECKING:
    from gui_gym.desktops.sim.session import Session

#: The buttons of the tool bar by their drawings.
BUTTONS = {"back": "Go back", "forward": "Forward a page", "reload": "Load again", "home": "Start page"}
MENU: list[Item] = ["New tab", "Close tab", "-", "Find on this page", "-", "Add bookmark", "-", "Close"]
_KEYS = {
    Key.T: "New tab", Key.W: "Close tab", Key.F: "Find on this page", Key.D: "Add bookmark", Key.R: "Load again", Key.L: "Address",
}  # fmt: skip


@dataclass(kw_only=True)
class Browser(PageTravel):
    """Its widgets: the tabs "tabs", a button for each of :data:`BUTTONS`, the field "address", "bookmark", "menu", the page "page", what finds on
    the page while it is open ("find", "find next", "find previous", "find close", "find count"), and the fields of the page that are in view.
    """

    icon = "browser"

    def layout(self, session: Session) -> None:
        look, size = session.look, session.look.size
        side, gap = size.control, max(1, size.gap // 2)
        self.least = (20 * size.font, 14 * size.font)
        show(self.widget("tabs"), 1, size.title, self.w - 2, side)
        y, x = size.title + side + gap, gap
        for name in BUTTONS:
            show(self.widget(name), x, y, side, side)
            x += side + max(1, gap // 2)
        right = self.w - gap - side
        show(self.widget("menu"), right, y, side, side)
        right -= side + max(1, gap // 2)
        show(self.widget("bookmark"), right, y, side, side)
        show(self.address, x + gap, y, right - x - 2 * gap, side)
        top, bottom = y + side + gap, self.h - 1
        if self.finding:
            bottom -= side + 2 * gap
            self.layout_find(session, bottom + gap)
        tab = self.tab
        for name, possible in (("back", bool(tab.before)), ("forward", bool(tab.after)), ("bookmark", tab.visit.address != START)):
            self.widget(name).enabled = possible
            session.touch(self, self.widget(name))
        view = self.view
        show(view, 1, top, self.w - 2, bottom - top)
        view.scroll_to(look, view.top)
        self.put_controls(session)

    def refresh(self, session: Session) -> None:
        """Show the address, the tabs and what can be done now."""
        tab, tabs = self.tab, self.part("tabs", PageTabs)
        tabs.names, tabs.selected = [each.page.title or each.visit.address for each in self.tabs], self.current
        shown = "" if tab.visit.address == START else tab.visit.address
        self.address.set(session, self, shown)
        self.address.left = 0
        self._show_star(session)
        session.touch(self, tabs)
        self._fill_menu(session)
        session.retitle(self, f"{tabs.names[self.current]} - {session.label('Browser')}")
        self.layout(session)
        self.say_count(session)

    def _show_star(self, session: Session) -> None:
        """Whether the page is among the bookmarks."""
        star = self.part("bookmark", ToolButton)
        star.on = any(place == self.tab.visit.address for _, place in sites.bookmarks(session.state.files))
        star.name = star.tip = session.label("Remove bookmark" if star.on else "Add bookmark")
        session.touch(self, star)

    def _fill_menu(self, session: Session) -> None:
        """What the menu offers: bookmarks and the latest addresses, too."""
        menu, files = self.part("menu", MenuButton), session.state.files
        marks = sites.bookmarks(files)[:30]
        latest = list(dict.fromkeys(reversed(files.get(sites.HISTORY, "").splitlines())))[:12]
        menu.items = list(MENU)
        if marks:
            menu.items.insert(-2, ("Bookmarks", [f"go {place}" for _, place in marks]))
        if latest:
            menu.items.insert(-2, ("History", [f"went {place}" for place in latest]))
        star = self.widget("bookmark")
        menu.texts = {str(item): session.label(str(item)) for item in MENU if item != "-"}
        menu.texts |= {"Bookmarks": session.label("Bookmarks"), "History": session.label("History"), "Add bookmark": star.name}
        menu.texts |= {f"go {place}": title for title, place in marks} | {f"went {place}": place for place in latest}

    def on_files(self, session: Session) -> None:
        """Bookmarks may have changed."""
        self._show_star(session)
        self._fill_menu(session)

    # Input

    def on_signal(self, session: Session, widget: Widget, signal: str, value: str) -> None:
        tab = self.tab
        if widget.id == "page":
            self._on_page(session, signal, value)
        elif widget.id == "tabs":
            self._on_tabs(session, signal, value)
        elif widget.id == "back":
            self.travel(session, tab.before, tab.after)
        elif widget.id == "forward":
            self.travel(session, tab.after, tab.before)
        elif widget.id == "menu" and signal == "chosen":
            self.do(session, value.rpartition(" > ")[2])
        elif signal == "clicked" and widget.id in ("reload", "home", "bookmark"):
            self.do(session, {"reload": "Load again", "home": "Start page", "bookmark": "Add bookmark"}[widget.id])
        elif widget.id in FIND:
            self.on_find(session, widget, signal)
        elif isinstance(widget, Radio):
            for other in tab.shown.controls:  # those out of view, too
                if isinstance(other, Radio) and other.group == widget.group and other is not widget:
                    other.checked = False
        elif isinstance(widget, Button) and ":" in widget.id and signal == "clicked":
            self.submit(session, int(widget.id.partition(":")[0]))

    def _on_page(self, session: Session, signal: str, value: str) -> None:
        view = self.view
        if signal == "link":
            self.follow(session, value)
        elif signal == "link in tab":
            self.follow(session, value, in_tab=True)
        elif signal == "scrolled" or signal == "sorted":
            self.put_controls(session)
        elif signal == "menu":
            x, y, target = value.split(" ", 2)
            self._context_menu(session, int(x), int(y), target)
        elif signal == "chosen":
            verb, _, target = value.partition(" ")
            if value == "Copy":
                view.copy(session)
            elif verb == "Copy":
                session.copy_text(sites.resolve(self.tab.address, target).text if target else self.tab.visit.address)
            elif verb in ("Open", "Tab"):
                self.follow(session, target, in_tab=verb == "Tab")
            else:
                self.do(session, value)

    def _context_menu(self, session: Session, x: int, y: int, target: str) -> None:
        """The menu of a link of the page, or of the page."""
        view, copy = self.view, f"Copy {target}"
        if target:
            english = {f"Open {target}": "Open the link", f"Tab {target}": "Open in a new tab", copy: "Copy the address"}
        else:
            plain = [*(["Copy"] if view.selecting else []), "Go back", "Forward a page", "Load again"]
            english = {key: key for key in plain} | {copy: "Copy the address"}
        left, top, _, _ = self.rect_of(view)
        session.pop_up(self, view, left + x, top + y, list(english), labels={key: session.label(text) for key, text in english.items()})

    def _on_tabs(self, session: Session, signal: str, value: str) -> None:
        if signal == "chosen tab":
            self.choose_tab(session, int(value))
        elif signal == "closed tab":
            self.close_tab(session, int(value))
        elif signal == "new tab":
            self.open_tab(session, sites.read_address(START))

    def do(self, session: Session, command: str) -> None:
        """Carry out an item of the menu, or what a button is for."""
        tab = self.tab
        match command:
            case "New tab":
                self.open_tab(session, sites.read_address(START))
            case "Close tab":
                self.close_tab(session, self.current)
            case "Find on this page":
                self.open_find(session)
            case "Add bookmark" if tab.visit.address != START:
                sites.toggle_bookmark(session.state.files, tab.page.title, tab.visit.address)
                session.files_changed()
                self.on_files(session)
            case "Load again":
                self.load(session)
            case "Start page":
                self.go(session, sites.read_address(START))
            case "Go back":
                self.travel(session, tab.before, tab.after)
            case "Forward a page":
                self.travel(session, tab.after, tab.before)
            case "Close":
                session.ask_to_close(self)
            case "Address":
                session.focus(self, self.address)
                self.address.anchor, self.address.caret = 0, len(self.address.text)
            case _ if command.startswith(("go ", "went ")):
                self.go(session, sites.read_address(command.partition(" ")[2]))

    def on_wheel(self, session: Session, dx: int, dy: int) -> None:
        """The wheel turned over a field: the page scrolls."""
        self.view.wheel(session, self, dx, dy)

    def on_stroke(self, session: Session, stroke: Stroke) -> bool:
        focused = super().find(self.focus) or self.find(self.focus)
        if stroke.is_(Key.ENTER) and self.focus == "address":
            if self.address.text.strip():
                self.go(session, sites.read_address(self.address.text))
        elif stroke.key is Key.TAB and Modifier.CTRL in stroke.modifiers:
            self.choose_tab(session, (self.current + (-1 if Modifier.SHIFT in stroke.modifiers else 1)) % len(self.tabs))
        elif stroke.is_(Key.TAB) or stroke.is_(Key.TAB, Modifier.SHIFT):
            return self._on_tab(session, -1 if Modifier.SHIFT in stroke.modifiers else 1)
        elif stroke.modifiers == {Modifier.CTRL} and stroke.key in _KEYS:
            self.do(session, _KEYS[stroke.key])
        elif stroke.is_(Key.LEFT, Modifier.ALT) or stroke.is_(Key.RIGHT, Modifier.ALT):
            self.do(session, "Go back" if stroke.key is Key.LEFT else "Forward a page")
        elif stroke.is_(Key.F5):
            self.do(session, "Load again")
        elif stroke.is_(Key.ESCAPE) and self.finding:
            self.close_find(session)
        elif self.focus == "find" and stroke.key is Key.ENTER or stroke.key is Key.F3:
            self.search(session, -1 if Modifier.SHIFT in stroke.modifiers else 1)
        elif stroke.is_(Key.ENTER) and focused is not None and ":" in focused.id and not isinstance(focused, Clickable):
            self.submit(session, int(focused.id.partition(":")[0]))
        else:
            return False
        return True

    def _on_tab(self, session: Session, step: int) -> bool:
        """Tab goes through the links and fields of the page in their order, and out of the page at its ends."""
        view, look = self.view, session.look
        if self.focus != "page" and ":" not in self.focus:
            return False
        stops = view.flow(look).stops()
        names = [name for _, name in stops]
        here = f"link {view.link}" if self.focus == "page" else self.focus
        at = names.index(here) + step if here in names else (0 if step > 0 else -1)
        if not names or here in names and not 0 <= at < len(names):
            view.link = -1
            order = [w for w in self.widgets if w.focusable and w.enabled and ":" not in w.id and w.id != "page"]
            session.focus(self, order[0 if step > 0 else -1])
            self.put_controls(session)
            return True
        rect, name = stops[at]
        view.reveal_rect(look, rect)
        self.put_controls(session)
        view.link = int(name[5:]) if name.startswith("link ") else -1
        session.focus(self, view if view.link >= 0 else self.find(name))
        session.touch(self, view)
        return True


def make_browser(session: Session, addresses: Sequence[str], width: int, height: int) -> Browser:
    """A browser with a tab for each address, showing the first, ``width`` x ``height`` pixels, at the screen's corner and not opened yet."""
    label = session.label
    window = Browser(id="browser", title=label("Browser"), w=width, h=height, focus="page", resizable=True)
    window.tabs = [Tab(Visit(sites.read_address(address).text)) for address in addresses or (START,)]
    window.widgets = [
        PageTabs(id="tabs", name=label("Tabs"), close=label("Close tab"), add=label("New tab")),
        *(ToolButton(id=name, name=label(text), tip=label(text), picture=name) for name, text in BUTTONS.items()),
        TextField(id="address", name=label("Web address"), hint=label("Web address")),
        ToolButton(id="bookmark", name=label("Add bookmark"), picture="star", on=False),
        MenuButton(id="menu", name="≡", tip=label("Menu")),
        PageView(id="page", name=label("Page")),
    ]
    for tab in window.tabs:
        fresh(session, tab)
    window.view.show(session.look, window.tab.shown)
    window.refresh(session)
    return window


def open_browser(session: Session, path: str = "") -> Window:
    """Open the browser, or raise it; with a ``path``, the address of a page or the path of its file, on that page in a tab."""
    address = path.removeprefix(f"{sites.WEB}/")
    window = session.state.window("browser")
    if window is None:
        window = make_browser(session, [address] if address else [], *fit(session, 62, 42))
        cascade(session, window)
    else:
        session.activate(window)
        if address and isinstance(window, Browser):
            window.open_tab(session, sites.read_address(address))
    return window
