"""What a command is given, and how commands are registered."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from gui_gym.desktops.sim import filesystem
from gui_gym.desktops.sim.filesystem import HOME, Files

if TYPE_CHECKING:
    from gui_gym.desktops.sim.commands.shell import Shell

MAX_OUTPUT = 100_000  #: characters a command line can print, and a file written by the shell can hold
MAX_FILES = 4000  #: entries of the file system beyond which the shell makes none
WRITABLE = (HOME, "/tmp")  #: where files can be changed


class CommandError(Exception):
    """A command gives up; the text is its message."""


class OutputFullError(Exception):
    """A command line printed more than a terminal takes."""


@dataclass
class Call:
    """One command being run.

    Args:
        shell: whose folder and history it works with.
        files: the file system.
        now: the desktop's date and time.
        name: how it was called.
        arguments: its words, quotes removed and names expanded, without options.
        options: the letters of its options, with their values ("" for those that take none).
        input: what it reads where no file is named; None if that is the keyboard.
        columns: letters in a line of the terminal it prints to, or 0 if it prints elsewhere.
        out: what it printed: pairs of whether that is an error, and the text.
    """

    shell: Shell
    files: Files
    now: datetime
    name: str
    arguments: list[str] = field(default_factory=list)
    options: dict[str, str] = field(default_factory=dict)
    input: str | None = None
    columns: int = 0
    out: list[tuple[bool, str]] = field(default_factory=list)
    status: int = 0
    printed: int = 0

    def say(self, text: str) -> None:
        """Print a text as it is."""
        self.printed += len(text)
        if self.printed > MAX_OUTPUT:
            raise OutputFullError
        self.out.append((False, text))

    def line(self, text: str) -> None:
        """Print a line."""
        self.say(text + "\n")

    def fail(self, message: str) -> None:
        """Print an error and go on; the command has failed."""
        self.status = 1
        message = f"{self.name}: {message}\n"
        self.printed += len(message)
        if self.printed > MAX_OUTPUT:
            raise OutputFullError
        self.out.append((True, message))

    def path(self, word: str) -> str:
        """The path a word means."""
        return resolve(self.shell.folder, word)

    def need(self, least: int, most: int | None = None) -> None:
        """Give up unless there are so many arguments."""
        if len(self.arguments) < least:
            raise CommandError("missing operand" if not self.arguments else f"missing operand after '{self.arguments[-1]}'")
        if most is not None and len(self.arguments) > most:
            raise CommandError(f"extra operand '{self.arguments[most]}'")

    def number(self, option: str, default: int) -> int:
        """The value of an option that takes a number."""
        value = self.options.get(option, str(default))
        if not (value.isascii() and value.isdigit() and len(value) < 10):
            raise CommandError(f"invalid number: '{value}'")
        return int(value)

    def text_of(self, word: str) -> str | None:
        """The text of a file, or None after an error was printed."""
        path = self.path(word)
        if path in self.files and not word.endswith("/"):
            return self.files[path]
        self.fail(f"{word}: {'Is a directory' if path == '/dev/null' or filesystem.is_folder(self.files, path) else 'No such file or directory'}")
        return None

    def texts(self) -> Iterator[tuple[str, str]]:
        """What it is to read: names and texts of the files named, else ("-", its input). Errors are printed on the way."""
        if not self.arguments:
            if self.input is None:
                raise CommandError("missing file: this shell cannot read from the keyboard")
            yield "-", self.input
        for word in self.arguments:
            text = (self.input or "") if word == "-" else self.text_of(word)
            if text is not None:
                yield word, text

    def writable(self, path: str) -> bool:
        """Whether files may be made and changed there."""
        return any(path.startswith(folder + "/") for folder in WRITABLE)

    def has_room(self, entries: int = 1) -> None:
        """Give up if the file system has no room for so many more entries."""
        if len(self.files) + entries > MAX_FILES:
            raise CommandError("No space left on device")


@dataclass(frozen=True)
class Program:
    """A command: what it does, the letters of its options, those of them that take a value, and what its manual says."""

    function: Callable[[Call], None]
    usage: str
    about: str
    flags: str = ""
    valued: str = ""


def resolve(folder: str, word: str) -> str:
    """The path of a word from a folder, without "." and "..", nor a slash at its end."""
    parts: list[str] = []
    for part in (word if word.startswith("/") else f"{folder}/{word}").split("/"):
        if part == "..":
            parts = parts[:-1]
        elif part not in ("", "."):
            parts.append(part)
    return "/" + "/".join(parts)


def lines_of(text: str) -> list[str]:
    """The lines of a text; one at the end without a line end counts."""
    lines = text.split("\n")
    return lines[:-1] if lines[-1] == "" else lines
