"""What tests of every package share."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("gui-gym", deadline=None, suppress_health_check=[HealthCheck.too_slow])  # a loaded machine fails no test
settings.load_profile("gui-gym")


@pytest.fixture(scope="session")
def require_x11() -> None:
    """For tests that need a real desktop: skips them where none can run, except in CI (``CI`` is set), where that is a failure."""
    from gui_gym.desktops.x11 import sandbox

    report = sandbox.probe()
    if not report.ok:
        message = f"no x11 desktop: {report.reason}. Do: {report.fix}"
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)


@pytest.fixture(scope="session", autouse=True)
def sb3_logs(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Stable-Baselines3 makes a folder for its logs each time; not among the machine's temporary files."""
    os.environ["SB3_LOGDIR"] = str(tmp_path_factory.mktemp("sb3"))
