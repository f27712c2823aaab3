"""A text to be read: broken into lines, scrolled, selected and copied, but not changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gui_gym.actions import Key
from gui_gym.desktops.sim.canvas import Canvas
from gui_gym.desktops.sim.fonts import Font
from gui_gym.desktops.sim.look import Look
from gui_gym.desktops.sim.widgets.area import TextArea
from gui_gym.desktops.sim.widgets.base import Stroke

if TYPE_CHECKING:
    from gui_gym.desktops.sim.session import Session
    from gui_gym.desktops.sim.state import Window

_LEFT_OUT = (Key.ENTER, Key.TAB, Key.DELETE, Key.BACKSPACE)  #: keys that change texts, which are the window's here


@dataclass(kw_only=True)
class Reader(TextArea):
    """A text that cannot be changed, in the font of labels; its first line is bold if ``headed``."""

    readonly: bool = True
    wrap: bool = True
    headed: bool = False

    def font(self, look: Look) -> Font:
        return look.sans

    def show(self, text: str) -> None:
        """Show another text, from its start."""
        self.text = text
        self.caret = self.anchor = self.top = 0

    def stroke(self, session: Session, window: Window, stroke: Stroke) -> bool:
        return stroke.key not in _LEFT_OUT and super().stroke(session, window, stroke)

    def draw_line(self, canvas: Canvas, x: int, y: int, start: int, line: str, look: Look, focused: bool) -> None:
        if self.headed and "\n" not in self.text[: start + len(line)]:
            canvas.text(x, y, line, look.bold, look.theme.text)
        else:
            super().draw_line(canvas, x, y, start, line, look, False)
