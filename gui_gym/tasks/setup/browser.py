"""Steps that open and close tabs of the desktop's browser, and fill its history."""

from __future__ import annotations

import ipaddress
import sqlite3
import tempfile
import time
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from gui_gym.desktops.base import Desktop, DesktopError, DesktopFileNotFoundError
from gui_gym.desktops.devtools import close_tab, find_browser, open_page, tabs, use_browser
from gui_gym.tasks.fields import Field
from gui_gym.tasks.setup import WINDOW_SECONDS, Stage, Step, expand_home
from gui_gym.tasks.urls import same_url

if TYPE_CHECKING:
    from playwright.sync_api import Browser

#: Folders of the browsers that tasks know, below the home; the first is where ours keeps its profile.
PROFILES = ("~/.config/google-chrome", "~/.config/chromium", "~/snap/chromium/common/chromium")
HISTORY = "Default/History"
EPOCH = 11_644_473_600  #: seconds from Chromium's beginning of time, 1601, to Unix's
#: A visit that began in the address bar, as Chromium's page transitions write it (chain start, chain end, link).
TRANSITION = 0x30000000
LOCAL_SCHEMES = frozenset("about blob chrome chrome-extension data devtools file view-source".split())

URLS = Field("a list of addresses", lambda v: isinstance(v, list) and all(isinstance(url, str) and url for url in v))
VISITS = Field(
    'a list of {"url", "title", "visit_time_from_now_in_seconds"}',
    lambda v: (
        isinstance(v, list)
        and all(
            isinstance(visit, dict)
            and isinstance(visit.get("url"), str)
            and isinstance(visit.get("title"), str)
            and isinstance(visit.get("visit_time_from_now_in_seconds"), (int, float))
            for visit in v
        )
    ),
)


def internet_addresses(urls: Iterable[str]) -> list[str]:
    """Those of ``urls`` that a browser would ask the Internet for."""
    return [url for url in urls if not _is_local(url)]


def _is_local(url: str) -> bool:
    scheme, mark, _ = url.partition(":")
    if scheme.lower() in LOCAL_SCHEMES and mark:
        return True
    try:
        host = urlsplit(url if "://" in url else f"http://{url}").hostname or ""
    except ValueError:
        return False
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _open_tabs(stage: Stage, parameters: Mapping[str, Any]) -> None:
    urls = parameters["urls_to_open"]

    def open_all(browser: Browser) -> None:
        before = browser.contexts[0].pages
        for index, url in enumerate(urls):
            open_page(browser, url)
            if index == 0:
                for page in before[:1]:  # the empty tab that a browser starts with
                    page.close()

    find_browser(stage.desktop, WINDOW_SECONDS)
    if urls:
        use_browser(stage.desktop, open_all, 60.0 * (1 + len(urls)))


def _close_tabs(stage: Stage, parameters: Mapping[str, Any]) -> None:
    find_browser(stage.desktop, WINDOW_SECONDS)
    for url in parameters["urls_to_close"]:
        for tab in tabs(stage.desktop):
            if same_url(tab["url"], url):
                close_tab(stage.desktop, tab)
                break


def _update_history(stage: Stage, parameters: Mapping[str, Any]) -> None:
    """Add visits to the history of a browser that does not run: to its own database, where OSWorld puts one of an older browser."""
    path = expand_home(stage.desktop, [f"{PROFILES[0]}/{HISTORY}"])[0]
    database = _own_history(stage.desktop, path)
    with tempfile.TemporaryDirectory(prefix="gui-gym-history-") as folder:
        file = Path(folder, "History")
        file.write_bytes(database)
        with closing(sqlite3.connect(file)) as connection, connection:
            for visit in sorted(parameters["history"], key=lambda visit: -visit["visit_time_from_now_in_seconds"]):
                _add_visit(connection, visit)
        stage.desktop.write_file(path, file.read_bytes())


def _add_visit(connection: sqlite3.Connection, visit: Mapping[str, Any]) -> None:
    """Add a visit that is later than those before it. A page has one row however often it was visited: what deletes pages relies on it."""
    moment = int((time.time() + EPOCH - visit["visit_time_from_now_in_seconds"]) * 1_000_000)
    found = connection.execute("SELECT id FROM urls WHERE url = ?", (visit["url"],)).fetchone()
    if found is None:
        new = "INSERT INTO urls (url, title, visit_count, typed_count, last_visit_time, hidden) VALUES (?, ?, 0, 0, 0, 0)"
        found = (connection.execute(new, (visit["url"], visit["title"])).lastrowid,)
    connection.execute(
        "UPDATE urls SET title = ?, visit_count = visit_count + 1, last_visit_time = max(last_visit_time, ?) WHERE id = ?",
        (visit["title"], moment, *found),
    )
    connection.execute(
        "INSERT INTO visits (url, visit_time, from_visit, transition, segment_id, visit_duration) VALUES (?, ?, 0, ?, 0, 0)",
        (*found, moment, TRANSITION),
    )


#: Runs the browser without a window until the file "$1" is there, and lets it end as it should.
_FIRST_RUN = 'google-chrome --no-startup-window & for _ in $(seq 200); do [ -s "$1" ] && break; sleep 0.1; done; kill $!; wait'


def _own_history(desktop: Desktop, path: str) -> bytes:
    """The database of the browser's history, which a first run makes where there is none."""
    try:
        return desktop.read_file(path)
    except DesktopFileNotFoundError:
        done = desktop.run(["bash", "-c", _FIRST_RUN, "bash", path], timeout=WINDOW_SECONDS)
    try:
        return desktop.read_file(path)
    except DesktopFileNotFoundError as error:
        raise DesktopError(f"the browser made no history (exit status {done.returncode}): {done.stderr[-300:]!r}") from error


chrome_open_tabs = Step(_open_tabs, {"urls_to_open": URLS}, needs=("playwright",), addresses=lambda p: internet_addresses(p["urls_to_open"]))
chrome_close_tabs = Step(_close_tabs, {"urls_to_close": URLS}, needs=("publicsuffixlist",))
update_browse_history = Step(_update_history, {"history": VISITS})
