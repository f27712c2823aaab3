"""A test suite that runs inside a real desktop's sandbox."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gui_gym import Task
from gui_gym.tasks.setup import Stage
from gui_gym.verifiers.osworld.metrics import load_metric

if TYPE_CHECKING:
    from gui_gym.desktops.x11 import X11Desktop


@pytest.fixture(scope="module")
def desktop(require_x11: None) -> Iterator[X11Desktop]:
    from gui_gym.desktops.x11 import X11Desktop

    desktop = X11Desktop(640, 480, spares=0)
    desktop.reset(Task("empty", "test", "do nothing"), 0)
    yield desktop
    desktop.close()


@pytest.mark.parametrize(("eats", "score"), [("return place == food", 1), ("return False", 0)])
def test_a_suite_runs_inside_the_desktop(eats: str, score: float, desktop: X11Desktop, tmp_path: Path) -> None:
    (tmp_path / "result").mkdir()
    (tmp_path / "result" / "snake.py").write_text(f"def eats(place, food):\n    {eats}\n")
    marker = tmp_path / "escaped"
    escape = f"    try:\n        open({str(marker)!r}, 'w')\n    except OSError:\n        pass\n"
    suite = f"from snake import eats\n\ndef test():\n{escape}    return eats(1, 1)\n"
    (tmp_path / "test.py").write_text(suite)
    stage = Stage(Task("t", "osworld", "Fix it."), desktop, tmp_path)
    metric = load_metric("check_python_file_by_test_suite")
    assert metric(str(tmp_path / "result" / "snake.py"), str(tmp_path / "test.py"), stage=stage) == score
    assert not marker.exists()
