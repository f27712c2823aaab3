"""HTTP connections of the guest server: so many, and none that is held open without a request."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

logger = logging.getLogger(__name__)

MAX_CONNECTIONS = 256  #: at a time: whoever can connect, token or not, must not use up the files that desktops need
HEAD_SECONDS = 30  #: longest wait for the head of a request, from the connection or the last answer on; longer than our client keeps one idle


class BoundedProtocol(H11Protocol):
    """uvicorn's protocol, which by itself waits without end for a request that is never finished."""

    _late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        if len(self.connections) > MAX_CONNECTIONS:
            logger.warning("a connection was refused: there are %d already", MAX_CONNECTIONS)
            transport.abort()
            return
        self._wait_for_head()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._late is not None:
            self._late.cancel()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        self._wait_for_head()
        super().on_response_complete()

    def _wait_for_head(self) -> None:
        if self._late is not None:
            self._late.cancel()
        self._late = self.loop.call_later(HEAD_SECONDS, self._end_if_idle)

    def _end_if_idle(self) -> None:
        idle = self.cycle is None or self.cycle.response_complete
        if idle and self.transport.get_protocol() is self:  # a WebSocket has another
            self.transport.abort()
