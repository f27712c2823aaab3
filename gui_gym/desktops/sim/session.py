"""A running desktop without its picture: a state, the operations on it, and which parts of the screen they changed."""

from __future__ import annotations

from gui_gym.desktops.sim.canvas import Rect, inside
from gui_gym.desktops.sim.labels import label
from gui_gym.desktops.sim.look import Look, look_for
from gui_gym.desktops.sim.settings import SETTINGS, Value
from gui_gym.desktops.sim.state import Event, Popup, State, Window
from gui_gym.desktops.sim.widgets.base import Widget


class Session:
    """Operations on a :class:`State`. ``damage`` lists the rectangles to be drawn again; whoever draws empties it."""

    def __init__(self, state: State):
        self.state = state
        self.damage: list[Rect] = [(0, 0, state.width, state.height)]

    @property
    def look(self) -> Look:
        settings = self.state.settings
        return look_for(self.state.width, self.state.height, str(settings["theme"]), str(settings["text_size"]))

    def label(self, english: str, *parts: str) -> str:
        """What the desktop calls something in its language; ``parts`` replace the ``{}`` in it."""
        text = label(english, str(self.state.settings["language"]))
        return text.format(*parts) if parts else text

    @property
    def work_area(self) -> Rect:
        """The screen without the task bar."""
        return 0, 0, self.state.width, self.state.height - self.look.size.bar

    # What is where

    @property
    def active(self) -> Window | None:
        """The topmost window."""
        return self.state.windows[-1] if self.state.windows else None

    def window_at(self, x: int, y: int) -> Window | None:
        """The topmost window at a pixel of the screen."""
        return next((w for w in reversed(self.state.windows) if inside(w.bounds, x, y)), None)

    def widget_at(self, window: Window, x: int, y: int) -> Widget | None:
        """The window's widget at a pixel of the screen."""
        return next((w for w in reversed(window.widgets) if inside(window.rect_of(w), x, y)), None)

    def title_rect(self, window: Window) -> Rect:
        """A window's title bar."""
        return window.x, window.y, window.w, self.look.size.title

    def close_rect(self, window: Window) -> Rect:
        """A window's close button."""
        side = self.look.size.title - 2 * (self.look.size.title // 6)
        inset = self.look.size.title // 6
        return window.x + window.w - side - inset, window.y + inset, side, side

    def bar_rects(self) -> list[tuple[Window, Rect]]:
        """The task bar's buttons, one for each window in the order of their ids."""
        size = self.look.size
        if not size.bar or not self.state.windows:
            return []
        left, right = size.bar + size.gap, self.state.width - self.look.sans.width("00:00") - 2 * size.pad
        each = min(size.font * 13, (right - left) // len(self.state.windows))
        inset = size.bar // 8
        top = self.state.height - size.bar + inset
        ordered = sorted(self.state.windows, key=lambda w: w.id)
        return [(w, (left + i * each, top, each - size.gap, size.bar - 2 * inset)) for i, w in enumerate(ordered)]

    # Changes

    def redraw(self, rect: Rect) -> None:
        """Part of the screen changed."""
        self.damage.append(rect)

    def touch(self, window: Window, widget: Widget | None = None) -> None:
        """A widget changed, or a whole window with its shadow and its place in the task bar."""
        if widget is not None:
            self.redraw(window.rect_of(widget))
            return
        s = self.look.size.shadow
        self.redraw((window.x - s, window.y - s, window.w + 2 * s, window.h + 2 * s))
        self.touch_bar()

    def touch_bar(self) -> None:
        """The task bar changed."""
        bar = self.look.size.bar
        if bar:
            self.redraw((0, self.state.height - bar, self.state.width, bar))

    def signal(self, window: Window, widget: Widget, signal: str, value: str = "") -> None:
        """Log that a widget was used, and tell its window."""
        self.state.log.append(Event(window.id, widget.id, signal, value))
        self.touch(window, widget)
        window.on_signal(self, widget, signal, value)

    def changed(self, window: Window, widget: Widget) -> None:
        """A widget's value changed by itself or by typing: its window is told, but the log holds only what was used."""
        self.touch(window, widget)
        window.on_signal(self, widget, "changed", "")

    def change_setting(self, name: str, value: Value) -> None:
        """Give a setting a value and tell all windows; ValueError for one it cannot have."""
        if name not in SETTINGS or not SETTINGS[name].allows(value):
            expected = SETTINGS[name] if name in SETTINGS else f"one of {', '.join(SETTINGS)}"
            raise ValueError(f"setting {name!r} cannot be {value!r}: expected {expected}")
        if self.state.settings[name] != value:
            self.state.settings[name] = value
            self.redraw((0, 0, self.state.width, self.state.height))
            for window in list(self.state.windows):
                window.on_setting(self, name)

    def files_changed(self) -> None:
        """Tell all windows that the file system changed."""
        for window in self.state.windows:
            window.on_files(self)

    def open(self, window: Window) -> None:
        """Put a window on top; one that is open already is raised instead."""
        known = self.state.window(window.id)
        if known:
            self.activate(known)
            return
        before = self.active
        if before:
            self.touch(before)
        self.state.windows.append(window)
        self.touch(window)

    def close(self, window: Window) -> None:
        """Take a window away."""
        state = self.state
        self.touch(window)
        if state.grab and state.grab.window == window.id:
            state.grab = None
        if state.popup and state.popup.window == window.id:
            self.dismiss()
        state.windows = [w for w in state.windows if w is not window]
        state.log.append(Event(window.id, "", "closed", window.title))
        if self.active:
            self.touch(self.active)

    def activate(self, window: Window) -> None:
        """Raise a window."""
        before = self.active
        if before is not window and window in self.state.windows:
            if before:
                self.touch(before)
            self.state.windows.remove(window)
            self.state.windows.append(window)
            self.touch(window)

    def move(self, window: Window, x: int, y: int) -> None:
        """Move a window; its title bar stays within reach."""
        left, top, width, height = self.work_area
        title = self.look.size.title
        x = min(max(x, left - window.w + 3 * title), width - title)
        y = min(max(y, top), height - title)
        if (x, y) != (window.x, window.y):
            self.touch(window)
            window.x, window.y = x, y
            self.touch(window)

    def retitle(self, window: Window, title: str) -> None:
        """Change a window's title."""
        if title != window.title:
            window.title = title
            self.redraw(self.title_rect(window))
            self.touch_bar()

    def focus(self, window: Window, widget: Widget | None) -> None:
        """Give the keyboard to a widget of a window, or to none of them."""
        for each in window.widgets:
            if each.id == window.focus or each is widget:
                self.touch(window, each)
        window.focus = widget.id if widget is not None and widget.focusable else ""

    def focused(self) -> tuple[Window, Widget] | None:
        """The widget that has the keyboard, with its window."""
        window = self.active
        if window is None or not window.focus:
            return None
        widget = window.find(window.focus)
        return (window, widget) if widget is not None else None

    def pop_up(self, window: Window, widget: Widget, x: int, y: int, items: list[str], least: int = 0) -> None:
        """Open a menu, at least ``least`` pixels wide, with its corner at a pixel of the screen, moved so that it fits."""
        self.dismiss()
        size, font = self.look.size, self.look.sans
        w = max(least, max(font.width(item) for item in items) + 2 * size.pad + 2)
        h = sum(self.item_height(item) for item in items) + 2
        x, y = max(0, min(x, self.state.width - w)), max(0, min(y, self.state.height - h))
        self.state.popup = Popup(window.id, widget.id, [x, y, w, h], list(items))
        self._touch_popup(self.state.popup)

    def dismiss(self) -> None:
        """Close the open menu, if any."""
        popup = self.state.popup
        if popup:
            self.state.popup = None
            self._touch_popup(popup)
            window = self.state.window(popup.window)
            owner = window.find(popup.widget) if window else None
            if owner is not None:
                owner.menu_closed()

    def _touch_popup(self, popup: Popup) -> None:
        x, y, w, h = popup.rect
        s = self.look.size.shadow
        self.redraw((x - s, y - s, w + 2 * s, h + 2 * s))
        window = self.state.window(popup.window)
        owner = window.find(popup.widget) if window else None
        if window is not None and owner is not None:
            self.touch(window, owner)

    def item_height(self, item: str) -> int:
        """The height of a menu's item."""
        return max(3, self.look.size.gap) if item == "-" else self.look.size.control

    def item_rects(self, popup: Popup) -> list[Rect]:
        """The bounds of an open menu's items on the screen."""
        x, y, w, _ = popup.rect
        rects, top = [], y + 1
        for item in popup.items:
            rects.append((x + 1, top, w - 2, self.item_height(item)))
            top += self.item_height(item)
        return rects
