"""Commands that print, count, search and sort text."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

from gui_gym.desktops.sim import filesystem
from gui_gym.desktops.sim.commands.call import Call, CommandError, Program, lines_of
from gui_gym.desktops.sim.commands.patterns import Pattern, PatternError
from gui_gym.desktops.sim.sheets.numbers import to_number


def echo(call: Call) -> None:
    text = " ".join(call.arguments)
    if "e" in call.options:
        text = text.replace("\\\\", "\0").replace("\\n", "\n").replace("\\t", "\t").replace("\0", "\\")
    call.say(text if "n" in call.options else text + "\n")


def cat(call: Call) -> None:
    number = 0
    for _, text in call.texts():
        if "n" not in call.options:
            call.say(text)
            continue
        for line in lines_of(text):
            number += 1
            call.line(f"{number:6d}  {line}")


def head(call: Call) -> None:
    _part(call, lambda lines, count: lines[:count])


def tail(call: Call) -> None:
    _part(call, lambda lines, count: lines[max(0, len(lines) - count) :])


def _part(call: Call, part: Callable[[list[str], int], list[str]]) -> None:
    count = call.number("n", 10)
    for i, (name, text) in enumerate(call.texts()):
        if len(call.arguments) > 1:
            call.say(("\n" if i else "") + f"==> {name} <==\n")
        for line in part(lines_of(text), count):
            call.line(line)


def wc(call: Call) -> None:
    kinds = [each for each in "lwc" if each in call.options] or list("lwc")
    counts = [(name, [_count(text, each) for each in kinds]) for name, text in call.texts()]
    if len(counts) > 1:
        counts.append(("total", [sum(column) for column in zip(*(numbers for _, numbers in counts), strict=True)]))
    width = max((len(str(number)) for _, numbers in counts for number in numbers), default=1) if len(counts) > 1 or len(kinds) > 1 else 1
    for name, numbers in counts:
        call.line(" ".join(str(number).rjust(width) for number in numbers) + ("" if name == "-" else f" {name}"))


def _count(text: str, kind: str) -> int:
    return {"l": text.count("\n"), "w": len(text.split()), "c": filesystem.size_of(text)}[kind]


def grep(call: Call) -> None:
    if not call.arguments:
        raise CommandError("missing pattern")
    word, *call.arguments = call.arguments
    try:
        pattern = Pattern(word, "i" in call.options)
    except PatternError as error:
        raise CommandError(str(error)) from error
    deep = "r" in call.options or "R" in call.options
    if deep:
        call.arguments = _files_below(call, call.arguments or ["."])
    texts = call.texts() if call.arguments or not deep else iter(())
    named = (deep or len(call.arguments) > 1 or "H" in call.options) and "h" not in call.options
    hits = 0
    for name, text in texts:
        prefix = f"{name}:" if named else ""
        found = [(i, line) for i, line in enumerate(lines_of(text), 1) if pattern.found_in(line) != ("v" in call.options)]
        hits += len(found)
        if "l" in call.options:
            if found:
                call.line(name)
        elif "c" in call.options:
            call.line(f"{prefix}{len(found)}")
        else:
            for i, line in found:
                call.line(prefix + (f"{i}:" if "n" in call.options else "") + line)
    call.status = call.status or int(not hits)


def _files_below(call: Call, words: list[str]) -> list[str]:
    found = []
    for word in words:
        path = call.path(word)
        if path in call.files or not filesystem.is_folder(call.files, path):
            found.append(word)
        else:
            found += [word.rstrip("/") + each[len(path) :] for each in sorted(filesystem.tree(call.files, path)) if not each.endswith("/")]
    return found


def sort(call: Call) -> None:
    lines = [line for _, text in call.texts() for line in lines_of(text)]
    reverse = "r" in call.options
    lines.sort(reverse=reverse)
    if "n" in call.options:
        lines.sort(key=_leading_number, reverse=reverse)
    for i, line in enumerate(lines):
        if "u" not in call.options or i == 0 or line != lines[i - 1]:
            call.line(line)


def _leading_number(line: str) -> Decimal:
    """The number a line begins with, 0 if there is none."""
    line = line.lstrip()
    end = 1 if line[:1] == "-" else 0
    while end < min(len(line), 30) and (line[end] in "0123456789" or (line[end] == "." and "." not in line[:end])):
        end += 1
    return to_number(line[:end]) or Decimal(0)


def uniq(call: Call) -> None:
    call.need(0, 1)
    runs: list[tuple[str, int]] = []
    for _, text in call.texts():
        for line in lines_of(text):
            if runs and runs[-1][0] == line:
                runs[-1] = line, runs[-1][1] + 1
            else:
                runs.append((line, 1))
    for line, count in runs:
        if not ("d" in call.options and count == 1):
            call.line(f"{count:4d} {line}" if "c" in call.options else line)


PROGRAMS = {
    "echo": Program(echo, "echo [-n] [-e] [WORD]...", "print words: -n without a line end, -e with \\n and \\t in them", "ne"),
    "cat": Program(cat, "cat [-n] FILE...", "print files one after the other: -n with line numbers", "n"),
    "head": Program(head, "head [-n LINES] FILE...", "print the first lines", "", "n"),
    "tail": Program(tail, "tail [-n LINES] FILE...", "print the last lines", "", "n"),
    "wc": Program(wc, "wc [-l] [-w] [-c] FILE...", "count lines, words and bytes", "lwc"),
    "grep": Program(
        grep, "grep [-i] [-n] [-c] [-v] [-l] [-r] PATTERN FILE...", "print lines with a pattern: -c counts them, -l names the files", "incvlrRHh"
    ),
    "sort": Program(sort, "sort [-n] [-r] [-u] FILE...", "print lines in order: -n of numbers, -r backwards, -u once each", "nru"),
    "uniq": Program(uniq, "uniq [-c] [-d] FILE", "print lines that repeat once: -c with how often", "cd"),
}
