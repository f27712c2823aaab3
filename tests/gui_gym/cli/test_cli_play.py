import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import threading

import gymnasium as gym
import numpy as np
import pytest

pytest.importorskip("tyro")

import gui_gym  # noqa: F401
from gui_gym import ActionType
from gui_gym.cli.play_server import MAX_BODY, PlayServer
from gui_gym.cli.play_session import Session
from gui_gym.recording import load_episode

ENV = {"suite": "sim", "width": 640, "height": 480, "max_steps": 50}


class Client:
    """Speaks HTTP to a server that runs in a thread of this process."""

    def __init__(self, server):
        self.server = server

    def request(self, method, path, body=None, token=None, host=None, headers=()):
        connection = http.client.HTTPConnection("127.0.0.1", self.server.server_port, timeout=30)
        path = f"/{self.server.token if token is None else token}/{path}"
        connection.putrequest(method, path, skip_host=True)
        connection.putheader("Host", host or f"127.0.0.1:{self.server.server_port}")
        body = None if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        if body is not None and "Content-Length" not in dict(headers):
            connection.putheader("Content-Length", str(len(body)))
        for name, value in headers:
            connection.putheader(name, value)
        connection.endheaders(body)
        response = connection.getresponse()
        data = response.read()
        connection.close()
        return response.status, json.loads(data) if "json" in response.headers.get("Content-Type", "") else data, response.headers


@pytest.fixture
def play(tmp_path):
    opened = []

    def open_one(**kwargs):
        session = Session(ENV, **kwargs)
        server = PlayServer(session)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        opened.append((session, server, thread))
        return Client(server)

    yield open_one
    for session, server, thread in opened:
        server.shutdown()
        thread.join()
        server.server_close()
        session.close()


def solution(seed):
    env = gym.make("GuiDesktop-v0", **ENV)
    _, info = env.reset(seed=seed)
    elements = [{name: value if isinstance(value, str) else value.tolist() for name, value in e.items()} for e in env.unwrapped.solution()]
    env.close()
    return info["instruction"], elements


def test_a_played_solution_scores_one_and_is_recorded(play, tmp_path):
    client = play(seed=3, record=tmp_path / "runs")
    instruction, elements = solution(3)
    status, state, _ = client.request("GET", "state")
    assert status == 200 and state["instruction"] == instruction and (state["width"], state["height"], state["seed"]) == (640, 480, 3)
    for element in elements:
        status, state, _ = client.request("POST", "step", element)
        assert status == 200 and state["action_error"] == ""
    assert (state["scored"], state["score"], state["end"]) == (True, 1.0, "done")
    client.request("POST", "step", elements[0])  # after the end: not a part of the episode
    episode = load_episode(tmp_path / "runs" / "episode-0000")
    assert episode.score.value == 1.0 and len(episode.steps) == len(elements) and episode.instruction == instruction and episode.seed == 3
    client.request("POST", "reset", {})
    client.request("POST", "step", {"type": int(ActionType.WAIT), "wait": 0})
    client.request("POST", "next", {})
    assert load_episode(tmp_path / "runs" / "episode-0001").score.value is None
    assert sorted(os.listdir(tmp_path / "runs")) == ["episode-0000", "episode-0001"]


def test_restart_repeats_and_next_goes_on(play):
    client = play(seed=5)
    first = client.request("GET", "state")[1]
    picture = client.request("GET", "screen.png")[1]
    client.request("POST", "step", {"type": int(ActionType.MOVE), "point": [3, 4]})
    assert client.request("GET", "screen.png?frame=2")[1] != picture
    again = client.request("POST", "reset", {})[1]
    assert again["task_id"] == first["task_id"] and again["step"] == 0 and again["frame"] != first["frame"]
    assert client.request("GET", "screen.png")[1] == picture
    assert client.request("POST", "next", {})[1]["seed"] == 6


def test_the_picture_is_the_screen(play):
    from io import BytesIO

    from PIL import Image

    client = play(seed=5)
    env = gym.make("GuiDesktop-v0", **ENV)
    status, data, headers = client.request("GET", "screen.png")
    assert status == 200 and headers["Content-Type"] == "image/png" and headers["Cache-Control"] == "no-store"
    assert np.array_equal(np.array(Image.open(BytesIO(data))), env.reset(seed=5)[0])
    env.close()


@pytest.mark.parametrize("bad", [{"type": 999}, {"type": 1, "point": [9999, 0]}, {}, [], b"null", 3, "click", {"type": 1, "point": [None, 0]}])
def test_bad_actions_are_explained(play, bad):
    client = play()
    status, state, _ = client.request("POST", "step", bad)
    assert status == 200 and state["action_error"] and not state["end"]


