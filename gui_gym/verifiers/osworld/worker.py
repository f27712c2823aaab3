"""Runs metrics in processes of their own, so that no file an agent made can end, fill or hang the one that trains.

Each worker runs :func:`main`: it reads a pickled question (from its parent, which it trusts) and
writes a JSON answer (to its parent, which need not trust it), each after a 4-byte big-endian length, until its standard
input ends. It is bounded in memory, and killed when a question takes too long.
"""

from __future__ import annotations

import atexit
import json
import os
import pickle
import select
import struct
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import IO, Any

from gui_gym.verifiers.osworld.safe_files import UnreadableFile

SECONDS = 120.0  #: longest judgement
MEMORY = 6 << 30  #: most bytes of a worker's address space
KEEP = 2  #: workers kept for the next judgement
_MAX_ANSWER = 1 << 20


class MetricError(RuntimeError):
    """A metric that failed: its message begins with the type of the error."""


class Worker:
    """One process. Not for two threads at once."""

    def __init__(self) -> None:
        root = str(Path(__file__).parents[3])
        env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH")])), "OMP_NUM_THREADS": "1"}
        argv = [sys.executable, "-c", "from gui_gym.verifiers.osworld.worker import main; main()"]
        self._process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env, bufsize=0, start_new_session=True)

    def judge(self, name: str, values: list[Any], options: dict[str, Any]) -> float:
        """What the metric ``name`` says; :class:`MetricError` if it fails, takes too long or takes the process with it."""
        question = pickle.dumps((name, values, options))
        try:
            _pipe(self._process.stdin).write(struct.pack(">I", len(question)) + question)
            deadline = time.monotonic() + SECONDS
            size = struct.unpack(">I", self._read(4, deadline))[0]
            answer = json.loads(self._read(min(size, _MAX_ANSWER), deadline))
        except TimeoutError:
            self.close()
            raise MetricError(f"TimeoutError: no verdict within {SECONDS:g} s") from None
        except (OSError, EOFError, ValueError) as error:
            self.close()
            raise MetricError(f"the process that judges ended with status {self._process.returncode}: {error}") from None
        if "unreadable" in answer:
            raise UnreadableFile(*answer["unreadable"])
        if "error" in answer:
            raise MetricError(str(answer["error"]))
        return float(answer["score"])

    def _read(self, size: int, deadline: float) -> bytes:
        stream, data = _pipe(self._process.stdout), b""
        while len(data) < size:
            poll = select.poll()
            poll.register(stream, select.POLLIN | select.POLLHUP)
            if not poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
                raise TimeoutError
            part = stream.read(size - len(data))
            if not part:
                raise EOFError("it closed its output")
            data += part
        return data

    def alive(self) -> bool:
        return self._process.poll() is None

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            _pipe(stream).close()


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    assert stream is not None, "opened by Popen"
    return stream


class Workers:
    """Workers that are free, kept for the next judgement; any number of threads may ask at once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._free: list[Worker] = []

    def judge(self, name: str, values: list[Any], options: dict[str, Any]) -> float:
        """See :meth:`Worker.judge`."""
        with self._lock:
            worker = self._free.pop() if self._free else None
        if worker is not None and not worker.alive():
            worker.close()
            worker = None
        worker = worker or Worker()
        try:
            return worker.judge(name, values, options)
        finally:
            with self._lock:
                keep = worker.alive() and len(self._free) < KEEP
                if keep:
                    self._free.append(worker)
            if not keep and worker.alive():
                worker.close()

    def close(self) -> None:
        """End the free ones."""
        with self._lock:
            free, self._free = self._free, []
        for worker in free:
            worker.close()


_workers = Workers()
atexit.register(lambda: _workers.close())


def _after_fork() -> None:
    global _workers
    _workers = Workers()  # those of the parent stay the parent's


os.register_at_fork(after_in_child=_after_fork)


def judge(name: str, values: list[Any], options: dict[str, Any]) -> float:
    """What OSWorld's metric ``name`` says of ``values`` with ``options``, in [0, 1]; :class:`MetricError` if it fails."""
    return _workers.judge(name, values, options)


def _serve(source: IO[bytes], target: IO[bytes]) -> None:
    from gui_gym.verifiers.osworld.metrics import as_score, load_metric

    while len(header := source.read(4)) == 4:
        name, values, options = pickle.loads(source.read(struct.unpack(">I", header)[0]))
        try:
            answer: dict[str, Any] = {"score": as_score(load_metric(name)(*values, **options))}
        except UnreadableFile as error:
            answer = {"unreadable": [error.path, str(error).partition(": ")[2][:2000]]}
        except Exception as error:  # whatever a metric raises is the answer
            answer = {"error": f"{type(error).__name__}: {error}"[:2000]}
        data = json.dumps(answer).encode()
        target.write(struct.pack(">I", len(data)) + data)
        target.flush()


def main() -> None:
    """Answer questions from standard input until it ends."""
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    target = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints must not pass for an answer
    _serve(sys.stdin.buffer, target)
