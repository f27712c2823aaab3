"""The contract of a desktop, on the real one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from x11_helpers import EMPTY

from gui_gym.desktops import Desktop, make_desktop
from gui_gym.desktops.conformance import DesktopConformance, WindowedConformance
from gui_gym.tasks import Task


class TestX11Conformance(DesktopConformance, WindowedConformance):
    @pytest.fixture
    def desktop(self, require_x11: None, task: Task) -> Iterator[Desktop]:
        desktop = make_desktop("x11", 800, 600)
        desktop.reset(task, 0)
        yield desktop
        desktop.close()

    @pytest.fixture
    def task(self) -> Task:
        return EMPTY
