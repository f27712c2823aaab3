"""What runs in the child of a zygote: ``gui-agents``, with places where it dies or a signal comes at exactly that moment."""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import signal
import sys
from pathlib import Path
from typing import Any

import torch

from agents.rewards import REWARDS

if "brevity" not in REWARDS:  # differs between the episodes of an untrained model
    REWARDS.register("brevity", lambda episode: -sum(len(turn.completion_ids) + turn.completion_ids[0] / 1000 for turn in episode.turns))


def points() -> dict[str, tuple[Any, str]]:
    """Calls before, after and in the middle of which a run can be stopped, by the name tests give them."""
    from agents import durable, logs
    from agents.adapters import Trainable
    from agents.engines.transformers_engine import TransformersEngine
    from agents.grpo import trainer
    from agents.optimiser import Optimiser

    return {
        "generate": (TransformersEngine, "generate"),
        "optimiser": (Optimiser, "step"),
        "log": (logs.RunLog, "write"),
        "weights": (Trainable, "save"),
        "state": (torch, "save"),
        "sums": (durable, "write_sums"),
        "sync": (durable, "sync"),
        "exchange": (durable, "_exchange"),
        "rename": (Path, "rename"),
        "remove": (shutil, "rmtree"),
        "truncate": (os, "truncate"),
        "episode": (trainer, "save_episode"),
    }


def run(job: dict[str, Any]) -> int:
    """``job``: ``argv`` of ``gui-agents``, and what :func:`prepare` or :func:`without_room` takes."""
    others = {name: value for name, value in job.items() if name != "argv"}
    if "disk" in job:
        return without_room(job["argv"], **others)
    prepare(**others)
    return gui_agents(job["argv"])


def gui_agents(argv: list[str]) -> int:
    from agents.cli import main

    status = 70  # an error that gui-agents does not expect
    try:
        status = main(argv)
    except SystemExit as stop:
        status = int(stop.code or 0)
    except BaseException:
        import traceback

        traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    return status


def prepare(at: int | None = None, only: str | None = None, signals: list[str] | None = None, counts: str | None = None, group: bool = False) -> None:
    """Arrange what is to go wrong.

    Args:
        at: at the so-many-th of the calls in :func:`points` (from 1) the process is sent ``signals``: an odd one before it is made or, where
            it writes, with half of it written; an even one after.
        only: count calls of this name alone.
        signals: names, sent to itself one after the other.
        group: send them to all processes of the run.
        counts: file for the names of all counted calls, in order.
    """
    seen: list[str] = []
    names = [getattr(signal, name) for name in signals or ["SIGKILL"]]

    def send() -> None:
        for number in names:
            (os.killpg if group else os.kill)(os.getpid(), number)

    def watch(name: str, owner: Any, attribute: str) -> None:
        original = getattr(owner, attribute)

        def call(*args: Any, **kwargs: Any) -> Any:
            if only not in (None, name):
                return original(*args, **kwargs)
            seen.append(name)
            if counts:
                Path(counts).write_text(json.dumps(seen))
            before, after = len(seen) == at and len(seen) % 2 == 1, len(seen) == at and len(seen) % 2 == 0
            if before:
                if name == "log" and signal.SIGKILL in names:
                    args[0]._file.write('{"kind": "tr')
                    args[0]._file.flush()
                if name == "state" and signal.SIGKILL in names:
                    Path(args[1]).write_bytes(b"PK\x03\x04 half of a file")
                send()
            result = original(*args, **kwargs)
            if after:
                send()
            return result

        setattr(owner, attribute, call)

    for name, (owner, attribute) in points().items():
        watch(name, owner, attribute)


NO_NAMESPACE = 71  #: exit status where a process may not have a disk of its own


def without_room(argv: list[str], disk: str, kilobytes: int, again: list[str], copy: str) -> int:
    """Run with the folder ``disk`` on a disk of that size, seen by this process alone; then with more room ``again``, or anew where there is nothing
    to resume; then copy what there is to ``copy``. Prints the first run's status.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    uid, gid = os.getuid(), os.getgid()

    def mount(size: int, flags: int) -> bool:
        return bool(libc.mount(b"tmpfs", os.fsencode(disk), b"tmpfs", flags, f"size={size}k".encode()) == 0)

    if libc.unshare(0x10000000 | 0x00020000) != 0:  # CLONE_NEWUSER | CLONE_NEWNS
        return NO_NAMESPACE
    for name, text in (("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"), ("gid_map", f"{gid} {gid} 1")):
        Path(f"/proc/self/{name}").write_text(text)
    if not mount(kilobytes, 0):
        return NO_NAMESPACE
    print(f"first: {gui_agents(argv)}", flush=True)
    assert mount(2**20, 32)  # MS_REMOUNT
    status = gui_agents(again if list(Path(disk).glob("run/checkpoints/step-*")) else argv)
    shutil.copytree(Path(disk) / "run", copy)
    return status
