import json
import subprocess
import sys

import gymnasium as gym
import pytest

pytest.importorskip("tyro")

from gui_gym import DesktopError, benchmarks
from gui_gym.cli import main
from gui_gym.cli.doctor import EXTRAS, distributions
from gui_gym.tasks import load_suite


def run(capsys, *argv):
    """Exit status, standard output and standard error of one command."""
    status = main(argv)
    said = capsys.readouterr()
    return status, said.out, said.err


class TestTasks:
    def test_a_record_for_each_family(self, capsys):
        status, out, err = run(capsys, "tasks", "--json")
        records = json.loads(out)
        assert (status, err) == (0, "") and [record["id"] for record in records] == load_suite("sim").ids()
        for record in records:
            assert {"id", "suite", "instance", "instruction", "feasible", "max_steps"} <= set(record)
            assert record["feasible"] is True and record["max_steps"] > 0 and len(record["instruction"]) > 5
            assert record["skills"] and record["doc"] and record["has_infeasible"] in (True, False)

    def test_its_ids_are_those_the_env_takes(self, capsys):
        for record in json.loads(run(capsys, "tasks", "--json")[1]):
            env = gym.make("GuiDesktop-v0", task=record["id"], width=640, height=480)
            assert env.reset(seed=0)[1]["task_id"].startswith(record["id"] + "#")
            assert env.reset(options={"task": record["instance"]})[1]["instruction"] == record["instruction"]
            env.close()

    def test_the_table_names_them_too(self, capsys):
        status, out, _ = run(capsys, "tasks")
        assert status == 0 and all(task_id in out for task_id in load_suite("sim").ids())

    @pytest.mark.parametrize("argv", [["tasks", "--suite", "smi"], ["tasks", "--suite", "osworld", "--tasks", "/no/such/folder"]])
    def test_what_is_not_there(self, capsys, argv):
        status, out, err = run(capsys, *argv)
        assert status == 2 and out == "" and err.startswith("gui-gym: ") and ("did you mean 'sim'" in err or "/no/such/folder" in err)


class TestDoctor:
    def test_records(self, capsys):
        status, out, _ = run(capsys, "doctor", "--json")
        checks = {check["name"]: check for check in json.loads(out)}
        assert status == 0 and {"python", "sim", "x11 sandbox", "applications", "gpu", "disk", *EXTRAS} == set(checks)
        assert checks["python"]["ok"] and checks["sim"]["ok"]
        for check in checks.values():
            assert set(check) == {"name", "ok", "detail", "fix"} and check["detail"]
            assert check["ok"] or check["fix"] or check["name"] in ("gpu", "disk")

    def test_a_missing_extra_has_its_command(self, capsys, monkeypatch):
        monkeypatch.setattr("gui_gym.cli.doctor.distributions", lambda extra: ["no-such-thing"] if extra == "ray" else ["numpy"])
        _, out, _ = run(capsys, "doctor", "--json")
        (check,) = [check for check in json.loads(out) if check["name"] == "ray"]
        assert check == {"name": "ray", "ok": False, "detail": "missing no-such-thing", "fix": 'pip install "gui-gym[ray]"'}

    def test_extras_are_those_of_the_installed_metadata(self):
        assert "xcffib" in distributions("x11") and "torch" in distributions("train") and "harbor" in distributions("harbor")
        assert "python-docx" in distributions("osworld") and distributions("nothing") == []

    def test_a_broken_base_is_a_failure(self, capsys, monkeypatch):
        monkeypatch.setattr(gym, "make", lambda *args, **kwargs: 1 / 0)
        status, out, _ = run(capsys, "doctor", "--json")
        (check,) = [check for check in json.loads(out) if check["name"] == "sim"]
        assert status == 1 and not check["ok"] and "ZeroDivisionError" in check["detail"]

    def test_without_the_programs_it_says_what_to_install(self, capsys, monkeypatch, tmp_path):
        monkeypatch.setenv("PATH", str(tmp_path))
        checks = {check["name"]: check for check in json.loads(run(capsys, "doctor", "--json")[1])}
        assert not checks["x11 sandbox"]["ok"] and "apt-get install" in checks["x11 sandbox"]["fix"] and "xvfb" in checks["x11 sandbox"]["fix"]
        assert "libreoffice" in checks["applications"]["fix"]

    def test_the_table_lists_the_commands(self, capsys, monkeypatch):
        monkeypatch.setattr("gui_gym.cli.doctor.distributions", lambda extra: ["no-such-thing"] if extra == "ray" else ["numpy"])
        _, out, _ = run(capsys, "doctor")
        assert 'pip install "gui-gym[ray]"' in out and "[/" not in out


