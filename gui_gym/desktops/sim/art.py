"""Small pictures."""

from __future__ import annotations

from gui_gym.desktops.sim.canvas import Canvas, Rect


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
    canvas.fill((left, y, wide, h), (142, 150, 166))
    canvas.fill((left + 1, y + 1, wide - 2, h - 2), (255, 255, 255))
    for row in range(y + 3, y + h - 2, 3 if h > 12 else 2):
        canvas.fill((left + 2, row, wide - 4 - (wide // 3 if row + 4 > y + h - 2 else 0), 1), (118, 164, 226))
