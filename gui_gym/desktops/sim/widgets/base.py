"""What every widget is: plain data with bounds, a role and a value, and the methods that input and drawing call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from gui_gym.actions import Button, Key, Modifier
from gui_gym.desktops.sim.canvas import Canvas, Rect
from gui_gym.desktops.sim.look import Look

if TYPE_CHECKING:
    from gui_gym.desktops.sim.session import Session
    from gui_gym.desktops.sim.state import Window


@dataclass(slots=True)
class Pointer:
    """A mouse event at ``(x, y)`` pixels from the widget's upper left corner; ``count`` is 2 for a double click."""

    x: int
    y: int
    button: Button = Button.LEFT
    count: int = 1
    modifiers: frozenset[Modifier] = frozenset()


@dataclass(frozen=True)
class Stroke:
    """A key pressed with modifiers held, and the character it stands for ("" if none)."""

    key: Key
    modifiers: frozenset[Modifier] = frozenset()
    text: str = ""

    def is_(self, key: Key, *modifiers: Modifier) -> bool:
        """Whether it is exactly this key with exactly these modifiers."""
        return self.key is key and self.modifiers == frozenset(modifiers)


@dataclass(kw_only=True)
class Widget:
    """A thing in a window.

    Args:
        id: unique in its window.
        name: its label, also for accessibility.
        x, y, w, h: bounds in pixels from the window's upper left corner.
        enabled: whether it can be used; one that is not is drawn pale and gets no input.
        tip: what is shown when the pointer rests on it, or "".
    """

    role: ClassVar[str] = "label"
    focusable: ClassVar[bool] = False

    id: str
    name: str = ""
    x: int = 0
    y: int = 0
    w: int = 0
    h: int = 0
    enabled: bool = True
    tip: str = ""

    @property
    def value(self) -> Any:
        """Its state as JSON data: a text, a number, a bool or None."""
        return None

    @property
    def spoken(self) -> Any:
        """Its value as the accessibility tree tells it."""
        return self.value

    def least_width(self, look: Look) -> int:
        """How wide it must be in pixels so that all of it can be used, if its window does not see to that."""
        return 0

    def menu_point(self, look: Look) -> tuple[int, int]:
        """Where the key for context menus opens its menu, in pixels from its upper left corner."""
        return self.w // 2, self.h // 2

    def children(self, rect: Rect, look: Look) -> list[dict[str, Any]]:
        """Accessibility nodes of its parts, given its bounds on the screen."""
        return []

    def draw(self, canvas: Canvas, rect: Rect, look: Look, focused: bool) -> None:
        """Draw it at ``rect`` on the screen."""

    def damage(self, look: Look) -> list[Rect]:
        """What changed since it was asked last, from its upper left corner: all of it, unless it keeps account of that. The focus is told apart."""
        return [(0, 0, self.w, self.h)]

    def press(self, session: Session, window: Window, pointer: Pointer) -> None:
        """A mouse button went down on it."""

    def motion(self, session: Session, window: Window, pointer: Pointer) -> None:
        """The pointer moved with the left button held since it was pressed on it."""

    def release(self, session: Session, window: Window, pointer: Pointer) -> None:
        """The left button, pressed on it, went up, here or elsewhere."""

    def let_go(self) -> None:
        """The left button, pressed on it, holds it no longer, without having gone up: the window was hidden or blocked meanwhile."""

    def wheel(self, session: Session, window: Window, dx: int, dy: int) -> None:
        """The wheel turned over it by that many notches. What has no use for that leaves it to its window."""
        window.on_wheel(session, dx, dy)

    def stroke(self, session: Session, window: Window, stroke: Stroke) -> bool:
        """A key went down while it has the focus; whether it was used."""
        return False

    def insert(self, session: Session, window: Window, text: str) -> None:
        """Text without line ends or tabs was typed while it has the focus."""

    def unfocused(self, session: Session, window: Window) -> None:
        """The keyboard went from it to another widget of its window, or to none."""

    def chosen(self, session: Session, window: Window, item: str) -> None:
        """An item of a menu it opened was chosen: its key, after those of the submenus it is in."""
        session.signal(window, self, "chosen", item)

    def menu_closed(self) -> None:
        """The menu it opened is gone."""
