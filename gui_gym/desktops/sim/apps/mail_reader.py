"""Showing a message: its text and attachments, and what can be done with it, in the mail program and in a window of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gui_gym.actions import Key, Modifier
from gui_gym.desktops.sim import filesystem
from gui_gym.desktops.sim.apps.compose import compose, forward, reply_to
from gui_gym.desktops.sim.apps.dialog import ask
from gui_gym.desktops.sim.apps.file_dialog import choose_file
from gui_gym.desktops.sim.apps.mailbox import (
    DRAFTS,
    STARRED,
    SYSTEM_FOLDERS,
    TRASH,
    Message,
    folder_of,
    folders,
    is_message,
    mark_message,
    move_message,
    read_message,
)
from gui_gym.desktops.sim.apps.toolbar import hide, put_buttons, show
from gui_gym.desktops.sim.layout import cascade, fit
from gui_gym.desktops.sim.state import Item, Window
from gui_gym.desktops.sim.widgets.base import Stroke, Widget
from gui_gym.desktops.sim.widgets.basic import Button
from gui_gym.desktops.sim.widgets.menu_button import MenuButton
from gui_gym.desktops.sim.widgets.reader import Reader

if TYPE_CHECKING:
    from gui_gym.desktops.sim.session import Session

#: What can be done with a message, by key.
ACTIONS = {"reply": "Reply", "reply-all": "Reply all", "forward": "Forward", "delete": "Delete", "move": "Move to"}
MARKS = {"star": "Add star", "unstar": "Remove star", "unread": "Mark as unread", "read": "Mark as read"}
_FILE = "file-"  #: before the number of the attachment whose button it is


def folder_name(session: Session, folder: str) -> str:
    """What a folder is called on the screen: the user's own ones as they are."""
    return session.label(folder) if folder in (*SYSTEM_FOLDERS, STARRED) else folder


def action_menu(session: Session, message: Message, folder: str) -> tuple[list[Item], dict[str, str]]:
    """The items of a message's menu, and their texts."""
    targets = [name for name in folders(session.state.files) if name != folder]
    marks = ["unstar" if message.starred else "star", "unread" if message.read else "read"]
    items: list[Item] = ["open", "reply", "reply-all", "forward", "-", *marks, ("move", targets), "-", "delete"]
    texts = {name: session.label(english) for name, english in {"open": "Open", **ACTIONS, **MARKS}.items()}
    return items, texts | {name: folder_name(session, name) for name in targets}


