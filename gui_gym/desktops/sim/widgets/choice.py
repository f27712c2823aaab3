"""Choosing a value: a slider, a drop-down list and a menu bar."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from gui_gym.actions import KEY_CHARACTER, Button, Key
from gui_gym.desktops.sim.canvas import Canvas, Color, Rect, inside
from gui_gym.desktops.sim.look import Look
from gui_gym.desktops.sim.widgets.base import Pointer, Stroke, Widget

if TYPE_CHECKING:
    from gui_gym.desktops.sim.session import Session
    from gui_gym.desktops.sim.state import Window


@dataclass(kw_only=True)
class Slider(Widget):
    """A horizontal slider over ``low``, ``low + step``, ... ``high``, with its number at its right."""

    role: ClassVar[str] = "slider"
    focusable: ClassVar[bool] = True

    low: int = 0
    high: int = 100
    step: int = 1
    number: int = 0

    @property
    def value(self) -> Any:
        return self.number

    def rail(self, look: Look) -> tuple[int, int]:
        """The thumb's first and last middle, in pixels from the widget's left edge."""
        radius = look.size.font // 2 + 1
        return radius, self.w - radius - look.sans.width(f"-{self.high}") - look.size.gap

    def position(self, look: Look, number: int) -> int:
        """The pixel, from the widget's left edge, where the thumb stands for ``number``."""
        first, last = self.rail(look)
        return first + (last - first) * (number - self.low) // (self.high - self.low)

    def set(self, session: Session, window: Window, number: int) -> None:
        """Move it to ``number``, within its ends."""
        number = max(self.low, min(number, self.high))
        if number != self.number:
            self.number = number
            session.changed(window, self)

    def _slide(self, session: Session, window: Window, x: int) -> None:
        first, last = self.rail(session.look)
        steps = (self.high - self.low) // self.step
        share = max(0, min(x - first, last - first))
        self.set(session, window, self.low + self.step * ((2 * share * steps + last - first) // (2 * (last - first))))

    def press(self, session: Session, window: Window, pointer: Pointer) -> None:
        if pointer.button is Button.LEFT:
            self._slide(session, window, pointer.x)

    def motion(self, session: Session, window: Window, pointer: Pointer) -> None:
        self._slide(session, window, pointer.x)

    def wheel(self, session: Session, window: Window, dx: int, dy: int) -> None:
        self.set(session, window, self.number + self.step * (dx - dy))

    def stroke(self, session: Session, window: Window, stroke: Stroke) -> bool:
        steps = {Key.LEFT: -1, Key.DOWN: -1, Key.RIGHT: 1, Key.UP: 1, Key.PAGE_UP: 10, Key.PAGE_DOWN: -10}
        if stroke.modifiers or stroke.key not in (*steps, Key.HOME, Key.END):
            return False
        to = {Key.HOME: self.low, Key.END: self.high}.get(stroke.key)
        self.set(session, window, self.number + self.step * steps[stroke.key] if to is None else to)
        return True

    def draw(self, canvas: Canvas, rect: Rect, look: Look, focused: bool) -> None:
        theme = look.theme
        x, y, _, h = rect
        first, last = self.rail(look)
        at, high, thick = self.position(look, self.number), look.size.font + 3, max(2, look.size.font // 4)
        rail = (x, y + h // 2 - high // 2, last + high // 2 + 1, high)
        canvas.stamp(rail, _draw_rail, first, last, at, thick, theme.border, theme.accent, theme.accent if focused else theme.field)
        text = str(self.number)
        canvas.text(x + self.w - look.sans.width(text) - 1, y + (h - look.sans.height) // 2, text, look.sans, theme.text)


def _draw_rail(canvas: Canvas, rect: Rect, first: int, last: int, at: int, thick: int, color: Color, accent: Color, inner: Color) -> None:
    """A slider's rail from ``first`` to ``last``, coloured up to the thumb, whose middle is ``at``; pixels from the left."""
    x, y, _, h = rect
    top, side = y + h // 2 - thick // 2, h - 3 + h % 2
    canvas.rounded((x + first, top, last - first, thick), color, thick // 2)
    canvas.rounded((x + first, top, max(0, at - first), thick), accent, thick // 2)
    canvas.disc(x + at - side // 2, y + h // 2 - side // 2, side, accent)
    canvas.disc(x + at - side // 2 + 2, y + h // 2 - side // 2 + 2, side - 4, inner)


@dataclass(kw_only=True)
class DropDown(Widget):
    """A list of ``choices`` that opens below it by a press, Space or Enter; ``selected`` is an index, -1 for none yet."""

    role: ClassVar[str] = "combo box"
    focusable: ClassVar[bool] = True

    choices: list[str] = field(default_factory=list)
    labels: dict[str, str] = field(default_factory=dict)  #: what is shown for a choice, if not itself
    selected: int = -1

    @property
    def value(self) -> Any:
        return self.choices[self.selected] if self.selected >= 0 else ""

    def _open(self, session: Session, window: Window) -> None:
        x, y, w, h = window.rect_of(self)
        session.pop_up(window, self, x, y + h, self.choices, w, self.labels)

    def press(self, session: Session, window: Window, pointer: Pointer) -> None:
        if pointer.button is Button.LEFT:
            self._open(session, window)

    def stroke(self, session: Session, window: Window, stroke: Stroke) -> bool:
        if stroke.modifiers or stroke.key not in (Key.UP, Key.DOWN, Key.SPACE, Key.ENTER):
            return False
        if stroke.key in (Key.SPACE, Key.ENTER):
            self._open(session, window)
        else:
            self.selected = max(0, min(self.selected + (1 if stroke.key is Key.DOWN else -1), len(self.choices) - 1))
            session.changed(window, self)
        return True

    def chosen(self, session: Session, window: Window, item: str) -> None:
        self.selected = self.choices.index(item)
        session.changed(window, self)

    def draw(self, canvas: Canvas, rect: Rect, look: Look, focused: bool) -> None:
        theme = look.theme
        x, y, w, h = rect
        canvas.panel(rect, theme.face, theme.accent if focused else theme.border, look.size.radius // 2)
        top = y + (h - look.sans.height) // 2
        arrow = look.sans.width("▼")
        canvas.text(
            x + look.size.gap + 1,
            top,
            look.sans.shorten(self.labels.get(self.value, self.value) or "…", w - arrow - 3 * look.size.gap),
            look.sans,
            theme.text,
        )
        canvas.text(x + w - arrow - look.size.gap, top, "▼", look.sans, theme.muted)


def shortcuts_of(keys: Mapping[Key, str]) -> dict[str, str]:
    """The shortcuts of items as menus show them, from the keys that do the same with CTRL."""
    return {item: f"Ctrl+{KEY_CHARACTER[key].upper()}" for key, item in keys.items()}


@dataclass(kw_only=True)
class MenuBar(Widget):
    """Menus by key, opened by a click or F10. Choosing an item signals ``"chosen"`` with the value ``"Menu > Item"``, in keys.

    Args:
        menus: the items of each menu: keys, or pairs of a key and the items of a submenu; "-" is a line.
        labels: what is shown for a key, if not the key itself.
        shortcuts: the keyboard's short ways to items by key, such as "Ctrl+S".
        opened: the menu that is open, or "".
    """

    role: ClassVar[str] = "menu bar"

    menus: dict[str, list[Any]] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    shortcuts: dict[str, str] = field(default_factory=dict)
    opened: str = ""

    def titles(self, look: Look) -> list[tuple[str, Rect]]:
        """Each menu's key and the bounds of its title relative to the bar."""
        result, x = [], 1
        for title in self.menus:
            w = look.sans.width(self.labels.get(title, title)) + 2 * look.size.gap + 2
            result.append((title, (x, 0, w, self.h)))
            x += w
        return result

    def least_width(self, look: Look) -> int:
        return max((x + w for _, (x, _, w, _) in self.titles(look)), default=0) + 1

    def children(self, rect: Rect, look: Look) -> list[dict[str, Any]]:
        return [
            {
                "role": "menu",
                "name": self.labels.get(title, title),
                "bounds": [rect[0] + x, rect[1] + y, w, h],
                "value": title == self.opened,
                "children": [],
            }
            for title, (x, y, w, h) in self.titles(look)
        ]

    def _open(self, session: Session, window: Window, title: str) -> None:
        x = window.x + self.x + dict(self.titles(session.look))[title][0]
        session.pop_up(window, self, x, window.y + self.y + self.h, self.menus[title], labels=self.labels, path=title, shortcuts=self.shortcuts)
        self.opened = title

    def press(self, session: Session, window: Window, pointer: Pointer) -> None:
        for title, rect in self.titles(session.look):
            if pointer.button is Button.LEFT and inside(rect, pointer.x, pointer.y):
                self._open(session, window, title)

    def stroke(self, session: Session, window: Window, stroke: Stroke) -> bool:
        names = list(self.menus)
        if stroke.is_(Key.F10):
            self._open(session, window, names[0])
            return True
        if not self.opened or stroke.key not in (Key.LEFT, Key.RIGHT):
            return False
        self._open(session, window, names[(names.index(self.opened) + (1 if stroke.key is Key.RIGHT else -1)) % len(names)])
        return True

    def menu_closed(self) -> None:
        self.opened = ""

    def draw(self, canvas: Canvas, rect: Rect, look: Look, focused: bool) -> None:
        theme = look.theme
        x, y, w, h = rect
        canvas.fill(rect, theme.window)
        canvas.fill((x, y + h - 1, w, 1), theme.border)
        for title, (left, _, width, _) in self.titles(look):
            if title == self.opened:
                canvas.fill((x + left, y, width, h - 1), theme.select)
            canvas.text(x + left + look.size.gap + 1, y + (h - look.sans.height) // 2, self.labels.get(title, title), look.sans, theme.text)
