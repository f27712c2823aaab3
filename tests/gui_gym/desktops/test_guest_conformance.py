"""The contract of a desktop, over HTTP: our client and our server with simulated desktops."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

pytest.importorskip("httpx")
pytest.importorskip("uvicorn")

from guest_helpers import TOKEN, guest_server

from gui_gym.desktops import Desktop, make_desktop
from gui_gym.desktops.conformance import DesktopConformance
from gui_gym.desktops.guest.wire import TOKEN_VARIABLE
from gui_gym.tasks import Task


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with guest_server(lambda: make_desktop("sim", 400, 300)) as address:
        yield address


class TestGuestConformance(DesktopConformance):
    @pytest.fixture
    def desktop(self, address: str, task: Task, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desktop]:
        monkeypatch.setenv(TOKEN_VARIABLE, TOKEN)
        desktop = make_desktop(address)
        desktop.reset(task, 0)
        yield desktop
        desktop.close()

    @pytest.fixture
    def task(self) -> Task:
        return Task("empty", "test", "do nothing")
