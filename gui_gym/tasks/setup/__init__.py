"""Setup steps: what brings a desktop to the start of a task, in OSWorld's vocabulary.

Every command of a task runs on the desktop through :meth:`~gui_gym.desktops.Desktop.run`, never on the host, and
nothing is fetched from a network: files come from the task's content cache (:mod:`gui_gym.tasks.content_cache`). A module
here holds steps as attributes named as task files name them.
"""

from __future__ import annotations

import importlib.util
import logging
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gui_gym.desktops.base import Desktop, DesktopError, DesktopFileNotFoundError
from gui_gym.registry import Registry
from gui_gym.tasks.content_cache import missing_files
from gui_gym.tasks.fields import TEXT, Field, check_fields
from gui_gym.tasks.task import Task, TaskError

logger = logging.getLogger(__name__)

WINDOW_SECONDS = 30.0  #: longest wait for a window of something opened or launched during setup
STEPS_SECONDS = 600.0  #: longest setup, and longest ``postconfig``
MAX_STEPS = 1000  #: most steps of one of them
LATE_SECONDS = 3.0  #: longest wait for a window during a verification, when the agent may have closed it


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
    """One type of step.

    Args:
        run: does it.
        required: parameters it must have.
        optional: parameters it may have; any other is an error.
        needs: modules to import that the extra ``osworld`` installs.
        addresses: the addresses of the Internet that a step with these parameters asks for.
        programs: the programs that a step with these parameters cannot do without.
    """

    run: Callable[[Stage, Mapping[str, Any]], None]
    required: Mapping[str, Field] = field(default_factory=dict)
    optional: Mapping[str, Field] = field(default_factory=dict)
    needs: tuple[str, ...] = ()
    addresses: Callable[[Mapping[str, Any]], list[str]] = lambda parameters: []
    programs: Callable[[Mapping[str, Any]], list[str]] = lambda parameters: []


_HERE = "gui_gym.tasks.setup"
_MODULES: dict[str, tuple[str, ...]] = {
    "commands": ("execute", "command", "launch", "sleep"),
    "files": ("download", "upload_file"),
    "windows": ("open", "activate_window", "close_window"),
    "browser": ("chrome_open_tabs", "chrome_close_tabs", "update_browse_history"),
}
_NAMES = {"open": "open_file"}  # what cannot be the name of an attribute
#: Step types of OSWorld's that are not there, and why.
UNSUPPORTED_STEPS = {
    "googledrive": "it needs a Google account and its key",
    "login": "it needs an account of the Internet and its password",
}

#: Step types by name.
SETUP_STEPS: Registry[Step] = Registry(
    "setup step", {name: f"{_HERE}.{module}:{_NAMES.get(name, name)}" for module, names in _MODULES.items() for name in names}
)


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
    deadline = time.monotonic() + STEPS_SECONDS
    for index, step in enumerate(steps):
        if time.monotonic() > deadline:
            raise DesktopError(f"{where} took longer than {STEPS_SECONDS:g} s: given up before step {index} ({step['type']})")
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
    problems = []
    for name in sorted({step["type"] for step in steps}):
        if name not in SETUP_STEPS:
            why = f": {UNSUPPORTED_STEPS[name]}" if name in UNSUPPORTED_STEPS else ""
            problems.append(f"{where}: step type {name!r} is not supported{why}")
        elif missing := [module for module in SETUP_STEPS.get(name).needs if importlib.util.find_spec(module) is None]:
            problems.append(f'{where}: step type {name!r} needs {", ".join(missing)}: pip install "gui-gym[osworld]"')
    if where == "config" and any(step["parameters"].get(key) for step in steps for key in ("stdout", "stderr")):
        problems.append("config: a command's stdout or stderr is kept in evaluator.postconfig only")
    return problems


def asked_addresses(steps: Iterable[Mapping[str, Any]]) -> list[str]:
    """The addresses of the Internet that ``steps`` ask for."""
    return [address for step in steps if step["type"] in SETUP_STEPS for address in SETUP_STEPS.get(step["type"]).addresses(step["parameters"])]


def needed_programs(steps: Iterable[Mapping[str, Any]]) -> list[str]:
    """The programs that ``steps`` cannot do without."""
    return [program for step in steps if step["type"] in SETUP_STEPS for program in SETUP_STEPS.get(step["type"]).programs(step["parameters"])]


def check_steps(steps: Any, where: str) -> tuple[Mapping[str, Any], ...]:
    """The steps of a task file, checked; parameters of types that are not known pass. Raises :class:`TaskError`."""
    if not isinstance(steps, list):
        raise TaskError(f"{where}: expected a list of steps, got {steps!r:.120}")
    if len(steps) > MAX_STEPS:
        raise TaskError(f"{where}: expected at most {MAX_STEPS} steps, got {len(steps)}")
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


def wait_until(done: Callable[[], bool], seconds: float) -> bool:
    """Whether ``done`` came true within ``seconds``."""
    deadline = time.monotonic() + seconds
    while not done():
        if time.monotonic() >= deadline:
            return False
        time.sleep(0.05)
    return True


def expand_home(desktop: Desktop, paths: list[str]) -> list[str]:
    """``paths`` with the desktop's home for a leading ``~/``."""
    if not any(path.startswith("~/") for path in paths):
        return paths
    home = desktop.run(["printenv", "HOME"]).stdout.decode().strip()
    return [f"{home}/{path[2:]}" if path.startswith("~/") else path for path in paths]
