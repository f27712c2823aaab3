"""From a command line to the commands in it: quotes, pipes, redirections and lists, as sh reads them."""

from __future__ import annotations

from dataclasses import dataclass, field

_OPERATORS = ("&&", "||", ">>", "2>", ">", "<", "|", ";", "&", "(", ")")
_REDIRECTIONS = (">", ">>", "2>", "<")
_NOT_KNOWN = {"&": "'&' to run commands in the background", "(": "'(' for subshells", ")": "')' for subshells"}


class ShellSyntaxError(ValueError):
    """A line that is no list of commands."""


@dataclass(frozen=True)
class Piece:
    """Part of a word. ``quoted`` is the quote it stood in, "\\\\" for a character after a backslash, or "" for bare text."""

    text: str
    quoted: str = ""


Word = tuple[Piece, ...]


@dataclass
class Command:
    """Words, of which the first is what to run, and where to read and write: operators and the words after them."""

    words: list[Word] = field(default_factory=list)
    redirections: list[tuple[str, Word]] = field(default_factory=list)


@dataclass
class Pipeline:
    """Commands, each reading what the one before writes; run if the operator before it, "&&", "||" or ";", says so."""

    before: str
    commands: list[Command]


def split(line: str) -> list[str | Word]:
    """The operators (texts) and words of a line; what follows a bare # is a comment."""
    parts: list[str | Word] = []
    word: list[Piece] = []
    at = 0
    while at < len(line):
        c = line[at]
        found = next((each for each in _OPERATORS if line.startswith(each, at) and not (each == "2>" and word)), "")
        if c in " \t\n" or found or (c == "#" and not word):
            if word:
                parts.append(tuple(word))
                word = []
            if c == "#" and not found:
                break
            if found:
                parts.append(found)
            at += len(found) or 1
        elif c in "\"'":
            text, at = _quoted(line, at)
            word += text
        elif c == "\\":
            if at + 1 < len(line):
                word.append(Piece(line[at + 1], "\\"))
            at += 2
        elif c == "`" or line.startswith("$(", at):
            raise ShellSyntaxError("this shell cannot put the output of one command into another; use a pipe")
        else:
            if word and not word[-1].quoted:
                word[-1] = Piece(word[-1].text + c)
            else:
                word.append(Piece(c))
            at += 1
    return [*parts, tuple(word)] if word else parts


def _quoted(line: str, at: int) -> tuple[list[Piece], int]:
    """What stands between quotes that open at ``at``, and where the line goes on."""
    quote, text = line[at], ""
    pieces: list[Piece] = []
    at += 1
    while at < len(line) and line[at] != quote:
        if quote == '"' and line[at] == "\\" and line[at + 1 : at + 2] in ('"', "\\", "$", "`"):
            pieces += [Piece(text, quote), Piece(line[at + 1], "\\")]
            text = ""
            at += 2
        else:
            text += line[at]
            at += 1
    if at >= len(line):
        raise ShellSyntaxError("unterminated quoted string")
    return [*pieces, Piece(text, quote)], at + 1


def read(line: str) -> list[Pipeline]:
    """The pipelines of a line. ShellSyntaxError says what is wrong with it."""
    pipelines = [Pipeline(";", [Command()])]
    pending = ""
    for part in split(line):
        command = pipelines[-1].commands[-1]
        if not isinstance(part, str):
            if pending:
                command.redirections.append((pending, part))
                pending = ""
            else:
                command.words.append(part)
            continue
        if part in _NOT_KNOWN:
            raise ShellSyntaxError(f"this shell does not know {_NOT_KNOWN[part]}")
        if pending or (part not in _REDIRECTIONS and not (command.words or command.redirections)):
            raise ShellSyntaxError(f'"{part}" unexpected')
        if part in _REDIRECTIONS:
            pending = part
        elif part == "|":
            pipelines[-1].commands.append(Command())
        else:
            pipelines.append(Pipeline(part, [Command()]))
    last = pipelines[-1]
    empty = not (last.commands[-1].words or last.commands[-1].redirections)
    if pending or (empty and (last.before != ";" or len(last.commands) > 1)):
        raise ShellSyntaxError("end of line unexpected")
    return pipelines[:-1] if empty else pipelines
