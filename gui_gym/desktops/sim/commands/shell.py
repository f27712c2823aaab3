"""The shell: expands words, runs pipelines, and keeps folder and history."""

from __future__ import annotations

import glob
import re
from dataclasses import dataclass, field
from datetime import datetime
from fnmatch import fnmatchcase

from gui_gym.desktops.sim import filesystem
from gui_gym.desktops.sim.commands import file_commands, text_commands
from gui_gym.desktops.sim.commands.call import MAX_OUTPUT, Call, CommandError, OutputFullError, Program, resolve
from gui_gym.desktops.sim.commands.syntax import Command, Piece, Pipeline, ShellSyntaxError, Word, read
from gui_gym.desktops.sim.filesystem import HOME, Files

MAX_HISTORY = 200  #: lines
MAX_WORDS = 2000  #: words a command can have after its patterns were expanded
MAX_COMMANDS = 60  #: commands in a line
_NULL = "/dev/null"
_LONG = {
    "all": "a", "recursive": "r", "force": "f", "parents": "p", "ignore-case": "i", "count": "c", "reverse": "r", "line-number": "n",
    "invert-match": "v", "files-with-matches": "l", "numeric-sort": "n", "unique": "u", "number": "n", "lines": "l", "words": "w", "bytes": "c",
}  # fmt: skip


