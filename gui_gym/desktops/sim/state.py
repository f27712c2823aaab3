"""The state of the desktop: plain picklable data, apart from drawing and from input."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from gui_gym.actions import Key, Modifier
from gui_gym.desktops.sim.canvas import Rect
from gui_gym.desktops.sim.settings import SETTINGS, Value
from gui_gym.desktops.sim.widgets.base import Stroke, Widget

if TYPE_CHECKING:
    from gui_gym.desktops.sim.session import Session


W = TypeVar("W", bound=Widget)
MOVE, RESIZE, WIDGET = "move", "resize", "widget"  #: parts of a :class:`Grab` besides the buttons of a title bar
MINIMISE, MAXIMISE, CLOSE = "minimise", "maximise", "close"  #: the buttons of a title bar

#: An item of a menu: its key, or its key and the items of its submenu. "-" is a line between items.
Item = str | Sequence[Any]


def key_of(item: Item) -> str:
    """What an item of a menu is called, whatever the language."""
    return item if isinstance(item, str) else str(item[0])


@dataclass(kw_only=True)
class Window:
    """A window; apps are its subclasses. Its widgets' coordinates count from its own upper left corner, title bar included.

    Args:
        id: unique on the desktop.
        title: shown in the title bar.
        x, y, w, h: bounds on the screen in pixels.
        widgets: in the order of drawing and of focus traversal; the last one under the pointer is hit.
        focus: id of the widget that has the keyboard, or "".
        default: id of the button that Enter presses, or "".
        resizable: whether it can be resized, maximised and minimised.
        least: the least width and height it can be resized to.
        minimised, maximised: whether it is shown in the task bar alone, or fills the screen.
        restored: bounds to go back to from maximised.
        modal_for: id of the window that cannot be used before this one is closed, or "".
        number: how many windows had been opened before it on this desktop; the task bar follows it.
    """

    role: ClassVar[str] = "frame"
    icon: ClassVar[str] = "window"  #: its picture in the task bar

    id: str
    title: str
    x: int = 0
    y: int = 0
    w: int = 0
    h: int = 0
    widgets: list[Widget] = field(default_factory=list)
    focus: str = ""
    default: str = ""
    resizable: bool = False
    least: tuple[int, int] = (0, 0)
    minimised: bool = False
    maximised: bool = False
    restored: Rect = (0, 0, 0, 0)
    modal_for: str = ""
    number: int = 0

    @property
    def bounds(self) -> Rect:
        return self.x, self.y, self.w, self.h

    def widget(self, widget_id: str) -> Widget:
        """The widget of that id; KeyError if there is none."""
        found = self.find(widget_id)
        if found is None:
            raise KeyError(f"window {self.id!r} has no widget {widget_id!r}: it has {', '.join(w.id for w in self.widgets)}")
        return found

    def part(self, widget_id: str, kind: type[W]) -> W:
        """As :meth:`widget`, of a class; TypeError if it is of another one."""
        found = self.widget(widget_id)
        if not isinstance(found, kind):
            raise TypeError(f"the widget {widget_id!r} of the window {self.id!r} is a {type(found).__name__}: expected a {kind.__name__}")
        return found

    def find(self, widget_id: str) -> Widget | None:
        """The widget of that id, or None."""
        for widget in self.widgets:
            if widget.id == widget_id:
                return widget
        return None

    def rect_of(self, widget: Widget) -> Rect:
        """A widget's bounds on the screen."""
        return self.x + widget.x, self.y + widget.y, widget.w, widget.h

    def layout(self, session: Session) -> None:
        """Put the widgets where the present size wants them. Called after the size of the window or of its letters changed."""

    def on_signal(self, session: Session, widget: Widget, signal: str, value: str) -> None:
        """One of its widgets was used."""

    def on_stroke(self, session: Session, stroke: Stroke) -> bool:
        """A key that the focused widget did not want; whether it was used here."""
        return False

    def on_wheel(self, session: Session, dx: int, dy: int) -> None:
        """The wheel turned by that many notches over none of its widgets, or over one that has no use for it."""

    def on_files(self, session: Session) -> None:
        """The file system changed."""

    def on_setting(self, session: Session, name: str) -> None:
        """A setting changed; all of the screen is drawn again anyway."""

    def on_close(self, session: Session) -> bool:
        """The user wants to close it; whether it may be closed now. One that asks first says no, and closes itself later."""
        return True

    def on_answer(self, session: Session, purpose: str, button: str) -> None:
        """A message box it opened for ``purpose`` was answered with a button: see :func:`~gui_gym.desktops.sim.apps.dialog.ask`."""

    def on_prompt(self, session: Session, purpose: str, text: str) -> None:
        """A line of text it asked for was entered: see :func:`~gui_gym.desktops.sim.apps.dialog.prompt`."""

    def on_file(self, session: Session, purpose: str, path: str) -> None:
        """A file dialog it opened gave a path: see :func:`~gui_gym.desktops.sim.apps.file_dialog.choose_file`."""


