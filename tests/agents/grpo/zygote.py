"""Runs of ``gui-agents`` as processes of their own that can be killed, forked from one that has everything imported already."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


class Zygote:
    """Starts one run after another. Each is a real process with a session of its own; only Python's imports are not repeated."""

    def __init__(self) -> None:
        env = {**os.environ, "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join([str(HERE.parents[2]), str(HERE)])}
        pipe = subprocess.PIPE
        self.process = subprocess.Popen([sys.executable, "-m", "zygote"], stdin=pipe, stdout=pipe, text=True, env=env, cwd=HERE)

    def start(self, argv: list[str], **job: Any) -> int:
        """Begin ``gui-agents argv`` and return its process id. ``job``: see :func:`kill_points.prepare`."""
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(json.dumps({"argv": argv, **job}) + "\n")
        self.process.stdin.flush()
        self.pid = int(self.process.stdout.readline())
        return self.pid

    def wait(self) -> tuple[int, str]:
        """Exit status of the run, negative for a signal as in :mod:`subprocess`, and what it wrote to standard error and output.

        Fails the test where a process of the run is left.
        """
        assert self.process.stdout
        status, text = json.loads(self.process.stdout.readline())
        wait_until(lambda: not processes_of(self.pid), f"processes of the run to end, which left {processes_of(self.pid)}")
        return status, text

    def run(self, argv: list[str], **job: Any) -> tuple[int, str]:
        self.start(argv, **job)
        return self.wait()

    def close(self) -> None:
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait(30)


def processes_of(session: int) -> list[str]:
    """Command lines of the processes of a session."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            fields = (path / "stat").read_text().rsplit(")", 1)[1].split()
            if int(fields[3]) == session and fields[0] != "Z":
                found.append((path / "cmdline").read_text().replace("\0", " "))
        except OSError:  # it ended meanwhile
            continue
    return found


def wait_until(condition: Callable[[], bool], what: str, seconds: float = 30.0) -> None:
    """Poll; fails the test where ``condition()`` does not come true."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"waited {seconds:.0f} s for {what}"
        time.sleep(0.02)


def main() -> None:
    import tempfile

    import kill_points
    import peft  # noqa: F401
    import torch
    import transformers.models.idefics3.modeling_idefics3  # noqa: F401
    import tyro  # noqa: F401

    import agents.cli.parse
    import agents.grpo.trainer  # noqa: F401

    torch.set_num_threads(1)
    with tempfile.TemporaryFile("w+") as output:
        for line in sys.stdin:
            job = json.loads(line)
            output.seek(0)
            output.truncate()
            pid = os.fork()
            if pid == 0:
                os.setsid()
                null = os.open(os.devnull, os.O_RDONLY)
                for descriptor, source in ((0, null), (1, output.fileno()), (2, output.fileno())):
                    os.dup2(source, descriptor)
                signal.signal(signal.SIGINT, signal.default_int_handler)
                os._exit(kill_points.run(job))
            print(pid, flush=True)
            _, status = os.waitpid(pid, 0)
            output.seek(0)
            print(json.dumps([os.waitstatus_to_exitcode(status), output.read()]), flush=True)


if __name__ == "__main__":
    main()
    os._exit(0)  # to take all that was imported apart would take seconds
