"""Folders that are there whole or not at all, and files whose damage is noticed."""

from __future__ import annotations

import ctypes
import hashlib
import os
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SUMS = "SHA256SUMS"  #: in the format of ``sha256sum``, which can check it too
PARTIAL = ".partial-"  #: how the names of folders begin that are being written, or were when their process died
_AT_FDCWD, _RENAME_EXCHANGE = -100, 2


@contextmanager
def whole_folder(final: Path) -> Iterator[Path]:
    """A new folder to fill, which takes the name ``final`` when the block ends; what had that name goes at the same moment.

    Everything in it is on the disk before. Where the block fails or the process dies, ``final`` is as it was.
    """
    final.parent.mkdir(parents=True, exist_ok=True)
    for left in final.parent.glob(f"{PARTIAL}{final.name}-*"):  # of a process that died
        shutil.rmtree(left, ignore_errors=True)
    partial = final.with_name(f"{PARTIAL}{final.name}-{uuid.uuid4().hex[:8]}")
    partial.mkdir()
    try:
        yield partial
        for path in [*partial.rglob("*"), partial]:
            sync(path)
        if final.exists():
            _exchange(partial, final)
        else:
            partial.rename(final)
        sync(final.parent)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def sync(path: Path) -> None:
    """Return once ``path`` (a file, or a folder's list of names) is on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _exchange(one: Path, other: Path) -> None:
    """Swap two names at one moment, so that neither is ever without a folder (renameat2(2)); in two where the file system cannot."""
    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if rename is None or rename(_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), _RENAME_EXCHANGE) != 0:
        aside = one.with_name(f"{one.name}-old")
        other.rename(aside)
        one.rename(other)
        aside.rename(one)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_sums(folder: Path) -> None:
    """Write ``folder/SHA256SUMS`` of all files in and below ``folder``."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != SUMS)
    (folder / SUMS).write_text("".join(f"{_digest(path)}  {path.relative_to(folder).as_posix()}\n" for path in files), encoding="utf-8")


def damage(folder: Path) -> str:
    """What is wrong with the files that :func:`write_sums` saw in ``folder``, in words; "" if nothing is."""
    try:
        lines = (folder / SUMS).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        return f"{SUMS} cannot be read ({error})"
    listed = {line.partition("  ")[2] for line in lines}
    for path in folder.rglob("*"):
        if path.is_file() and path.name != SUMS and path.relative_to(folder).as_posix() not in listed:
            return f"{path.relative_to(folder)} is not in {SUMS}"
    for line in lines:
        digest, _, name = line.partition("  ")
        path = folder / name
        if not name or not path.resolve().is_relative_to(folder.resolve()):
            return f"{SUMS} has the line {line[:80]!r}: expected a hash and a name"
        try:
            if _digest(path) != digest:
                return f"{name} is not as it was written"
        except OSError as error:
            return f"{name} cannot be read ({error.strerror})"
    return ""
