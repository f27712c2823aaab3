"""OSWorld's metrics on code: the runner of test suites here, on a stand-in for a desktop; on a real one in test_osworld_x11_code.py."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from gui_gym import Action, DesktopError, Task
from gui_gym.actions import Key, Modifier
from gui_gym.desktops import Completed
from gui_gym.tasks.setup import Stage
from gui_gym.verifiers.osworld.getters import GETTERS
from gui_gym.verifiers.osworld.metrics import ON_DESKTOP, code, load_metric

SUITE = "from snake import grows\nimport food\n\ndef test():\n    return grows(food.FOOD)\n"


class Here:
    """Runs programs on this machine: only the tests' own."""

    kind = "here"

    def __init__(self) -> None:
        self.folders: list[str] = []

    def run(self, argv: list[str], *, timeout: float = 60.0, env: dict[str, str] | None = None) -> Completed:
        done = subprocess.run(argv, capture_output=True, timeout=timeout)
        if argv[0] == "mktemp":
            self.folders.append(done.stdout.decode().strip())
        return Completed(done.returncode, done.stdout, done.stderr)

    def write_file(self, path: str, data: bytes) -> None:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_bytes(data)


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    if shutil.which("mktemp") is None:
        pytest.skip("needs coreutils")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    desktop = Here()
    result = {"type": "vm_file", "multi": True, "path": ["/snake.py", "/food.py"], "dest": ["snake.py", "food.py"]}
    yield Stage(Task("t", "osworld", "Fix it.", verifier={"result": result}), desktop, tmp_path)  # type: ignore[arg-type]
    assert [folder for folder in desktop.folders if Path(folder).exists()] == []


def judge(stage: Stage, tmp_path: Path, snake: str, suite: str = SUITE, food: str | None = "FOOD = 3", **options: Any) -> float:
    files = {"result/snake.py": snake, "result/food.py": food, "gold/test.py": suite}
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).unlink(missing_ok=True)
        if text is not None:
            (tmp_path / name).write_text(text)
    return load_metric("check_python_file_by_test_suite")(str(tmp_path / "result/snake.py"), str(tmp_path / "gold/test.py"), stage=stage, **options)


def test_it_runs_on_the_desktop() -> None:
    assert load_metric("check_python_file_by_test_suite") in ON_DESKTOP


@pytest.mark.parametrize(
    ("returned", "score"),
    [("True", 1), ("False", 0), ("0.25", 0.25), ("7", 1), ("-1", 0), ("'yes'", 1), ("None", 0), ("[]", 0), ("float('nan')", 0), ("grows", 1)],
)
def test_what_the_suite_returns(returned: str, score: float, stage: Stage, tmp_path: Path) -> None:
    assert judge(stage, tmp_path, f"def grows(food):\n    return {returned}\n") == score


@pytest.mark.parametrize(
    "snake",
    [
        "def grows(food)",
        "grow = 1",
        "def grows(food):\n    raise KeyError",
        "import sys\nsys.exit(0)",
        "import os\nos._exit(0)",
        "import os\nos._exit(127)",
        "print('[\"\", true]')\nimport os\nos._exit(0)",
        "import os\nfor number in range(1, 20):\n    try:\n        os.write(number, b'[\"\", 1]')\n    except OSError:\n        pass\ngrows = int",
        "import glob\ndef grows(food):\n    raise ValueError(glob.glob('../*'))",
        "import no_such_module",
        "def grows(food):\n    return grows(food)",
    ],
)
def test_files_that_do_not_pass_are_0(snake: str, stage: Stage, tmp_path: Path) -> None:
    assert judge(stage, tmp_path, snake) == 0


def test_what_is_printed_and_left_running_does_not_matter(stage: Stage, tmp_path: Path) -> None:
    noisy = "import threading, time\nprint('x' * 100000)\nthreading.Thread(target=time.sleep, args=(600,)).start()\n"
    assert judge(stage, tmp_path, noisy + "def grows(food):\n    return food == 3\n") == 1


def test_a_file_that_runs_on_is_0(stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(code, "TEST_SECONDS", 0.3)
    assert judge(stage, tmp_path, "while True:\n    pass\n") == 0


def test_a_missing_file_is_0(stage: Stage, tmp_path: Path) -> None:
    assert judge(stage, tmp_path, "def grows(food):\n    return True\n", food=None) == 0


def test_another_function(stage: Stage, tmp_path: Path) -> None:
    suite = "def check():\n    import snake\n    return snake.grows\n"
    assert judge(stage, tmp_path, "grows = 1", suite, test_function_name="check") == 1
    with pytest.raises(ValueError, match="expected a function 'test'"):
        judge(stage, tmp_path, "grows = 1", suite)


def test_an_agents_file_cannot_stand_in_for_the_suite(stage: Stage, tmp_path: Path) -> None:
    (tmp_path / "result").mkdir()
    (tmp_path / "result" / "test_suite.py").write_text("def test():\n    return True\n")
    assert judge(stage, tmp_path, "def grows(food):\n    return False\n") == 0


@pytest.mark.parametrize("suite", ["def test(:", "a = 1", "def test():\n    return 1\n\0"])
def test_a_broken_suite_raises(suite: str, stage: Stage, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="the test suite: expected"):
        judge(stage, tmp_path, "grows = bool", suite)


def test_a_module_that_the_desktop_lacks_is_no_score(stage: Stage, tmp_path: Path) -> None:
    with pytest.raises(DesktopError, match="not installed on the desktop: no_such_module, nor_this"):
        judge(stage, tmp_path, "grows = bool", "import os, no_such_module.part\nfrom nor_this import x\n" + SUITE)


@pytest.mark.parametrize(
    ("printed", "kind", "score"),
    [("a.b\nmattn.lisp\n", "contain", 1), ("a.b\n", "contain", 0), ("a.b", "not_contain", 1), ("mattn.lisp", "not_contain", 0), ("", "contain", 0)],
)
def test_extensions(printed: str, kind: str, score: float) -> None:
    assert load_metric("is_extension_installed")(printed, {"type": kind, "expected": "mattn.lisp"}, unknown=1) == score


def test_a_rule_of_another_type_raises() -> None:
    with pytest.raises(ValueError, match="expected 'contain' or 'not_contain', got 'is'"):
        load_metric("is_extension_installed")("", {"type": "is", "expected": "x"})


def test_the_editors_command_is_run_from_its_palette(guest: Any, tmp_path: Path) -> None:
    spec = {"type": "vscode_config", "vscode_extension_command": "OpenProject", "path": "/home/user/OpenProject.txt", "dest": "OpenProject.txt"}
    done: list[Action] = []
    guest.perform = done.append
    stage = Stage(Task("t", "osworld", "Open it."), guest, tmp_path)
    assert GETTERS.get("vscode_config").get(stage, spec) is None
    guest.files["/home/user/OpenProject.txt"] = b"project"
    path = GETTERS.get("vscode_config").get(stage, spec)
    assert Path(path).read_bytes() == b"project"
    palette = Action.press(Key.P, Modifier.CTRL, Modifier.SHIFT)
    assert done == [palette, Action.type_text("OpenProject"), Action.press(Key.ENTER), Action.wait_for(1)] * 2
