"""Metrics on code editors and the code written in them."""

from __future__ import annotations

import ast
import json
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gui_gym.desktops.base import Desktop, DesktopError
from gui_gym.tasks.setup import Stage
from gui_gym.verifiers.osworld.inside import new_folder_inside, run_inside
from gui_gym.verifiers.osworld.metrics import on_desktop
from gui_gym.verifiers.osworld.safe_files import read_bytes

TEST_SECONDS = 30  #: longest time for a test suite
MAX_CODE = 4 << 20  #: most bytes of a file of code

# Runs on the desktop. The number is read and its file removed before any code of the agent runs, and what is said on standard
# output after it counts: a file that prints, exits or raises on its own says nothing.
_RUNNER = """
import importlib.util, json, os, site, sys
folder, name = sys.argv[1:]
with open(os.path.join(folder, "number")) as file:
    number = file.read()
os.remove(os.path.join(folder, "number"))
report = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
code = os.path.join(folder, "code")
sys.argv = [os.path.join(code, "test_suite.py")]
sys.path[:0] = [code]
sys.path.append(site.getusersitepackages())
os.chdir(code)
spec = importlib.util.spec_from_file_location("test_suite", sys.argv[0])
module = importlib.util.module_from_spec(spec)
sys.modules["test_suite"] = module
spec.loader.exec_module(module)
value = getattr(module, name)()
if not isinstance(value, (int, float)):
    value = bool(value)
report.write(json.dumps([number, value]))
report.close()
os._exit(0)
"""
_FIND = "import importlib.util, sys; print(*[name for name in sys.argv[1:] if importlib.util.find_spec(name) is None])"


def is_extension_installed(result: str, rules: Mapping[str, str], **options: Any) -> float:
    """1 if the text printed holds ``rules["expected"]`` (``rules["type"]`` "contain"), or does not ("not_contain")."""
    if rules["type"] not in ("contain", "not_contain"):
        raise ValueError(f"is_extension_installed: type: expected 'contain' or 'not_contain', got {rules['type']!r}")
    return float((rules["expected"] in result) == (rules["type"] == "contain"))


@on_desktop
def check_python_file_by_test_suite(
    result: str | list[str | None], expected: str, test_function_name: str = "test", *, stage: Stage, **options: Any
) -> float:
    """What a function of the author's test suite returns when it runs beside the agent's files: true or false, or a number, limited to [0, 1].

    The suite runs on the desktop, never here, in a new folder that holds the files fetched with ``result`` under the names they
    were fetched by; within 30 seconds. 0 if it raises, runs longer, or ends in another way than by returning.

    Raises:
        ValueError: the author's file is no Python, or has no such function.
        DesktopError: a module that the author's file imports is not installed on the desktop.
    """
    suite = read_bytes(expected, MAX_CODE)
    try:
        tree = ast.parse(suite)
    except (SyntaxError, ValueError) as error:
        raise ValueError(f"the test suite: expected Python code ({error})") from error
    if not any(isinstance(node, ast.FunctionDef) and node.name == test_function_name for node in tree.body):
        raise ValueError(f"the test suite: expected a function {test_function_name!r}")
    fetched = [path for path in (result if isinstance(result, list) else [result]) if path is not None]
    files = sorted(path for path in Path(fetched[0]).parent.iterdir() if path.is_file())
    desktop = stage.desktop
    _check_modules(desktop, _imports(tree) - _asked_for(stage) - {path.stem for path in files})
    number = secrets.token_hex(16)
    with new_folder_inside(desktop) as folder:
        for path in files:
            desktop.write_file(f"{folder}/code/{path.name}", read_bytes(path, MAX_CODE))
        for name, data in (("code/test_suite.py", suite), ("number", number.encode()), ("runner.py", _RUNNER.encode())):
            desktop.write_file(f"{folder}/{name}", data)
        done = run_inside(desktop, ["python3", "-I", f"{folder}/runner.py", folder, test_function_name], TEST_SECONDS)
    return 0.0 if done is None else _value(done.stdout, number)


def _value(report: bytes, number: str) -> float:
    """The value that the runner reported, limited to [0, 1]; 0 if the report is not its."""
    try:
        said, value = json.loads(report)
    except (ValueError, TypeError, RecursionError):
        return 0.0
    return min(max(float(value), 0.0), 1.0) if said == number and isinstance(value, (int, float)) and value == value else 0.0


def _imports(tree: ast.Module) -> set[str]:
    """The modules that the author's file imports at its top, by the first part of their names."""
    names = {alias.name for node in tree.body if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module for node in tree.body if isinstance(node, ast.ImportFrom) and node.module and not node.level}
    return {name.partition(".")[0] for name in names}


def _asked_for(stage: Stage) -> set[str]:
    """The modules that the agent should have left: the names of the files that the task fetches."""
    specs = stage.task.verifier.get("result") or []
    names = [spec.get("dest", []) for spec in (specs if isinstance(specs, list) else [specs]) if spec]
    return {Path(name).stem for dest in names for name in (dest if isinstance(dest, list) else [dest])}


def _check_modules(desktop: Desktop, names: set[str]) -> None:
    if not names:
        return
    done = desktop.run(["python3", "-c", _FIND, *sorted(names)])
    if done.returncode:
        raise DesktopError(f"no Python on the desktop: {done.stderr.decode(errors='replace').strip()!r:.200}")
    if missing := done.stdout.decode().split():
        raise DesktopError(f"the test suite imports what is not installed on the desktop: {', '.join(missing)}")
