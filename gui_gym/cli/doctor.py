"""``gui-gym doctor``: what this machine can run, found out by trying, and the command for what is missing."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass

import gymnasium as gym

from gui_gym.cli.output import print_json, print_table
from gui_gym.desktops.x11 import sandbox

#: The extras that bring something of their own, and what is to be said where one is missing.
EXTRAS = {
    "x11": "",
    "guest": "",
    "serve": "",
    "osworld": "",
    "train": "",
    "sb3": "",
    "qwen": "",
    "qlora": "",
    "wandb": "",
    "trackio": "",
    "vllm": "",
    "harbor": "needs Python 3.12",
    "ray": "",
}

#: Applications some tasks use, and their Debian packages.
APPLICATIONS = {
    **{name: name for name in "mousepad l3afpad libreoffice gimp chromium thunderbird vlc mpv gnome-terminal nautilus gedit evince eog".split()},
    **{name: name for name in "pulseaudio socat wmctrl xdotool bc jq xsel zip unzip expect ffmpeg".split()},
    "gsettings": "libglib2.0-bin",
    "xdg-open": "xdg-utils",
    "pactl": "pulseaudio-utils",
    "sar": "sysstat",
    "tesseract": "tesseract-ocr",
}

#: Free disk below which doctor complains, in MB: a virtual environment with torch for the CPU and some runs.
DISK_MB = 4000


@dataclass(frozen=True)
class Check:
    """One finding: ``fix`` is the exact command for what is missing, "" where there is nothing to do."""

    name: str
    ok: bool
    detail: str
    fix: str = ""


@dataclass
class Doctor:
    """Say what this machine can run, and the exact command for what is missing. Exit status 1 if the base cannot run."""

    json: bool = False
    """Print a JSON list of {name, ok, detail, fix} instead of a table."""

    def run(self) -> int:
        checks = list(examine())
        if self.json:
            print_json([asdict(check) for check in checks])
        else:
            print_table([asdict(check) for check in checks], ("name", "ok", "detail"))
            fixes = [check for check in checks if check.fix]
            if fixes:
                print("\nTo add what is missing:")
            for check in fixes:
                print(f"  {check.name + ':':<14}{check.fix}")
        return 0 if all(check.ok for check in checks if check.name in ("python", "sim")) else 1


def examine() -> Iterator[Check]:
    """All findings, from the base to the optional."""
    yield Check("python", sys.version_info >= (3, 11), f"{platform.python_version()} on {platform.platform()}")
    yield _sim()
    yield _sandbox()
    yield _applications()
    yield from map(_extra, EXTRAS)
    yield _gpu()
    free = shutil.disk_usage(os.getcwd()).free // 2**20
    yield Check("disk", free >= DISK_MB, f"{free} MB free here; {DISK_MB} MB are enough to install and train the small model")


def _apt(*packages: str) -> str:
    return f"{'' if os.geteuid() == 0 else 'sudo '}apt-get install -y --no-install-recommends {' '.join(packages)}"


def _sim() -> Check:
    try:
        env = gym.make("gui_gym:GuiDesktop-v0")
        env.reset(seed=0)
        env.close()
    except Exception as error:  # whatever it is, it is the finding
        return Check("sim", False, f"{type(error).__name__}: {error}", "pip install --force-reinstall gui-gym")
    return Check("sim", True, "the simulated desktop starts")


def _sandbox() -> Check:
    report = sandbox.probe()
    return Check("x11 sandbox", report.ok, report.reason, report.fix)


def _applications() -> Check:
    missing = [package for program, package in APPLICATIONS.items() if shutil.which(program) is None]
    found = [program for program in APPLICATIONS if shutil.which(program)]
    detail = "; ".join(filter(None, (f"found {', '.join(found)}" if found else "", f"missing {', '.join(missing)}" if missing else "")))
    return Check("applications", not missing, detail, _apt(*missing) if missing else "")


def distributions(extra: str) -> list[str]:
    """Names of the distributions that ``gui-gym[extra]`` asks for besides the base."""
    needs = [need.split(";") for need in importlib.metadata.requires("gui-gym") or [] if not need.startswith("gui-gym")]
    return [re.split(r"[^\w.-]", need)[0] for need, *marker in needs if re.search(rf"extra == ['\"]{extra}['\"]", "".join(marker))]


def _extra(extra: str) -> Check:
    found, missing = [], []
    for name in distributions(extra):
        try:
            found.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            missing.append(name)
    if not missing:
        return Check(extra, True, ", ".join(found))
    note = f" ({EXTRAS[extra]})" if EXTRAS[extra] else ""
    return Check(extra, False, f"missing {', '.join(missing)}{note}", f'pip install "gui-gym[{extra}]"')


def _gpu() -> Check:
    query = ["nvidia-smi", "--query-gpu=name,memory.total", "--format=csv,noheader"]
    try:
        names = subprocess.run(query, capture_output=True, text=True, timeout=20, check=True).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return Check("gpu", False, "none found; the small model trains on the CPU")
    return Check("gpu", True, "; ".join(names.splitlines()))
