"""Windows of programs on a guest."""

from __future__ import annotations

from typing import NamedTuple


class Window(NamedTuple):
    """One window of a program."""

    id: int
    title: str
    wm_class: str  #: ``instance.class``, as ``wmctrl -lx`` shows it
    bounds: tuple[int, int, int, int]  #: x, y, width and height, in pixels of the screen

    def matches(self, title: str, strict: bool, by_class: bool) -> bool:
        """Whether its title (or class) holds ``title`` in any case, or is exactly it if ``strict``."""
        text = self.wm_class if by_class else self.title
        return text == title if strict else title.lower() in text.lower()


def parse_wmctrl(listing: str) -> list[Window]:
    """The windows that ``wmctrl -lGx`` printed, oldest first.

    >>> parse_wmctrl("0x0120000a  0 100  200  640  480  xterm.XTerm           host   my title")
    [Window(id=18874378, title='my title', wm_class='xterm.XTerm', bounds=(100, 200, 640, 480))]
    """
    windows = []
    for line in listing.splitlines():
        parts = line.split(None, 8)
        if len(parts) >= 8:
            number, _, x, y, width, height, wm_class = parts[:7]
            windows.append(Window(int(number, 16), parts[8] if len(parts) > 8 else "", wm_class, (int(x), int(y), int(width), int(height))))
    return windows
