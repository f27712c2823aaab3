"""Steps that run programs on the desktop."""

from __future__ import annotations

import logging
import shlex
import time
from collections.abc import Mapping
from typing import Any

from gui_gym.desktops.base import Completed, Desktop, DesktopError
from gui_gym.desktops.windows import windows_of
from gui_gym.tasks.fields import COMMAND, FLAG, NAME, SECONDS, UNTIL, flag
from gui_gym.tasks.setup import Stage, Step, expand_home, wait_until
from gui_gym.tasks.task import TaskError

logger = logging.getLogger(__name__)

COMMAND_SECONDS = 120.0  #: longest command; the limit of OSWorld's guest server
UNTIL_SECONDS = 120.0  #: longest wait for a command's ``until``
PASSWORD = "password"  #: what ``{CLIENT_PASSWORD}`` stands for: the sandbox's ``sudo`` takes any
#: Programs that may show no window when they are launched.
WINDOWLESS = frozenset("bash cd echo env export kill killall node nohup pkill python python3 sh sleep socat sudo xdg-open".split())
NOT_FOUND = 127  #: a shell's exit status where a program is not there


def argv_of(desktop: Desktop, command: str | list[str], shell: Any = False) -> list[str]:
    """The argument vector of a command as OSWorld's guest server reads it.

    A list is taken literally, but for a leading ``~/``; a string is split as a shell would split it, or with ``shell``
    (a :data:`~gui_gym.tasks.fields.FLAG`) run by ``bash -c`` on the desktop. A list with ``shell`` is a script and its
    positional parameters, as in :mod:`subprocess`.
    """
    if flag(shell or False):
        return ["bash", "-c", *([command] if isinstance(command, str) else command)]
    try:
        argv = shlex.split(command) if isinstance(command, str) else list(command)
    except ValueError as error:
        raise TaskError(f"command: expected balanced quotes, got {command!r:.120} ({error})") from error
    if not argv:
        raise TaskError(f"command: expected a program and its arguments, got {command!r:.120}")
    return expand_home(desktop, argv)


def fill_placeholders(command: str | list[str], desktop: Desktop) -> str | list[str]:
    """``command`` with OSWorld's placeholders filled in."""
    values = {
        "{CLIENT_PASSWORD}": PASSWORD,
        "{SCREEN_WIDTH_HALF}": str(desktop.width // 2),
        "{SCREEN_HEIGHT_HALF}": str(desktop.height // 2),
        "{SCREEN_WIDTH}": str(desktop.width),
        "{SCREEN_HEIGHT}": str(desktop.height),
    }

    def fill(text: str) -> str:
        for name, value in values.items():
            text = text.replace(name, value)
        return text

    return fill(command) if isinstance(command, str) else [fill(item) for item in command]


def _execute(stage: Stage, parameters: Mapping[str, Any]) -> None:
    argv = argv_of(stage.desktop, fill_placeholders(parameters["command"], stage.desktop), parameters.get("shell"))
    until = parameters.get("until") or {}
    deadline = time.monotonic() + UNTIL_SECONDS
    while True:
        done = stage.desktop.run(argv, timeout=COMMAND_SECONDS)
        if not until or _reached(done, until):
            break
        if time.monotonic() > deadline:
            raise DesktopError(f"{shlex.join(argv)[:200]} did not come to {until} within {UNTIL_SECONDS:.0f} s; last: {done!r:.300}")
        time.sleep(0.3)
    if done.returncode == NOT_FOUND and stage.folder is None and not until:
        raise DesktopError(f"a program of {shlex.join(argv)[:200]} is not on the desktop: {done.stderr[-300:]!r}")
    if done.returncode and not until:  # OSWorld goes on as well: its tasks contain commands that fail by design
        logger.warning("task %s: exit status %d of %s: %r", stage.task.id, done.returncode, shlex.join(argv)[:200], done.stderr[-300:])
    for key, data in (("stdout", done.stdout), ("stderr", done.stderr)):
        if parameters.get(key):
            assert stage.folder is not None, "unsupported_steps() refuses this in config"
            if key == "stdout" and done.returncode and not data:
                continue  # a command that failed: to a rule that only excludes something, its empty output would be a success
            (stage.folder / parameters[key]).write_bytes(data)


def _reached(done: Completed, until: Mapping[str, Any]) -> bool:
    return (
        ("returncode" in until and done.returncode == until["returncode"])
        or ("stdout" in until and until["stdout"] in done.stdout.decode(errors="replace"))
        or ("stderr" in until and until["stderr"] in done.stderr.decode(errors="replace"))
    )


def _launch(stage: Stage, parameters: Mapping[str, Any]) -> None:
    """Start a program and wait for its window: an agent must not begin before it. Setup fails without one."""
    argv = argv_of(stage.desktop, parameters["command"], parameters.get("shell"))
    program = program_of(argv)
    if program.rsplit("/", 1)[-1] in WINDOWLESS:
        stage.desktop.launch(argv)
        return
    check_program(stage.desktop, program)
    windows = windows_of(stage.desktop)
    before = len(windows.windows())
    stage.desktop.launch(argv)
    if not wait_until(lambda: len(windows.windows()) > before, stage.patience):
        message = f"{shlex.join(argv)[:200]} showed no window within {stage.patience:g} s"
        if stage.folder is None:
            raise DesktopError(message)
        logger.warning("task %s: %s", stage.task.id, message)  # it may run already, as the agent left it


def _programs(parameters: Mapping[str, Any]) -> list[str]:
    """What a launch cannot do without: its program, if it is to show a window."""
    command = parameters["command"]
    words = (command.split() if isinstance(command, str) else command[0].split() if flag(parameters.get("shell") or False) else command) or [""]
    program = next((word for word in words if "=" not in word), "")
    return [] if program.rsplit("/", 1)[-1] in WINDOWLESS else [program]


def program_of(argv: list[str]) -> str:
    """The program that a command starts, of a shell's script the first one."""
    words = argv if argv[:2] != ["bash", "-c"] else [word for word in argv[2].split() if "=" not in word] or argv
    return words[0]


def check_program(desktop: Desktop, program: str) -> None:
    """Raise :class:`DesktopError` unless the desktop has the program."""
    if desktop.run(["bash", "-c", 'command -v -- "$1"', "bash", program]).returncode:
        raise DesktopError(f"no program {program!r} on the desktop: install it there")


def _sleep(stage: Stage, parameters: Mapping[str, Any]) -> None:
    time.sleep(parameters["seconds"])


_COMMAND = {"shell": FLAG, "stdout": NAME, "stderr": NAME, "until": UNTIL}
execute = command = Step(_execute, {"command": COMMAND}, _COMMAND)
launch = Step(_launch, {"command": COMMAND}, {"shell": FLAG}, programs=_programs)
sleep = Step(_sleep, {"seconds": SECONDS})
