"""Draws a state: only the rectangles that changed, from the wallpaper up to the open menu."""

from __future__ import annotations

import numpy as np

from gui_gym.desktops.sim.canvas import Canvas, Color, Rect, covers, intersect, union
from gui_gym.desktops.sim.icons import paint_icons
from gui_gym.desktops.sim.light import shine
from gui_gym.desktops.sim.look import pointer, wallpaper
from gui_gym.desktops.sim.session import Session
from gui_gym.desktops.sim.shell_painter import paint_bar, paint_popups, paint_switcher, paint_tip
from gui_gym.desktops.sim.state import CLOSE, MINIMISE, Window

RESTORE = "restore"  #: the sign of the maximise button of a maximised window


class Painter:
    """Keeps the ``frame`` of one screen, ``(height, width, 3)`` uint8 with the pointer in it, which nobody else writes."""

    def __init__(self, width: int, height: int):
        self.adopt(np.zeros((height, width, 3), np.uint8))

    def adopt(self, frame: np.ndarray) -> None:
        """Draw into ``frame`` from now on, all of it at first."""
        self.frame, self._flat = frame, frame.reshape(frame.shape[0], -1)
        self._canvas = Canvas(frame, (0, 0, frame.shape[1], frame.shape[0]))
        self._fresh = True
        self._lifted: tuple[Rect, np.ndarray] | None = None  # where the pointer is, and what lies under it

    def update(self, session: Session) -> list[Rect]:
        """Bring the frame up to date. Returns the rectangles that changed."""
        state, screen, damage = session.state, self._canvas.clip, session.damage
        if self._fresh:
            rects, self._fresh = [screen], False
        else:
            rects = merge([part for rect in damage if (part := intersect(rect, screen))]) if damage else []
        damage.clear()
        here, arrow, colors = self._pointer(session)
        lifted = self._lifted
        moved = lifted is None or lifted[0] != here
        lift = moved or any(intersect(rect, here) for rect in rects)
        if lift and lifted is not None:
            _part(self._flat, lifted[0])[...] = lifted[1]
        for rect in rects:
            self._paint(session, self._canvas.anew(rect))
            shine(self.frame, rect, state.settings)
        if lift:
            spot = _part(self._flat, here)
            self._lifted = here, spot.copy()
            np.copyto(spot, colors, where=arrow)
        if moved:
            rects = [*rects, here] if lifted is None else [*rects, here, lifted[0]]
        return rects

    def _pointer(self, session: Session) -> tuple[Rect, np.ndarray, np.ndarray]:
        """Where the arrow is that the size of the screen and the setting want, and what can be seen of :func:`pointer`."""
        (x, y), (_, _, width, height) = session.state.cursor, self._canvas.clip
        arrow, colors = pointer(session.look.size.large_cursor, bool(session.state.settings["large_pointer"]))
        h, w = arrow.shape[0], arrow.shape[1] // 3
        if x + w <= width and y + h <= height:
            return (x, y, w, h), arrow, colors
        w, h = min(w, width - x), min(h, height - y)
        return (x, y, w, h), arrow[:h, : 3 * w], colors[:h, : 3 * w]

    def _paint(self, session: Session, canvas: Canvas) -> None:
        state, bar = session.state, session.work_area[3]
        top, height = canvas.clip[1], canvas.clip[3]
        if top < bar:  # nothing can be seen behind the task bar
            _paint_windows(session, canvas)
        if top + height > bar:
            paint_bar(session, canvas)
        if state.popup:
            paint_popups(session, canvas)
        if state.tip:
            paint_tip(session, canvas)
        if state.switching >= 0:
            paint_switcher(session, canvas)


def _paint_windows(session: Session, canvas: Canvas) -> None:
    """Draw the windows, and if they leave anything free what is below them."""
    state, windows = session.state, session.shown
    first = len(windows) - 1
    while first >= 0 and not _hides(session, windows[first], canvas.clip):
        first -= 1
    if first < 0:
        canvas.paste(wallpaper(state.width, state.height, str(state.settings["theme"])))
        paint_icons(session, canvas)
    for i in range(max(0, first), len(windows)):
        _paint_window(session, canvas, windows[i], i == len(windows) - 1, i == first)


#: Pixels that one rectangle instead of two may draw in vain: a second one has its own way through all windows and widgets.
WASTE = 20_000


def _part(flat: np.ndarray, rect: Rect) -> np.ndarray:
    """A rectangle of flat rows of pixels."""
    x, y, w, h = rect
    return flat[y : y + h, 3 * x : 3 * (x + w)]


def merge(rects: list[Rect]) -> list[Rect]:
    """Rectangles that cover ``rects`` and do not overlap each other: two that overlap become one, or if that is too large, smaller parts."""
    if len(rects) < 2:
        return rects
    result: list[Rect] = []
    todo = rects[::-1]
    while todo:
        rect = todo.pop()
        other = next((each for each in result if intersect(rect, each)), None)
        if other is None:
            result.append(rect)
        elif not covers(other, rect):
            both = union(rect, other)
            if both[2] * both[3] - rect[2] * rect[3] - other[2] * other[3] <= WASTE:
                result.remove(other)
                todo.append(both)
            else:
                todo += _outside(rect, other)
    return result


