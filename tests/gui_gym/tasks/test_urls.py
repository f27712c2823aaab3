"""Which addresses are the same, and which ask the Internet."""

from __future__ import annotations

import pytest

pytest.importorskip("publicsuffixlist")

from gui_gym.tasks.setup.browser import internet_addresses
from gui_gym.tasks.urls import same_url


@pytest.mark.parametrize(
    "one, other, same",
    [
        ("https://www.airbnb.com", "https://www.airbnb.com/", True),
        ("https://www.airbnb.com", "https://airbnb.com.sg", True),
        ("https://www.bbc.co.uk/news", "https://bbc.com/news", True),
        ("airbnb.com", "http://airbnb.com", True),
        ("https://airbnb.com", "http://airbnb.com", False),
        ("https://github.com/", "https://gitlab.com/", False),
        ("https://docs.python.org/3/", "https://docs.python.org/3/", True),
        ("https://docs.python.org/3/", "https://docs.python.org/3", False),
        ("https://docs.python.org/3/", "https://python.org/3/", False),
        ("https://A.example/x", "https://a.example/x", True),
        ("https://a.com/X", "https://a.com/x", False),
        ("https://a.com/?q=1", "https://a.com/?q=2", False),
        ("https://a.com/#x", "https://a.com/", False),
        (".amazon.com", "www.amazon.de", True),
        (".amazon.com", "fls-na.amazon.com", False),
        ("http://127.0.0.1/", "http://127.0.0.2/", False),
        ("http://localhost:8000/", "http://localhost:8001/", False),
        ("http://[::1]/", "http://[::1]", True),
        ("file:///home/user/a.html", "file:///home/user/a.html", True),
        ("file:///home/user/a.html", "file:///home/user/b.html", False),
        ("chrome://newtab", "chrome://newtab/", True),
        ("about:blank", "about:blank", True),
        ("http://[broken", "http://[broken", True),
        ("http://[broken", "http://a.com", False),
        (None, "http://a.com", False),
        (None, None, True),
    ],
)
def test_same_url(one: str | None, other: str | None, same: bool) -> None:
    assert same_url(one, other) is same and same_url(other, one) is same


def test_addresses_of_the_internet() -> None:
    local = [
        "http://127.0.0.1:8000/a", "http://localhost/", "https://LOCALHOST:1", "http://app.localhost/", "http://[::1]:9/", "127.0.0.1:8000",
        "file:///home/user/a.html", "chrome://settings", "about:blank", "data:text/html,x", "localhost",
    ]  # fmt: skip
    remote = [
        "https://www.example.com/", "http://10.0.0.1/", "www.example.com", "http://localhost.example.com/", "ftp://a.example/", "http://[x",
        "https://127.0.0.1.example.com/",
    ]  # fmt: skip
    assert internet_addresses([*local, *remote]) == remote
