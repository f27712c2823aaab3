"""The browser on a desktop, driven from here over its remote debugging port (Chrome DevTools Protocol) with Playwright.

What a page or the browser answers is the desktop's and not to be trusted; every call is bounded in time. Protocol:
https://chromedevtools.github.io/devtools-protocol/.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote, urlsplit

from gui_gym.desktops.base import Desktop, DesktopError
from gui_gym.desktops.relay import Relay, shut

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

T = TypeVar("T")

#: Where OSWorld's tasks put it: ``socat`` on 9222 before the browser on 1337.
PORTS = (9222, 1337)
COMMAND = ["google-chrome", "--remote-debugging-port=1337"]  #: how a browser is started where none runs
START_SECONDS = 30.0  #: longest start of a browser
CLOSE_SECONDS = 20.0  #: longest end of a tab, or of a browser without one
CLOSE_ALL_SECONDS = 60.0  #: longest end of a browser with its tabs: pages can open others as fast
PAGE_SECONDS = 60.0  #: longest load of a page
BROWSER_SECONDS = 120.0  #: longest use of a browser
HANG_SECONDS = 10.0  #: longest end of what uses it, once its connection has ended
STOP_SECONDS = 30.0  #: longest end of what drives it
ANSWER_SECONDS = 10.0  #: longest answer of the HTTP of its debugger
_MAX_ANSWER = 8 << 20


class NoBrowserError(DesktopError):
    """No browser on the desktop offers remote debugging."""


def tabs(desktop: Desktop) -> list[dict[str, str]]:
    """``{"id", "title", "url"}`` of every open tab, the one used last first."""
    port, _ = find_browser(desktop)
    found = _ask(desktop, port, "/json/list")
    if not isinstance(found, list):
        raise DesktopError(f"the desktop's browser listed no tabs but {found!r:.200}")
    pages = [tab for tab in found if isinstance(tab, dict) and tab.get("type") == "page"]
    return [{key: str(tab.get(key, "")) for key in ("id", "title", "url")} for tab in pages]


def close_tab(desktop: Desktop, tab: dict[str, str]) -> None:
    """Close one of :func:`tabs` and wait until it is gone: also one whose page hangs, which Playwright cannot be used with."""
    port, _ = find_browser(desktop)
    _request(desktop, port, f"/json/close/{quote(tab['id'], safe='')}")
    _wait(lambda: tab["id"] not in [other["id"] for other in tabs(desktop)], f"close the tab {tab['url']:.200}")


def close_browser(desktop: Desktop) -> None:
    """Close every tab, and with the last the browser, which writes what it holds to the disk: a signal makes it forget the last 30 s
    of cookies. Nothing is done where no browser can be reached."""
    deadline = time.monotonic() + CLOSE_ALL_SECONDS
    try:
        while time.monotonic() < deadline:
            for tab in tabs(desktop)[:1]:
                close_tab(desktop, tab)
            _wait(lambda: bool(tabs(desktop)), "end once it has no tab")
    except NoBrowserError:
        return
    raise DesktopError(f"the desktop's browser still has tabs after {CLOSE_ALL_SECONDS:g} s of closing them: {tabs(desktop)!r:.200}")


def _wait(done: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + CLOSE_SECONDS
    while not done():
        if time.monotonic() >= deadline:
            raise DesktopError(f"the desktop's browser did not {what} within {CLOSE_SECONDS:g} s")
        time.sleep(0.05)


def find_browser(desktop: Desktop, seconds: float = 0.0) -> tuple[int, str]:
    """``(port, path)`` of the browser's debugger, waiting at most ``seconds`` for it. Raises :class:`NoBrowserError`."""
    deadline = time.monotonic() + seconds
    while True:
        for port in PORTS:
            try:
                return port, _debugger_path(_ask(desktop, port, "/json/version"))
            except NoBrowserError:
                continue
        if time.monotonic() >= deadline:
            ports = " or ".join(map(str, PORTS))
            raise NoBrowserError(f"no browser on the desktop answers on port {ports}: start it with {' '.join(COMMAND)}")
        time.sleep(0.2)


def _debugger_path(version: Any) -> str:
    """The path in the address that a browser gives for its debugger: the host in it is not to be followed."""
    address = version.get("webSocketDebuggerUrl") if isinstance(version, dict) else None
    try:
        path = urlsplit(address).path if isinstance(address, str) else ""
    except ValueError:
        path = ""
    if not path.startswith("/"):
        raise NoBrowserError(f"expected the version of a browser with the address of its debugger, got {version!r:.200}")
    return path


def ensure_browser(desktop: Desktop) -> None:
    """Start a browser unless one can be reached, as where the agent has closed it. Raises :class:`NoBrowserError`."""
    try:
        find_browser(desktop)
    except NoBrowserError:
        desktop.launch(COMMAND)
        find_browser(desktop, START_SECONDS)


