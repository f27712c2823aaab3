"""The mail program: folders, the messages of one of them, and the selected message."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gui_gym.actions import Key, Modifier
from gui_gym.desktops.sim import clock
from gui_gym.desktops.sim.apps.compose import blank, compose
from gui_gym.desktops.sim.apps.dialog import ask, prompt, tell
from gui_gym.desktops.sim.apps.mail_reader import ACTIONS, MARKS, MessageHolder, action_buttons, action_menu, folder_name
from gui_gym.desktops.sim.apps.mailbox import (
    DRAFTS,
    INBOX,
    SENT,
    STARRED,
    TRASH,
    Message,
    add_folder,
    folder_of,
    folders,
    is_message,
    mark_message,
    messages_in,
    name_of,
    unread,
)
from gui_gym.desktops.sim.apps.toolbar import show
from gui_gym.desktops.sim.canvas import inside
from gui_gym.desktops.sim.layout import cascade, fit
from gui_gym.desktops.sim.state import Item, Window
from gui_gym.desktops.sim.widgets.base import Stroke, Widget
from gui_gym.desktops.sim.widgets.basic import Button
from gui_gym.desktops.sim.widgets.choice import MenuBar
from gui_gym.desktops.sim.widgets.listview import ListView
from gui_gym.desktops.sim.widgets.messages import MessageList
from gui_gym.desktops.sim.widgets.reader import Reader
from gui_gym.desktops.sim.widgets.text import TextField

if TYPE_CHECKING:
    from gui_gym.desktops.sim.session import Session

_KEYS = ("sender", "subject", "date")  #: what the columns of the list are sorted by


@dataclass(kw_only=True)
class Mail(MessageHolder):
    """Its widgets: the menu bar "menu", the buttons "new", "reply", "reply-all", "forward", "delete" and "move", the lists "folders" and
    "messages", the field "search", and "text" for the selected message, unless the window is too low for it.

    Args:
        folder: the folder that is shown.
        folders: the folders of the list, in its order.
        paths: the messages of the list, in its order.
    """

    folder: str = INBOX
    folders: list[str] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)

    @property
    def view(self) -> MessageList:
        """Where the messages are."""
        return self.part("messages", MessageList)

    @property
    def path(self) -> str:
        return self.paths[self.view.selected] if 0 <= self.view.selected < len(self.paths) else ""

    @property
    def chosen(self) -> list[str]:
        return [self.paths[row] for row in self.view.selection if row < len(self.paths)]

    @property
    def tree(self) -> ListView:
        """Where the folders are."""
        return self.part("folders", ListView)

    def refresh(self, session: Session, select: str | None = None) -> None:
        """Show the folders and messages as they are now, with the same ones selected, or only the one with the path ``select``."""
        files, view, tree = session.state.files, self.view, self.tree
        path, chosen = (self.path, self.chosen) if select is None else (select, [])
        self.folders = [INBOX, STARRED, *(name for name in folders(files) if name != INBOX)]
        if self.folder not in self.folders:
            self.folder = INBOX
        counts = {name: unread(files, name) for name in self.folders if name not in (SENT, DRAFTS, STARRED)}
        tree.rows = [[folder_name(session, name) + (f" ({counts[name]})" if counts.get(name) else "")] for name in self.folders]
        tree.selected = self.folders.index(self.folder)
        tree.scroll_to(session.look, tree.top)
        words = str(self.widget("search").value).casefold().split()
        found = {path: message for path, message in messages_in(files, self.folder).items() if _matches(message, words)}
        column = _KEYS[view.order]
        self.paths = sorted(found, key=lambda path: str(getattr(found[path], column)).casefold(), reverse=view.descending)
        if column == "date":
            self.paths = list(found) if view.descending else list(reversed(found))
        view.rows = [_row(session, found[path], self.folder) for path in self.paths]
        view.unread, view.starred = [not found[path].read for path in self.paths], [found[path].starred for path in self.paths]
        view.selected = self.paths.index(path) if path in self.paths else -1
        view.others = [row for row, each in enumerate(self.paths) if each in chosen and each != path]
        view.fit(session.look)
        view.scroll_to(session.look, view.top)
        view.menu, view.labels = action_menu(session, self.message(session), self.folder)
        session.retitle(self, f"{folder_name(session, self.folder)} - {session.label('Mail')}")
        self.show_message(session)

    def on_files(self, session: Session) -> None:
        self.refresh(session)

    def on_setting(self, session: Session, name: str) -> None:
        if name == "clock_24_hours":
            self.refresh(session)

    def layout(self, session: Session) -> None:
        look, size = session.look, session.look.size
        self.least = (26 * size.font, 18 * size.font)
        gap, width = max(1, size.gap // 2), self.w - 2 * size.pad
        show(self.widget("menu"), 1, size.title, self.w - 2, size.control - 2)
        y = size.title + size.control - 2 + gap
        self.put_actions(session, [self.widget(name) for name in ("new", *ACTIONS)], size.pad, y, width)
        y += size.control + gap
        bottom = self.h - size.pad
        tree = self.tree
        wide = max(look.sans.width(row[0]) for row in tree.rows or [[""]]) + 4 * size.gap
        wide = max(min(wide, width // 3), width // 6)
        show(tree, size.pad, y, wide, bottom - y)
        left, room = size.pad + wide + size.gap, width - wide - size.gap
        show(self.widget("search"), left, y, room, size.control)
        y += size.control + gap
        view, rest = self.view, bottom - y
        rows = max(4, rest * 45 // 100 // view.row_height(look))
        high = (rows + 1) * view.row_height(look) + 2
        if rest - high - gap < 5 * look.sans.height:
            high = rest
        show(view, left, y, room, high)
        view.fit(look)
        view.scroll_to(look, view.top)
        self.put_message(session, left, y + high + gap, room, bottom)

    def on_signal(self, session: Session, widget: Widget, signal: str, value: str) -> None:
        view = self.view
        if widget.id == "folders" and signal == "selected" and isinstance(widget, ListView):
            self.show_folder(session, self.folders[widget.selected])
        elif widget.id == "search" and signal == "changed":
            self.refresh(session)
        elif widget.id == "new" and signal == "clicked":
            compose(session, blank(session))
        elif widget.id == "menu" and signal == "chosen":
            self._menu(session, value.partition(" > ")[2])
        elif widget is not view:
            super().on_signal(session, widget, signal, value)
        elif signal == "selected":
            self._selected(session)
        elif signal == "activated":
            self.do(session, "open")
        elif signal == "chosen":
            self.do(session, value)
        elif signal == "star":
            row = int(value)
            mark_message(session.state.files, self.paths[row], starred=not view.starred[row])
            session.files_changed()
        elif signal in ("dragged", "dropped"):
            x, y = map(int, value.split())
            self._drag(session, x, y, signal == "dropped")
        elif signal == "sorted":
            column = int(value)
            view.descending = not view.descending if view.order == column else column == _KEYS.index("date")
            view.order = column
            self.refresh(session)

    def _drag(self, session: Session, x: int, y: int, drop: bool) -> None:
        """The selected messages are drawn over a pixel of the window: mark the folder there, and move them into it if they are dropped."""
        tree = self.tree
        row = tree.row_at(session.look, y - tree.y) if inside((tree.x, tree.y, tree.w, tree.h), x, y) else -1
        target = row if row >= 0 and self.folders[row] not in (STARRED, self.folder) else -1
        tree.target = -1 if drop else target
        session.touch(self, tree)
        if drop and target >= 0:
            self.do(session, f"move > {self.folders[target]}")

    def _selected(self, session: Session) -> None:
        """A message was selected: it counts as read, as far as it can be read here."""
        path = self.path
        self.view.menu, self.view.labels = action_menu(session, self.message(session), self.folder)
        self.show_message(session)
        if path and self.reader.w and mark_message(session.state.files, path, read=True):
            session.files_changed()

    def _menu(self, session: Session, item: str) -> None:
        if item == "new":
            compose(session, blank(session))
        elif item == "new-folder":
            prompt(session, self, "folder", session.label("New folder"), session.label("Name"))
        elif item == "empty-trash":
            gone = messages_in(session.state.files, TRASH)
            if gone:
                question = session.label("Delete these messages for ever?")
                ask(session, self, "\n".join(gone), session.label("Empty trash"), question, ("delete", "cancel"))
        elif item == "close":
            session.ask_to_close(self)
        elif item == "search":
            session.focus(self, self.widget("search"))
        else:
            self.do(session, item)

    def on_prompt(self, session: Session, purpose: str, text: str) -> None:
        if add_folder(session.state.files, text.strip()):
            session.files_changed()
        else:
            tell(session, self, session.label("New folder"), session.label("There can be no folder of this name."))

    def on_stroke(self, session: Session, stroke: Stroke) -> bool:
        item = "new" if stroke.is_(Key.N, Modifier.CTRL) else "search" if stroke.is_(Key.F, Modifier.CTRL) else ""
        if item:
            self._menu(session, item)
            return True
        return super().on_stroke(session, stroke)

    def show_folder(self, session: Session, folder: str) -> None:
        """Show a folder, from its first message."""
        self.folder = folder
        self.view.top = 0
        self.refresh(session, "")


def _matches(message: Message, words: list[str]) -> bool:
    text = f"{message.sender} {message.to} {message.subject} {message.text}".casefold()
    return all(word in text for word in words)


def _row(session: Session, message: Message, folder: str) -> list[str]:
    """Who it is from, or to for what the user wrote, the subject, and the time of today's messages or the date of others."""
    day, _, moment = message.date.partition(" ")
    time = clock.read_time(moment)
    if time and clock.read_date(day) == clock.now(session.state).date():
        day = clock.time_text(session.state.settings, time)
    who = message.to if folder in (SENT, DRAFTS) else message.sender
    return [name_of(who), message.subject, day]


