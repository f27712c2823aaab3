"""Setup steps: what brings a desktop to the start of a task, in OSWorld's vocabulary.

Every command of a task runs on the desktop through :meth:`~gui_gym.desktops.Desktop.run`, never on the host, and
nothing is fetched from a network: files come from the task's content cache (:mod:`gui_gym.tasks.content_cache`).
"""

from __future__ import annotations

import logging
import shlex
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from gui_gym.desktops.base import Completed, Desktop, DesktopError, DesktopFileNotFoundError
from gui_gym.registry import Registry
from gui_gym.tasks.content_cache import base_name, download_source, missing_files, upload_source
from gui_gym.tasks.fields import COMMAND, DOWNLOADS, FLAG, NAME, PATH, SECONDS, TEXT, UNTIL, UPLOADS, Field, check_fields, flag
from gui_gym.tasks.task import Task, TaskError

logger = logging.getLogger(__name__)

COMMAND_SECONDS = 120.0  #: longest command; the limit of OSWorld's guest server
UNTIL_SECONDS = 120.0  #: longest wait for a command's ``until``
WINDOW_SECONDS = 30.0  #: longest wait for a window of something opened or launched during setup
LATE_SECONDS = 3.0  #: longest wait for a window during a verification, when the agent may have closed it
PASSWORD = "password"  #: what ``{CLIENT_PASSWORD}`` stands for: the sandbox's ``sudo`` takes any

#: Programs that ``open`` starts, by file extension; anything else goes to ``xdg-open``.
EDITORS: dict[str, tuple[str, ...]] = {
    extension: ("mousepad", "--disable-server")
    for extension in ("", ".txt", ".md", ".csv", ".json", ".py", ".sh", ".cfg", ".conf", ".ini", ".log", ".xml", ".yaml", ".yml", ".toml")
}

#: Programs that may show no window when they are launched.
WINDOWLESS = frozenset("bash cd echo env export kill killall node nohup pkill python python3 sh sleep socat sudo xdg-open".split())
NOT_FOUND = 127  #: a shell's exit status where a program is not there


class Windowed(Protocol):
    """What window steps need of a desktop besides :class:`~gui_gym.desktops.Desktop`."""

    def windows(self) -> Sequence[Any]: ...

    def find_window(self, title: str, strict: bool = ..., by_class: bool = ...) -> Any | None: ...

    def wait_for_window(self, title: str = ..., timeout: float = ...) -> Any: ...

    def activate_window(self, title: str, strict: bool = ..., by_class: bool = ...) -> Any: ...

    def close_window(self, title: str, strict: bool = ..., by_class: bool = ...) -> Any: ...


@dataclass(frozen=True)
class Stage:
    """What steps and getters work on.

    Args:
        task: the task.
        desktop: its desktop.
        folder: private folder of the host for what a verification fetches; None during setup.
    """

    task: Task
    desktop: Desktop
    folder: Path | None = None

    @property
    def patience(self) -> float:
        """Seconds to wait for a window."""
        return WINDOW_SECONDS if self.folder is None else LATE_SECONDS


@dataclass(frozen=True)
class Step:
    """One type of step: the function that does it, and the parameters it takes."""

    run: Callable[[Stage, Mapping[str, Any]], None]
    required: Mapping[str, Field] = field(default_factory=dict)
    optional: Mapping[str, Field] = field(default_factory=dict)


#: Step types by name.
SETUP_STEPS: Registry[Step] = Registry("setup step")


def run_setup(task: Task, desktop: Desktop) -> None:
    """Do the setup steps of ``task`` on ``desktop``; called by its ``reset``.

    Raises :class:`~gui_gym.tasks.TaskError` before the first step if a type is not supported or a file is missing, and
    when the task is wrong; :class:`~gui_gym.desktops.DesktopError` when the desktop failed.
    """
    problems = [*unsupported_steps(task.setup, "config"), *missing_files(task, task.setup)]
    if problems:
        raise TaskError(f"task {task.id!r} cannot be set up: {'; '.join(problems)}")
    run_steps(Stage(task, desktop), task.setup, "config")


