"""Scripted solutions: act on a copy of the state and keep the actions."""

from __future__ import annotations

from collections.abc import Sequence

from gui_gym.actions import MAX_SCROLL, Action, ActionType, Button, Key, Modifier
from gui_gym.desktops.sim.canvas import Rect, inside
from gui_gym.desktops.sim.menus import chain
from gui_gym.desktops.sim.perform import perform
from gui_gym.desktops.sim.session import Session
from gui_gym.desktops.sim.shell import START, bar_parts, bar_rects
from gui_gym.desktops.sim.state import CLOSE, MAXIMISE, Popup, State, Window, key_of
from gui_gym.desktops.sim.widgets.area import TextArea
from gui_gym.desktops.sim.widgets.base import Widget
from gui_gym.desktops.sim.widgets.choice import MenuBar, Slider
from gui_gym.desktops.sim.widgets.listview import ListView
from gui_gym.desktops.sim.widgets.outline import BETWEEN, Outline
from gui_gym.desktops.sim.widgets.scroll import NOTCH
from gui_gym.tasks.task import TaskError

_SAMPLES = 9  #: points tried along each side when the middle of something is covered


class Solver:
    """Performs actions on its own copy of a state and records them in ``actions``.

    It first lets go of what is held and closes an open menu. Raises :class:`~gui_gym.tasks.TaskError` when something
    it needs is gone, such as a window that was closed.
    """

    def __init__(self, state: State):
        self.session = Session(state)
        self.actions: list[Action] = []
        self.closing = Action.done()
        x, y = state.cursor
        for button in list(state.buttons):
            self.act(Action(ActionType.MOUSE_UP, point=(x, y), button=Button(button)))
        for key in list(state.keys):
            self.act(Action.key_up(key))
        while state.popup:
            self.press(Key.ESCAPE)

    @property
    def state(self) -> State:
        return self.session.state

    def act(self, action: Action) -> None:
        """Do ``action``."""
        self.actions.append(action.check(self.state.width, self.state.height))
        perform(self.session, action)

    def answer(self, text: str) -> None:
        """End with this answer instead of DONE."""
        self.closing = Action.answer(text)

    # Finding

    def window(self, window_id: str) -> Window:
        """An open window."""
        window = self.state.window(window_id)
        if window is None:
            raise TaskError(f"there is no scripted solution from here: the window {window_id!r} is closed")
        return window

    def widget(self, window_id: str, widget_id: str) -> Widget:
        """A widget of an open window."""
        return self.window(window_id).widget(widget_id)

    def raise_window(self, window: Window) -> None:
        """Bring a window to the top, by its place in the task bar or by what can be seen of its title bar or body."""
        if self.session.active is window:
            return
        group = self.session.group(window)
        for other, rect in bar_rects(self.session):
            if other is group[0]:
                self.act(Action.click(*middle(rect)))
                return
        point = self._visible(window, self.session.title_rect(window)) or self._visible(window, window.bounds)
        if point is None:
            raise TaskError(f"there is no scripted solution from here: the window {window.title!r} is covered")
        self.act(Action.click(*point))

    def _visible(self, window: Window, rect: Rect) -> tuple[int, int] | None:
        x, y, w, h = rect
        for row in range(1, _SAMPLES):
            for column in range(1, _SAMPLES):
                point = x + w * column // _SAMPLES, y + h * row // _SAMPLES
                if self._on_screen(*point) and self.session.window_at(*point) is window:
                    if self.session.widget_at(window, *point) is None and self._harmless(window, *point):
                        return point
        return None

    def _harmless(self, window: Window, x: int, y: int) -> bool:
        """Whether a click at a pixel of a window hits none of its buttons and borders."""
        return not self.session.edges_at(window, x, y) and not any(inside(rect, x, y) for _, rect in self.session.title_buttons(window))

    def _on_screen(self, x: int, y: int) -> bool:
        return inside(self.session.work_area, x, y)

    def reach(self, window: Window, rect: Rect) -> tuple[int, int]:
        """A pixel of ``rect``, a part of ``window``, once the window is on top and moved so that the part is on the screen."""
        dx, dy = rect[0] - window.x, rect[1] - window.y
        self.raise_window(window)
        if not self._on_screen(*middle(rect)):
            self._bring_in(window)
        return middle((window.x + dx, window.y + dy, rect[2], rect[3]))

    def _bring_in(self, window: Window) -> None:
        """Drag a window that hangs over an edge of the screen back into it."""
        left, top, width, height = self.session.work_area
        x, y, w, h = self.session.title_rect(window)
        grip = next(
            (px for px in range(x + w - 1, x - 1, -1) if self._on_screen(px, y + h // 2) and self._harmless(window, px, y + h // 2)), None
        )  # from the right: it leaves the most room to the left
        if grip is None:
            raise TaskError(f"there is no scripted solution from here: the window {window.title!r} is out of reach")
        to_x = grip + min(max(window.x, left), max(left, left + width - window.w)) - window.x
        to_y = y + h // 2 + min(max(window.y, top), max(top, top + height - window.h)) - window.y
        self.act(Action.drag(grip, y + h // 2, min(max(to_x, left), left + width - 1), min(max(to_y, top), top + height - 1)))

    # Acting

    def click(self, window_id: str, widget_id: str, clicks: int = 1) -> None:
        """Click the middle of a widget."""
        window = self.window(window_id)
        point = self.reach(window, window.rect_of(window.widget(widget_id)))
        self.act(Action.click(*point, clicks=clicks))

    def close(self, window_id: str) -> None:
        """Close a window by the button in its title bar."""
        self.press_title_button(window_id, CLOSE)

    def start_program(self, app_id: str) -> None:
        """Start a program from the start menu."""
        self.act(Action.click(*middle(bar_parts(self.session)[START])))
        self.choose(app_id)

    def resize(self, window_id: str, w: int, h: int) -> None:
        """Give a resizable window another size by its lower right corner, moved to the screen's corner before if there is no room."""
        window = self.window(window_id)
        left, top, width, height = self.session.work_area
        self.raise_window(window)
        if window.maximised:
            self.press_title_button(window_id, MAXIMISE)
        if not (left <= window.x and window.x + max(w, window.w) <= left + width and top <= window.y and window.y + max(h, window.h) <= top + height):
            self.move(window_id, left, top)
        corner = window.x + window.w - 1, window.y + window.h - 1
        self.act(Action.drag(*corner, min(corner[0] + w - window.w, width - 1), min(corner[1] + h - window.h, height - 1)))

    def press_title_button(self, window_id: str, name: str) -> None:
        """Press a button in the title bar of a window: CLOSE, or if it has them MAXIMISE and MINIMISE."""
        window = self.window(window_id)
        self.act(Action.click(*self.reach(window, dict(self.session.title_buttons(window))[name])))

    def move(self, window_id: str, x: int, y: int) -> None:
        """Move a window by its title bar until its corner is at a pixel."""
        window = self.window(window_id)
        left, top, w, h = self.session.title_rect(window)
        buttons = min(rect[0] for _, rect in self.session.title_buttons(window))
        inset = h // 3  # clear of the borders
        grip = self.reach(window, (left + inset, top + inset, buttons - left - 2 * inset, h - 2 * inset))
        self.act(Action.drag(*grip, grip[0] + x - window.x, grip[1] + y - window.y))

    def press(self, key: Key, *modifiers: Modifier) -> None:
        """Press a key."""
        self.act(Action.press(key, *modifiers))

    def type(self, text: str) -> None:
        """Type text."""
        self.act(Action.type_text(text))

    def fill(self, window_id: str, widget_id: str, text: str) -> None:
        """Make ``text`` the whole content of a text field."""
        self.click(window_id, widget_id)
        if self.widget(window_id, widget_id).value:
            self.press(Key.A, Modifier.CTRL)
        self.type(text)

    def choose(self, path: str) -> None:
        """Choose an item of the open menu by its key, or one of its submenus by keys in a row: "Image > From file"."""
        for i, key in enumerate(path.split(" > ")):
            popup = chain(self.state.popup)[i:] if self.state.popup else []
            at = next((n for n, item in enumerate(popup[0].items) if key_of(item) == key), None) if popup else None
            if at is None:
                raise TaskError(f"there is no scripted solution from here: no open menu has the item {key!r}")
            self.act(Action.click(*self._item_point(popup[0], at)))

    def _item_point(self, popup: Popup, at: int) -> tuple[int, int]:
        """A pixel of a menu's item, once it has been scrolled into view."""
        left, top, wide, high = popup.rect
        while True:
            x, y = middle(self.session.item_rects(popup)[at])
            if top < y < top + high - 1:
                return x, y
            self.act(Action.scroll_by(left + wide // 2, top + high // 2, dy=1 if y > top else -1))

    def open_menu(self, window_id: str, widget_id: str, title: str) -> None:
        """Click a menu's title in a menu bar."""
        window = self.window(window_id)
        bar = window.part(widget_id, MenuBar)
        x, y, w, h = dict(bar.titles(self.session.look))[title]
        self.act(Action.click(*self.reach(window, (window.x + bar.x + x, window.y + bar.y + y, w, h))))

    def select_row(
        self, window_id: str, widget_id: str, name: str, clicks: int = 1, button: Button = Button.LEFT, modifiers: Sequence[Modifier] = ()
    ) -> None:
        """Click the row of a list that starts with ``name``, once it has been scrolled into view."""
        window = self.window(window_id)
        view = window.part(widget_id, ListView)
        row = next((i for i, cells in enumerate(view.rows) if cells[0] == name), None)
        if row is None:
            raise TaskError(f"there is no scripted solution from here: the list has no row {name!r}")
        place = self.scroll_row(window, view, row)
        self.act(Action.click(*self.reach(window, place), button, clicks, tuple(modifiers)))

    def scroll_row(self, window: Window, view: ListView | Outline, row: int) -> Rect:
        """Where a row of a list is on the screen, once the list is reached and scrolled to it."""
        point, look = self.reach(window, window.rect_of(view)), self.session.look
        while view.row_rect(look, row) is None:
            ahead = row - view.top - view.rows_in_view(look) // 2
            notches = max(-MAX_SCROLL, min(MAX_SCROLL, round(ahead / NOTCH) or (1 if ahead > 0 else -1)))
            self.act(Action.scroll_by(*point, dy=notches))
        place = view.row_rect(look, row)
        assert place is not None
        x, y, _, _ = window.rect_of(view)
        return x + place[0], y + place[1], place[2], place[3]

    def open_path(self, window_id: str, widget_id: str, path: str, clicks: int = 1) -> None:
        """Click an entry of a tree or of sections, once those it is in are open."""
        window = self.window(window_id)
        view = window.part(widget_id, Outline)
        names = path.split(BETWEEN)
        for depth in range(1, len(names)):
            row = view.at(BETWEEN.join(names[:depth]))
            if not view.rows()[row].node.open:
                place = self.scroll_row(window, view, row)
                left, _, wide, _ = view.arrow_rect(self.session.look, row, depth - 1) or place
                self.act(Action.click(*self.reach(window, (window.x + view.x + left, place[1], wide, place[3]))))
        x, y, w, h = self.scroll_row(window, view, view.at(path))
        indent = 2 * (self.session.look.size.font + self.session.look.size.gap)  # a third of the row, where its text is
        self.act(Action.click(*self.reach(window, (x + indent, y, max(1, (w - indent) // 4), h)), clicks=clicks))

    def click_line(self, window_id: str, widget_id: str, line: int) -> None:
        """Select a line of a text area: by a triple click, or by keys if it is out of view."""
        window = self.window(window_id)
        area = window.part(widget_id, TextArea)
        look = self.session.look
        x, y, w, _ = window.rect_of(area)
        height = area.font(look).height
        if area.top <= line < area.top + area.rows_in_view(look):
            top = y + look.size.gap + (line - area.top) * height
            self.act(Action.click(*self.reach(window, (x + look.size.gap, top, w // 8, height)), clicks=3))
            return
        self.click(window_id, widget_id)
        self.press(Key.HOME, Modifier.CTRL)
        for _ in range(line):
            self.press(Key.DOWN)
        self.press(Key.END, Modifier.SHIFT)

    def slide(self, window_id: str, widget_id: str, number: int) -> None:
        """Set a slider: a click on its rail, then arrow keys for what a pixel cannot tell apart."""
        window = self.window(window_id)
        slider = window.part(widget_id, Slider)
        if slider.number == number:
            return
        x, y, _, h = window.rect_of(slider)
        at = slider.position(self.session.look, number)
        self.act(Action.click(*self.reach(window, (x + at, y, 1, h))))
        while slider.number != number:
            self.press(Key.RIGHT if slider.number < number else Key.LEFT)


def middle(rect: Rect) -> tuple[int, int]:
    """The pixel in the middle of a rectangle."""
    return rect[0] + rect[2] // 2, rect[1] + rect[3] // 2
