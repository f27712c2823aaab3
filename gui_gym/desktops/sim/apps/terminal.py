"""The terminal: a shell with a small set of commands on the virtual file system."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from os.path import commonprefix
from typing import TYPE_CHECKING

from gui_gym.desktops.sim import clock, filesystem
from gui_gym.desktops.sim.apps import open_path
from gui_gym.desktops.sim.commands.call import resolve
from gui_gym.desktops.sim.commands.shell import PROGRAMS, Shell
from gui_gym.desktops.sim.layout import cascade, fit
from gui_gym.desktops.sim.state import Window
from gui_gym.desktops.sim.widgets.base import Widget
from gui_gym.desktops.sim.widgets.console import MENU, Console

if TYPE_CHECKING:
    from gui_gym.desktops.sim.session import Session

_WIDE = 60  #: columns from which on the prompt names user and computer
_SPECIAL = r"([ '\"\\$*?\[\]<>|&;()#`~])"  #: characters that a completed name has a backslash before


@dataclass(kw_only=True)
class Terminal(Window):
    """Runs the lines typed into its only widget, "console"."""

    icon = "terminal"

    shell: Shell = field(default_factory=Shell)

    @property
    def console(self) -> Console:
        """Where lines are typed and printed."""
        return self.part("console", Console)

    def layout(self, session: Session) -> None:
        size, console = session.look.size, self.console
        self.least = (18 * size.font, 8 * size.font)
        console.x, console.y, console.w, console.h = 1, size.title, self.w - 2, self.h - size.title - 1
        self._ready(session)

    def on_signal(self, session: Session, widget: Widget, signal: str, value: str) -> None:
        if signal == "entered":
            self.run(session, value)
        elif self.console.completing:
            self.console.completing = False
            self._complete(session)

    def on_setting(self, session: Session, name: str) -> None:
        if name == "computer_name":
            self._ready(session)

    def on_files(self, session: Session) -> None:
        self.shell.leave_missing(session.state.files)
        self._ready(session)

    def run(self, session: Session, line: str) -> None:
        """Run a line as if it had been typed."""
        console, shell, state = self.console, self.shell, session.state
        console.set_input(session.look, line)
        console.enter(session.look)
        before = dict(state.files)
        printed = shell.run(state.files, line, clock.now(state), console.columns(session.look))
        if shell.clear:
            shell.clear, console.lines = False, []
        console.print(session.look, printed)
        console.history = shell.history
        if state.files != before:
            session.files_changed()
        self._ready(session)
        if shell.exit:
            session.close(self)
        paths, shell.open = shell.open, []
        for path in paths:
            open_path(session, path)

    def _ready(self, session: Session) -> None:
        """Show the prompt for the next line."""
        console, folder = self.console, self.shell.prompt()
        wide = console.columns(session.look) >= _WIDE
        console.prompt = f"user@{session.state.settings['computer_name']}:{folder}$ " if wide else f"{folder}$ "
        console.follow(session.look)
        title = f"{folder} - {session.label('Terminal')}"
        session.retitle(self, title)
        session.touch(self, console)

    # Completing names

    def _complete(self, session: Session) -> None:
        """Tab: complete the word before the caret as far as there is one way to, else print what it could be."""
        console, files = self.console, session.state.files
        before, after = console.input[: console.caret], console.input[console.caret :]
        match = re.search(r"(?:\\.|[^\s\\|;&<>])*$", before)
        word = re.sub(r"\\(.)", r"\1", match[0]) if match else ""
        first = not before[: match.start()].strip() if match else True
        folder, _, start = word.rpartition("/")
        base = filesystem.HOME + folder[1:] if folder == "~" or folder.startswith("~/") else folder or ("/" if "/" in word else ".")
        folders, plain = filesystem.listing(files, resolve(self.shell.folder, base))
        names = [f"{name}/" for name in folders] + [f"{name} " for name in plain]
        if first and "/" not in word:
            names += [f"{name} " for name in PROGRAMS]
        fitting = sorted(name for name in names if name.startswith(start) and (start.startswith(".") or not name.startswith(".")))
        if not fitting or match is None:
            return
        common = commonprefix(fitting)
        if len(common) > len(start):
            tail = common[len(start) :]
            ending = " " if tail.endswith(" ") and len(fitting) == 1 else ""
            tail = re.sub(_SPECIAL, r"\\\1", tail[: len(tail) - len(ending)]) + ending
            console.set_input(session.look, before + tail + after, len(before + tail))
        else:
            line, caret = console.input, console.caret
            console.enter(session.look)
            console.print(session.look, ["  ".join(name.strip() for name in fitting[:100])])
            console.set_input(session.look, line, caret)


def make_terminal(session: Session, folder: str, width: int, height: int) -> Terminal:
    """A terminal in a folder, ``width`` x ``height`` pixels, at the screen's corner and not opened yet."""
    name, number = "terminal", 1
    while session.state.window(name):
        number += 1
        name = f"terminal:{number}"
    window = Terminal(id=name, title=session.label("Terminal"), w=width, h=height, focus="console", resizable=True)
    window.shell.folder = window.shell.before = folder
    window.widgets = [Console(id="console", name=session.label("Terminal"), labels={key: session.label(key) for key in MENU})]
    window.layout(session)
    return window


def open_terminal(session: Session, path: str = "") -> Window:
    """Open a terminal in a folder, home by default, or raise the one that is open."""
    known = session.state.window("terminal")
    if known:
        session.activate(known)
        return known
    window = make_terminal(session, path or filesystem.HOME, *fit(session, 46, 26))
    cascade(session, window)
    return window
