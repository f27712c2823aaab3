"""Writing mail."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from gui_gym.actions import Key, Modifier
from gui_gym.desktops.sim import clock, filesystem
from gui_gym.desktops.sim.apps.dialog import ask, tell
from gui_gym.desktops.sim.apps.file_dialog import choose_file
from gui_gym.desktops.sim.apps.mailbox import (
    ADDRESS,
    DRAFTS,
    SENT,
    Message,
    add_message,
    addresses,
    contacts,
    is_address,
    name_of,
    prefixed,
    quote,
    write_message,
)
from gui_gym.desktops.sim.apps.toolbar import put_buttons, show
from gui_gym.desktops.sim.layout import cascade, fit
from gui_gym.desktops.sim.state import Event, Window
from gui_gym.desktops.sim.widgets.area import TextArea
from gui_gym.desktops.sim.widgets.base import Stroke, Widget
from gui_gym.desktops.sim.widgets.basic import Button, Label
from gui_gym.desktops.sim.widgets.text import TextField

if TYPE_CHECKING:
    from gui_gym.desktops.sim.session import Session

FIELDS = {"to": "To", "cc": "Cc", "subject": "Subject"}
ACTIONS = {"send": "Send", "attach": "Attach file", "save-draft": "Save draft", "discard": "Discard"}
_ATTACHED = "attached-"  #: before the number of the file whose button it is


@dataclass(kw_only=True)
class Compose(Window):
    """A message that is being written. Its widgets: the buttons "send", "attach", "save-draft" and "discard", the fields "to", "cc",
    "subject" and "text", and a button "attached-0", "attached-1" ... for each attached file, which removes it.

    Args:
        draft: path of the draft it is about, or "".
        attachments: names and texts of the attached files.
        saved: the message as it was when it was saved or begun.
    """

    icon = "mail"

    draft: str = ""
    attachments: list[tuple[str, str]] = field(default_factory=list)
    saved: Message = field(default_factory=Message)

    def message(self, session: Session) -> Message:
        """What is written, as a message of now."""
        to, cc, subject, text = (str(self.widget(name).value) for name in (*FIELDS, "text"))
        sender = f"{session.state.settings['mail_name']} <{ADDRESS}>"
        moment = clock.now(session.state).strftime("%Y-%m-%d %H:%M")
        return Message(sender, to, cc, subject, moment, True, False, tuple(self.attachments), text)

    def changed(self, session: Session) -> bool:
        """Whether it differs from what was saved."""
        message = self.message(session)
        return replace(message, date=self.saved.date, sender=self.saved.sender) != self.saved

    def layout(self, session: Session) -> None:
        look, size = session.look, session.look.size
        self.least = (20 * size.font, 16 * size.font)
        left, width, y = size.pad, self.w - 2 * size.pad, size.title + size.gap
        put_buttons(look, [self.widget(name) for name in ACTIONS], left, y, width)
        y += size.control + size.gap
        wide = max(look.sans.width(self.widget(f"{name}-label").name) for name in FIELDS) + size.gap
        for name in FIELDS:
            show(self.widget(f"{name}-label"), left, y, wide, size.control)
            show(self.widget(name), left + wide, y, width - wide, size.control)
            y += size.control + max(1, size.gap // 2)
        files = [widget for widget in self.widgets if widget.id.startswith(_ATTACHED)]
        bottom = self.h - size.pad
        if files:
            bottom -= size.control
            put_buttons(look, files, left, bottom, width)
            bottom -= size.gap
        show(self.widget("text"), left, y, width, max(size.control, bottom - y))

    def on_signal(self, session: Session, widget: Widget, signal: str, value: str) -> None:
        if signal == "clicked" and widget.id.startswith(_ATTACHED):
            del self.attachments[int(widget.id.removeprefix(_ATTACHED))]
            self.show_attachments(session)
        elif signal == "clicked":
            self._do(session, widget.id)
        elif signal == "changed" and widget.id == "subject":
            session.retitle(self, str(widget.value) or session.label("New message"))

    def on_stroke(self, session: Session, stroke: Stroke) -> bool:
        action = "send" if stroke.is_(Key.ENTER, Modifier.CTRL) else "save-draft" if stroke.is_(Key.S, Modifier.CTRL) else ""
        if action:
            self._do(session, action)
        elif stroke.is_(Key.ESCAPE):
            session.ask_to_close(self)
        else:
            return False
        return True

    def _do(self, session: Session, action: str) -> None:
        if action == "send":
            self.send(session)
        elif action == "attach":
            choose_file(session, self, "attach", "open", folder=f"{filesystem.HOME}/Documents")
        elif action == "save-draft":
            self.save_draft(session)
        elif self.changed(session):
            ask(session, self, "discard", session.label("Discard"), session.label("Discard this message?"), ("yes", "no"))
        else:
            session.close(self)

    def send(self, session: Session) -> None:
        """Put the message among the sent ones and close, or say what is wrong with it."""
        files, message = session.state.files, self.message(session)
        known = {name.casefold(): contact for name, contact in contacts(files).items()}
        to, cc = (_resolve(text, known) for text in (message.to, message.cc))
        wrong = [address for address in addresses(f"{to},{cc}") if not is_address(address)]
        if wrong or not addresses(f"{to},{cc}"):
            problem = session.label("This is not an address: {}", wrong[0]) if wrong else session.label("Enter who shall get the message.")
            tell(session, self, session.label("Send"), problem)
            return
        path = add_message(files, SENT, replace(message, to=to, cc=cc))
        if self.draft:
            files.pop(self.draft, None)
        session.state.log.append(Event(self.id, "send", "sent", path))
        session.close(self)
        session.files_changed()

    def save_draft(self, session: Session) -> None:
        """Write the message to the drafts."""
        files, message = session.state.files, self.message(session)
        if self.draft in files:
            files[self.draft] = write_message(message)
        else:
            self.draft = add_message(files, DRAFTS, message)
        self.saved = message
        session.files_changed()

    def on_close(self, session: Session) -> bool:
        if not self.changed(session):
            return True
        ask(session, self, "close", session.label("New message"), session.label("Save this message as a draft?"), ("save", "discard", "cancel"))
        return False

    def on_answer(self, session: Session, purpose: str, button: str) -> None:
        if purpose == "close" and button == "save":
            self.save_draft(session)
        if button in ("save", "discard", "yes"):
            session.close(self)

    def on_file(self, session: Session, purpose: str, path: str) -> None:
        self.attachments.append((filesystem.name_of(path), session.state.files[path]))
        self.show_attachments(session)

    def show_attachments(self, session: Session) -> None:
        """Have a button for each attached file."""
        self.widgets = [widget for widget in self.widgets if not widget.id.startswith(_ATTACHED)]
        tip = session.label("Remove")
        self.widgets += [Button(id=f"{_ATTACHED}{i}", name=f"✗ {name}", tip=tip) for i, (name, _) in enumerate(self.attachments)]
        self.layout(session)
        session.touch(self)


def _resolve(text: str, known: dict[str, str]) -> str:
    """A list of recipients in which the names of contacts are replaced by their addresses."""
    parts = [part.strip() for part in text.replace(";", ",").split(",")]
    return ", ".join(known.get(part.casefold(), part) for part in parts if part)


def compose(session: Session, message: Message, draft: str = "") -> Compose:
    """Open a window to write ``message`` on."""
    window = make_compose(session, message, *fit(session, 46, 34), draft)
    cascade(session, window)
    return window


def make_compose(session: Session, message: Message, width: int, height: int, draft: str = "") -> Compose:
    """A window to write ``message`` on, ``width`` x ``height`` pixels, at the screen's corner and not opened yet."""
    window = Compose(id=f"compose:{session.state.opened + 1}", title=message.subject or session.label("New message"), w=width, h=height)
    window.resizable = True
    window.draft, window.attachments = draft, list(message.attachments)
    window.widgets = [Button(id=name, name=session.label(english), primary=name == "send") for name, english in ACTIONS.items()]
    for name, english in FIELDS.items():
        label, text = session.label(english), getattr(message, name)
        window.widgets += [
            Label(id=f"{name}-label", name=label, muted=True),
            TextField(id=name, name=label, text=text, caret=len(text), anchor=len(text)),
        ]
    window.widgets.append(TextArea(id="text", name=session.label("Text"), text=message.text, wrap=True))
    window.focus = "text" if message.to else "to"
    window.saved = window.message(session)
    window.show_attachments(session)
    return window


