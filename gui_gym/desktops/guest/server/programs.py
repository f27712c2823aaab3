"""How the guest server runs the programs it is asked to: inside the desktop, whatever they are."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from typing import Any

from gui_gym.actions import TERMINAL, Action, ActionError
from gui_gym.codecs import ActionParseError, make_codec
from gui_gym.desktops.base import Completed, Desktop, DesktopError
from gui_gym.desktops.guest.server.replies import RequestError, take
from gui_gym.desktops.windows import Windowed
from gui_gym.tasks.fields import COMMAND, FLAG, OBJECT, TEXT, Field, flag
from gui_gym.tasks.setup.commands import argv_of

RUN_SECONDS = 120.0  #: longest program of /execute, as on OSWorld's server
PYTHON_SECONDS = 30.0  #: longest program of /run_python
LONGEST_SECONDS = 3600.0  #: longest time that a request may name
HOME = "/home/user"
_PYTHON = re.compile(r"(.*/)?python(3(\.\d+)?)?")
_VARIABLE = re.compile(r"\$(\w+|\{\w+\})")
DURATION = Field(f"a number of seconds from 0 to {LONGEST_SECONDS:g}", lambda v: type(v) in (int, float) and 0 <= v <= LONGEST_SECONDS)
_FOLDER = Field("a path", lambda v: isinstance(v, str) and "\0" not in v)


def runs_programs(desktop: Desktop) -> bool:
    return type(desktop).run is not Desktop.run


def command_of(desktop: Desktop, body: Mapping[str, Any]) -> list[str]:
    """The argument vector of a request's ``command`` and ``shell``."""
    command, shell = take(body, "command", COMMAND), take(body, "shell", FLAG, False)
    if not runs_programs(desktop):
        return [command] if isinstance(command, str) else command
    return argv_of(desktop, command, flag(shell))


def execute(desktop: Desktop, body: Mapping[str, Any]) -> Completed:
    """Run the command of a request, which ends within :data:`RUN_SECONDS`.

    Calls of pyautogui in ``python -c`` are done as actions on the desktop, which types what pyautogui cannot; a program that is
    more than such calls runs in the desktop.
    """
    argv = command_of(desktop, body)
    if (done := _act(desktop, argv)) is not None:
        return done
    return desktop.run(argv, timeout=RUN_SECONDS)


def _act(desktop: Desktop, argv: Sequence[str]) -> Completed | None:
    """Do ``python -c`` with calls of pyautogui; None for any other program on a desktop that runs programs."""
    try:
        actions = _calls(desktop, argv)
    except (ActionParseError, ActionError) as error:
        if runs_programs(desktop):
            return None
        return Completed(1, b"", f"the {desktop.kind!r} desktop runs no programs but calls of pyautogui in python -c: {error}\n".encode())
    for action in actions:
        try:
            desktop.perform(action)
        except ActionError as error:  # those before it are done: the program must not run as well
            return Completed(1, b"", f"{action}: {error}\n".encode())
    return Completed(0, b"", b"")


def _calls(desktop: Desktop, argv: Sequence[str]) -> list[Action]:
    """The actions that a program of nothing but calls of pyautogui stands for."""
    if not (len(argv) == 3 and _PYTHON.fullmatch(argv[0]) and argv[1] == "-c" and "pyautogui" in argv[2]):
        raise ActionParseError("expected such a program")
    screen = (desktop.width, desktop.height)
    actions = [action.check(*screen) for action in make_codec("pyautogui").parse_strict(argv[2], screen, desktop.cursor)]
    if TERMINAL & {action.type for action in actions}:
        raise ActionParseError("it ends the episode, which is the client's to do")
    return actions


def execute_verified(desktop: Desktop, body: Mapping[str, Any]) -> tuple[Completed, float | None]:
    """Run a command, then wait until what ``verification`` names holds; with the seconds that took, None if it never did."""
    wanted = take(body, "verification", OBJECT, {})
    longest, interval = take(body, "max_wait_time", DURATION, 10.0), take(body, "check_interval", DURATION, 1.0)
    done = execute(desktop, body)
    start = time.monotonic()
    while True:
        if _holds(desktop, wanted):
            return done, time.monotonic() - start
        if time.monotonic() - start >= longest:
            return done, None
        time.sleep(max(0.05, min(interval, longest)))


def _holds(desktop: Desktop, wanted: Mapping[str, Any]) -> bool:
    if unknown := set(wanted) - {"window_exists", "command_success"}:
        raise RequestError(f"verification: expected window_exists or command_success, got {', '.join(sorted(unknown))}")
    title, command = wanted.get("window_exists"), wanted.get("command_success")
    if title and (not isinstance(desktop, Windowed) or desktop.find_window(TEXT.check(title, "window_exists")) is None):
        return False
    return not command or desktop.run(argv_of(desktop, COMMAND.check(command, "command_success"), isinstance(command, str))).returncode == 0


def run_python(desktop: Desktop, code: str) -> Completed:
    return desktop.run(["python3", "-c", code], timeout=PYTHON_SECONDS)


def run_bash(desktop: Desktop, body: Mapping[str, Any]) -> Completed:
    """Run the ``script`` of a request with bash, both outputs in one, as a terminal shows them."""
    script, seconds = take(body, "script", TEXT), take(body, "timeout", DURATION, 100.0)
    folder = take(body, "working_dir", _FOLDER, "")
    start = 'exec 2>&1; [ -z "$1" ] || cd -- "$1" || exit 1; exec bash -c "$2"'
    return desktop.run(["bash", "-c", start, "bash", folder, script], timeout=seconds)


def home_of(desktop: Desktop) -> str:
    if not runs_programs(desktop):
        return HOME
    done = desktop.run(["printenv", "HOME"])
    if done.returncode:
        raise DesktopError("the desktop's user has no home")
    return done.stdout.decode().rstrip("\n")


def expand(desktop: Desktop, path: str) -> str:
    """``path`` with the desktop's home for a leading "~" and its environment's values for ``$NAME`` and ``${NAME}``."""
    if path == "~" or path.startswith("~/"):
        path = home_of(desktop) + path[1:]
    if "$" not in path:
        return path
    values = {"HOME": HOME}
    if runs_programs(desktop):
        pairs = (line.partition("=") for line in desktop.run(["env", "-0"]).stdout.decode(errors="replace").split("\0"))
        values = {name: value for name, _, value in pairs}
    return _VARIABLE.sub(lambda found: values.get(found[1].strip("{}"), found[0]), path)