def run_steps(stage: Stage, steps: Iterable[Mapping[str, Any]], where: str) -> None:
    """Do ``steps``; ``where`` is the field of the task file they come from."""
    for index, step in enumerate(steps):
        logger.debug("task %s: %s[%d]: %s", stage.task.id, where, index, step["type"])
        try:
            SETUP_STEPS.get(step["type"]).run(stage, step["parameters"])
        except TaskError as error:
            raise TaskError(f"task {stage.task.id!r}: {where}[{index}] ({step['type']}): {error}") from error
        except DesktopFileNotFoundError as error:  # to a verifier this type would mean that the agent's output is missing
            raise DesktopError(f"{where}[{index}] ({step['type']}): {error}") from error


def unsupported_steps(steps: Iterable[Mapping[str, Any]], where: str) -> list[str]:
    """What in ``steps`` cannot be done here, one line each."""
    steps = list(steps)
    types = sorted({step["type"] for step in steps} - set(SETUP_STEPS.names()))
    problems = [f"{where}: step type {name!r} is not supported" for name in types]
    if where == "config" and any(step["parameters"].get(key) for step in steps for key in ("stdout", "stderr")):
        problems.append("config: a command's stdout or stderr is kept in evaluator.postconfig only")
    return problems


def check_steps(steps: Any, where: str) -> tuple[Mapping[str, Any], ...]:
    """The steps of a task file, checked; parameters of types that are not known pass. Raises :class:`TaskError`."""
    if not isinstance(steps, list):
        raise TaskError(f"{where}: expected a list of steps, got {steps!r:.120}")
    for index, step in enumerate(steps):
        here = f"{where}[{index}]"
        if not isinstance(step, dict):
            raise TaskError(f'{here}: expected {{"type": ..., "parameters": ...}}, got {step!r:.120}')
        TEXT.check(step.get("type"), f"{here}.type")
        if not isinstance(step.setdefault("parameters", {}), dict):
            raise TaskError(f"{here}.parameters: expected an object, got {step['parameters']!r:.120}")
        if step["type"] in SETUP_STEPS:
            known = SETUP_STEPS.get(step["type"])
            check_fields(step["parameters"], f"{here}.parameters", known.required, known.optional)
    return tuple(steps)


# ---- commands


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


def expand_home(desktop: Desktop, paths: list[str]) -> list[str]:
    """``paths`` with the desktop's home for a leading ``~/``."""
    if not any(path.startswith("~/") for path in paths):
        return paths
    home = desktop.run(["printenv", "HOME"]).stdout.decode().strip()
    return [f"{home}/{path[2:]}" if path.startswith("~/") else path for path in paths]


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
    program = _program(argv)
    if program.rsplit("/", 1)[-1] in WINDOWLESS:
        stage.desktop.launch(argv)
        return
    if stage.desktop.run(["bash", "-c", 'command -v -- "$1"', "bash", program]).returncode:
        raise DesktopError(f"no program {program!r} on the desktop")
    windows = _windows(stage.desktop)
    before = len(windows.windows())
    stage.desktop.launch(argv)
    if not _wait(lambda: len(windows.windows()) > before, stage.patience):
        message = f"{shlex.join(argv)[:200]} showed no window within {stage.patience:g} s"
        if stage.folder is None:
            raise DesktopError(message)
        logger.warning("task %s: %s", stage.task.id, message)  # it may run already, as the agent left it


def _program(argv: list[str]) -> str:
    """The program that a command starts, of a shell's script the first one."""
    words = argv if argv[:2] != ["bash", "-c"] else [word for word in argv[2].split() if "=" not in word] or argv
    return words[0]


