"""The window manager: where the parts of windows are, which is above which, and how they move, grow, hide and close."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from gui_gym.desktops.sim.canvas import Rect, inside, intersect
from gui_gym.desktops.sim.screen import Screen
from gui_gym.desktops.sim.state import CLOSE, MAXIMISE, MINIMISE, Event, Window
from gui_gym.desktops.sim.widgets.base import Widget

if TYPE_CHECKING:
    from gui_gym.desktops.sim.session import Session


class WindowManager(Screen):
    """Operations on the windows of a desktop."""

    # What is where

    @property
    def shown(self) -> list[Window]:
        """The windows that are not minimised, from the lowest to the topmost."""
        return [w for w in self.state.windows if not w.minimised]

    @property
    def active(self) -> Window | None:
        """The topmost window, which has the keyboard."""
        for window in reversed(self.state.windows):
            if not window.minimised:
                return window
        return None

    def window_at(self, x: int, y: int) -> Window | None:
        """The topmost window that gets the mouse at a pixel of the screen."""
        for window in reversed(self.state.windows):
            if not window.minimised and inside(self._reach(window), x, y):
                return window
        return None

    def widget_at(self, window: Window, x: int, y: int) -> Widget | None:
        """The window's widget at a pixel of the screen."""
        x, y = x - window.x, y - window.y
        for widget in reversed(window.widgets):
            if widget.x <= x < widget.x + widget.w and widget.y <= y < widget.y + widget.h:
                return widget
        return None

    def title_rect(self, window: Window) -> Rect:
        """A window's title bar."""
        return window.x, window.y, window.w, self.look.size.title

    def title_buttons(self, window: Window) -> list[tuple[str, Rect]]:
        """The buttons of a window's title bar, from the right: CLOSE, and if it is resizable and has the room MAXIMISE and MINIMISE."""
        title = self.look.size.title
        inset = title // 6
        side = title - 2 * inset
        names = (CLOSE, MAXIMISE, MINIMISE) if window.resizable and window.w >= 8 * title else (CLOSE,)
        step = side + max(2, inset)
        return [(name, (window.x + window.w - inset - side - i * step, window.y + inset, side, side)) for i, name in enumerate(names)]

    def close_rect(self, window: Window) -> Rect:
        """A window's close button."""
        return self.title_buttons(window)[0][1]

    def edges_at(self, window: Window, x: int, y: int) -> str:
        """The borders by which a press at a pixel resizes a window, such as "bottom right", or ""."""
        if not window.resizable or window.maximised or not inside(self._reach(window), x, y):
            return ""
        within, corner = self._margins()[0], self.look.size.title // 2
        left, right, top, bottom = x - window.x, window.x + window.w - 1 - x, y - window.y, window.y + window.h - 1 - y
        if min(left, right, top, bottom) >= within:
            return ""
        edges = ["top"] if top < corner and top <= bottom else ["bottom"] if bottom < corner else []
        edges += ["left"] if left < corner and left <= right else ["right"] if right < corner else []
        return " ".join(edges)

    def least_size(self, window: Window) -> tuple[int, int]:
        """The least width and height a window can be resized to."""
        title = self.look.size.title
        needs = [w.x + need for w in window.widgets if (need := w.least_width(self.look))]
        return max(window.least[0], 5 * title, *needs), max(window.least[1], 2 * title)

    def _margins(self) -> tuple[int, int]:
        """How far the borders of a resizable window reach inwards and outwards, in pixels."""
        return (2, 4) if self.look.size.font >= 10 else (1, 2)

    def _reach(self, window: Window) -> Rect:
        """Where a window gets the mouse: its bounds, and a few pixels around them if it can be resized."""
        if not window.resizable or window.maximised:
            return window.bounds
        out = self._margins()[1]
        return window.x - out, window.y - out, window.w + 2 * out, window.h + 2 * out

    # Windows that block others

    def blocker(self, window: Window) -> Window | None:
        """The window that must be closed before this one can be used, or None."""
        for other in reversed(self.state.windows):
            if other.modal_for == window.id and other is not window:
                return other
        return None

    def group(self, window: Window) -> list[Window]:
        """A window with the ones it is modal for, those before, and the ones that are modal for it, those after."""
        chain = [window]
        while (owner := self.state.window(chain[0].modal_for) if chain[0].modal_for else None) and owner not in chain:
            chain.insert(0, owner)
        while (modal := self.blocker(chain[-1])) and modal not in chain:
            chain.append(modal)
        return chain

    @property
    def listed(self) -> list[Window]:
        """The windows of the task bar in the order of their opening: all that are not modal for another one."""
        windows = [w for w in self.state.windows if not w.modal_for or self.state.window(w.modal_for) is None]
        return sorted(windows, key=lambda w: w.number)

    @property
    def recent(self) -> list[Window]:
        """The windows of the task bar, the one used last first."""
        listed = {id(w) for w in self.listed}
        order: list[Window] = []
        for window in reversed(self.state.windows):
            first = self.group(window)[0]
            if id(first) in listed and all(first is not w for w in order):
                order.append(first)
        return order

    # Changes

    def open(self, window: Window) -> None:
        """Put a window on top; one that is open already is raised instead."""
        known = self.state.window(window.id)
        if known:
            self.activate(known)
            return
        if before := self.active:
            self._touch_activity(before)
        self._let_go([window.modal_for])  # what it blocks cannot be used, not even by a button that is held already
        self.state.opened += 1
        window.number = self.state.opened
        self.state.windows.append(window)
        self.touch(window)

    def ask_to_close(self, window: Window) -> None:
        """The user wants to close a window: raise what blocks it, or ask it."""
        if self.blocker(window):
            self.activate(window)
        elif window.on_close(self._session):
            self.close(window)

    def close(self, window: Window) -> None:
        """Take a window away, with those that are modal for it."""
        state = self.state
        while modal := self.blocker(window):
            self.close(modal)
        self.touch(window)
        self._let_go([window.id])
        if state.popup and state.popup.window == window.id:
            self.dismiss()
        state.windows = [w for w in state.windows if w is not window]
        state.log.append(Event(window.id, "", "closed", window.title))
        if self.active:
            self._touch_activity(self.active)

    def _let_go(self, windows: list[str]) -> None:
        """The mouse button, if it holds something of one of these windows, holds nothing from now on."""
        grab = self.state.grab
        if grab is None or grab.window not in windows:
            return
        self.state.grab = None
        window = self.state.window(grab.window)
        widget = window.find(grab.widget) if window else None
        if window is not None and widget is not None:
            widget.let_go()
            self.touch(window, widget)
        elif window is not None:
            self.redraw(self.title_rect(window))

    def dismiss(self) -> None:
        """Close the open menu, if any."""
        raise NotImplementedError

    @property
    def _session(self) -> Session:
        """Itself: a session is the only window manager there is, and what windows are given."""
        return cast("Session", self)

    def activate(self, window: Window) -> None:
        """Raise a window, from the task bar too, together with those it blocks or that block it."""
        windows = self.state.windows
        if windows and windows[-1] is window and not (window.minimised or window.modal_for or self.blocker(window)):
            return  # most presses are on the window that is active already
        before = self.active
        if window not in windows:
            return
        group = self.group(window)
        if before is group[-1] and windows[-len(group) :] == group:
            return
        if before:
            self._touch_activity(before)
        for each in group:
            if each.minimised:
                self.touch(each)
            else:
                self._touch_activity(each)
                for above in windows[windows.index(each) + 1 :]:
                    common = None if above.minimised else intersect(self._shadowed(each), self._shadowed(above))
                    if common:
                        self.redraw(common)
            each.minimised = False
            windows.remove(each)
            windows.append(each)

    def _touch_activity(self, window: Window) -> None:
        """What tells whether a window is the active one: its title bar, the focus in it, its button in the task bar."""
        self.redraw(self.title_rect(window))
        if focused := window.find(window.focus):
            self.touch(window, focused)
        self.touch_bar()

    def minimise(self, window: Window) -> None:
        """Hide a window and those modal for it: they stay in the task bar, below all others."""
        group = self.group(window)
        self.dismiss()
        self._let_go([w.id for w in group])
        for each in group:
            self.touch(each)
            each.minimised = True
            self.state.windows.remove(each)
        self.state.windows[:0] = group
        if self.active:
            self._touch_activity(self.active)

    def maximise(self, window: Window) -> None:
        """Let a resizable window fill the work area."""
        if window.resizable and not window.maximised:
            window.restored, window.maximised = window.bounds, True
            self._place(window, self.work_area)

    def restore(self, window: Window) -> None:
        """Give a maximised window the bounds it had before; show one that is minimised."""
        if window.minimised:
            self.activate(window)
        elif window.maximised:
            window.maximised = False
            self._place(window, window.restored)

    def snap(self, window: Window, side: str) -> None:
        """Let a resizable window fill the "left" or "right" half of the work area."""
        if window.resizable:
            left, top, width, height = self.work_area
            window.maximised = False
            half = max(width // 2, self.least_size(window)[0])
            self.resize(window, left + width - half if side == "right" else left, top, half, height)

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

    def resize(self, window: Window, x: int, y: int, w: int, h: int) -> None:
        """Give a window other bounds: not smaller than its ``least`` size, nor with its title bar out of reach."""
        least_w, least_h = self.least_size(window)
        self._place(window, (x, max(y, 0), max(w, least_w), max(h, least_h)))

    def grow(self, window: Window) -> None:
        """Give a resizable window its least size if it is smaller, as when letters grew, and move it so that it is on the screen."""
        if window.resizable and not window.maximised:
            left, top, width, height = self.work_area
            least_w, least_h = self.least_size(window)
            w, h = max(window.w, min(least_w, width)), max(window.h, min(least_h, height))
            if (w, h) != (window.w, window.h):
                self._place(window, (max(left, min(window.x, left + width - w)), max(top, min(window.y, top + height - h)), w, h))

    def _place(self, window: Window, bounds: Rect) -> None:
        if bounds != window.bounds:
            self.touch(window)
            sized = bounds[2:] != (window.w, window.h)
            window.x, window.y, window.w, window.h = bounds
            if sized:
                window.layout(self._session)
        self.touch(window)

    def retitle(self, window: Window, title: str) -> None:
        """Change a window's title."""
        if title != window.title:
            window.title = title
            self.redraw(self.title_rect(window))
            self.touch_bar()
