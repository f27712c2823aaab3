"""An OpenAI-compatible server on 127.0.0.1 that fails in the ways such servers do."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

#: What a server may do instead of answering.
FAILURES = ("429", "500", "truncated", "invalid", "empty", "nothing", "cut")


class EndpointStub:
    """Answers with ``answer(request)``, after one failure for each name in ``failures``, in order.

    ``requests`` are the bodies it got, ``tokens`` the authorization headers, ``most`` how many it worked on at once.
    """

    def __init__(self, answer: Callable[[dict[str, Any]], str], failures: tuple[str, ...] = ()):
        self.answer, self.failures = answer, list(failures)
        self.requests: list[dict[str, Any]] = []
        self.tokens: list[str | None] = []
        self.most = self._now = 0
        self._lock = threading.Lock()
        stub = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                stub._serve(self)

            def log_message(self, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.handle_error = lambda *_: None  # type: ignore[method-assign]  # a client that hung up is no news
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _serve(self, handler: BaseHTTPRequestHandler) -> None:
        body = json.loads(handler.rfile.read(int(handler.headers["Content-Length"])))
        with self._lock:
            self.requests.append(body)
            self.tokens.append(handler.headers.get("Authorization"))
            self._now += 1
            self.most = max(self.most, self._now)
            failure = self.failures.pop(0) if self.failures else ""
        try:
            self._reply(handler, body, failure)
        finally:
            with self._lock:
                self._now -= 1

    def _reply(self, handler: BaseHTTPRequestHandler, body: dict[str, Any], failure: str) -> None:
        content = "" if failure == "empty" else self.answer(body)
        choice = {"message": {"role": "assistant", "content": content}, "finish_reason": "length" if failure == "cut" else "stop"}
        reply = json.dumps({"choices": [choice], "usage": {"prompt_tokens": 100, "completion_tokens": 10}}).encode()
        if failure == "invalid":
            reply = b"<html>busy</html>"
        elif failure == "nothing":
            reply = b'{"choices": []}'
        handler.send_response(int(failure) if failure.isdigit() else 200)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(reply) + (5 if failure == "truncated" else 0)))
        if failure == "429":
            handler.send_header("Retry-After", "0")
        handler.end_headers()
        handler.wfile.write(reply)
        handler.close_connection = True
