"""Commands that look at, make, move and remove files and folders."""

from __future__ import annotations

from fnmatch import fnmatchcase

from gui_gym.desktops.sim import filesystem
from gui_gym.desktops.sim.commands.call import Call, CommandError, Program
from gui_gym.desktops.sim.filesystem import HOME

_MISSING = "No such file or directory"


def pwd(call: Call) -> None:
    call.line(call.shell.folder)


def cd(call: Call) -> None:
    call.need(0, 1)
    word = call.arguments[0] if call.arguments else HOME
    path = call.shell.before if word == "-" else call.path(word)
    if not filesystem.is_folder(call.files, path):
        raise CommandError(f"{word}: {'Not a directory' if path in call.files else _MISSING}")
    call.shell.before, call.shell.folder = call.shell.folder, path
    if word == "-":
        call.line(path)


def ls(call: Call) -> None:
    words = call.arguments or ["."]
    plain: list[str] = []
    folders: list[str] = []
    for word in words:
        path = call.path(word)
        if path in call.files and not word.endswith("/"):
            plain.append(word)
        elif filesystem.is_folder(call.files, path):
            (plain if "d" in call.options else folders).append(word)
        else:
            call.fail(f"cannot access '{word}': {_MISSING}")
    if plain:
        _show_names(call, plain, {word: call.path(word) for word in plain})
    for i, word in enumerate(folders):
        if len(words) > 1:
            call.say(("\n" if i or plain else "") + f"{word}:\n")
        path = call.path(word)
        names = [name for names in filesystem.listing(call.files, path) for name in names]
        if "a" in call.options:
            names += [".", ".."]
        elif "A" not in call.options:
            names = [name for name in names if not name.startswith(".")]
        _show_names(call, names, {name: call.path(f"{word}/{name}") for name in names})


def _show_names(call: Call, names: list[str], paths: dict[str, str]) -> None:
    names = sorted(names, reverse="r" in call.options)
    if "S" in call.options:
        names.sort(key=lambda name: -filesystem.size_of(call.files.get(paths[name], "")))
    shown = [name + ("/" if "F" in call.options and paths[name] not in call.files else "") for name in names]
    if "l" in call.options:
        sizes = [str(filesystem.size_of(call.files[paths[name]])) if paths[name] in call.files else "0" for name in names]
        width = max(map(len, sizes), default=0)
        for name, size, caption in zip(names, sizes, shown, strict=True):
            call.line(f"{'-rw-r--r--' if paths[name] in call.files else 'drwxr-xr-x'} user {size.rjust(width)} {caption}")
    elif "1" in call.options or not call.columns:
        for caption in shown:
            call.line(caption)
    else:
        _in_columns(call, shown)


def _in_columns(call: Call, names: list[str]) -> None:
    """Names in as many columns as fit, filled downwards."""
    for rows in range(1, len(names) + 1):
        columns = [names[i : i + rows] for i in range(0, len(names), rows)]
        widths = [max(map(len, column)) + 2 for column in columns]
        if sum(widths) - 2 <= call.columns or rows == len(names):
            for row in range(rows):
                cells = [column[row].ljust(width) for column, width in zip(columns, widths, strict=True) if row < len(column)]
                call.line("".join(cells).rstrip())
            return


def touch(call: Call) -> None:
    call.need(1)
    for word in call.arguments:
        path = call.path(word)
        if not filesystem.exists(call.files, path) and _may_make(call, word, path, "cannot touch '{}'"):
            call.files[path] = ""


def _may_make(call: Call, word: str, path: str, complaint: str) -> bool:
    """Whether a file or folder can be made at a path, with an error printed if not."""
    call.has_room()
    complaint = complaint.format(word)
    if not filesystem.is_folder(call.files, filesystem.parent(path)):
        call.fail(f"{complaint}: {'Not a directory' if filesystem.parent(path) in call.files else _MISSING}")
    elif not call.writable(path):
        call.fail(f"{complaint}: Permission denied")
    elif len(filesystem.name_of(path)) > 255:
        call.fail(f"{complaint}: File name too long")
    else:
        return True
    return False