class TestDoors:
    @pytest.mark.parametrize("token", ["", "wrong", "%C3%A9", "../", "%2e%2e"])
    @pytest.mark.parametrize(("method", "path"), [("GET", ""), ("GET", "state"), ("GET", "screen.png"), ("POST", "step"), ("POST", "reset")])
    def test_no_token_no_entry(self, play, token, method, path):
        client = play()
        status, answer, _ = client.request(method, path, {"type": 11}, token=token)
        assert status == 403 and set(answer) == {"error"}
        assert client.request("GET", "state")[1]["step"] == 0

    @pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "127.0.0.1:1", "[::1]:80"])
    def test_another_host_header_no_entry(self, play, host):
        client = play()
        assert client.request("POST", "step", {"type": 11}, host=host)[0] == 403
        assert client.request("GET", "", host=host)[0] == 403
        assert client.request("GET", "state")[1]["end"] == ""

    def test_localhost_is_the_same_host(self, play):
        client = play()
        assert client.request("GET", "state", host=f"localhost:{client.server.server_port}")[0] == 200

    def test_only_this_machine(self, play):
        assert play().server.server_address[0] == "127.0.0.1"

    def test_tokens_differ(self, play):
        tokens = {play().server.token, play().server.token}
        assert len(tokens) == 2 and all(len(token) >= 24 for token in tokens)

    @pytest.mark.parametrize("body", [b"", b"{", b"\xff", b"[" * 100_000, b'{"type": 1e999}'])
    def test_bodies_that_are_no_json_or_no_action(self, play, body):
        client = play()
        status, answer, _ = client.request("POST", "step", body)
        assert (status == 400 and answer["error"]) or answer["action_error"]
        assert client.request("GET", "state")[0] == 200

    @pytest.mark.parametrize("length", ["-1", "x", "", str(MAX_BODY + 1)])
    def test_bodies_of_a_bad_length(self, play, length):
        assert play().request("POST", "step", b"{}", headers=[("Content-Length", length)])[0] == 400

    @pytest.mark.parametrize(("method", "path"), [("GET", "other"), ("GET", "../state"), ("GET", "step"), ("POST", "state"), ("POST", "")])
    def test_unknown_pages(self, play, method, path):
        assert play().request(method, path, {})[0] == 404

    def test_other_methods(self, play):
        assert play().request("PUT", "step", {})[0] == 501


def test_the_page_is_one_file_that_knows_the_action_space(play):
    status, page, headers = play().request("GET", "")
    text = page.decode()
    assert status == 200 and "frame-ancestors 'none'" in headers["Content-Security-Policy"]
    assert '"DRAG": 4' in text and '"PAGE_DOWN": 9' in text and "null;" not in text.split("ENUMS =")[1].split("\n")[0]
    assert "http://" not in text.replace("http://127.0.0.1", "") and "https://" not in text and "src=" not in text


def test_the_command_serves_until_it_is_stopped(tmp_path):
    command = [sys.executable, "-m", "gui_gym.cli", "play", "--width", "320", "--height", "240", "--seed", "2"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path) as process:
        address = process.stdout.readline()
        assert address.startswith("Play at http://127.0.0.1:")
        port = int(address.split(":")[2].split("/")[0])
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        connection.request("GET", "/" + address.strip().split("/", 3)[3] + "state")
        assert json.loads(connection.getresponse().read())["seed"] == 2
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=30)
    assert process.returncode == 0 and errors == ""
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.1", port), timeout=5).close()


def test_an_unknown_task_is_an_error_not_a_server(capsys):
    from gui_gym.cli import main

    assert main(["play", "no-such-task"]) == 2
    assert "no-such-task" in capsys.readouterr().err


@pytest.mark.parametrize("port", [-1, 65536, 10**9, "taken"])
def test_a_port_that_cannot_be_used_is_said_so(port, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1] if port == "taken" else port
        run = subprocess.run(
            [sys.executable, "-m", "gui_gym.cli", "play", "--width", "320", "--height", "200", f"--port={port}"], capture_output=True, text=True
        )
    assert run.returncode == 2 and f"port {port} cannot be used" in run.stderr and "Traceback" not in run.stderr


def test_a_folder_that_cannot_be_recorded_in_is_said_before_playing(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match="no episode can be recorded in .*file"):
        Session(ENV, record=tmp_path / "file")
    with pytest.raises(ValueError, match="no episode can be recorded in"):
        Session(ENV, record=tmp_path / "file" / "below")


def test_a_recording_that_fails_later_is_said_on_the_page(play, tmp_path):
    folder = tmp_path / "runs"
    client = play(record=folder)
    folder.rmdir()
    folder.write_text("")
    status, answer, _ = client.request("POST", "step", {"type": ActionType.DONE})
    assert status == 500 and "could not be recorded" in answer["error"]
    folder.unlink()
