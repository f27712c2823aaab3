"""Arranging widgets in a window, and windows on the screen, at any screen size."""

from __future__ import annotations

import numpy as np

from gui_gym.desktops.sim.canvas import intersect
from gui_gym.desktops.sim.session import Session
from gui_gym.desktops.sim.state import Window
from gui_gym.desktops.sim.widgets.base import Widget
from gui_gym.tasks.task import TaskError


class Column:
    """Fills a window from the top: rows of widgets, each as high as a control unless told otherwise. Sizes are pixels.

    ``width`` is that of the content, without the margins at its sides.
    """

    def __init__(self, session: Session, window: Window, width: int):
        self.look = session.look
        self.size = self.look.size
        self.window, self.width = window, width
        self.y = self.size.title + self.size.pad

    def row(self, *widgets: Widget, height: int | None = None, align: str = "fill") -> None:
        """One row. Widgets without a width share what is left ("fill"), or take their label's ("left", "right", "centre")."""
        size = self.size
        for widget in widgets:
            if not widget.w and align != "fill":
                widget.w = self.look.sans.width(widget.name) + 2 * size.pad
        loose = [w for w in widgets if not w.w]
        used = sum(w.w for w in widgets) + (len(widgets) - 1) * size.gap
        for i, widget in enumerate(loose):
            widget.w = (self.width - used) * (i + 1) // len(loose) - (self.width - used) * i // len(loose)
        used = sum(w.w for w in widgets) + (len(widgets) - 1) * size.gap
        x = size.pad + {"fill": 0, "left": 0, "right": self.width - used, "centre": (self.width - used) // 2}[align]
        h = height or size.control
        for widget in widgets:
            widget.x, widget.y = x, self.y
            widget.h = widget.h or h
            x += widget.w + size.gap
        self.window.widgets.extend(widgets)
        self.y += h + size.gap

    def space(self, pixels: int | None = None) -> None:
        """Leave some room."""
        self.y += self.size.gap if pixels is None else pixels

    def finish(self) -> None:
        """Give the window the size of its content."""
        self.window.w = self.width + 2 * self.size.pad
        self.window.h = self.y - self.size.gap + self.size.pad


def place(session: Session, window: Window, rng: np.random.Generator) -> None:
    """Put a window at a random place of the work area, where the least of other windows is covered, and open it.

    Raises :class:`~gui_gym.tasks.TaskError` if it does not fit on the screen.
    """
    left, top, width, height = session.work_area
    if window.w > width or window.h > height:
        screen = f"{session.state.width}x{session.state.height}"
        raise TaskError(f"the window {window.title!r} needs {window.w}x{window.h} pixels above the task bar; a {screen} screen has {width}x{height}")
    best, least = (left, top), None
    for _ in range(8):
        x, y = int(rng.integers(left, left + width - window.w + 1)), int(rng.integers(top, top + height - window.h + 1))
        parts = [intersect((x, y, window.w, window.h), other.bounds) for other in session.state.windows]
        covered = sum(part[2] * part[3] for part in parts if part)
        if least is None or covered < least:
            best, least = (x, y), covered
    window.x, window.y = best
    session.open(window)


def fit(session: Session, width: int, height: int) -> tuple[int, int]:
    """A window's size in pixels from one in font sizes, no larger than the work area."""
    size = session.look.size
    _, _, w, h = session.work_area
    return min(width * size.font, w), min(height * size.font, h)


def put(session: Session, window: Window, x: int, y: int) -> None:
    """Open a window at a place, moved so that it is on the screen."""
    left, top, width, height = session.work_area
    window.x = max(left, min(x, left + width - window.w))
    window.y = max(top, min(y, top + height - window.h))
    session.open(window)


def put_over(session: Session, window: Window, owner: Window | None) -> None:
    """Open a window over the middle of another one, or of the screen."""
    x, y, w, h = owner.bounds if owner is not None and not owner.minimised else session.work_area
    put(session, window, x + (w - window.w) // 2, y + (h - window.h) // 2)


def cascade(session: Session, window: Window) -> None:
    """Open an app's window near the middle of the screen, the more below and to the right the more windows are there."""
    _, _, width, height = session.work_area
    shift = session.look.size.title * (len(session.listed) % 5)
    put(session, window, (width - window.w) // 2 + shift, (height - window.h) // 2 + shift)


def natural_width(session: Session, *widgets: Widget) -> int:
    """How wide a line of widgets is if each is as wide as its label wants."""
    size, font = session.look.size, session.look.sans
    return sum(font.width(w.name) + 2 * size.pad + size.gap for w in widgets) - size.gap


def line(session: Session, x: int, y: int, width: int, *widgets: Widget, stretch: Widget | None = None, height: int = 0) -> int:
    """Put widgets side by side from ``(x, y)``: each as wide as its label wants, ``stretch`` over what is left of ``width``.

    Returns the y of the next line. It can be called again, from :meth:`~gui_gym.desktops.sim.state.Window.layout`.
    """
    size, font = session.look.size, session.look.sans
    widths = {w.id: 0 if w is stretch else font.width(w.name) + 2 * size.pad for w in widgets}
    left = width - sum(widths.values()) - size.gap * (len(widgets) - 1)
    for widget in widgets:
        widget.x, widget.y, widget.h = x, y, height or size.control
        widget.w = max(0, left) if widget is stretch else widths[widget.id]
        x += widget.w + size.gap
    return y + (height or size.control) + size.gap
