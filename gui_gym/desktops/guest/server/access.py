"""Who may ask, and how much: an ASGI layer before every route of the guest server."""

from __future__ import annotations

import base64
import binascii
import ipaddress
import logging
import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse

from gui_gym.desktops.guest.server.sessions import DEFAULT
from gui_gym.desktops.guest.wire import MAX_BODY, ROOT, SESSION_HEADER

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

logger = logging.getLogger(__name__)

UPLOADS = ("/setup/upload", f"{ROOT}/write")


class Access:
    """Lets through requests that hold the token, come from no web page, and are not too long.

    Puts the session's name into the scope as "gui_gym.session", and whether our header named it as "gui_gym.by_header".

    The token comes as ``Authorization: Bearer``, or as the password of HTTP Basic, whose user name is then the session's: so
    clients that know nothing of tokens have one in their address. With Bearer the header ``X-Gui-Gym-Session`` names the session.

    A web page that a user of this machine looks at could send requests here, to a name that leads to 127.0.0.1 (DNS
    rebinding) or to the address itself. So the Host must be an IP address, "localhost" or one of ``hosts``, and requests of
    pages are refused.
    """

    def __init__(self, app: Any, token: str | None, hosts: tuple[str, ...] = (), max_upload: int = MAX_BODY):
        self._app, self._token, self._hosts, self._max_upload = app, token, {host.lower() for host in hosts}, max_upload

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        if problem := self._problem(headers, scope):
            status, message = problem
            await self._refuse(scope, receive, send, status, message)
            return
        limit = self._max_upload if scope["path"] in UPLOADS else MAX_BODY
        length = headers.get("content-length", "0")
        if scope["type"] == "websocket":
            await self._app(scope, receive, send)
        elif not length.isdecimal() or int(length) > limit:
            await self._refuse(scope, receive, send, 413, _too_long(limit))
        else:
            await self._bounded(scope, receive, send, limit)

    def _problem(self, headers: Headers, scope: Scope) -> tuple[int, str] | None:
        host = headers.get("host", "")
        if not self._known(host):
            return 403, f"unexpected Host {host!r:.100}: expected an IP address or localhost; gui-gym serve --allow-host NAME allows another"
        if "origin" in headers or headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
            return 403, "requests of web pages are refused"
        session, token = _credentials(headers)
        if self._token is not None and not secrets.compare_digest(token.encode(), self._token.encode()):
            return 401, "wrong or no token: expected the one that gui-gym serve printed, as Authorization: Bearer or as password in the address"
        scope["gui_gym.session"], scope["gui_gym.by_header"] = session or DEFAULT, SESSION_HEADER in headers
        return None

    def _known(self, host: str) -> bool:
        name = host.rpartition(":")[0] if host.rpartition(":")[2].isdecimal() and not host.endswith("]") else host
        name = name.lower().removeprefix("[").removesuffix("]")
        if name == "localhost" or name in self._hosts:
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True

    async def _bounded(self, scope: Scope, receive: Receive, send: Send, limit: int) -> None:
        received = 0

        async def receive_bounded() -> MutableMapping[str, Any]:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > limit:  # its length was not said
                raise HTTPException(413, _too_long(limit), {"Connection": "close"})
            return message

        await self._app(scope, receive_bounded, send)

    async def _refuse(self, scope: Scope, receive: Receive, send: Send, status: int, message: str) -> None:
        logger.info("refused %s: %s", scope["path"], message)
        if scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008, "reason": message[:120]})
            return
        headers = {"Connection": "close"} | ({"WWW-Authenticate": 'Basic realm="gui-gym"'} if status == 401 else {})
        response = JSONResponse({"status": "error", "kind": "request", "message": message, "error": message}, status, headers)
        await response(scope, receive, send)


def _too_long(limit: int) -> str:
    return f"the request is too long: expected at most {limit} bytes"


def _credentials(headers: Headers) -> tuple[str, str]:
    """Session and token of a request, "" for what it does not say."""
    scheme, _, value = headers.get("authorization", "").partition(" ")
    session = headers.get(SESSION_HEADER, "")
    if scheme.lower() == "bearer":
        return session, value.strip()
    if scheme.lower() == "basic":
        try:
            user, _, password = base64.b64decode(value.strip(), validate=True).decode("utf-8").partition(":")
        except (binascii.Error, UnicodeDecodeError):
            return session, ""
        return session or user, password
    return session, ""