@dataclass
class Shell:
    """What lasts between the lines.

    Args:
        folder: the path it is in.
        before: the path it was in, for "cd -".
        history: the lines that were run.
        status: 0 if the last command succeeded.
        clear: whether the screen is to be cleared.
        exit: whether the terminal is to be closed.
        open: paths to be opened with their programs.
    """

    folder: str = HOME
    before: str = HOME
    history: list[str] = field(default_factory=list)
    status: int = 0
    clear: bool = False
    exit: bool = False
    open: list[str] = field(default_factory=list)

    def run(self, files: Files, line: str, now: datetime, columns: int = 80) -> list[str]:
        """Run a line on ``files`` and give the lines it prints on a terminal of so many columns."""
        if line.strip() and self.history[-1:] != [line]:
            self.history = [*self.history[1 - MAX_HISTORY :], line]
        text = ""
        try:
            pipelines = read(line)
            if sum(len(pipeline.commands) for pipeline in pipelines) > MAX_COMMANDS:
                raise ShellSyntaxError(f"more than {MAX_COMMANDS} commands in a line")
            for pipeline in pipelines:
                if {"&&": self.status == 0, "||": self.status != 0, ";": True}[pipeline.before] and not self.exit and len(text) <= MAX_OUTPUT:
                    text += self._run_pipeline(files, pipeline, now, columns)
        except ShellSyntaxError as error:
            self.status = 2
            text += f"sh: syntax error: {error}\n"
        return text[: 2 * MAX_OUTPUT].removesuffix("\n").split("\n") if text else []

    def leave_missing(self, files: Files) -> None:
        """Go up from a folder that is gone."""
        while not filesystem.is_folder(files, self.folder):
            self.folder = filesystem.parent(self.folder)

    def prompt(self) -> str:
        """The folder as prompts show it, with "~" for home."""
        return "~" + self.folder[len(HOME) :] if f"{self.folder}/".startswith(f"{HOME}/") else self.folder

    # Running

    def _run_pipeline(self, files: Files, pipeline: Pipeline, now: datetime, columns: int) -> str:
        """Run commands, each on what the one before prints; what comes to the terminal."""
        passed, shown = None, ""
        for i, command in enumerate(pipeline.commands):
            last = i == len(pipeline.commands) - 1
            call = Call(self, files, now, "sh", input=passed, columns=columns if last and not command.redirections else 0)
            targets = self._run_command(command, call)
            self.status = call.status
            printed = "".join(text for error, text in call.out if not error)
            errors = "".join(text for error, text in call.out if error)
            for sign, path in targets:
                self._write(call, path, errors if sign == "2>" else printed, append=sign == ">>")
            signs = {sign for sign, _ in targets}
            to_file = bool(signs & {">", ">>"})
            passed = "" if to_file else printed
            shown += "".join(text for error, text in call.out if (not error and last and not to_file) or (error and "2>" not in signs))
        return shown

    def _run_command(self, command: Command, call: Call) -> list[tuple[str, str]]:
        """Run a command; the redirections of what it printed."""
        targets: list[tuple[str, str]] = []
        try:
            words = [text for word in command.words for text in self.expand(call.files, word)]
            if len(words) > MAX_WORDS:
                raise CommandError("Argument list too long")
            places = [(sign, self._place(call, sign, word)) for sign, word in command.redirections]
            for sign, path in places:
                if sign == "<":
                    call.input = "" if path == _NULL else call.files[path]
            targets = [(sign, path) for sign, path in places if sign != "<"]
            for sign, path in targets:
                self._write(call, path, "", append=sign == ">>")
            if words:
                self._run_words(words, call)
        except CommandError as error:
            call.fail(str(error))
        except OutputFullError:
            call.status = 1
            call.out.append((True, f"{call.name}: the output was cut off\n"))
        return targets

    def _run_words(self, words: list[str], call: Call) -> None:
        name, *rest = words
        program = PROGRAMS.get(name)
        if program is None:
            call.status = 127
            call.out.append((True, f"{name}: command not found\n"))
            return
        call.name = name
        if "--help" in rest and name != "echo":
            call.say(_manual(name))
            return
        call.arguments, call.options = (rest, {}) if name == "find" else options_of(program, rest, strict=name != "echo")
        program.function(call)

    def _place(self, call: Call, sign: str, word: Word) -> str:
        """The path a redirection reads or writes; CommandError if it cannot."""
        texts = self.expand(call.files, word)
        if len(texts) != 1:
            raise CommandError("ambiguous redirect")
        path = call.path(texts[0])
        if path == _NULL:
            return path
        if filesystem.is_folder(call.files, path) or texts[0].endswith("/"):
            raise CommandError(f"{texts[0]}: Is a directory")
        if sign == "<":
            if path not in call.files:
                raise CommandError(f"{texts[0]}: No such file or directory")
            return path
        call.has_room()
        if not filesystem.is_folder(call.files, filesystem.parent(path)):
            raise CommandError(f"{texts[0]}: No such file or directory")
        if not call.writable(path) or len(filesystem.name_of(path)) > 255:
            raise CommandError(f"{texts[0]}: Permission denied")
        return path

    @staticmethod
    def _write(call: Call, path: str, text: str, append: bool) -> None:
        if path != _NULL:
            before = call.files.get(path, "") if append else ""
            call.files[path] = (before + text)[:MAX_OUTPUT]

    # Expanding

    def expand(self, files: Files, word: Word) -> list[str]:
        """The texts a word stands for: quotes removed, ~ and variables replaced, and a pattern replaced by the names it fits."""
        pieces = [Piece(self._variables(p.text) if p.quoted in ("", '"') else p.text, p.quoted) for p in word]
        first = pieces[0]
        if not first.quoted and (first.text == "~" or first.text.startswith("~/")):
            pieces[0] = Piece(HOME + first.text[1:])
        text = "".join(p.text for p in pieces)
        if any(not p.quoted and re.search(r"[*?[]", p.text) for p in pieces):
            return self._names(files, "".join(glob.escape(p.text) if p.quoted else p.text for p in pieces)) or [text]
        return [text] if text or any(p.quoted for p in word) else []

    def _variables(self, text: str) -> str:
        values = {"HOME": HOME, "PWD": self.folder, "OLDPWD": self.before, "USER": "user", "?": str(self.status), "SHELL": "/bin/sh"}
        return re.sub(r"\$(?:\{(\w+)\}|(\w+|\?))", lambda match: values.get(match[1] or match[2], ""), text, flags=re.ASCII)

    def _names(self, files: Files, pattern: str) -> list[str]:
        """The names a pattern fits, in order; hidden ones only if it begins with a dot."""
        found = ["/"] if pattern.startswith("/") else [""]
        for part in [each for each in pattern.split("/") if each]:
            if len(found) > MAX_WORDS:
                break
            if not re.search(r"[*?[]", part):
                found = [f"{each}{part}/" for each in found if filesystem.exists(files, resolve(self.folder, each + part))]
                continue
            after = []
            for each in found:
                folders, plain = filesystem.listing(files, resolve(self.folder, each))
                names = sorted(name for name in (*folders, *plain) if fnmatchcase(name, part) and (part[0] == "." or name[0] != "."))
                after += [f"{each}{name}/" for name in names]
            found = after
        folders_alone = pattern.endswith("/")
        found = [each.rstrip("/") if not folders_alone else each for each in found]
        return [each for each in found if not folders_alone or filesystem.is_folder(files, resolve(self.folder, each))]


