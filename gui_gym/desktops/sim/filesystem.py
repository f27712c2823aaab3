"""The virtual file system: a dictionary from paths to texts. A folder is there if a path goes through it, or ends at it with a slash."""

from __future__ import annotations

HOME = "/home/user"
DESKTOP = f"{HOME}/Desktop"  #: what lies here has an icon on the desktop
DOCUMENTS = f"{HOME}/Documents"  #: where texts are saved unless told otherwise
STANDARD = tuple(f"{HOME}/{name}" for name in ("Desktop", "Documents", "Downloads", "Pictures"))  #: folders of a fresh desktop
TRASH = f"{HOME}/.local/share/Trash"  #: what was deleted lies in its folder ``files``; ``info`` says where it was

Files = dict[str, str]


def name_of(path: str) -> str:
    """The last part of a path; "/" for the root."""
    return path.rstrip("/").rpartition("/")[2] or "/"


def parent(path: str) -> str:
    """The folder a path is in; "/" for the root's."""
    return path.rstrip("/").rpartition("/")[0] or "/"


def join(folder: str, name: str) -> str:
    """The path of ``name`` in a folder."""
    return f"{folder.rstrip('/')}/{name}"


def is_folder(files: Files, path: str) -> bool:
    """Whether a path is a folder."""
    start = path.rstrip("/") + "/"
    return start == "/" or any(each.startswith(start) for each in files)


def exists(files: Files, path: str) -> bool:
    """Whether a path is a file or a folder."""
    return path in files or is_folder(files, path)


def listing(files: Files, folder: str) -> tuple[list[str], list[str]]:
    """The names of the folders and of the files in a folder, each in the order of their code points."""
    start = folder.rstrip("/") + "/"
    folders, plain = set(), []
    for path in files:
        if path.startswith(start) and path != start:
            name, slash, _ = path[len(start) :].partition("/")
            if slash:
                folders.add(name)
            else:
                plain.append(name)
    return sorted(folders), sorted(plain)


def size_of(text: str) -> int:
    """The size of a file in bytes."""
    return len(text.encode("utf-8", "surrogateescape"))


def good_name(name: str) -> bool:
    """Whether a file or folder can be called so."""
    return bool(name.strip()) and "/" not in name and name not in (".", "..")


def free_name(files: Files, folder: str, name: str) -> str:
    """``name`` if nothing in the folder is called so, else the first of "name 2", "name 3" ... that is free, before the ending."""
    stem, dot, ending = name.rpartition(".") if "." in name[1:] else (name, "", "")
    number, result = 1, name
    while exists(files, join(folder, result)):
        number += 1
        result = f"{stem} {number}{dot}{ending}"
    return result


def make_folder(files: Files, path: str) -> None:
    """Make an empty folder, if it is not there."""
    if not is_folder(files, path):
        files[path.rstrip("/") + "/"] = ""


def tree(files: Files, path: str) -> list[str]:
    """The entries of ``files`` that a file or folder is made of."""
    start = path.rstrip("/") + "/"
    return [each for each in files if each == path or each.startswith(start)]


def remove(files: Files, path: str) -> None:
    """Take away a file, or a folder with all that is in it. The folder it was in stays, even if it is empty now."""
    for each in tree(files, path):
        del files[each]
    make_folder(files, parent(path))


def copy(files: Files, source: str, target: str) -> None:
    """Copy a file or a folder to another path, in the place of what is there."""
    start = len(source.rstrip("/"))
    made = {target + each[start:]: files[each] for each in tree(files, source)}
    files.update(made)


def move(files: Files, source: str, target: str) -> None:
    """Move or rename a file or a folder. Nothing happens for a folder that would go into itself."""
    if source != target and not target.startswith(source.rstrip("/") + "/"):
        copy(files, source, target)
        remove(files, source)


def trash(files: Files, path: str) -> str:
    """Move a file or a folder to the trash, and give the path it has there. What is in the trash already is removed and gives ""."""
    if path.startswith(TRASH + "/"):
        remove(files, path)
        files.pop(f"{TRASH}/info/{name_of(path)}.trashinfo", None)
        return ""
    name = free_name(files, f"{TRASH}/files", name_of(path))
    move(files, path, f"{TRASH}/files/{name}")
    files[f"{TRASH}/info/{name}.trashinfo"] = f"[Trash Info]\nPath={path}\n"
    return f"{TRASH}/files/{name}"


def restore(files: Files, path: str) -> str:
    """Move what lies in the trash back to where it was, under another name if that is taken now; the path it has then, or "" if unknown."""
    info = f"{TRASH}/info/{name_of(path)}.trashinfo"
    origin = next((line[5:] for line in files.get(info, "").splitlines() if line.startswith("Path=")), "")
    if not origin:
        return ""
    target = join(parent(origin), free_name(files, parent(origin), name_of(origin)))
    move(files, path, target)
    del files[info]
    return target


def empty_trash(files: Files) -> None:
    """Remove what lies in the trash for good."""
    for part in ("files", "info"):
        for each in tree(files, f"{TRASH}/{part}"):
            del files[each]
    make_folder(files, f"{TRASH}/files")