def _wait(done: Callable[[], bool], seconds: float) -> bool:
    """Whether ``done`` came true within ``seconds``."""
    deadline = time.monotonic() + seconds
    while not done():
        if time.monotonic() >= deadline:
            return False
        time.sleep(0.05)
    return True


def _sleep(stage: Stage, parameters: Mapping[str, Any]) -> None:
    time.sleep(parameters["seconds"])


# ---- files


def _download(stage: Stage, parameters: Mapping[str, Any]) -> None:
    for file in parameters["files"]:
        _put(stage, file["path"], download_source(stage.task, file))


def _upload(stage: Stage, parameters: Mapping[str, Any]) -> None:
    for file in parameters["files"]:
        _put(stage, file["path"], upload_source(stage.task, file))


def _put(stage: Stage, path: str, source: Path | None) -> None:
    if source is None:
        raise TaskError(f"the file for {path} is not there: see gui_gym.tasks.content_cache.missing_files")
    stage.desktop.write_file(path, source.read_bytes())


# ---- windows


def _windows(desktop: Desktop) -> Windowed:
    if not hasattr(desktop, "find_window"):
        raise DesktopError(f"the {desktop.kind!r} desktop has no windows: use desktop='x11'")
    return desktop  # type: ignore[return-value]


def _open(stage: Stage, parameters: Mapping[str, Any]) -> None:
    path = expand_home(stage.desktop, [parameters["path"]])[0]
    windows = _windows(stage.desktop)
    if stage.desktop.run(["test", "-e", path]).returncode:
        raise TaskError(f"path: expected a file that is on the desktop, got {path!r}")
    name = base_name(path)
    stem, dot, extension = name.rpartition(".")
    program = EDITORS.get(f".{extension.lower()}" if dot and stem else "", ("xdg-open",))
    stage.desktop.launch([*program, path])
    windows.wait_for_window(name, timeout=WINDOW_SECONDS)


def _activate_window(stage: Stage, parameters: Mapping[str, Any]) -> None:
    _on_window(stage, parameters, _windows(stage.desktop).activate_window)


def _close_window(stage: Stage, parameters: Mapping[str, Any]) -> None:
    _on_window(stage, parameters, _windows(stage.desktop).close_window)


def _on_window(stage: Stage, parameters: Mapping[str, Any], act: Callable[..., Any]) -> None:
    """``act`` on a window, waiting for one just launched. As in OSWorld one that is missing or does not follow changes nothing:
    after an episode that is the agent's doing."""
    title, how = parameters["window_name"], {name: flag(parameters.get(name) or False) for name in ("strict", "by_class")}
    if not _wait(lambda: _windows(stage.desktop).find_window(title, **how) is not None, stage.patience):
        logger.warning("task %s: no window %r", stage.task.id, title)
        return
    try:
        act(title, **how)
    except DesktopError as error:
        if not stage.desktop.healthy():
            raise
        logger.warning("task %s: %s", stage.task.id, error)


_COMMAND = {"shell": FLAG, "stdout": NAME, "stderr": NAME, "until": UNTIL}
_WINDOW = {"strict": FLAG, "by_class": FLAG}
for _name, _step in {
    "execute": Step(_execute, {"command": COMMAND}, _COMMAND),
    "command": Step(_execute, {"command": COMMAND}, _COMMAND),
    "launch": Step(_launch, {"command": COMMAND}, {"shell": FLAG}),
    "open": Step(_open, {"path": PATH}),
    "activate_window": Step(_activate_window, {"window_name": TEXT}, _WINDOW),
    "close_window": Step(_close_window, {"window_name": TEXT}, _WINDOW),
    "sleep": Step(_sleep, {"seconds": SECONDS}),
    "download": Step(_download, {"files": DOWNLOADS}),
    "upload_file": Step(_upload, {"files": UPLOADS}),
}.items():
    SETUP_STEPS.register(_name, _step)