def options_of(program: Program, words: list[str], strict: bool = True) -> tuple[list[str], dict[str, str]]:
    """A command's arguments and options; CommandError for an option it does not have, unless not ``strict``, when that is an argument."""
    arguments: list[str] = []
    options: dict[str, str] = {}
    rest = list(words)
    while rest:
        word = rest.pop(0)
        letters = word[1:]
        if word == "--" and strict:
            return [*arguments, *rest], options
        if len(word) < 2 or word[0] != "-":
            if not strict:
                return [word, *rest], options
            arguments.append(word)
        elif program.valued and letters.isdigit():
            options[program.valued[0]] = letters
        elif letters[0] in program.valued:
            if len(letters) == 1 and not rest:
                raise CommandError(f"option requires an argument -- '{letters}'")
            options[letters[0]] = letters[1:] or rest.pop(0)
        else:
            letters = _LONG.get(letters[1:], letters) if letters[0] == "-" else letters
            unknown = next((each for each in letters if each not in program.flags), "")
            if unknown and not strict:
                return [word, *rest], options
            if unknown:
                raise CommandError(
                    f"{'unrecognized' if letters[0] == '-' else 'invalid'} option -- '{letters.lstrip('-') if letters[0] == '-' else unknown}'"
                )
            options.update(dict.fromkeys(letters, ""))
    return arguments, options


def _manual(name: str) -> str:
    return f"usage: {PROGRAMS[name].usage}\n{PROGRAMS[name].about}\n"


def _history(call: Call) -> None:
    if "c" in call.options:
        call.shell.history = []
    for i, line in enumerate(call.shell.history, 1):
        call.line(f"{i:5d}  {line}")


def _date(call: Call) -> None:
    days, months = ("Mon Tue Wed Thu Fri Sat Sun".split(), "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split())
    now = call.now
    call.line(f"{days[now.weekday()]} {months[now.month - 1]} {now.day:2d} {now.hour:02d}:{now.minute:02d}:{now.second:02d} {now.year}")


def _clear(call: Call) -> None:
    call.shell.clear = True


def _exit(call: Call) -> None:
    call.shell.exit = True


def _help(call: Call) -> None:
    call.need(0, 1)
    if call.arguments:
        if call.arguments[0] not in PROGRAMS:
            raise CommandError(f"no manual entry for {call.arguments[0]}")
        call.say(_manual(call.arguments[0]))
        return
    for name in sorted(PROGRAMS):
        call.line(PROGRAMS[name].usage)


def _open(call: Call) -> None:
    call.need(1)
    for word in call.arguments[:5]:
        if filesystem.exists(call.files, call.path(word)):
            call.shell.open.append(call.path(word))
        else:
            call.fail(f"{word}: No such file or directory")


def _fail(call: Call) -> None:
    call.status = 1


PROGRAMS: dict[str, Program] = {
    **file_commands.PROGRAMS,
    **text_commands.PROGRAMS,
    "clear": Program(_clear, "clear", "empty the screen"),
    "date": Program(_date, "date", "print date and time"),
    "exit": Program(_exit, "exit", "close the terminal"),
    "false": Program(_fail, "false", "fail"),
    "help": Program(_help, "help [COMMAND]", "list the commands, or say how one is used"),
    "history": Program(_history, "history [-c]", "list the lines that were run: -c forgets them", "c"),
    "man": Program(_help, "man COMMAND", "say how a command is used"),
    "open": Program(_open, "open FILE...", "open files with their programs"),
    "true": Program(lambda call: None, "true", "do nothing"),
    "whoami": Program(lambda call: call.line("user"), "whoami", "print who you are"),
}
