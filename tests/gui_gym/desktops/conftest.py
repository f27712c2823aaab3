"""A real desktop for tests."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
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


@pytest.fixture
def short_tmp(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder where this process and its children have their temporary files, of a name short enough for sockets in it."""
    with tempfile.TemporaryDirectory(prefix="gg", dir="/tmp") as folder:
        monkeypatch.setenv("TMPDIR", folder)
        monkeypatch.setattr(tempfile, "tempdir", None)
        yield Path(folder)
        monkeypatch.undo()