# What a message is begun with


def blank(session: Session) -> Message:
    """A new message with the signature."""
    return Message(text=_signed(session))


def _signed(session: Session) -> str:
    signature = str(session.state.settings["mail_signature"])
    return f"\n\n-- \n{signature}" if signature else ""


def reply_to(session: Session, message: Message, all_: bool = False) -> Message:
    """An answer to a message's sender, or also to everyone else it went to."""
    to, cc = message.sender, ""
    if addresses(message.sender) == [ADDRESS]:
        to, cc = message.to, message.cc if all_ else ""
    elif all_:
        cc = _without(f"{message.to}, {message.cc}", [ADDRESS, *addresses(message.sender)])
    head = session.label("On {}, {} wrote:", message.date, name_of(message.sender))
    return Message(to=to, cc=cc, subject=prefixed("Re: ", message.subject), text=f"{_signed(session)}\n\n{head}\n{quote(message.text)}")


def _without(recipients: str, leave_out: Sequence[str]) -> str:
    parts = [part.strip() for part in recipients.split(",")]
    return ", ".join(part for part in parts if part and not set(addresses(part)) & set(leave_out))


def forward(session: Session, message: Message) -> Message:
    """A message to be passed on to somebody."""
    label = session.label
    head = f"{label('From')}: {message.sender}\n{label('Date')}: {message.date}\n{label('Subject')}: {message.subject}\n\n"
    text = f"{_signed(session)}\n\n{label('Forwarded message')}:\n{quote(head + message.text)}"
    return Message(subject=prefixed("Fwd: ", message.subject), text=text, attachments=message.attachments)