@pytest.fixture
def parts(monkeypatch):
    """Two parts of a benchmark, of which the second cannot run."""
    good = type(sys)("good_part")
    good.run = lambda: [{"name": "sim.step", "value": 1234.5, "unit": "1/s", "reference": 10.0, "ratio": 123.45}]
    bad = type(sys)("bad_part")

    def refuse():
        raise DesktopError("Xvfb is missing")

    bad.run = refuse
    monkeypatch.setitem(sys.modules, "good_part", good)
    monkeypatch.setitem(sys.modules, "bad_part", bad)
    monkeypatch.setattr(benchmarks, "PARTS", {"sim": "good_part", "x11": "bad_part"})
    monkeypatch.setattr("gui_gym.cli.bench.PARTS", {"sim": "good_part", "x11": "bad_part"})


@pytest.mark.usefixtures("parts")
class TestBench:
    def test_json_is_the_list_and_nothing_else(self, capsys):
        status, out, err = run(capsys, "bench", "--json")
        assert status == 0 and json.loads(out) == [{"name": "sim.step", "value": 1234.5, "unit": "1/s", "reference": 10.0, "ratio": 123.45}]
        assert err == "gui-gym bench: x11 cannot run here: Xvfb is missing\n"

    def test_one_part(self, capsys):
        status, out, err = run(capsys, "bench", "--only", "sim")
        assert status == 0 and err == "" and "sim.step" in out and "1,23" in out

    @pytest.mark.parametrize("flags", [[], ["--json"]])
    def test_a_part_that_was_asked_for_and_cannot_run(self, capsys, flags):
        status, out, err = run(capsys, "bench", "--only", "x11", *flags)
        assert status == 1 and "Xvfb is missing" in err and "sim.step" not in out

    def test_peers_are_a_part_of_their_own(self, capsys, monkeypatch):
        asked = []
        peers = type(sys)("gui_gym.benchmarks.peers")
        peers.run = lambda python: asked.append(str(python)) or [{"name": "sim.peer", "value": 2.0, "unit": "1/s", "peer": 1.0, "peer_ratio": 2.0}]
        monkeypatch.setitem(sys.modules, "gui_gym.benchmarks.peers", peers)
        status, out, _ = run(capsys, "bench", "--only", "sim", "--peers", "other/python", "--json")
        assert status == 0 and [record["name"] for record in json.loads(out)] == ["sim.step", "sim.peer"] and asked == ["other/python"]
        status, out, _ = run(capsys, "bench", "--only", "sim", "--peers", "other/python")
        assert "peer ratio" in out and "sim.peer" in out

    def test_unknown_parts(self, capsys):
        with pytest.raises(SystemExit) as caught:
            main(["bench", "--only", "x12"])
        assert caught.value.code == 2


