"""Closes desktops that were dropped without ``close()``, in a thread of its own.

The garbage collector runs a finaliser anywhere: in a thread that is just being started, or that holds a lock. So a finaliser here only
puts what is to be done into a queue whose ``put`` never waits and may interrupt itself (``queue.SimpleQueue``).
"""

from __future__ import annotations

import logging
import os
import queue
import threading
from collections.abc import Callable

logger = logging.getLogger(__name__)

_queue: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
_closer: threading.Thread | None = None
_starting = threading.Lock()


def watch() -> int:
    """What a desktop calls when it is made, never in a finaliser: starts the thread. Gives what :func:`close_later` asks for."""
    global _closer
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
        try:
            close()
        except Exception:  # whatever it was, the next one is closed too
            logger.exception("a desktop that was dropped without close() could not be closed")
        del close  # the desktop goes now, and not when the next one comes


def _forget() -> None:
    """A forked child has not the thread, and the locks are as they were."""
    global _queue, _closer, _starting
    _queue, _closer, _starting = queue.SimpleQueue(), None, threading.Lock()


os.register_at_fork(after_in_child=_forget)
