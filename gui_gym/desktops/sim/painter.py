"""Draws a state: only the rectangles that changed, from the wallpaper up to the open menu."""

from __future__ import annotations

import numpy as np

from gui_gym.desktops.sim.canvas import Canvas, Rect, covers, disc, inset, intersect, union
from gui_gym.desktops.sim.icons import paint_icons
from gui_gym.desktops.sim.look import Look, pointer, wallpaper
from gui_gym.desktops.sim.session import Session
from gui_gym.desktops.sim.state import CLOSE, Window

MORNING = 9 * 60  #: what the task bar's clock shows at reset, in minutes


class Painter:
    """Keeps the ``frame`` of one screen, ``(height, width, 3)`` uint8 with the pointer in it, which nobody else writes."""

    def __init__(self, width: int, height: int):
        self.adopt(np.zeros((height, width, 3), np.uint8))

    def adopt(self, frame: np.ndarray) -> None:
        """Draw into ``frame`` from now on, all of it at first."""
        self.frame = frame
        self._fresh = True
        self._lifted: tuple[int, int, np.ndarray] | None = None  # where the pointer is, and what lies under it

    def update(self, session: Session) -> list[Rect]:
        """Bring the frame up to date. Returns the rectangles that changed."""
        screen = (0, 0, session.state.width, session.state.height)
        damage = [screen] if self._fresh else merge([part for rect in session.damage if (part := intersect(rect, screen))])
        session.damage.clear()
        self._fresh = False
        here, old = self._pointer_rect(session), self._lifted
        if old and old[:2] == here[:2] and not any(intersect(rect, here) for rect in damage):
            pointer_rects = []  # it stays as it is
        else:
            pointer_rects = [here]
            if old:
                x, y, under = old
                h, w, _ = under.shape
                self.frame[y : y + h, x : x + w] = under
                pointer_rects.append((x, y, w, h))
        for rect in damage:
            self._paint(session, Canvas(self.frame, rect))
        if pointer_rects:
            self._draw_pointer(session, here)
        return damage + pointer_rects

    def _pointer_rect(self, session: Session) -> Rect:
        (x, y), shape = session.state.cursor, pointer(session.look.size.large_cursor)[0].shape
        return x, y, min(shape[1], session.state.width - x), min(shape[0], session.state.height - y)

    def _draw_pointer(self, session: Session, rect: Rect) -> None:
        x, y, w, h = rect
        keep, colors = pointer(session.look.size.large_cursor)
        part = self.frame[y : y + h, x : x + w]
        under = part.copy()
        np.bitwise_and(under, keep[:h, :w], out=part)
        np.bitwise_or(part, colors[:h, :w], out=part)
        self._lifted = x, y, under

    def _paint(self, session: Session, canvas: Canvas) -> None:
        state = session.state
        radius = session.look.size.radius
        # nothing below a window that fills the clip, corners apart, can be seen
        lowest = next((i for i in range(len(state.windows) - 1, -1, -1) if covers(inset(state.windows[i].bounds, radius), canvas.clip)), -1)
        if lowest < 0:
            canvas.paste(wallpaper(state.width, state.height, str(state.settings["theme"])))
            paint_icons(session, canvas)
        for window in state.windows[max(0, lowest) :]:
            _paint_window(session, canvas, window, window is session.active)
        _paint_bar(session, canvas)
        if state.popup:
            _paint_popup(session, canvas)


def merge(rects: list[Rect]) -> list[Rect]:
    """Rectangles that cover ``rects`` and do not overlap each other."""
    result: list[Rect] = []
    for rect in rects:
        again = True
        while again:
            again = False
            for other in result:
                if intersect(rect, other):
                    result.remove(other)
                    rect, again = union(rect, other), True
                    break
        result.append(rect)
    return result


def _paint_window(session: Session, canvas: Canvas, window: Window, active: bool) -> None:
    look, rect = session.look, window.bounds
    size, theme = look.size, look.theme
    x, y, w, h = rect
    s = size.shadow
    if not canvas.sees((x - s, y - s, w + 2 * s, h + 2 * s)):
        return
    body = (x + 1, y + size.title, w - 2, h - size.title - size.radius)  # where neither the border nor the corners are
    if covers(body, canvas.clip):
        canvas.fill(body, theme.window)
    else:
        canvas.shadow(rect, s, 76 if active else 40)
        canvas.panel(rect, theme.window, theme.border, size.radius)
        if canvas.sees(session.title_rect(window)):
            _paint_title(session, canvas, window, active)
    inner = canvas.within((x + 1, y + size.title, w - 2, h - size.title - 1))
    if inner:
        for widget in window.widgets:
            place = window.rect_of(widget)
            part = inner.within(place)
            if part:
                widget.draw(part, place, look, active and widget.id == window.focus)