def mkdir(call: Call) -> None:
    call.need(1)
    for word in call.arguments:
        path = call.path(word)
        missing = [path]
        while "p" in call.options and not filesystem.exists(call.files, filesystem.parent(missing[-1])):
            missing.append(filesystem.parent(missing[-1]))
        if filesystem.exists(call.files, path):
            if "p" not in call.options or path in call.files:
                call.fail(f"cannot create directory '{word}': File exists")
            continue
        for each in reversed(missing):
            if not _may_make(call, word, each, "cannot create directory '{}'"):
                break
            filesystem.make_folder(call.files, each)


def rmdir(call: Call) -> None:
    call.need(1)
    for word in call.arguments:
        path = call.path(word)
        if path in call.files:
            call.fail(f"failed to remove '{word}': Not a directory")
        elif not filesystem.is_folder(call.files, path):
            call.fail(f"failed to remove '{word}': {_MISSING}")
        elif any(filesystem.listing(call.files, path)):
            call.fail(f"failed to remove '{word}': Directory not empty")
        elif not call.writable(path):
            call.fail(f"failed to remove '{word}': Permission denied")
        else:
            filesystem.remove(call.files, path)


def rm(call: Call) -> None:
    deep = "r" in call.options or "R" in call.options
    if "f" not in call.options:
        call.need(1)
    for word in call.arguments:
        path = call.path(word)
        folder = filesystem.is_folder(call.files, path)
        if word.rstrip("/").rpartition("/")[2] in (".", ".."):
            call.fail(f"refusing to remove '.' or '..' directory: skipping '{word}'")
        elif path not in call.files and not folder:
            if "f" not in call.options:
                call.fail(f"cannot remove '{word}': {_MISSING}")
        elif path in call.files and word.endswith("/"):
            call.fail(f"cannot remove '{word}': Not a directory")
        elif folder and not deep:
            call.fail(f"cannot remove '{word}': Is a directory")
        elif not call.writable(path):
            call.fail(f"cannot remove '{word}': Permission denied")
        else:
            filesystem.remove(call.files, path)
            call.shell.leave_missing(call.files)


def mv(call: Call) -> None:
    for word, source, target in _targets(call):
        if target == source or target.startswith(source + "/"):
            call.fail(
                f"cannot move '{word}' to a subdirectory of itself, '{target}'" if target != source else f"'{word}' and '{word}' are the same file"
            )
        elif not call.writable(source):
            call.fail(f"cannot move '{word}': Permission denied")
        elif _may_replace(call, word, source, target) and not ("n" in call.options and filesystem.exists(call.files, target)):
            filesystem.move(call.files, source, target)
            call.shell.leave_missing(call.files)


def cp(call: Call) -> None:
    deep = "r" in call.options or "R" in call.options or "a" in call.options
    for word, source, target in _targets(call):
        folder = source not in call.files
        if folder and not deep:
            call.fail(f"-r not specified; omitting directory '{word}'")
        elif target == source:
            call.fail(f"'{word}' and '{word}' are the same file")
        elif target.startswith(source + "/") and folder:
            call.fail(f"cannot copy a directory, '{word}', into itself, '{target}'")
        elif _may_replace(call, word, source, target) and not ("n" in call.options and filesystem.exists(call.files, target)):
            call.has_room(len(filesystem.tree(call.files, source)))
            filesystem.copy(call.files, source, target)


