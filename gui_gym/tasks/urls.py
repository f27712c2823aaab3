"""Comparing addresses of the Web as OSWorld's tasks mean them."""

from __future__ import annotations

import re
from functools import cache
from typing import Any
from urllib.parse import urlsplit, urlunsplit


def same_url(one: str | None, other: str | None) -> bool:
    """Whether two addresses are the same but for "www.", the public suffix ("com", "co.uk": sites lead to the reader's country), and a lone "/".

    One without a scheme has "http". What stands after "?" and "#" counts.
    """
    if one is None or other is None:
        return one == other
    return _normal(one) == _normal(other)


def _normal(url: str) -> str:
    try:
        parts = urlsplit(url if re.match(r"[a-zA-Z][a-zA-Z0-9+.-]*://", url) else f"http://{url}")
        host, port = parts.hostname or "", parts.port
    except ValueError:  # no address at all: the same only as itself
        return url
    name = _without_suffix(host.strip(".").removeprefix("www."))
    return urlunsplit((parts.scheme, f"{name}:{port}" if port else name, "" if parts.path == "/" else parts.path, parts.query, parts.fragment))


def _without_suffix(host: str) -> str:
    suffix = _suffixes().publicsuffix(host)
    return host.removesuffix(f".{suffix}") if suffix and not re.fullmatch(r"[0-9.]+|.*:.*", host) else host


@cache
def _suffixes() -> Any:
    try:
        from publicsuffixlist import PublicSuffixList
    except ImportError as error:
        raise ImportError('comparing addresses needs publicsuffixlist: pip install "gui-gym[osworld]"') from error
    return PublicSuffixList(only_icann=True, accept_unknown=False)
