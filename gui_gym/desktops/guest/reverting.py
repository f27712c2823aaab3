"""Bringing a guest behind OSWorld's server back to its clean state, and checking that it is."""

from __future__ import annotations

import logging
import shlex
import subprocess
import time
import warnings
from collections.abc import Callable
from typing import Any

from gui_gym.desktops.base import DesktopError

logger = logging.getLogger(__name__)

REVERT_SECONDS = 900.0  #: longest run of the command
WAIT_SECONDS = 300.0  #: longest wait for the server after it
CALM_SECONDS = 60.0  #: longest wait until windows of a desktop that has just started are the usual ones
#: What is asked of a guest's state: most files and bytes that are looked into, and hidden names that come and go by themselves.
ASKED = {
    "files": 20_000,
    "bytes": 256 << 20,
    "ignored": (".bash_history .cache .dbus .gvfs .ICEauthority .sudo_as_admin_successful .Xauthority .xsession-errors .xsession-errors.old").split(),
}
_SHOWN = 8

#: The clean state of each guest that this process has reverted, by address.
_clean: dict[str, dict[str, Any]] = {}
_warned: set[str] = set()


def warn_dirty(address: str) -> None:
    """Say once, loudly, that nobody cleans this guest."""
    if address in _warned:
        return
    _warned.add(address)
    message = (
        f"the guest at {address} is not reverted between episodes: each starts with the files, windows and settings that the last one left, and its "
        "score may be wrong. Give revert= a command that brings the guest back to its clean state (a snapshot, a container made anew)"
    )
    logger.warning(message)
    warnings.warn(message, RuntimeWarning, stacklevel=2)


def run_revert(command: str) -> None:
    """Run ``command`` on this machine, without a shell. Raises :class:`DesktopError` if it fails."""
    argv = split_command(command)
    try:
        done = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=REVERT_SECONDS)
    except OSError as error:
        raise DesktopError(f"the revert command {command!r} cannot be run: {error}") from error
    except subprocess.TimeoutExpired as error:
        raise DesktopError(f"the revert command {command!r} did not end within {REVERT_SECONDS:g} s") from error
    if done.returncode:
        raise DesktopError(f"the revert command {command!r} failed with exit status {done.returncode}: {done.stdout[-500:].decode(errors='replace')}")


def split_command(command: str) -> list[str]:
    """The program and its arguments; ValueError if there is none or a quote is open."""
    try:
        argv = shlex.split(command)
    except ValueError as error:
        raise ValueError(f"revert: expected a command with balanced quotes, got {command!r} ({error})") from error
    if not argv:
        raise ValueError("revert: expected a command, or None for none")
    return argv


def wait_for_server(answers: Callable[[], bool], address: str) -> None:
    """Wait until the guest's server answers again. Raises :class:`DesktopError`."""
    deadline = time.monotonic() + WAIT_SECONDS
    problem = ""
    while time.monotonic() < deadline:
        try:
            if answers():
                return
        except DesktopError as error:
            problem = str(error)
        time.sleep(0.5)
    raise DesktopError(f"the guest at {address} did not answer within {WAIT_SECONDS:g} s after it was reverted: {problem}")


def check_clean(address: str, state: Callable[[], dict[str, Any]], pause: float = 1.0) -> None:
    """Compare the guest with what it was after this process's first revert, which is remembered.

    Windows of the session may still be opening, so a difference is looked at again for :data:`CALM_SECONDS`. Raises
    :class:`DesktopError` that says what differs.
    """
    found = state()
    deadline = time.monotonic() + CALM_SECONDS
    if address not in _clean:
        while (later := _again(state, pause))["windows"] != found["windows"] and time.monotonic() < deadline:
            found = later
        _clean[address] = later
        return
    while differences := differing(_clean[address], found):
        if any(difference.startswith("file") for difference in differences) or time.monotonic() > deadline:
            raise DesktopError(f"the guest at {address} is not in its clean state after it was reverted: {'; '.join(differences)}")
        found = _again(state, pause)


def _again(state: Callable[[], dict[str, Any]], pause: float) -> dict[str, Any]:
    time.sleep(pause)
    return state()


def differing(clean: dict[str, Any], found: dict[str, Any]) -> list[str]:
    """What is different, in words; [] if nothing is."""
    before, after = clean["files"], found["files"]
    groups = {
        "files that were not there": sorted(set(after) - set(before)),
        "files that are missing": sorted(set(before) - set(after)),
        "files that changed": sorted(name for name in set(before) & set(after) if before[name] != after[name]),
    }
    differences = [f"{what}: {_some(names)}" for what, names in groups.items() if names]
    if clean["windows"] != found["windows"]:
        differences.append(f"windows: {_some(found['windows'])} instead of {_some(clean['windows'])}")
    return differences


def _some(names: list[str]) -> str:
    return (", ".join(names[:_SHOWN]) + (f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else "")) or "none"
