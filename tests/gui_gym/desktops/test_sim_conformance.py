"""The contract of a desktop, on the simulated one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from gui_gym.desktops import Desktop, make_desktop
from gui_gym.desktops.conformance import DesktopConformance
from gui_gym.tasks import Task, load_suite


class TestSimConformance(DesktopConformance):
    @pytest.fixture(params=[(320, 200), (1280, 720)], ids=str)
    def desktop(self, request: pytest.FixtureRequest, task: Task) -> Iterator[Desktop]:
        desktop = make_desktop("sim", *request.param)
        desktop.reset(task, 0)
        yield desktop
        desktop.close()

    @pytest.fixture
    def task(self) -> Task:
        return load_suite("sim").get("edit-and-save#3")