def _targets(call: Call) -> list[tuple[str, str, str]]:
    """Each word to be moved or copied, its path, and the path it is to have."""
    if not call.arguments:
        raise CommandError("missing file operand")
    if len(call.arguments) == 1:
        raise CommandError(f"missing destination file operand after '{call.arguments[0]}'")
    *words, last = call.arguments
    into = call.path(last)
    folder = filesystem.is_folder(call.files, into)
    if (len(words) > 1 or last.endswith("/")) and not folder and not (len(words) == 1 and filesystem.is_folder(call.files, call.path(words[0]))):
        raise CommandError(f"target '{last}': {'Not a directory' if into in call.files else _MISSING}")
    found = []
    for word in words:
        source = call.path(word)
        if not filesystem.exists(call.files, source) or (source in call.files and word.endswith("/")):
            call.fail(f"cannot stat '{word}': {_MISSING}")
        else:
            found.append((word, source, filesystem.join(into, filesystem.name_of(source)) if folder else into))
    return found


def _may_replace(call: Call, word: str, source: str, target: str) -> bool:
    """Whether a file or folder can be put at a path, with an error printed if not."""
    if source in call.files and filesystem.is_folder(call.files, target):
        call.fail(f"cannot overwrite directory '{target}' with non-directory")
    elif source not in call.files and target in call.files:
        call.fail(f"cannot overwrite non-directory '{target}' with directory '{word}'")
    elif source not in call.files and any(filesystem.listing(call.files, target)):
        call.fail(f"cannot replace '{target}': Directory not empty")
    else:
        return _may_make(call, target, target, "cannot create '{}'")
    return False


def find(call: Call) -> None:
    """``find [FOLDER...] [-name PATTERN] [-iname PATTERN] [-type f|d]``; its options are words, so it reads them itself."""
    words = list(call.arguments)
    places = []
    while words and not words[0].startswith("-"):
        places.append(words.pop(0))
    tests: dict[str, str] = {}
    while words:
        name = words.pop(0)
        if name not in ("-name", "-iname", "-type"):
            raise CommandError(f"unknown predicate '{name}'")
        if not words:
            raise CommandError(f"missing argument to '{name}'")
        tests[name] = words.pop(0)
    if tests.get("-type", "f") not in ("f", "d"):
        raise CommandError(f"Unknown argument to -type: {tests['-type']}")
    for place in places or ["."]:
        top = call.path(place)
        if not filesystem.exists(call.files, top):
            call.fail(f"'{place}': {_MISSING}")
            continue
        below = {top}
        for path in filesystem.tree(call.files, top):
            while len(path) > len(top):
                below.add(path.rstrip("/"))
                path = filesystem.parent(path)
        for path in sorted(below):
            name, kind = filesystem.name_of(path), "f" if path in call.files else "d"
            fits = fnmatchcase(name, tests.get("-name", "*")) and fnmatchcase(name.lower(), tests.get("-iname", "*").lower())
            if fits and kind == tests.get("-type", kind):
                call.line(place + path[len(top) :] if not place.endswith("/") else place + path[len(top) + 1 :])


PROGRAMS = {
    "pwd": Program(pwd, "pwd", "print the folder you are in"),
    "cd": Program(cd, "cd [FOLDER]", "go to a folder, home if none is named, back with -"),
    "ls": Program(ls, "ls [-a] [-l] [-1] [-r] [-S] [FILE]...", "list files: -a also hidden ones, -l with sizes, -S by size", "alA1drSF"),
    "touch": Program(touch, "touch FILE...", "make empty files"),
    "mkdir": Program(mkdir, "mkdir [-p] FOLDER...", "make folders: -p with those they are in", "p"),
    "rmdir": Program(rmdir, "rmdir FOLDER...", "remove empty folders"),
    "rm": Program(rm, "rm [-r] [-f] FILE...", "remove files for good: -r folders with all in them", "rRf"),
    "mv": Program(mv, "mv [-n] FILE... TARGET", "move or rename files: -n replaces none", "nf"),
    "cp": Program(cp, "cp [-r] [-n] FILE... TARGET", "copy files: -r folders with all in them", "rRanf"),
    "find": Program(find, "find [FOLDER]... [-name PATTERN] [-type f|d]", "list files below a folder by name"),
}
