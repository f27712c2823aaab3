"""A running desktop without its picture: a state, the operations on it, and which parts of the screen they changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gui_gym.desktops.sim import filesystem, menus
from gui_gym.desktops.sim.canvas import Rect
from gui_gym.desktops.sim.settings import SETTINGS, Value
from gui_gym.desktops.sim.state import Event, Item, Popup, State, Window
from gui_gym.desktops.sim.widgets.base import Widget
from gui_gym.desktops.sim.windows import WindowManager


class Session(WindowManager):
    """Operations on a :class:`State`. ``damage`` lists the rectangles to be drawn again; whoever draws empties it."""

    def __init__(self, state: State):
        super().__init__(state)
        self._desktop: tuple[list[str], list[str]] | None = None  # what the desktop's folder held when it was last looked at

    def signal(self, window: Window, widget: Widget, signal: str, value: str = "") -> None:
        """Log that a widget was used, and tell its window."""
        self.state.log.append(Event(window.id, widget.id, signal, value))
        self.touch_used(window, widget)
        window.on_signal(self, widget, signal, value)

    def changed(self, window: Window, widget: Widget) -> None:
        """A widget's value changed by itself or by typing: its window is told, but the log holds only what was used."""
        self.touch_used(window, widget)
        window.on_signal(self, widget, "changed", "")

    def change_setting(self, name: str, value: Value) -> None:
        """Give a setting a value and tell all windows; ValueError for one it cannot have."""
        if name not in SETTINGS or not SETTINGS[name].allows(value):
            expected = SETTINGS[name] if name in SETTINGS else f"one of {', '.join(SETTINGS)}"
            raise ValueError(f"setting {name!r} cannot be {value!r}: expected {expected}")
        if self.state.settings[name] != value:
            self.dismiss()
            self.state.settings[name] = value
            self.redraw_all()
            for window in list(self.state.windows):
                if name == "text_size":
                    window.layout(self)
                    self.grow(window)
                window.on_setting(self, name)

    def files_changed(self) -> None:
        """Tell the desktop and all windows that the file system changed."""
        listing = filesystem.listing(self.state.files, filesystem.DESKTOP)
        if listing != self._desktop:
            self._desktop = listing
            self.redraw_all()
        for window in list(self.state.windows):
            window.on_files(self)

    def copy_text(self, text: str) -> None:
        """Put a text on the clipboard, in the place of files that were copied."""
        self.state.clipboard, self.state.clipboard_files = text, []

    def copy_files(self, paths: list[str], cut: bool) -> None:
        """Put files on the clipboard, to be copied or moved where they are pasted; as text they are their paths."""
        self.state.clipboard, self.state.clipboard_files, self.state.clipboard_cut = "\n".join(paths), paths, cut

    # The keyboard's focus

    def focus(self, window: Window, widget: Widget | None) -> None:
        """Give the keyboard to a widget of a window, or to none of them."""
        before = window.find(window.focus)
        if before is not None and before is widget:
            return
        for each in window.widgets:
            if each.id == window.focus or each is widget:
                self.touch(window, each)
        window.focus = widget.id if widget is not None and widget.focusable else ""
        if before is not None and before is not widget:
            before.unfocused(self, window)

    def focused(self) -> tuple[Window, Widget] | None:
        """The widget that has the keyboard, with its window."""
        window = self.active
        if window is None or not window.focus:
            return None
        widget = window.find(window.focus)
        return (window, widget) if widget is not None and widget.enabled else None

    # Menus

    def pop_up(
        self,
        window: Window,
        widget: Widget,
        x: int,
        y: int,
        items: Sequence[Item],
        least: int = 0,
        labels: Mapping[str, str] | None = None,
        icons: Mapping[str, str] | None = None,
        path: str = "",
        shortcuts: Mapping[str, str] | None = None,
    ) -> None:
        """Open a menu, at least ``least`` pixels wide, with its corner at a pixel of the screen, moved so that it fits.

        ``items`` are keys, or pairs of a key and a submenu's items; ``labels`` are the texts shown for keys, ``icons`` pictures, ``shortcuts``
        what the keyboard does the same with, such as "Ctrl+S". When one is chosen, ``widget.chosen`` gets its key, after the keys of the
        submenus it is in and after ``path``: "Insert > Image > From file".
        """
        shown = {key: self.shortcut(text) for key, text in (shortcuts or {}).items()}
        self._pop_up(Popup(window.id, widget.id, [x, y, 0, 0], list(items), dict(labels or {}), dict(icons or {}), shown, path), least)

    def pop_up_shell(
        self, part: str, x: int, y: int, items: Sequence[Item], labels: Mapping[str, str], icons: Mapping[str, str] | None = None
    ) -> None:
        """Open a menu of a part of the desktop itself; :func:`~gui_gym.desktops.sim.shell.chosen` gets what is chosen."""
        self._pop_up(Popup("", part, [x, y, 0, 0], list(items), dict(labels), dict(icons or {})), 0)

    def _pop_up(self, popup: Popup, least: int) -> None:
        self.dismiss()
        if any(item != menus.SEPARATOR for item in popup.items):
            menus.put(self, popup, popup.rect[0], popup.rect[1], least)
            self.state.popup = popup
            self._touch_popup(popup)

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
        for each in menus.chain(popup):
            menus.touch(self, each)
        window = self.state.window(popup.window)
        owner = window.find(popup.widget) if window else None
        if window is not None and owner is not None:
            self.touch(window, owner)
        elif not popup.window:
            self.touch_bar()

    def item_rects(self, popup: Popup) -> list[Rect]:
        """The bounds of an open menu's items on the screen; outside the menu's for those scrolled out of view."""
        return menus.item_rects(self, popup)