def make_mail(session: Session, width: int, height: int) -> Mail:
    """A mail program showing the inbox, ``width`` x ``height`` pixels, at the screen's corner and not opened yet."""
    label = session.label
    window = Mail(id="mail", title=label("Mail"), w=width, h=height, resizable=True, focus="messages")
    targets: list[Item] = ["reply", "reply-all", "forward", "-", *MARKS, "-", "delete"]
    menus: dict[str, list[Item]] = {"file": ["new", "new-folder", "empty-trash", "-", "close"], "edit": ["search"], "message": targets}
    english = {
        "file": "File",
        "edit": "Edit",
        "message": "Message",
        "new": "New message",
        "new-folder": "New folder",
        "empty-trash": "Empty trash",
        "close": "Close",
    }
    labels = {key: label(text) for key, text in {**english, "search": "Search", **ACTIONS, **MARKS}.items()}
    columns = [label(name) for name in ("From", "Subject", "Date")]
    window.widgets = [
        MenuBar(id="menu", name=label("Menu"), menus=menus, labels=labels, shortcuts={"new": "Ctrl+N"}),
        Button(id="new", name=label("New message"), primary=True),
        *action_buttons(session),
        ListView(id="folders", name=label("Folders")),
        TextField(id="search", name=label("Search"), hint=label("Search")),
        MessageList(id="messages", name=label("Messages"), columns=columns, shares=[36, 100], multiple=True, sortable=True, order=2, descending=True),
        Reader(id="text", name=label("Text"), headed=True),
    ]
    window.layout(session)
    window.refresh(session)
    return window


def open_mail(session: Session, path: str = "") -> Window:
    """Open the mail program, or raise it; with the path of a message, show that one in a window of its own."""
    window = session.state.window("mail")
    if window is None:
        window = make_mail(session, *fit(session, 64, 42))
        cascade(session, window)
    else:
        session.activate(window)
    if isinstance(window, Mail) and is_message(path) and path in session.state.files:
        window.show_folder(session, folder_of(path))
        window.refresh(session, path)
        window.do(session, "open")
    return window
