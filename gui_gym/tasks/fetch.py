"""Fills the content cache of OSWorld's tasks from the addresses that they name. The one part that downloads."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from gui_gym.tasks.content_cache import cache_folder, step_urls
from gui_gym.tasks.task import Task
from gui_gym.verifiers.osworld import evaluator_urls

MAX_BYTES = 1 << 30  #: of one file
TIMEOUT = 60.0  #: seconds without an answer
TRIES = 3
_CHUNK = 1 << 20


@dataclass(frozen=True)
class Fetched:
    """What became of one address: ``state`` is "there" (it was in the cache), "fetched", "missing" (not asked for yet), or "failed" with
    the ``reason``."""

    url: str
    state: str
    bytes: int = 0
    reason: str = ""

    def as_dict(self) -> dict[str, Any]:
        """As JSON data."""
        return asdict(self)


class FetchError(RuntimeError):
    """An address that did not give its file."""


def wanted(tasks: Iterable[Task]) -> dict[str, list[Path]]:
    """The addresses that ``tasks`` name, and where in the content cache each one's file belongs."""
    found: dict[str, list[Path]] = {}
    for task in tasks:
        for url, name in [*step_urls(task.setup), *evaluator_urls(task)]:
            target = cache_folder(task) / name
            if target not in found.setdefault(url, []):
                found[url].append(target)
    return found


def fetch(addresses: dict[str, list[Path]], max_bytes: int = MAX_BYTES) -> Iterator[Fetched]:
    """Put the file of each address where it belongs, each downloaded once; what is there already is kept.

    Args:
        addresses: as :func:`wanted` gives them; only http and https.
        max_bytes: a larger file is given up.
    """
    try:
        import httpx
    except ModuleNotFoundError as error:
        raise ImportError('downloading needs httpx: pip install "gui-gym[osworld]"') from error
    with httpx.Client(follow_redirects=True, timeout=TIMEOUT, max_redirects=5) as client:
        for url, targets in addresses.items():
            there = next((target for target in targets if target.is_file()), None)
            try:
                if there is None:
                    there = targets[0]
                    _download(client, url, there, max_bytes)
                    state = "fetched"
                else:
                    state = "there"
                for target in targets:
                    if not target.is_file():
                        _place(there, target)
            except (FetchError, OSError, httpx.HTTPError, httpx.InvalidURL) as error:
                yield Fetched(url, "failed", reason=f"{type(error).__name__}: {error}" if str(error) else type(error).__name__)
                continue
            yield Fetched(url, state, there.stat().st_size)


def _download(client: Any, url: str, target: Path, max_bytes: int) -> None:
    import httpx

    if not url.startswith(("http://", "https://")):
        raise FetchError("expected an http or https address")
    for attempt in range(TRIES):
        try:
            return _download_once(client, url, target, max_bytes)
        except httpx.TransportError:
            if attempt == TRIES - 1:
                raise


def _download_once(client: Any, url: str, target: Path, max_bytes: int) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f".{os.getpid()}.part")
    try:
        with client.stream("GET", url) as response, part.open("wb") as file:
            if response.status_code != 200:
                raise FetchError(f"status {response.status_code}")
            size = 0
            for chunk in response.iter_bytes(_CHUNK):
                size += len(chunk)
                if size > max_bytes:
                    raise FetchError(f"larger than {max_bytes} bytes")
                file.write(chunk)
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


def _place(source: Path, target: Path) -> None:
    """The same file in another task's folder: a link where the file system has them."""
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)
