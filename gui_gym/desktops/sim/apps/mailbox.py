"""Mail as files: one text file a message, in one folder of ``~/.mail`` for each folder of the mail program.

A message is headers, one a line, an empty line, and its text::

    From: Ada Novák <ada.novak@example.org>
    To: Sam Rivera <sam.rivera@example.org>
    Cc:
    Subject: Tickets
    Date: 2026-03-10 14:05
    Flags: read starred
    Attachment: ["seats.txt", "12A\\n12B\\n"]

    The tickets are here.

``Attachment`` is a JSON list of a name and a text, once for each attached file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from gui_gym.desktops.sim import filesystem
from gui_gym.desktops.sim.filesystem import HOME, Files

MAIL = f"{HOME}/.mail"
INBOX, SENT, DRAFTS, TRASH = "Inbox", "Sent", "Drafts", "Trash"
SYSTEM_FOLDERS = (INBOX, SENT, DRAFTS, TRASH)
STARRED = "Starred"  #: not a folder: the messages with a star, wherever they are but in the trash
ADDRESS = "sam.rivera@example.org"  #: of the user


@dataclass(frozen=True)
class Message:
    """A message. ``to`` and ``cc`` are lists of addresses parted by commas, ``date`` is "2026-03-10 14:05", ``attachments`` are names and texts."""

    sender: str = ""
    to: str = ""
    cc: str = ""
    subject: str = ""
    date: str = ""
    read: bool = False
    starred: bool = False
    attachments: tuple[tuple[str, str], ...] = ()
    text: str = ""


_HEADERS = {"From": "sender", "To": "to", "Cc": "cc", "Subject": "subject", "Date": "date"}


def write_message(message: Message) -> str:
    """A message as the text of a file."""
    lines = [f"{name}: {_one_line(getattr(message, key))}" for name, key in _HEADERS.items()]
    lines.append("Flags: " + " ".join(flag for flag, on in (("read", message.read), ("starred", message.starred)) if on))
    lines += [f"Attachment: {json.dumps(attachment, ensure_ascii=False)}" for attachment in message.attachments]
    return "\n".join(lines) + "\n\n" + message.text


def read_message(text: str) -> Message:
    """The message in the text of a file. What is missing is empty and what is not known is left out: anybody may edit the file."""
    head, _, body = text.partition("\n\n")
    values: dict[str, str] = {}
    flags: list[str] = []
    attachments = []
    for line in head.split("\n"):
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name in _HEADERS:
            values[_HEADERS[name]] = value
        elif name == "Flags":
            flags = value.split()
        elif name == "Attachment" and (attachment := _attachment(value)):
            attachments.append(attachment)
    return Message(**values, read="read" in flags, starred="starred" in flags, attachments=tuple(attachments), text=body)


def _attachment(value: str) -> tuple[str, str] | None:
    try:
        parts = json.loads(value)
    except (ValueError, RecursionError):
        return None
    if isinstance(parts, list) and len(parts) == 2 and isinstance(parts[0], str) and isinstance(parts[1], str):
        return parts[0], parts[1]
    return None


def _one_line(text: str) -> str:
    return re.sub(r"\s*\n\s*", " ", text)


# Where messages are


def folder_of(path: str) -> str:
    """The folder a message's file is in."""
    return path.removeprefix(MAIL + "/").partition("/")[0]


def is_message(path: str) -> bool:
    """Whether a path is that of a message."""
    return path.startswith(MAIL + "/") and path.endswith(".eml") and path.count("/") == MAIL.count("/") + 2


def folders(files: Files) -> list[str]:
    """The folders there are: those of every mailbox, then the user's own by name."""
    own, _ = filesystem.listing(files, MAIL)
    return [*SYSTEM_FOLDERS, *(name for name in own if name not in SYSTEM_FOLDERS)]


