"""A field whose text is not shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from gui_gym.actions import Key
from gui_gym.desktops.sim.canvas import Canvas
from gui_gym.desktops.sim.look import Look
from gui_gym.desktops.sim.widgets.text import TextField

if TYPE_CHECKING:
    from gui_gym.desktops.sim.session import Session
    from gui_gym.desktops.sim.state import Window

DOT = "●"


@dataclass(kw_only=True)
class PasswordField(TextField):
    """Shows a dot for each character, also to the accessibility tree; its text can be pasted into but not copied or cut."""

    role: ClassVar[str] = "password text"

    @property
    def spoken(self) -> Any:
        return DOT * len(self.text)

    def index_at(self, look: Look, x: int, y: int) -> int:
        return self.font(look).position(DOT * len(self.text), x - self._inset(look) + self.left)

    def reveal_caret(self, look: Look) -> None:
        at = self.caret * self.font(look).width(DOT)
        room = self.w - 2 * self._inset(look) - 2
        self.left = max(0, min(self.left, at)) if at < self.left else max(self.left, at - room)

    def command(self, session: Session, window: Window, key: Key) -> bool:
        return key in (Key.C, Key.X) or super().command(session, window, key)

    def draw_line(self, canvas: Canvas, x: int, y: int, start: int, line: str, look: Look, focused: bool) -> None:
        super().draw_line(canvas, x, y, start, DOT * len(line), look, focused)
