"""Filling the content cache, from a server of this machine."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

pytest.importorskip("httpx")

from gui_gym.cli import main
from gui_gym.tasks.fetch import fetch, wanted
from gui_gym.tasks.osworld import OSWorldSuite

ASKED: Counter[str] = Counter()


class Files(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        ASKED[self.path] += 1
        if self.path == "/moved":
            self.send_response(302)
            self.send_header("Location", "/good.txt")
            self.end_headers()
            return
        if self.path == "/flaky" and ASKED[self.path] == 1:
            self.close_connection = True
            return
        body = {"/good.txt": b"good", "/flaky": b"late", "/huge": b"x" * 5000}.get(self.path)
        self.send_response(404 if body is None else 200)
        length = 10_000 if self.path == "/short" else len(body or b"")
        self.send_header("Content-Length", str(length))
        self.end_headers()
        self.wfile.write(body or b"")

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[str]:
    ASKED.clear()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Files)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


def test_each_address_is_fetched_once_and_kept(server: str, tmp_path: Path) -> None:
    a, b = tmp_path / "one" / "a.txt", tmp_path / "two" / "b.txt"
    addresses = {f"{server}/good.txt": [a, b], f"{server}/moved": [tmp_path / "one" / "m.txt"], f"{server}/flaky": [tmp_path / "one" / "f.txt"]}
    found = list(fetch(addresses))
    assert [(one.state, one.bytes) for one in found] == [("fetched", 4)] * 3
    assert a.read_bytes() == b.read_bytes() == b"good" and ASKED["/flaky"] == 2
    b.unlink()
    assert [one.state for one in fetch(addresses)] == ["there"] * 3 and b.read_bytes() == b"good"
    assert ASKED["/good.txt"] == 2, "once for itself and once for what moved there"


@pytest.mark.parametrize(("path", "reason"), [("/missing", "status 404"), ("/huge", "larger than 1000 bytes")])
def test_what_fails_says_why_and_leaves_nothing(server: str, tmp_path: Path, path: str, reason: str) -> None:
    (one,) = fetch({f"{server}{path}": [tmp_path / "x" / "file"]}, max_bytes=1000)
    assert one.state == "failed" and reason in one.reason
    assert list((tmp_path / "x").iterdir()) == []


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://127.0.0.1/x", "not an address"])
def test_only_http(url: str, tmp_path: Path) -> None:
    (one,) = fetch({url: [tmp_path / "file"]})
    assert one.state == "failed" and not (tmp_path / "file").exists()


def write_task(folder: Path, server: str) -> None:
    examples = folder / "examples" / "own"
    examples.mkdir(parents=True)
    gold = {"type": "cloud_file", "path": f"{server}/good.txt", "dest": "gold.txt"}
    task = {
        "id": "mine",
        "instruction": "Copy it.",
        "config": [{"type": "download", "parameters": {"files": [{"url": f"{server}/good.txt", "path": "/home/user/a.txt"}]}}],
        "evaluator": {"func": "compare_text_file", "result": {"type": "vm_file", "path": "/home/user/b.txt", "dest": "b.txt"}, "expected": gold},
    }
    (examples / "mine.json").write_text(json.dumps(task))


def test_a_task_is_complete_after_the_command(server: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_task(tmp_path / "tasks", server)
    cache = str(tmp_path / "cache")
    suite = OSWorldSuite(str(tmp_path / "tasks"), assets=cache)
    assert len(suite.missing(suite.get("mine"))) == 2
    argv = ["assets", "--tasks", str(tmp_path / "tasks"), "--assets", cache]
    assert main([*argv, "--list"]) == 0 and "1 missing" in capsys.readouterr().out
    assert main([*argv, "--json"]) == 0
    assert [one["state"] for one in json.loads(capsys.readouterr().out)] == ["fetched"]
    assert suite.missing(suite.get("mine")) == []
    assert {path.name for paths in wanted([suite.get("mine")]).values() for path in paths} == {
        p.name for p in (tmp_path / "cache" / "mine").iterdir()
    }


def test_a_failure_is_the_status(server: str, tmp_path: Path) -> None:
    write_task(tmp_path / "tasks", f"{server}/nowhere")
    assert main(["assets", "--tasks", str(tmp_path / "tasks"), "--assets", str(tmp_path / "cache")]) == 1
