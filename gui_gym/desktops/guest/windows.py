"""Windows of programs on a guest."""

from __future__ import annotations

import re

from gui_gym.desktops.windows import Window

_LINE = re.compile(r"^(0x[0-9a-f]{1,16}) +-?\d{1,9} +(-?\d{1,9}) +(-?\d{1,9}) +(\d{1,9}) +(\d{1,9}) +(\S+) +\S+(?: +(.*))?$", re.MULTILINE)


def parse_wmctrl(listing: str) -> list[Window]:
    """The windows that ``wmctrl -lGx`` printed, oldest first.

    >>> parse_wmctrl("0x0120000a  0 100  200  640  480  xterm.XTerm           host   my title")
    [Window(id=18874378, title='my title', wm_class='xterm.XTerm', bounds=(100, 200, 640, 480))]
    """
    windows = []
    for number, x, y, width, height, wm_class, title in _LINE.findall(listing):  # a title may hold line breaks
        windows.append(Window(int(number, 16), title, wm_class, (int(x), int(y), int(width), int(height))))
    return windows
