"""Sessions of the guest server: each has a desktop of its own, made when it is first asked for."""

from __future__ import annotations

import asyncio
import logging
import re
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Concatenate, ParamSpec, TypeVar

from gui_gym.desktops.base import Desktop, DesktopError
from gui_gym.tasks.task import Task

P = ParamSpec("P")
T = TypeVar("T")

logger = logging.getLogger(__name__)

DEFAULT = "default"  #: session of requests that name none
BLANK = Task("blank", "serve", "")  #: what a session's desktop is reset to
MAX_WAITING = 32  #: requests that one session may have under way
CLOSE_SECONDS = 1.0  #: longest wait for a session's call before its desktop is closed under it
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")


class NoSessionError(Exception):
    """There is no room for what was asked, or it is called what no session can be called."""


class Session:
    """One desktop and the thread that its calls run in, one after the other: a slow call holds up this session alone."""

    def __init__(self, name: str, make: Callable[[], Desktop]):
        self.name = name
        self.used = time.monotonic()
        self.waiting = 0
        self.recorder: Any = None  #: what records the screen, if something does
        self._make = make
        self._desktop: Desktop | None = None
        self._closed = False
        self._lane = ThreadPoolExecutor(1, thread_name_prefix=f"session-{name}")

    async def do(self, call: Callable[Concatenate[Desktop, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What ``call(desktop, ...)`` returns, once the calls before it are done."""
        return await self._in_lane(lambda: call(self._running(), *args, **kwargs))

    async def reset(self) -> None:
        """A clean desktop, made anew if it had died."""
        await self._in_lane(self._reset)

    async def _in_lane(self, call: Callable[[], T]) -> T:
        if self.waiting >= MAX_WAITING:
            raise NoSessionError(f"the session {self.name!r} has {self.waiting} requests under way already: wait for their answers")
        self.waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._lane, call)
        except (asyncio.CancelledError, RuntimeError):
            if self._closed:
                raise NoSessionError(f"the session {self.name!r} was closed") from None
            raise
        finally:
            self.waiting -= 1
            self.used = time.monotonic()

    def _running(self) -> Desktop:
        if self._desktop is None:
            desktop = self._make()
            try:
                desktop.reset(BLANK, 0)
            except BaseException:  # whatever stopped it, no half-made desktop may live on
                desktop.close()
                raise
            self._desktop = desktop
            if self._closed:  # nobody else will
                desktop.close()
        return self._desktop

    def _reset(self) -> None:
        if self._desktop is None:
            self._running()
            return
        try:
            self._desktop.reset(BLANK, 0)
        except DesktopError as error:
            logger.warning("session %s: %s; its desktop is made anew", self.name, error)
            desktop, self._desktop = self._desktop, None
            desktop.close()
            self._running()

    def close(self) -> None:
        """End its desktop, even while a call is under way."""
        self._closed = True
        if self.recorder is not None:
            self.recorder.close()
        self._lane.shutdown(wait=False, cancel_futures=True)
        ended = threading.Thread(target=self._lane.shutdown, daemon=True)  # a call that is under way may have a moment
        ended.start()
        ended.join(CLOSE_SECONDS)
        if self._desktop is not None:
            try:
                self._desktop.close()
            except DesktopError as error:  # it is given up either way
                logger.warning("session %s: closing its desktop: %s", self.name, error)


class Sessions:
    """The sessions of a server, at most ``limit``; one that was not used for ``idle_seconds`` is closed.

    All methods are for the server's event loop.
    """

    def __init__(self, make: Callable[[], Desktop], limit: int, idle_seconds: float):
        self._make, self._limit, self._idle = make, limit, idle_seconds
        self._open: dict[str, Session] = {}
        self._closing: set[asyncio.Task[None]] = set()

    def get(self, name: str, new: bool = True) -> Session:
        """The session of that name, made if need be and ``new``. Raises :class:`NoSessionError`."""
        if not _NAME.fullmatch(name):
            raise NoSessionError("expected a name of a session of 1 to 64 letters, digits, '_', '.' and '-'")
        if name not in self._open:
            if not new:
                raise NoSessionError(f"the session {name!r} is not there: it was never reset, or closed, as after {self._idle:g} s without use")
            if len(self._open) + len(self._closing) >= self._limit:
                raise NoSessionError(
                    f"all {self._limit} desktops are in use: close one (DELETE /gui-gym/session), or start the server with a larger --max-sessions"
                )
            self._open[name] = Session(name, self._make)
        return self._open[name]

    def names(self) -> list[str]:
        return sorted(self._open)

    async def close(self, name: str) -> bool:
        """End a session; False if there is none of that name."""
        session = self._open.pop(name, None)
        if session is None:
            return False
        task = asyncio.create_task(asyncio.to_thread(session.close))
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)
        await asyncio.shield(task)
        return True

    async def close_idle(self) -> None:
        """End those that nobody has used for long; forever, until cancelled."""
        while True:
            await asyncio.sleep(min(1.0, self._idle))
            late = time.monotonic() - self._idle
            for name in [name for name, session in self._open.items() if not session.waiting and session.used < late]:
                logger.warning("session %s was not used for %g s: its desktop is closed", name, self._idle)
                await self.close(name)

    async def close_all(self) -> None:
        await asyncio.gather(*(self.close(name) for name in self.names()))
        await asyncio.gather(*self._closing)
