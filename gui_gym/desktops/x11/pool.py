"""Spares: desktops that are started ahead in the background, so that a reset is a swap.

One pool for the process, shared by all its desktops. Each of them asks for a number of spares and there are never more than all
ask for together. A desktop that was given the same setup twice in a row gets spares that have run it (and, of two or more, one that
has not); any other gets blank ones. A spare is used once; what goes wrong with it is reported by the reset that asks for it, which
starts a desktop itself.
"""

from __future__ import annotations

import atexit
import json
import logging
import os
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from gui_gym.desktops.x11.running import Running
from gui_gym.tasks.task import Task

logger = logging.getLogger(__name__)

MAX_AGE = 900.0  #: seconds after which a spare that has run a setup is not used: its programs have clocks and timers
WORKERS = 2  #: spares started at a time
_CLOSE_SECONDS = 10.0  # longest wait for what is still being started when a desktop closes

Kind = tuple[int, int, bool]  #: width, height, and whether without a sandbox
Prepare = Callable[[Running, Task], None]  #: runs a task's setup and waits until the screen has settled


def setup_key(task: Task) -> str:
    """What the start of ``task`` depends on, as text: "" where it is a blank desktop."""
    return json.dumps([task.suite, task.id, task.setup, task.params], sort_keys=True, default=dict) if task.setup else ""


@dataclass(eq=False)
class Spare:
    """A desktop that is, or will be, started ahead, with the setup of ``task`` done."""

    kind: Kind
    task: Task
    running: Running | None = None
    error: BaseException | None = None
    dropped: bool = False  #: whether nobody wants it any more
    ended: threading.Event = field(default_factory=threading.Event)  #: set once it is ready, has failed or was dropped

    def __post_init__(self) -> None:
        self.key = setup_key(self.task)

    def make(self, prepare: Prepare) -> None:
        """Start it; called once, in the background."""
        try:
            self.running = Running(*self.kind)
            if not self.dropped:  # from here on, dropping it stops it
                self.running.start()
                prepare(self.running, self.task)
        except BaseException as error:  # whatever it was, the reset that asks for this spare reports it
            self.error = error
        if (self.error or self.dropped) and self.running:
            self.running.close()
        self.ended.set()

    def drop(self) -> None:
        self.dropped = True
        if self.running:
            self.running.stop()


@dataclass
class _Wish:
    """What one desktop asks for."""

    kind: Kind
    spares: int
    task: Task
    repeated: bool  # whether it was given this setup twice in a row

    def spare_tasks(self) -> list[Task]:
        blank = Task("blank", "", "")
        with_setup = 0 if not self.repeated else self.spares if self.spares < 2 else self.spares - 1
        return [self.task] * with_setup + [blank] * (self.spares - with_setup)