@dataclass
class Popup:
    """An open menu. It belongs to a widget, or to a part of the desktop if ``window`` is "", is above all windows and gets
    all input until it closes."""

    window: str
    widget: str
    rect: list[int]  #: x, y, width, height on the screen
    items: list[Item]
    labels: dict[str, str] = field(default_factory=dict)  #: what is shown for a key, if not the key itself
    icons: dict[str, str] = field(default_factory=dict)  #: pictures by key
    shortcuts: dict[str, str] = field(default_factory=dict)  #: the keyboard's short ways by key, as they are shown
    path: str = ""  #: keys of the menus that lead here, which the value of what is chosen begins with
    selected: int = -1
    top: int = 0  #: pixels scrolled out of view, in a menu higher than the screen
    child: Popup | None = None  #: the submenu that is open
    followed: bool = False  #: whether it opened because the pointer came to its title while another menu was open

    def label(self, item: Item) -> str:
        """What is shown for an item."""
        key = key_of(item)
        return self.labels.get(key, key)

    def shortcut(self, item: Item) -> str:
        """The keyboard's short way to an item, as it is shown, or ""."""
        return self.shortcuts.get(item, "") if isinstance(item, str) else ""


@dataclass
class Grab:
    """What the left button, held down, has hold of: a window's title bar, borders or button, or a widget."""

    window: str
    part: str  #: MOVE, RESIZE, WIDGET, or a button of the title bar
    widget: str = ""
    dx: int = 0
    dy: int = 0
    edges: str = ""  #: the borders that are resized, such as "top left"


@dataclass
class Tip:
    """A tooltip that is shown."""

    text: str
    rect: Rect


@dataclass(slots=True)
class Press:
    """The last press of a mouse button, which the next one may make a double click."""

    x: int
    y: int
    button: int
    target: str  #: what was under the pointer
    count: int


@dataclass(slots=True)
class Event:
    """Something that was done with a widget; verifiers read the log of them."""

    window: str
    widget: str
    signal: str
    value: str = ""


_NO_MODIFIERS: frozenset[Modifier] = frozenset()


@dataclass
class State:
    """Everything there is to know about the desktop. ``windows`` go from the lowest to the topmost."""

    width: int
    height: int
    windows: list[Window] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)
    settings: dict[str, Value] = field(default_factory=lambda: {name: setting.default for name, setting in SETTINGS.items()})
    icon: str = ""  #: the icon selected on the desktop, or ""
    popup: Popup | None = None
    grab: Grab | None = None
    tip: Tip | None = None
    press: Press | None = None
    switching: int = -1  #: while ALT is held after ALT+TAB: which window is marked, counted from the topmost
    opened: int = 0  #: windows opened since reset
    cursor: tuple[int, int] = (0, 0)
    buttons: list[int] = field(default_factory=list)  #: mouse buttons held
    keys: list[Key] = field(default_factory=list)  #: keys held
    lone_meta: bool = False  #: whether META went down and nothing else happened since
    caps_lock: bool = False
    clipboard: str = ""
    clipboard_files: list[str] = field(default_factory=list)  #: paths that were copied or cut in the file manager
    clipboard_cut: bool = False  #: whether pasting those moves them
    seconds: int = 0  #: virtual time since reset; only WAIT passes it
    log: list[Event] = field(default_factory=list)

    def window(self, window_id: str) -> Window | None:
        """The open window of that id, or None."""
        for window in self.windows:
            if window.id == window_id:
                return window
        return None

    def widget(self, window_id: str, widget_id: str) -> Widget | None:
        """A widget of an open window, or None if the window is not open."""
        window = self.window(window_id)
        return window.widget(widget_id) if window else None

    def events(self, signal: str) -> list[Event]:
        """The log's events of one kind, in order."""
        return [event for event in self.log if event.signal == signal]

    @property
    def modifiers(self) -> frozenset[Modifier]:
        """The modifier keys held."""
        if not self.keys:
            return _NO_MODIFIERS
        return frozenset(Modifier[key.name] for key in self.keys if key.name in Modifier.__members__)
