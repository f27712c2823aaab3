"""A guest server in this process, for tests of both ends."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from gui_gym.desktops import Desktop

TOKEN = "a-token-of-tests-0123456789"


@contextmanager
def serving(app: Any) -> Iterator[str]:
    """The address of a server of an ASGI ``app`` that runs in a thread."""
    from gui_gym.desktops.guest.server.app import listen, make_server

    listener = listen("127.0.0.1", 0)
    server = make_server(app)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
        listener.close()


@contextmanager
def guest_server(make: Callable[[], Desktop], **options: Any) -> Iterator[str]:
    """The address of a guest server with desktops that ``make`` makes."""
    from gui_gym.desktops.guest.server.app import guest_app

    desktop = make()
    about = {"desktop": desktop.kind, **{name: getattr(desktop, name) for name in ("width", "height", "real", "network")}}
    desktop.close()
    settings = {"token": TOKEN, "max_sessions": 3, "idle_seconds": 600.0, "max_upload": 4 << 20, **options}
    with serving(guest_app(make, about, **settings)) as address:
        yield address
