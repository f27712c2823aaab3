"""What is shipped: the wheel, its metadata, and the shell scripts behind the Makefile."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

REPO = Path(__file__).resolve().parent.parent
PACKAGES = ("gui_gym", "wrappers", "agents")


@pytest.fixture(scope="module")
def project():
    return tomllib.loads((REPO / "pyproject.toml").read_text())["project"]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    pytest.importorskip("build")
    pytest.importorskip("hatchling")
    out = tmp_path_factory.mktemp("dist")
    subprocess.run([sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", out, REPO], check=True, capture_output=True)
    (found,) = out.glob("gui_gym-*.whl")
    return zipfile.ZipFile(found)


class TestWheel:
    def test_top_levels_are_the_three_packages(self, wheel):
        tops = {name.split("/")[0] for name in wheel.namelist()}
        assert {top for top in tops if not top.endswith(".dist-info")} == set(PACKAGES)

    def test_it_holds_all_that_the_packages_hold(self, wheel):
        listed = subprocess.run(["git", "ls-files", *PACKAGES], cwd=REPO, capture_output=True, text=True, check=True).stdout.split()
        assert listed and set(listed) <= set(wheel.namelist())

    def test_assets_are_inside(self, wheel):
        listed = subprocess.run(["git", "ls-files", "assets"], cwd=REPO, capture_output=True, text=True, check=True).stdout.split()
        assert listed and {f"gui_gym/{name}" for name in listed} <= set(wheel.namelist())

    def test_types_and_license(self, wheel):
        names = wheel.namelist()
        assert {f"{package}/py.typed" for package in PACKAGES} <= set(names)
        assert any(name.endswith("/LICENSE") for name in names)

    def test_the_env_runs_from_it_alone(self, wheel, tmp_path):
        wheel.extractall(tmp_path / "site")
        code = (
            "import sys; sys.path.insert(0, sys.argv[1])\n"
            "import gymnasium as gym, gui_gym\n"
            "from gui_gym.assets_path import asset\n"
            "assert gui_gym.__file__.startswith(sys.argv[1]) and str(asset('fonts')).startswith(sys.argv[1]), asset('fonts')\n"
            "env = gym.make('GuiDesktop-v0'); env.reset(seed=0)\n"
            "print([env.step(action)[1] for action in env.unwrapped.solution()][-1])\n"
        )
        done = subprocess.run([sys.executable, "-I", "-c", code, str(tmp_path / "site")], cwd=tmp_path, capture_output=True, text=True)
        assert (done.stdout.strip(), done.returncode) == ("1.0", 0), done.stderr


class TestMetadata:
    def test_the_base_needs_three_libraries(self, project):
        assert sorted(re.split("[^a-z]", need)[0] for need in project["dependencies"]) == ["gymnasium", "numpy", "pillow"]

    def test_every_extra_brings_the_command_line(self, project):
        extras = project["optional-dependencies"]

        def closure(extra):
            inner = {name for need in extras[extra] if need.startswith("gui-gym[") for name in need[len("gui-gym[") : -1].split(",")}
            return {extra}.union(*map(closure, inner))

        assert {"cli", "x11", "guest", "osworld", "harbor", "train", "vllm", "sb3", "qwen", "ray", "all", "dev"} <= set(extras)
        assert all("cli" in closure(extra) for extra in extras)
        assert closure("all") == set(extras) - {"harbor", "vllm", "dev"}

    def test_the_version_is_one(self, project):
        import gui_gym

        assert gui_gym.__version__ == project["version"]

    def test_commands(self, project):
        assert project["scripts"] == {"gui-gym": "gui_gym.cli:main", "gui-agents": "agents.cli:main"}

    def test_doctor_knows_every_extra(self, project):
        pytest.importorskip("tyro")
        from gui_gym.cli.doctor import EXTRAS

        assert set(EXTRAS) == set(project["optional-dependencies"]) - {"cli", "all", "dev"}


def test_the_base_import_is_light():
    code = "import gui_gym, gymnasium, sys; gymnasium.make('GuiDesktop-v0').reset(seed=0); print(sorted(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    heavy = "torch transformers vllm xcffib ray harbor cv2 tyro rich httpx matplotlib pandas scipy wrappers agents".split()
    assert [name for name in heavy if f"'{name}'" in loaded] == []


@pytest.mark.parametrize("package", ["gui_gym", "wrappers"])
def test_imports_go_one_way(package):
    later = PACKAGES[PACKAGES.index(package) + 1 :]
    wrong = [
        f"{path.relative_to(REPO)}: {line.strip()}"
        for path in sorted((REPO / package).rglob("*.py"))
        for line in path.read_text().splitlines()
        if re.match(rf"\s*(from|import)\s+({'|'.join(later)})\b", line)
    ]
    assert wrong == []


def test_make_system_installs_what_the_sandbox_needs():
    from gui_gym.desktops.x11.sandbox import PROGRAMS

    packages = re.search("^SYSTEM_PACKAGES := (.*)$", (REPO / "Makefile").read_text(), re.M)[1].split()
    assert set(PROGRAMS.values()) <= set(packages)


@pytest.fixture
def shell(tmp_path):
    """Run a script of the repository in an empty folder, with programs of our own on the PATH."""
    bin_dir = tmp_path / "bin"
    bin_dir.mkdir()

    def run(script, *args, programs=None, **env):
        for name, body in (programs or {}).items():
            (bin_dir / name).write_text(f"#!/bin/sh\n{body}\n")
            (bin_dir / name).chmod(0o755)
        env = {"PATH": f"{bin_dir}:/usr/bin:/bin", **env}
        command = ["bash", REPO / ".ci" / script, *args]
        return subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, stdin=subprocess.PIPE)

    return run


def fake_python(pip):
    """A Python whose ``-m venv`` makes an environment in which Python is the shell script ``pip``."""
    make = 'mkdir -p "$3/bin"; ls -A "$3" > seen; printf "%s\\n" "#!/bin/sh" "$PIP" > "$3/bin/python"; chmod +x "$3/bin/python"'
    return f"PIP='{pip}'\nif [ \"$1\" = -m ]; then {make}; fi"


class TestScripts:
    def test_no_python_is_one_line(self, shell):
        done = shell("find_python.sh", "no-such-python")
        assert done.returncode == 1 and done.stdout == "" and len(done.stderr.splitlines()) == 1
        assert "Python 3.11 or newer with venv" in done.stderr and "apt-get install" in done.stderr

    @pytest.mark.parametrize("body", ["exit 1", "echo 'python3.12: command not found' >&2; exit 127"])
    def test_a_python_that_does_not_run_is_passed_over(self, shell, body):
        names = ("python3.11", "python3.12", "python3.13", "python3.14")
        done = shell("find_python.sh", programs={**dict.fromkeys(names, body), "python3": f'exec {sys.executable} "$@"'})
        assert (done.returncode, done.stdout.strip()) == (0, "python3")

    def test_without_root_the_command_is_printed_and_nothing_asked(self, shell):
        programs = {"id": "echo 1000", "sudo": "exit 1", "dpkg-query": "exit 1", "apt-get": "echo CALLED"}
        done = shell("apt_install.sh", "xvfb", "openbox", programs=programs)
        assert done.returncode == 1 and "CALLED" not in done.stdout
        assert "apt-get install -y --no-install-recommends xvfb openbox" in done.stderr and len(done.stderr.splitlines()) == 1

    def test_a_sudo_that_asks_nothing_is_used(self, shell, tmp_path):
        programs = {"id": "echo 1000", "sudo": 'shift; exec "$@"', "dpkg-query": "exit 1", "apt-get": 'echo "$@" >> apt.log'}
        done = shell("apt_install.sh", "xvfb", programs=programs)
        assert done.returncode == 0 and (tmp_path / "apt.log").read_text().rstrip().endswith("xvfb"), done.stderr

    def test_what_is_there_is_not_installed_again(self, shell):
        programs = {"dpkg-query": "echo 'install ok installed'", "apt-get": "exit 9", "id": "echo 1000", "sudo": "exit 1"}
        done = shell("apt_install.sh", "xvfb", "openbox", programs=programs)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")

    def test_a_failed_installation_leaves_nothing(self, shell, tmp_path):
        venv = tmp_path / "venv"
        venv.mkdir()  # left by an installation that was killed
        (venv / ".making").touch()
        (venv / "junk").touch()
        done = shell("install.sh", "venv", "venv/.installed", programs={"python3.11": fake_python("exit 1")}, EXTRAS="dev")
        assert done.returncode != 0 and not venv.exists() and "removed" in done.stderr
        assert "junk" not in (tmp_path / "seen").read_text()

    def test_somebodys_own_environment_is_not_removed(self, shell, tmp_path):
        (tmp_path / "venv/bin").mkdir(parents=True)
        (tmp_path / "venv/bin/python").write_text("#!/bin/sh\nexit 1\n")
        (tmp_path / "venv/bin/python").chmod(0o755)
        done = shell("install.sh", "venv", "venv/.installed", programs={"python3.11": fake_python("exit 1")}, EXTRAS="dev")
        assert done.returncode != 0 and os.listdir(tmp_path / "venv") == ["bin"]

    def test_a_finished_installation_has_its_stamp(self, shell, tmp_path):
        programs, index = {"python3.11": fake_python('echo "$@" >> pip.log')}, "https://cpu.example/whl"
        done = shell("install.sh", "venv", "venv/.installed", programs=programs, EXTRAS="train,dev", TORCH="torch==2.9.*", TORCH_INDEX=index)
        assert done.returncode == 0, done.stderr
        assert re.search(r"^installed in \d+ s$", done.stdout, re.M) and (tmp_path / "venv/.installed").exists()
        assert not (tmp_path / "venv/.making").exists()
        first, second = (tmp_path / "pip.log").read_text().splitlines()[:2]
        assert "torch==2.9.*" in first and index in first and "-e .[train,dev]" in second and index not in second

    def test_an_unreachable_index_is_not_the_end(self, shell, tmp_path):
        pip = 'case "$*" in *--extra-index-url*) exit 1;; esac; echo "$@" >> pip.log'
        programs, index = {"python3.11": fake_python(pip)}, "https://cpu.example/whl"
        done = shell("install.sh", "venv", "venv/.installed", programs=programs, EXTRAS="train", TORCH="torch", TORCH_INDEX=index)
        assert done.returncode == 0 and (tmp_path / "pip.log").read_text().splitlines()[0].endswith("install -qq --no-deps torch")


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
class TestMakefile:
    def test_help_is_the_default(self):
        shown = subprocess.run(["make", "-s"], cwd=REPO, capture_output=True, text=True, check=True).stdout
        assert {line.split()[0] for line in shown.splitlines()} >= {"demo", "test", "system", "system-heavy", "lint", "types", "clean", "help"}

    def test_too_little_disk_is_said_in_one_line(self, tmp_path):
        command = ["make", "-s", "install", f"VENV={tmp_path / 'venv'}", "NEED_MB=999999999"]
        done = subprocess.run(command, cwd=REPO, capture_output=True, text=True, env={**os.environ, "MAKEFLAGS": ""})
        first = done.stderr.splitlines()[0]
        assert done.returncode and first.startswith("disk: ") and "999999999 MB needed" in first and not (tmp_path / "venv").exists()