class TestCommand:
    @pytest.mark.parametrize("argv", [["--help"], ["tasks", "--help"], ["doctor", "--help"], ["bench", "--help"], ["play", "--help"]])
    def test_help_explains_every_option(self, capsys, argv):
        with pytest.raises(SystemExit) as caught:
            main(argv)
        out = capsys.readouterr().out
        assert caught.value.code == 0 and "usage: gui-gym" in out
        if argv[0] == "play":
            assert out.count("pixels") >= 2 and "(default: 1280)" in out

    def test_no_command(self):
        with pytest.raises(SystemExit) as caught:
            main([])
        assert caught.value.code == 2

    @pytest.mark.parametrize("module", ["tyro", "rich"])
    def test_without_the_extra_it_names_it(self, module):
        code = f"import sys; sys.modules['{module}'] = None; from gui_gym.cli import main; sys.exit(main(['tasks']))"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert done.returncode == 2 and 'pip install "gui-gym[cli]"' in done.stderr and len(done.stderr.splitlines()) == 1

    def test_a_reader_that_has_enough_is_no_error(self):
        command = f"{sys.executable} -m gui_gym.cli tasks --json | head -c 20"
        done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
        assert done.returncode == 0 and done.stderr == ""

    def test_it_starts_without_the_heavy_libraries(self):
        code = (
            "import sys; from gui_gym.cli import main; main(['tasks', '--json'])\n"
            "print([name for name in ('torch', 'transformers', 'wrappers', 'agents') if name in sys.modules], file=sys.stderr)"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert done.stderr.strip() == "[]"


class TestVerify:
    def test_a_record_for_each_family(self, capsys):
        status, out, err = run(
            capsys,
            "verify",
            "click-button",
            "press-the-button",
            "--seeds",
            "3",
            "--random-instances",
            "0",
            "--jobs",
            "1",
            "--width",
            "640",
            "--height",
            "400",
            "--json",
        )
        records = json.loads(out)
        assert (status, err) == (0, "") and [record["id"] for record in records] == ["click-button", "press-the-button"]
        for record in records:
            assert record["ok"] and record["scripted"] == 1 and record["seeds"] == 3
            assert record["no_op"] == record["always_fail"] == record["damage"] == 0
            assert [each["difficulty"] for each in record["difficulties"]] == ["easy", "medium", "hard"]
            assert record["infeasible"] == (1 if load_suite("sim").describe(record["id"])["has_infeasible"] else None)

    def test_one_difficulty_as_a_table(self, capsys):
        status, out, _ = run(capsys, "verify", "click-button", "--seeds", "2", "--jobs", "1", "--difficulty", "easy", "--random-instances", "0")
        assert status == 0 and "click-button" in out and "1 of 1 are as they ought to be." in out

    def test_a_family_with_a_bug_is_not_ok_and_the_others_are(self, capsys, monkeypatch):
        monkeypatch.setattr("gui_gym.tasks.sim.families.buttons.ClickButton.solve", lambda *args: 1 / 0)
        status, out, err = run(capsys, "verify", "click-button", "press-the-button", "--seeds", "1", "--jobs", "1", "--json")
        assert status == 1 and [record["ok"] for record in json.loads(out)] == [False, True]
        assert "click-button (easy): ZeroDivisionError" in err

    @pytest.mark.parametrize("argv", [["no-such"], ["--seeds", "0"], ["--difficulty", "brutal"], ["--suite", "smi"]])
    def test_what_is_not_there(self, capsys, argv):
        status, out, err = run(capsys, "verify", *argv)
        assert status == 2 and out == "" and err.startswith("gui-gym: ")


class TestFuzz:
    def test_figures(self, capsys):
        status, out, _ = run(capsys, "fuzz", "click-button", "--actions", "500", "--jobs", "2", "--json")
        figures = json.loads(out)
        assert status == 0 and figures["actions"] == 600 and figures["episodes"] == 3 and figures["failures"] == []

    def test_failures_are_told(self, capsys, monkeypatch):
        monkeypatch.setattr("gui_gym.desktops.sim.desktop.perform", lambda *args: 1 / 0)
        status, out, err = run(capsys, "fuzz", "click-button", "--actions", "200", "--jobs", "1")
        assert status == 1 and "1 failures" in out and "ZeroDivisionError" in err


def test_gallery(capsys, tmp_path):
    status, out, _ = run(capsys, "gallery", "click-button", "--out", str(tmp_path / "g.html"), "--width", "320", "--height", "200")
    assert status == 0 and "g.html" in out and (tmp_path / "g.html").stat().st_size > 5000