def _paint_title(session: Session, canvas: Canvas, window: Window, active: bool) -> None:
    look, (x, y, w, _) = session.look, window.bounds
    size, theme, font = look.size, look.theme, look.bold
    canvas.rounded((x + 1, y + 1, w - 2, size.title - 1), theme.title if active else theme.title_idle, size.radius - 1, "t")
    canvas.fill((x + 1, y + size.title - 1, w - 2, 1), theme.border)
    if active:
        canvas.rounded((x + size.pad, y + size.title - 2, max(2 * size.title, w // 4), 2), theme.accent, 1)
    close = session.close_rect(window)
    title = font.shorten(window.title, close[0] - x - size.pad - size.gap)
    canvas.text(x + size.pad, y + (size.title - font.height) // 2, title, font, theme.text if active else theme.muted)
    held = session.state.grab is not None and session.state.grab.part == CLOSE and session.state.grab.window == window.id
    _paint_close(canvas, close, look, active, held)


def _paint_close(canvas: Canvas, rect: Rect, look: Look, active: bool, held: bool) -> None:
    x, y, side, _ = rect
    color = (150, 40, 44) if held else (220, 78, 80) if active else look.theme.border
    canvas.mask(x, y, disc(side), color)
    arm, thick = max(2, side * 2 // 7), 2 if side >= 16 else 1
    left, top, span = x + side // 2 - arm, y + side // 2 - arm, 2 * arm - (1 - side % 2)
    for i in range(span + 1):
        canvas.fill((left + i, top + i, thick, 1), (255, 255, 255))
        canvas.fill((left + span - i, top + i, thick, 1), (255, 255, 255))


def _paint_bar(session: Session, canvas: Canvas) -> None:
    state, look = session.state, session.look
    size, theme = look.size, look.theme
    bar = (0, state.height - size.bar, state.width, size.bar)
    if not size.bar or not canvas.sees(bar):
        return
    canvas.fill(bar, theme.bar)
    tile = size.bar // 4
    for i in (0, 1):
        for j in (0, 1):
            place = (size.bar // 4 + i * (tile + 1), bar[1] + size.bar // 4 + j * (tile + 1), tile, tile)
            canvas.rounded(place, theme.accent, 2)
    for window, rect in session.bar_rects():
        active = window is session.active
        canvas.rounded(rect, theme.bar_button if active else theme.bar, size.radius - 2)
        if active:
            canvas.rounded((rect[0] + rect[2] // 4, rect[1] + rect[3] - 2, rect[2] // 2, 2), theme.accent, 1)
        text = look.sans.shorten(window.title, rect[2] - 2 * size.gap)
        canvas.text(rect[0] + size.gap, rect[1] + (rect[3] - look.sans.height) // 2, text, look.sans, theme.on_bar)
    minutes = (MORNING + state.seconds // 60) % (24 * 60)
    clock = f"{minutes // 60:02d}:{minutes % 60:02d}"
    x = state.width - look.sans.width(clock) - size.pad
    canvas.text(x, bar[1] + (size.bar - look.sans.height) // 2, clock, look.sans, theme.on_bar)


def _paint_popup(session: Session, canvas: Canvas) -> None:
    popup, look = session.state.popup, session.look
    assert popup is not None
    x, y, w, h = popup.rect
    size, theme = look.size, look.theme
    canvas.shadow((x, y, w, h), size.shadow // 2, 60)
    canvas.fill((x, y, w, h), theme.window)
    canvas.outline((x, y, w, h), theme.border)
    for i, (item, rect) in enumerate(zip(popup.items, session.item_rects(popup), strict=True)):
        if item == "-":
            canvas.fill((rect[0] + size.gap, rect[1] + rect[3] // 2, rect[2] - 2 * size.gap, 1), theme.border)
            continue
        if i == popup.selected:
            canvas.fill(rect, theme.select)
        canvas.text(rect[0] + size.pad, rect[1] + (rect[3] - look.sans.height) // 2, item, look.sans, theme.text)