def use_browser(desktop: Desktop, use: Callable[[Browser], T], seconds: float = BROWSER_SECONDS) -> T:
    """What ``use`` returns, called with the browser that runs on the desktop (Playwright's ``Browser``), which stays open.

    It is called in a thread of its own, so that this works where an event loop runs. What Playwright raises there, and what
    takes more than ``seconds``, is a :class:`DesktopError`.
    """
    port, path = find_browser(desktop)
    answer: Future[T] = Future()

    def run() -> None:
        try:
            answer.set_result(_use(desktop, port, path, use, seconds))
        except BaseException as error:  # told to the caller, whatever it is
            answer.set_exception(error)

    # a daemon: a driver that does not stop must not keep the interpreter from ending
    threading.Thread(target=run, name="devtools", daemon=True).start()
    if not wait([answer], seconds + STOP_SECONDS).done:
        raise DesktopError(f"the driver of the desktop's browser did not stop {STOP_SECONDS:g} s after its {seconds:g} s were over")
    return answer.result()


def _use(desktop: Desktop, port: int, path: str, use: Callable[[Browser], T], seconds: float) -> T:
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError as error:
        raise ImportError('the browser of a desktop is driven with playwright: pip install "gui-gym[osworld]"') from error

    with Relay(desktop, port, path, seconds) as relay, sync_playwright() as playwright:
        killer = threading.Timer(seconds + HANG_SECONDS, _kill, [drivers()])
        killer.daemon = True
        killer.start()
        try:
            return use(playwright.chromium.connect_over_cdp(relay.address, timeout=1000 * START_SECONDS))
        except Error as error:
            late = f"took more than {seconds:g} s" if relay.expired else "failed"
            raise DesktopError(f"the desktop's browser {late}: {error.message:.500}") from error
        finally:
            killer.cancel()


def drivers() -> list[int]:
    """Process ids of the drivers that this thread has started: its only children. None where the system does not tell."""
    try:
        return [int(pid) for pid in Path(f"/proc/self/task/{threading.get_native_id()}/children").read_text().split()]
    except FileNotFoundError:
        return []


def _kill(pids: list[int]) -> None:
    """End drivers that wait for ever, as one may whose connection ended while a page was being opened."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def open_page(browser: Browser, url: str, seconds: float = PAGE_SECONDS) -> Page:
    """A new tab with ``url`` loaded. A page that goes on loading for ``seconds`` is left as it is; one that cannot be reached raises."""
    from playwright.sync_api import Error
    from playwright.sync_api import TimeoutError as PlaywrightTimeout

    page = browser.contexts[0].new_page()
    page.set_default_timeout(1000 * seconds)
    try:
        page.goto(url)
    except PlaywrightTimeout:
        pass
    except Error:
        page.close()
        raise
    return page


def _ask(desktop: Desktop, port: int, path: str) -> Any:
    """The JSON that the browser's debugger answers. Raises :class:`NoBrowserError`."""
    try:
        return json.loads(_request(desktop, port, path)[2])
    except (ValueError, RecursionError) as error:
        raise NoBrowserError(f"what answers on port {port} of the desktop is no browser: {error}") from error


def ask(desktop: Desktop, port: int, method: str, target: str) -> tuple[int, str, bytes]:
    """Status, type and content of what HTTP on a port of the desktop answers.

    Raises :class:`DesktopError` if it cannot be reached, and OSError, ValueError or http.client.HTTPException if it is not whole within
    :data:`ANSWER_SECONDS`, however it drips in.
    """
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.sock = sock = desktop.connect(port)
    deadline = time.monotonic() + ANSWER_SECONDS
    timer = threading.Timer(ANSWER_SECONDS, shut, (sock,))  # a timeout of the socket bounds each wait, not all of them together
    timer.daemon = True
    timer.start()
    try:
        connection.request(method, target)
        answer = connection.getresponse()
        content = answer.read(_MAX_ANSWER)
        if time.monotonic() >= deadline:
            raise TimeoutError(f"no whole answer within {ANSWER_SECONDS:g} s")
        return answer.status, answer.headers.get_content_type(), content
    finally:
        timer.cancel()
        connection.close()


def _request(desktop: Desktop, port: int, path: str) -> tuple[int, str, bytes]:
    try:
        return ask(desktop, port, "GET", path)
    except (OSError, http.client.HTTPException) as error:
        raise NoBrowserError(f"nothing on port {port} of the desktop answers as a browser: {error}") from error
    except DesktopError as error:
        if not desktop.healthy():
            raise
        raise NoBrowserError(str(error)) from error
