"""What every operation on a running desktop needs: its state, its look, and which parts of the screen it changed."""

from __future__ import annotations

from gui_gym.desktops.sim.canvas import Rect
from gui_gym.desktops.sim.labels import label
from gui_gym.desktops.sim.look import Look, look_for
from gui_gym.desktops.sim.state import State, Window
from gui_gym.desktops.sim.widgets.base import Widget


class Screen:
    """A :class:`State` and the rectangles of it to be drawn again, ``damage``, which whoever draws empties."""

    def __init__(self, state: State):
        self.state = state
        self.damage: list[Rect] = [(0, 0, state.width, state.height)]
        self._chosen: tuple[object, object] = (None, None)  # the theme and the text size that self._look was made for
        self._look: Look

    @property
    def look(self) -> Look:
        settings, (theme, text_size) = self.state.settings, self._chosen
        if settings["theme"] is not theme or settings["text_size"] is not text_size:
            self._chosen = theme, text_size = settings["theme"], settings["text_size"]
            self._look = look_for(self.state.width, self.state.height, str(theme), str(text_size))
        return self._look

    def label(self, english: str, *parts: str) -> str:
        """What the desktop calls something in its language; ``parts`` replace the ``{}`` in it."""
        text = label(english, str(self.state.settings["language"]))
        return text.format(*parts) if parts else text

    def shortcut(self, english: str) -> str:
        """A shortcut such as "Ctrl+Shift+S" as keyboards of the desktop's language say it."""
        return english.replace("Ctrl+", self.label("Ctrl") + "+").replace("Shift+", self.label("Shift") + "+")

    @property
    def work_area(self) -> Rect:
        """The screen without the task bar."""
        return 0, 0, self.state.width, self.state.height - self.look.size.bar

    @property
    def has_shell(self) -> bool:
        """Whether there is room for a task bar, and with it for menus of the desktop and tooltips."""
        return self.look.size.bar > 0

    def redraw(self, rect: Rect) -> None:
        """Part of the screen changed."""
        if not self.damage or self.damage[-1] != rect:  # one action often changes one thing several times
            self.damage.append(rect)

    def redraw_all(self) -> None:
        """All of the screen changed."""
        self.damage.append((0, 0, self.state.width, self.state.height))

    def touch(self, window: Window, widget: Widget | None = None) -> None:
        """A widget changed, or a whole window with its shadow and its place in the task bar."""
        if widget is not None:
            self.redraw(window.rect_of(widget))
            return
        self.redraw(self._shadowed(window))
        self.touch_bar()

    def touch_used(self, window: Window, widget: Widget) -> None:
        """A widget was used: those parts of it that changed, as it says itself."""
        left, top = window.x + widget.x, window.y + widget.y
        for x, y, w, h in widget.damage(self.look):
            self.redraw((left + x, top + y, w, h))

    def _shadowed(self, window: Window) -> Rect:
        """A window's bounds and its shadow."""
        s = self.look.size.shadow
        return window.x - s, window.y - s, window.w + 2 * s, window.h + 2 * s

    def touch_bar(self) -> None:
        """The task bar changed."""
        bar = self.look.size.bar
        if bar:
            self.redraw((0, self.state.height - bar, self.state.width, bar))