@dataclass(kw_only=True)
class MessageHolder(Window):
    """A window that shows a message in its widget "text", with the buttons of :data:`ACTIONS` and one for each attachment, "file-0" ..."""

    icon = "mail"

    @property
    def path(self) -> str:
        """The path of the message that is shown, or ""."""
        raise NotImplementedError

    @property
    def chosen(self) -> list[str]:
        """The paths of the messages that are moved, marked and deleted together."""
        return [self.path] if self.path else []

    @property
    def reader(self) -> Reader:
        """Where the message's text is."""
        return self.part("text", Reader)

    def message(self, session: Session) -> Message:
        """The message that is shown; an empty one if there is none."""
        return read_message(session.state.files.get(self.path, ""))

    def show_message(self, session: Session) -> None:
        """Show the message as it is now."""
        files, label, message = session.state.files, session.label, self.message(session)
        lines = [message.subject, f"{label('From')}: {message.sender}", f"{label('To')}: {message.to}"]
        lines += [f"{label('Cc')}: {message.cc}"] if message.cc else []
        lines += [f"{label('Date')}: {message.date}", "", message.text]
        text = "\n".join(lines) if self.path in files else ""
        if text != self.reader.text:
            self.reader.show(text)
        self.widgets = [widget for widget in self.widgets if not widget.id.startswith(_FILE)]
        tip = label("Save attachment")
        self.widgets += [Button(id=f"{_FILE}{i}", name=f"↓ {name}", tip=tip) for i, (name, _) in enumerate(message.attachments)]
        for name in ACTIONS:
            button = self.widget(name)
            button.enabled = button.w > 0 and self.path in files
        move = self.part("move", MenuButton)
        move.items = [name for name in folders(files) if name != folder_of(self.path)]
        move.texts = {name: folder_name(session, name) for name in folders(files)}
        self.layout(session)
        session.touch(self)

    def put_message(self, session: Session, x: int, y: int, width: int, bottom: int) -> None:
        """Lay out the text and the attachments' buttons between ``y`` and ``bottom``; nothing if there is too little room."""
        look, size = session.look, session.look.size
        files = [widget for widget in self.widgets if widget.id.startswith(_FILE)]
        if bottom - y < 3 * look.sans.height + (size.control if files else 0):
            for widget in (*files, self.reader):
                hide(widget)
            return
        if files:
            bottom -= size.control
            put_buttons(look, files, x, bottom, width)
            bottom -= max(1, size.gap // 2)
        show(self.reader, x, y, width, bottom - y)
        self.reader.scroll_to(look, self.reader.top)

    def put_actions(self, session: Session, buttons: list[Widget], x: int, y: int, width: int) -> None:
        """Lay out the buttons above the message."""
        put_buttons(session.look, buttons, x, y, width)
        for button in buttons:
            if button.id in ACTIONS:
                button.enabled = button.w > 0 and self.path in session.state.files

    def do(self, session: Session, action: str) -> None:
        """Do something with the message, by the key of an action; "move > Work" moves it to the folder Work."""
        files, path = session.state.files, self.path
        if path not in files:
            return
        action, _, folder = action.partition(" > ")
        message = read_message(files[path])
        if action == "open" and folder_of(path) == DRAFTS:
            compose(session, message, path)
        elif action == "open":
            open_message(session, path)
        elif action in ("reply", "reply-all"):
            compose(session, reply_to(session, message, action == "reply-all"))
        elif action == "forward":
            compose(session, forward(session, message))
        elif action in MARKS:
            name, on = {"star": ("starred", True), "unstar": ("starred", False), "read": ("read", True), "unread": ("read", False)}[action]
            for each in self.chosen:
                mark_message(files, each, **{name: on})
            session.files_changed()
        elif action == "move" and folder in folders(files):
            for each in self.chosen:
                move_message(files, each, folder)
            session.files_changed()
        elif action == "delete" and (folder_of(path) == TRASH or session.state.settings["confirm_delete"]):
            text = "Delete this message for ever?" if folder_of(path) == TRASH else "Delete this message?"
            if len(self.chosen) > 1:
                text = "Delete these messages for ever?" if folder_of(path) == TRASH else "Delete these messages?"
            ask(session, self, "\n".join(self.chosen), session.label("Delete"), session.label(text), ("delete", "cancel"))
        elif action == "delete":
            self._delete(session, self.chosen)

    def _delete(self, session: Session, paths: Sequence[str]) -> None:
        """Move messages to the trash, and those that are there away for good."""
        files = session.state.files
        for path in paths:
            if path in files and folder_of(path) == TRASH:
                filesystem.remove(files, path)
            elif path in files:
                move_message(files, path, TRASH)
        session.files_changed()

    def on_answer(self, session: Session, purpose: str, button: str) -> None:
        if button == "delete":
            self._delete(session, purpose.split("\n"))

    def on_signal(self, session: Session, widget: Widget, signal: str, value: str) -> None:
        if signal == "clicked" and widget.id.startswith(_FILE):
            number = int(widget.id.removeprefix(_FILE))
            name = self.message(session).attachments[number][0]
            choose_file(session, self, f"{number} {self.path}", "save", folder=f"{filesystem.HOME}/Downloads", name=name)
        elif signal == "clicked" and widget.id in ACTIONS:
            self.do(session, widget.id)
        elif signal == "chosen" and widget.id == "move":
            self.do(session, f"move > {value}")

    def on_file(self, session: Session, purpose: str, path: str) -> None:
        number, _, source = purpose.partition(" ")
        attachments = read_message(session.state.files.get(source, "")).attachments
        if int(number) < len(attachments):
            session.state.files[path] = attachments[int(number)][1]
            session.files_changed()

    def on_stroke(self, session: Session, stroke: Stroke) -> bool:
        action = {
            (Key.DELETE, frozenset()): "delete",
            (Key.R, frozenset({Modifier.CTRL})): "reply",
            (Key.R, frozenset({Modifier.CTRL, Modifier.SHIFT})): "reply-all",
            (Key.L, frozenset({Modifier.CTRL})): "forward",
        }.get((stroke.key, stroke.modifiers))
        if action is None:
            return False
        self.do(session, action)
        return True


def action_buttons(session: Session) -> list[Widget]:
    """The buttons of :data:`ACTIONS`."""
    return [(MenuButton if name == "move" else Button)(id=name, name=session.label(english)) for name, english in ACTIONS.items()]


@dataclass(kw_only=True)
class MessageWindow(MessageHolder):
    """A message in a window of its own, which closes when the message is moved or deleted."""

    shown: str

    @property
    def path(self) -> str:
        return self.shown

    def layout(self, session: Session) -> None:
        size = session.look.size
        self.least = (20 * size.font, 14 * size.font)
        y = size.title + size.gap
        self.put_actions(session, [self.widget(name) for name in ACTIONS], size.pad, y, self.w - 2 * size.pad)
        self.put_message(session, size.pad, y + size.control + size.gap, self.w - 2 * size.pad, self.h - size.pad)

    def on_files(self, session: Session) -> None:
        if is_message(self.shown) and self.shown in session.state.files:
            self.show_message(session)
        else:
            session.close(self)


def open_message(session: Session, path: str) -> Window:
    """Show a message in a window of its own, or raise that window."""
    width, height = fit(session, 44, 30)
    window = MessageWindow(id=f"message:{path}", title=read_message(session.state.files[path]).subject or session.label("Mail"), shown=path)
    window.w, window.h, window.resizable = width, height, True
    window.widgets = [*action_buttons(session), Reader(id="text", name=session.label("Text"), headed=True)]
    window.focus = "text"
    window.show_message(session)
    cascade(session, window)
    if mark_message(session.state.files, path, read=True):
        session.files_changed()
    return window
