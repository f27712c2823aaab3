"""The contract of a desktop, over HTTP: our client and our server with simulated desktops."""

from __future__ import annotations

import os
import subprocess
import sys
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


@pytest.mark.parametrize(
    ("ending", "code"), [("pass", 0), ("del desktop", 0), ("desktop.me = desktop; del desktop", 0), ("raise RuntimeError", 1), ("sys.exit(3)", 3)]
)
def test_what_python_leaves_open_when_it_ends_is_given_back(ending: str, code: int) -> None:
    """A session that stays would hold a desktop of the server for an hour, and a finaliser that asks it to end waits for a thread."""
    script = f"""
import sys
from gui_gym.desktops import make_desktop
from gui_gym.tasks import Task
desktop = make_desktop(sys.argv[1])
desktop.reset(Task("empty", "test", "do nothing"), 0)
{ending}
"""
    with guest_server(lambda: make_desktop("sim", 320, 240), max_sessions=1) as address:
        for _ in range(2):  # the second finds the only desktop free
            done = subprocess.run([sys.executable, "-c", script, address], env={**os.environ, TOKEN_VARIABLE: TOKEN}, capture_output=True, text=True)
            assert done.returncode == code and "in use" not in done.stderr, done.stderr
