"""Small pictures: of files, folders and programs."""

from __future__ import annotations

from collections.abc import Callable

from gui_gym.desktops.sim.canvas import Canvas, Color, Rect

WHITE, INK, PAPER = (255, 255, 255), (62, 70, 88), (250, 250, 252)
_LINE, _EDGE = (118, 164, 226), (142, 150, 166)


def folder(canvas: Canvas, rect: Rect) -> None:
    """A yellow folder."""
    x, y, w, h = rect
    round_ = max(1, h // 10)
    canvas.rounded((x, y + h // 8, w // 2, h // 3), (214, 150, 40), round_)
    canvas.rounded((x, y + h // 4, w, h * 5 // 8), (214, 150, 40), round_)
    canvas.rounded((x, y + h * 3 // 8, w, h - h // 8 - h * 3 // 8), (250, 198, 84), round_)


def page(canvas: Canvas, rect: Rect) -> None:
    """A sheet of paper with lines."""
    x, y, w, h = rect
    left, wide = x + w // 8, w - w // 4
    canvas.fill((left, y, wide, h), _EDGE)
    canvas.fill((left + 1, y + 1, wide - 2, h - 2), WHITE)
    for row in range(y + 3, y + h - 2, 3 if h > 12 else 2):
        canvas.fill((left + 2, row, wide - 4 - (wide // 3 if row + 4 > y + h - 2 else 0), 1), _LINE)


def _tile(canvas: Canvas, rect: Rect, color: Color) -> Rect:
    """A round-cornered tile, and the square in its middle to draw on."""
    x, y, w, h = rect
    side = min(w, h)
    x, y = x + (w - side) // 2, y + (h - side) // 2
    canvas.rounded((x, y, side, side), color, max(1, side // 5))
    edge = max(2, side // 5)
    return x + edge, y + edge, side - 2 * edge, side - 2 * edge


def home(canvas: Canvas, rect: Rect) -> None:
    """A house on a folder."""
    folder(canvas, rect)
    x, y, w, h = rect
    side = max(4, h * 3 // 8)
    left, top = x + (w - side) // 2, y + h // 2 - side // 8
    for i in range(side // 2):
        canvas.fill((left + side // 2 - i, top + i, 2 * i + side % 2, 1), (176, 96, 20))
    canvas.fill((left + side // 6, top + side // 2, side - 2 * (side // 6), side // 2), (176, 96, 20))


def trash(canvas: Canvas, rect: Rect) -> None:
    """A bin."""
    x, y, w, h = rect
    wide = h * 5 // 8
    left, top = x + (w - wide) // 2, y + h // 4
    canvas.rounded((left, top, wide, h * 5 // 8), (150, 160, 178), max(1, h // 12), "b")
    canvas.rounded((left - h // 16, y + h // 8, wide + h // 8, max(2, h // 9)), (116, 126, 146), 1)
    canvas.fill((left + wide // 3, y + h // 16, wide - 2 * (wide // 3), max(1, h // 16)), (116, 126, 146))
    for i in (1, 2, 3):
        canvas.fill((left + wide * i // 4, top + h // 8, 1, h * 3 // 8), (108, 118, 138))


def files(canvas: Canvas, rect: Rect) -> None:
    """The file manager."""
    folder(canvas, rect)


def editor(canvas: Canvas, rect: Rect) -> None:
    """A page with a pencil."""
    page(canvas, rect)
    x, y, w, h = rect
    length = min(w, h) // 2
    for i in range(length):
        canvas.fill((x + w - 1 - w // 8 - i, y + h // 3 + i, max(2, h // 10), max(1, h // 12)), (226, 120, 40))


def spreadsheet(canvas: Canvas, rect: Rect) -> None:
    """A green table."""
    x, y, w, h = _tile(canvas, rect, (32, 134, 84))
    canvas.fill((x, y, w, h), WHITE)
    for i in (1, 2):
        canvas.fill((x, y + h * i // 3, w, 1), (32, 134, 84))
        canvas.fill((x + w * i // 3, y, 1, h), (32, 134, 84))


def mail(canvas: Canvas, rect: Rect) -> None:
    """An envelope."""
    x, y, w, h = _tile(canvas, rect, (40, 112, 204))
    top, high = y + h // 8, h - h // 4
    canvas.fill((x, top, w, high), WHITE)
    for i in range(w // 2):
        canvas.fill((x + i, top + i * high // w, 1, 1 + w // 16), (40, 112, 204))
        canvas.fill((x + w - 1 - i, top + i * high // w, 1, 1 + w // 16), (40, 112, 204))


def calendar(canvas: Canvas, rect: Rect) -> None:
    """A leaf of a calendar."""
    x, y, w, h = _tile(canvas, rect, (208, 70, 64))
    canvas.fill((x, y + h // 4, w, h - h // 4), WHITE)
    dot = max(1, w // 7)
    for i in range(3):
        for j in range(2):
            canvas.fill((x + w * (2 * i + 1) // 6 - dot // 2, y + h // 4 + (h - h // 4) * (2 * j + 1) // 4 - dot // 2, dot, dot), INK)


def calculator(canvas: Canvas, rect: Rect) -> None:
    """A pocket calculator."""
    x, y, w, h = _tile(canvas, rect, (84, 92, 112))
    canvas.fill((x, y, w, h // 3), (190, 226, 202))
    key = max(1, w // 4)
    for i in range(3):
        for j in range(2):
            color = (238, 158, 60) if i == 2 else WHITE
            canvas.fill((x + (w - key) * i // 2, y + h // 2 + (h - h // 2 - key) * j, key, max(1, h // 5)), color)


def settings(canvas: Canvas, rect: Rect) -> None:
    """A cog wheel."""
    x, y, w, _ = _tile(canvas, rect, (112, 120, 138))
    tooth = max(1, w // 4)
    canvas.fill((x + (w - tooth) // 2, y, tooth, w), WHITE)
    canvas.fill((x, y + (w - tooth) // 2, w, tooth), WHITE)
    edge = w // 8
    canvas.disc(x + edge, y + edge, w - 2 * edge, WHITE)
    hole = max(2, w // 3)
    canvas.disc(x + (w - hole) // 2, y + (w - hole) // 2, hole, (112, 120, 138))


def terminal(canvas: Canvas, rect: Rect) -> None:
    """A prompt on black."""
    x, y, w, h = _tile(canvas, rect, (34, 38, 48))
    thick = max(1, h // 8)
    for i in range(h // 2):
        at = x + min(i, h // 2 - 1 - i) * 2 * w // (3 * max(1, h // 2))
        canvas.fill((at, y + h // 8 + i, thick + 1, 1), (120, 226, 140))
    canvas.fill((x + w // 2, y + h - thick - h // 8, w // 2, thick), WHITE)


def picture(canvas: Canvas, rect: Rect) -> None:
    """A landscape."""
    x, y, w, h = _tile(canvas, rect, (136, 84, 190))
    canvas.fill((x, y, w, h), (176, 214, 246))
    sun = max(2, w // 4)
    canvas.disc(x + w - sun - 1, y + 1, sun, (252, 206, 70))
    for i in range(w):
        high = h // 2 - abs(i - w // 3) * h // (2 * w)
        canvas.fill((x + i, y + h - high, 1, high), (66, 150, 92))


def browser(canvas: Canvas, rect: Rect) -> None:
    """A globe."""
    x, y, w, _ = _tile(canvas, rect, (24, 142, 160))
    canvas.disc(x, y, w, WHITE)
    thick = max(1, w // 12)
    canvas.fill((x + 1, y + w // 2 - thick // 2, w - 2, thick), (24, 142, 160))
    canvas.fill((x + w // 2 - thick // 2, y + 1, thick, w - 2), (24, 142, 160))
    wide = w // 2 + w % 2
    canvas.disc(x + (w - wide) // 2, y + (w - wide) // 2, wide, (24, 142, 160))
    inner = wide - 2 * thick
    if inner > 0:
        canvas.disc(x + (w - inner) // 2, y + (w - inner) // 2, inner, WHITE)


def window(canvas: Canvas, rect: Rect) -> None:
    """A window without a program of its own."""
    x, y, w, h = rect
    high = h * 3 // 4
    top = y + (h - high) // 2
    canvas.fill((x, top, w, high), _EDGE)
    canvas.fill((x + 1, top + 1, w - 2, high - 2), PAPER)
    canvas.fill((x, top, w, max(2, high // 4)), (70, 130, 220))


#: Pictures by name; each draws into a rectangle.
ART: dict[str, Callable[[Canvas, Rect], None]] = {
    draw.__name__: draw
    for draw in (
        browser, calculator, calendar, editor, files, folder, home, mail, page, picture, settings, spreadsheet, terminal, trash, window
    )
}  # fmt: skip


def paint_art(canvas: Canvas, name: str, rect: Rect) -> None:
    """Draw a picture into a rectangle."""
    canvas.stamp(rect, ART[name])
