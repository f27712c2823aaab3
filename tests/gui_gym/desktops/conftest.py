"""A real desktop for tests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from x11_helpers import EMPTY

if TYPE_CHECKING:
    from gui_gym.desktops.x11 import X11Desktop


@pytest.fixture(scope="module")
def x11_shared(require_x11: None) -> Iterator[X11Desktop]:
    from gui_gym.desktops.x11 import X11Desktop

    desktop = X11Desktop(800, 600)
    yield desktop
    desktop.close()


@pytest.fixture
def x11(x11_shared: X11Desktop) -> X11Desktop:
    """A desktop of 800x600 pixels, as it is after a reset."""
    x11_shared.reset(EMPTY, 0)
    return x11_shared
