"""Closes desktops that were dropped without ``close()``, in a thread of its own, and guests that are still open when Python ends.

The garbage collector runs a finaliser anywhere: in a thread that is just being started, or that holds a lock. So a finaliser here only
puts what is to be done into a queue whose ``put`` never waits and may interrupt itself (``queue.SimpleQueue``).
"""

from __future__ import annotations

import atexit
import logging
import os
import queue
import threading
import weakref
from collections.abc import Callable
from typing import Protocol

logger = logging.getLogger(__name__)

EXIT_SECONDS = 10.0  #: longest wait, when Python ends, for what was dropped before


class Closes(Protocol):
    """What has a ``close()`` that may be called twice."""

    def close(self) -> None: ...


_queue: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
_closer: threading.Thread | None = None
_starting = threading.Lock()
_outliving: weakref.WeakSet[Closes] = weakref.WeakSet()


def watch(outlives: Closes | None = None) -> int:
    """What a desktop calls when it is made, never in a finaliser: starts the thread. Gives what :func:`close_later` asks for.

    Args:
        outlives: the desktop, if what it holds would outlive this process, as a session on a server does: it is closed when Python ends.
    """
    global _closer
    if outlives is not None:
        _outliving.add(outlives)
    with _starting:
        if _closer is None:
            _closer = threading.Thread(target=_close_all, args=(_queue,), name="gui-gym-dropped", daemon=True)
            _closer.start()
    return os.getpid()


def close_later(close: Callable[[], None], watched: int) -> None:
    """What a finaliser calls: ``close`` is called soon, by another thread. In a forked child, whose parent goes on with the desktop, nothing is."""
    if os.getpid() == watched:
        _queue.put(close)


def _close_all(waiting: queue.SimpleQueue[Callable[[], None]]) -> None:
    while True:
        close = waiting.get()
        _close(close)
        del close  # the desktop goes now, and not when the next one comes


def _close(close: Callable[[], None]) -> None:
    try:
        close()
    except Exception:  # whatever it was, the next one is closed too
        logger.exception("a desktop that was dropped without close() could not be closed")


def _close_rest() -> None:
    """Now and not in finalisers: those run when no thread does any more, and what needs one would wait for ever."""
    for desktop in list(_outliving):
        _close(desktop.close)
    if _closer is not None:
        dropped_closed = threading.Event()
        _queue.put(dropped_closed.set)
        dropped_closed.wait(EXIT_SECONDS)


def _forget() -> None:
    """A forked child has not the thread, and the locks are as they were; the desktops are its parent's."""
    global _queue, _closer, _starting, _outliving
    _queue, _closer, _starting, _outliving = queue.SimpleQueue(), None, threading.Lock(), weakref.WeakSet()


os.register_at_fork(after_in_child=_forget)
atexit.register(_close_rest)
