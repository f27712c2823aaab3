"""A field that suggests how to go on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from gui_gym.actions import Button, Key
from gui_gym.desktops.sim.canvas import Canvas, Rect
from gui_gym.desktops.sim.look import Look
from gui_gym.desktops.sim.widgets.base import Pointer, Stroke
from gui_gym.desktops.sim.widgets.text import TextField

if TYPE_CHECKING:
    from gui_gym.desktops.sim.session import Session
    from gui_gym.desktops.sim.state import Window

MOST = 5  #: suggestions shown at once


@dataclass(kw_only=True)
class SuggestField(TextField):
    """A text, and while it is typed a list below it of the ``entries`` that begin with it.

    A press on a suggestion, or Enter on the one marked by the up and down keys, takes it; Escape and leaving the field close the list.
    The list is part of the widget, which grows over what is below it: put it last among the window's widgets.
    """

    role: ClassVar[str] = "combo box"

    entries: list[str] = field(default_factory=list)
    line: int = 0  #: the height in pixels of the field alone, and of each suggestion
    suggested: list[str] = field(default_factory=list)
    marked: int = -1

    def suggest(self, session: Session, window: Window, entries: list[str]) -> None:
        """Show these suggestions."""
        session.touch(window, self)
        self.line = self.line or self.h
        self.suggested, self.marked = entries, -1
        self.h = self.line * (1 + len(entries))
        session.touch(window, self)

    def take(self, session: Session, window: Window, entry: str) -> None:
        """Make a suggestion the text."""
        self.anchor, self.caret = 0, len(self.text)
        self.replace(session, window, entry)
        self.suggest(session, window, [])

    def replace(self, session: Session, window: Window, text: str, typing: bool = False) -> None:
        super().replace(session, window, text, typing)
        self._suggest(session, window)

    def erase(self, session: Session, window: Window, edge: int) -> None:
        super().erase(session, window, edge)
        self._suggest(session, window)

    def undo(self, session: Session, window: Window) -> None:
        super().undo(session, window)
        self._suggest(session, window)

    def redo(self, session: Session, window: Window) -> None:
        super().redo(session, window)
        self._suggest(session, window)

    def _suggest(self, session: Session, window: Window) -> None:
        """Show the entries that go on from what is typed."""
        begun = self.text.casefold()
        found = [entry for entry in self.entries if begun and entry.casefold().startswith(begun) and entry != self.text]
        self.suggest(session, window, found[:MOST])

    def press(self, session: Session, window: Window, pointer: Pointer) -> None:
        row = pointer.y // self.line - 1 if self.suggested else -1
        if row < 0:
            super().press(session, window, pointer)
        elif pointer.button is Button.LEFT and row < len(self.suggested):
            self.take(session, window, self.suggested[row])

    def stroke(self, session: Session, window: Window, stroke: Stroke) -> bool:
        if self.suggested and not stroke.modifiers:
            if stroke.key in (Key.DOWN, Key.UP):
                step = 1 if stroke.key is Key.DOWN else -1
                at = self.marked if self.marked >= 0 else min(-step, 0)  # none is before the first one, and after the last
                self.marked = (at + step) % len(self.suggested)
                return True
            if stroke.key is Key.ENTER and self.marked >= 0:
                self.take(session, window, self.suggested[self.marked])
                return True
            if stroke.key is Key.ESCAPE:
                self.suggest(session, window, [])
                return True
        return super().stroke(session, window, stroke)

    def unfocused(self, session: Session, window: Window) -> None:
        self.suggest(session, window, [])

    def children(self, rect: Rect, look: Look) -> list[dict[str, Any]]:
        return [
            {"role": "list item", "name": text, "bounds": [rect[0], rect[1] + (i + 1) * self.line, self.w, self.line], "value": None, "children": []}
            for i, text in enumerate(self.suggested)
        ]

    def draw(self, canvas: Canvas, rect: Rect, look: Look, focused: bool) -> None:
        theme = look.theme
        x, y, w, h = rect
        line = self.line if self.suggested else h
        super().draw(canvas, (x, y, w, line), look, focused)
        if self.suggested:
            canvas.fill((x, y + line, w, h - line), theme.window)
            for i, text in enumerate(self.suggested):
                top = y + line * (i + 1)
                if i == self.marked:
                    canvas.fill((x, top, w, line), theme.select)
                canvas.text(
                    x + look.size.gap + 1, top + (line - look.sans.height) // 2, look.sans.shorten(text, w - 2 * look.size.gap), look.sans, theme.text
                )
            canvas.outline((x, y + line - 1, w, h - line + 1), theme.border)