class Pool:
    """See the module. Desktops are told apart by a token of their own; all methods may be called from any thread."""

    def __init__(self) -> None:
        self._lock = threading.RLock()  # of one thread: what drops a spare also ends it
        self._wishes: dict[object, _Wish] = {}
        self._spares: list[Spare] = []  # waiting to be started, being started, or ready
        self._queue: deque[Spare] = deque()  # those waiting to be started
        self._making: list[Spare] = []  # those being started, wanted or not
        self._endings: list[threading.Thread] = []
        self._workers = 0

    def take(self, token: object, kind: Kind, task: Task, spares: int) -> tuple[Running | None, bool]:
        """A spare for ``task``, or None, and whether it has run the task's setup. One that is being started is waited for."""
        key = setup_key(task)
        with self._lock:
            before = self._wishes.get(token)
            repeated = before is not None and bool(key) and setup_key(before.task) == key
            self._wishes[token] = _Wish(kind, spares, task, repeated)
        while (spare := self._choose(kind, key)) is not None:
            spare.ended.wait()
            running = spare.running
            if spare.error is not None or running is None:
                logger.warning("a spare x11 desktop did not start: %s: %s", type(spare.error).__name__, spare.error)
            elif spare.key and time.monotonic() - running.born > MAX_AGE:
                self.end(running)
            elif not running.healthy():
                logger.warning("a spare x11 desktop is not well any more: it is thrown away")
                self.end(running)
            else:
                return running, spare.key == key
        return None, False

    def _choose(self, kind: Kind, key: str) -> Spare | None:
        """Take the best one out: ready, or being started, with the setup done; else ready or being started and blank."""

        def rank(spare: Spare) -> tuple[bool, bool]:
            return spare.key != key, not spare.ended.is_set()

        with self._lock:
            fit = [spare for spare in self._spares if spare.kind == kind and spare.key in (key, "") and spare not in self._queue]
            if not fit:
                return None
            best = min(fit, key=rank)
            self._spares.remove(best)
            return best

    def refill(self, prepare: Prepare) -> None:
        """Start in the background what is missing, and end what nobody asks for any more."""
        with self._lock:
            missing = self._drop_surplus()
            for kind, task in missing:
                spare = Spare(kind, task)
                self._spares.append(spare)
                self._queue.append(spare)
            while self._workers < min(WORKERS, len(self._queue)):
                self._workers += 1
                # a daemon: a program that ends does not wait for it
                threading.Thread(target=self._work, args=(prepare,), name="gui-gym-spares", daemon=True).start()

    def wait(self, seconds: float) -> bool:
        """Whether all spares that are asked for came to be ready within ``seconds``."""
        deadline = time.monotonic() + seconds
        return all(spare.ended.wait(max(0.0, deadline - time.monotonic())) and not spare.error for spare in list(self._spares))

    def _drop_surplus(self) -> list[tuple[Kind, Task]]:
        """Drop the spares that no desktop asks for; what is asked for and not there."""
        wanted = [(wish.kind, task) for wish in list(self._wishes.values()) for task in wish.spare_tasks()]
        for spare in sorted(self._spares, key=lambda spare: not spare.ended.is_set()):  # rather keep those that are ready
            match = next((i for i, (kind, task) in enumerate(wanted) if kind == spare.kind and setup_key(task) == spare.key), None)
            if match is not None and not (spare.ended.is_set() and spare.error):
                wanted.pop(match)
                continue
            self._spares.remove(spare)
            if spare in self._queue:
                self._queue.remove(spare)
            elif not spare.ended.is_set():
                spare.drop()
            elif spare.running and not spare.error:
                self.end(spare.running)
        return wanted

    def _work(self, prepare: Prepare) -> None:
        while True:
            with self._lock:
                if not self._queue:
                    self._workers -= 1
                    return
                spare = self._queue.popleft()
                self._making.append(spare)
            spare.make(prepare)
            with self._lock:
                self._making.remove(spare)

    def end(self, running: Running) -> None:
        """Close a desktop in the background."""
        thread = threading.Thread(target=running.close, name="gui-gym-ending", daemon=True)
        with self._lock:
            self._endings = [other for other in self._endings if other.is_alive()]
            self._endings.append(thread)
            thread.start()

    def leave(self, token: object, wait: bool = True) -> None:
        """``token``'s desktop closes. The spares that only it asked for end, which is waited for unless ``wait`` is False."""
        with self._lock:
            if self._wishes.pop(token, None) is None:
                return
            self._drop_surplus()
            making, endings = [spare for spare in self._making if spare.dropped], list(self._endings)
        deadline = time.monotonic() + (_CLOSE_SECONDS if wait else 0.0)
        for spare in making:
            spare.ended.wait(max(0.0, deadline - time.monotonic()))
        for thread in endings:
            thread.join(max(0.0, deadline - time.monotonic()))

    def close(self) -> None:
        """All desktops leave."""
        for token in list(self._wishes):
            self.leave(token)


_pool = Pool()


def pool() -> Pool:
    """The pool of this process."""
    return _pool


def _forget() -> None:
    """What a forked child inherited belongs to its parent."""
    global _pool
    _pool = Pool()


os.register_at_fork(after_in_child=_forget)
atexit.register(lambda: _pool.close())