def _outside(rect: Rect, other: Rect) -> list[Rect]:
    """What of ``rect`` is above, below, left and right of ``other``, which overlaps it."""
    x, y, w, h = rect
    ox, oy, ow, oh = other
    top, bottom = max(y, oy), min(y + h, oy + oh)
    parts = [(x, y, w, top - y), (x, bottom, w, y + h - bottom), (x, top, ox - x, bottom - top), (ox + ow, top, x + w - ox - ow, bottom - top)]
    return [part for part in parts if part[2] > 0 and part[3] > 0]


def _hides(session: Session, window: Window, rect: Rect) -> bool:
    """Whether nothing below a window can be seen in a rectangle: it has none of the round corners in it."""
    x, y, w, h = window.bounds
    r = 0 if window.maximised else session.look.size.radius
    return covers((x, y + r, w, h - 2 * r), rect) or covers((x + r, y, w - 2 * r, h), rect)


def _paint_window(session: Session, canvas: Canvas, window: Window, active: bool, hides: bool) -> None:
    """Draw a window, active or not; ``hides`` tells whether nothing below it can be seen."""
    look, rect = session.look, window.bounds
    size, theme = look.size, look.theme
    x, y, w, h = rect
    s = size.shadow
    if not hides and not canvas.sees((x - s, y - s, w + 2 * s, h + 2 * s)):
        return
    body = (x + 1, y + size.title, w - 2, h - size.title - 1)  # without the border
    if hides and covers(body, canvas.clip):
        canvas.fill(body, theme.window)
    else:
        if not window.maximised:
            canvas.shadow(rect, s, 64)
        canvas.panel(rect, theme.window, theme.border, 0 if window.maximised else size.radius)
        if canvas.sees(session.title_rect(window)):
            _paint_title(session, canvas, window, active)
    inner = canvas.within(body)
    if inner:
        left, top, right, bottom = inner.clip[0], inner.clip[1], inner.clip[0] + inner.clip[2], inner.clip[1] + inner.clip[3]
        for widget in window.widgets:
            wx, wy = x + widget.x, y + widget.y
            if wx < right and left < wx + widget.w and wy < bottom and top < wy + widget.h:  # most are elsewhere
                place = (wx, wy, widget.w, widget.h)
                if part := inner.within(place):
                    widget.draw(part, place, look, active and widget.id == window.focus)
                    if not widget.enabled:
                        part.tint(place, theme.window, 150)


def _paint_title(session: Session, canvas: Canvas, window: Window, active: bool) -> None:
    look, (x, y, w, _) = session.look, window.bounds
    size, theme, font = look.size, look.theme, look.bold
    radius = 0 if window.maximised else size.radius - 1
    canvas.rounded((x + 1, y + 1, w - 2, size.title - 1), theme.title if active else theme.title_idle, radius, "t")
    canvas.fill((x + 1, y + size.title - 1, w - 2, 1), theme.border)
    if active:
        canvas.rounded((x + size.pad, y + size.title - 2, max(2 * size.title, w // 4), 2), theme.accent, 1)
    buttons = session.title_buttons(window)
    title = font.shorten(window.title, buttons[-1][1][0] - x - size.pad - size.gap)
    canvas.text(x + size.pad, y + (size.title - font.height) // 2, title, font, theme.text if active else theme.muted)
    grab = session.state.grab
    for name, place in buttons:
        held = grab is not None and grab.part == name and grab.window == window.id
        if name == CLOSE:
            canvas.stamp(place, _close_button, (150, 40, 44) if held else (220, 78, 80) if active else theme.border)
        else:
            sign = name if name == MINIMISE or not window.maximised else RESTORE
            canvas.stamp(place, _title_button, sign, theme.border if held else theme.face, theme.face, theme.text)


def _title_button(canvas: Canvas, rect: Rect, sign: str, color: Color, face: Color, ink: Color) -> None:
    """A disc with a line for minimise, a square for maximise, or two squares for restore."""
    x, y, side, _ = rect
    canvas.disc(x, y, side, color)
    thick, span = 2 if side >= 16 else 1, max(5, side * 4 // 9)
    left, top = x + (side - span) // 2, y + (side - span) // 2
    if sign == MINIMISE:
        canvas.fill((left, y + side // 2, span, thick), ink)
    elif sign == RESTORE:
        near = max(2, span // 3)
        canvas.outline((left + near, top, span - near, span - near), ink)
        canvas.fill((left, top + near, span - near, span - near), face)
        canvas.outline((left, top + near, span - near, span - near), ink)
    else:
        canvas.outline((left, top, span, span), ink)
        canvas.fill((left, top, span, thick), ink)


def _close_button(canvas: Canvas, rect: Rect, color: Color) -> None:
    """A disc with a white cross."""
    x, y, side, _ = rect
    canvas.disc(x, y, side, color)
    arm, thick = max(2, side * 2 // 7), 2 if side >= 16 else 1
    left, top, span = x + side // 2 - arm, y + side // 2 - arm, 2 * arm - (1 - side % 2)
    for i in range(span + 1):
        canvas.fill((left + i, top + i, thick, 1), (255, 255, 255))
        canvas.fill((left + span - i, top + i, thick, 1), (255, 255, 255))