def messages_in(files: Mapping[str, str], folder: str) -> dict[str, Message]:
    """The messages of a folder, or with a star, by path; the latest first."""
    paths = [path for path in files if is_message(path)]
    if folder == STARRED:
        found = {path: read_message(files[path]) for path in paths if folder_of(path) != TRASH}
        found = {path: message for path, message in found.items() if message.starred}
    else:
        found = {path: read_message(files[path]) for path in paths if folder_of(path) == folder}
    return {path: found[path] for path in sorted(found, key=lambda path: (found[path].date, _number(path), path), reverse=True)}


def unread(files: Mapping[str, str], folder: str) -> int:
    """How many messages of a folder have not been read."""
    return sum(not message.read for message in messages_in(files, folder).values())


def _number(path: str) -> int:
    stem = path.rpartition("/")[2].removesuffix(".eml")
    return int(stem) if stem.isascii() and stem.isdigit() and len(stem) < 10 else 0


# Changing them


def add_message(files: Files, folder: str, message: Message) -> str:
    """Write a message to a folder under the next free number; its path."""
    numbers = [_number(path) for path in files if is_message(path) and folder_of(path) == folder]
    path = f"{MAIL}/{folder}/{max(numbers, default=0) + 1}.eml"
    files[path] = write_message(message)
    return path


def move_message(files: Files, path: str, folder: str) -> str:
    """Put a message into another folder; its new path."""
    if folder_of(path) == folder:
        return path
    new = add_message(files, folder, read_message(files[path]))
    filesystem.remove(files, path)
    return new


def mark_message(files: Files, path: str, *, read: bool | None = None, starred: bool | None = None) -> bool:
    """Change what is marked on a message; whether that changed its file."""
    message = read_message(files[path])
    marked = replace(message, read=message.read if read is None else read, starred=message.starred if starred is None else starred)
    if marked == message:
        return False
    files[path] = write_message(marked)
    return True


def add_folder(files: Files, name: str) -> bool:
    """Make a folder of the user's own; False if it cannot be called so or there is one."""
    if not filesystem.good_name(name) or name in (STARRED, *folders(files)):
        return False
    filesystem.make_folder(files, f"{MAIL}/{name}")
    return True


# Addresses and replies


def addresses(text: str) -> list[str]:
    """The addresses in a list of them, such as "Ada Novák <ada@example.org>, bo@example.org", in lower case."""
    parts = [part.strip() for part in re.split(r"[,;\n]", text)]
    found = [re.fullmatch(r".*<\s*([^<>]*?)\s*>", part) for part in parts]
    return [(match[1] if match else part).lower() for match, part in zip(found, parts, strict=True) if part]


def is_address(text: str) -> bool:
    """Whether mail can be sent to it."""
    return re.fullmatch(r"[^\s@<>,;\"]+@[^\s@<>,;\"]+", text) is not None


def name_of(sender: str) -> str:
    """The name in "Ada Novák <ada@example.org>", or the address where there is none."""
    return sender.partition("<")[0].strip() or sender.strip(" <>")


def contacts(files: Mapping[str, str]) -> dict[str, str]:
    """Whoever mail came from, as "Name <address>" by name."""
    senders = sorted({read_message(files[path]).sender for path in files if is_message(path)})
    return {name_of(sender): sender for sender in senders if addresses(sender) not in ([], [ADDRESS])}


def prefixed(prefix: str, subject: str) -> str:
    """A subject with "Re: " or "Fwd: " before it, once."""
    return subject if subject.lower().startswith(prefix.lower()) else prefix + subject


def quote(text: str) -> str:
    """A text with "> " before each of its lines."""
    return "\n".join(f"> {line}".rstrip() for line in text.rstrip("\n").split("\n"))


def own_words(text: str) -> str:
    """What the writer of a message wrote: without the signature, quoted lines, and the line that introduces them."""
    lines = text.split("\n")
    if "-- " in lines:
        start = lines.index("-- ")
        end = next((i for i in range(start, len(lines)) if not lines[i]), len(lines))
        del lines[start:end]
    quoted = [line.startswith(">") for line in lines]
    introduces = [line.endswith(":") and quoted[i + 1 : i + 2] == [True] for i, line in enumerate(lines)]
    return "\n".join(line for line, *drop in zip(lines, quoted, introduces, strict=True) if not any(drop)).strip()
