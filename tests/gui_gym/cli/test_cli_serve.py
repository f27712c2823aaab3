"""``gui-gym serve`` as a command."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("tyro")
pytest.importorskip("uvicorn")
pytest.importorskip("httpx")

import httpx

from gui_gym.cli import main
from gui_gym.desktops.guest.wire import TOKEN_FILE_VARIABLE, TOKEN_VARIABLE


def start(*arguments: str, **env: str) -> tuple[subprocess.Popen[str], str, str]:
    """The server, its address, and all that it said at the start."""
    clean = {name: value for name, value in os.environ.items() if name not in (TOKEN_VARIABLE, TOKEN_FILE_VARIABLE)}
    argv = [sys.executable, "-m", "gui_gym.cli", "serve", "--desktop", "sim", "--width", "200", "--height", "100", "--port", "0", *arguments]
    process = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**clean, **env})
    said = ""
    assert process.stdout is not None
    for line in process.stdout:
        said += line
        if line.startswith("Stop with"):
            break
    found = re.search(r"at (http://\S+)", said)
    assert found, said
    return process, found[1], said


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_it_prints_a_token_that_opens_it_and_ends_cleanly(how: signal.Signals) -> None:
    process, address, said = start()
    token = re.search(r"^Token: (\S{24,})$", said, re.M)
    assert token and f"session:{token[1]}@127.0.0.1" in said and f'desktop="{address}"' in said
    assert httpx.get(f"{address}/screenshot").status_code == 401
    assert httpx.get(f"{address}/screenshot", auth=("session", token[1])).status_code == 200
    process.send_signal(how)
    rest, _ = process.communicate(timeout=60)
    assert (process.returncode, rest) == (0, "")


def test_a_token_of_the_user_is_not_printed(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("a-secret-of-the-user\n")
    process, address, said = start(**{TOKEN_FILE_VARIABLE: str(tmp_path / "token")})
    assert "a-secret" not in said and TOKEN_FILE_VARIABLE in said
    assert httpx.get(f"{address}/platform", headers={"Authorization": "Bearer a-secret-of-the-user"}).text == "Linux"
    process.terminate()
    process.communicate(timeout=60)


def test_without_a_token_it_says_so() -> None:
    process, address, said = start("--unsafe-no-token")
    assert "UNSAFE" in said and httpx.get(f"{address}/platform").status_code == 200
    process.terminate()
    process.communicate(timeout=60)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--unsafe-no-token", "--host", "0.0.0.0"], "--unsafe-open-network"),
        (["--port", "99999"], "expected an address of this machine and a free port"),
        (["--host", "203.0.113.1"], "cannot be used"),
        (["--max-sessions", "0"], "--max-sessions is 0: expected more than 0"),
        (["--width", "3"], "too small"),
        (["--desktop", "y12"], "unknown desktop 'y12'"),
        (["--desktop", "guest"], "start gui-gym serve there"),
        (["--spares", "2"], "takes no spares"),
    ],
)
def test_what_cannot_be(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(TOKEN_VARIABLE, raising=False)
    monkeypatch.delenv(TOKEN_FILE_VARIABLE, raising=False)
    assert main(["serve", "--desktop", "sim", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_a_token_that_is_too_short(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TOKEN_VARIABLE, "short-one")
    assert main(["serve", "--desktop", "sim"]) == 2
    said = capsys.readouterr().err
    assert "at least 16" in said and "short-one" not in said
