"""The state of the desktop: plain picklable data, apart from drawing and from input."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from gui_gym.actions import Key, Modifier
from gui_gym.desktops.sim.canvas import Rect
from gui_gym.desktops.sim.settings import SETTINGS, Value
from gui_gym.desktops.sim.widgets.base import Stroke, Widget

if TYPE_CHECKING:
    from gui_gym.desktops.sim.session import Session


MOVE, CLOSE, WIDGET = "move", "close", "widget"  #: parts of a :class:`Grab`


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
    """

    role: ClassVar[str] = "frame"

    id: str
    title: str
    x: int = 0
    y: int = 0
    w: int = 0
    h: int = 0
    widgets: list[Widget] = field(default_factory=list)
    focus: str = ""
    default: str = ""

    @property
    def bounds(self) -> Rect:
        return self.x, self.y, self.w, self.h

    def widget(self, widget_id: str) -> Widget:
        """The widget of that id; KeyError if there is none."""
        found = self.find(widget_id)
        if found is None:
            raise KeyError(f"window {self.id!r} has no widget {widget_id!r}: it has {', '.join(w.id for w in self.widgets)}")
        return found

    def find(self, widget_id: str) -> Widget | None:
        """The widget of that id, or None."""
        return next((w for w in self.widgets if w.id == widget_id), None)

    def rect_of(self, widget: Widget) -> Rect:
        """A widget's bounds on the screen."""
        return self.x + widget.x, self.y + widget.y, widget.w, widget.h

    def on_signal(self, session: Session, widget: Widget, signal: str, value: str) -> None:
        """One of its widgets was used."""

    def on_stroke(self, session: Session, stroke: Stroke) -> bool:
        """A key that the focused widget did not want; whether it was used here."""
        return False

    def on_files(self, session: Session) -> None:
        """The file system changed."""

    def on_setting(self, session: Session, name: str) -> None:
        """A setting changed; all of the screen is drawn again anyway."""


@dataclass
class Popup:
    """An open menu. It belongs to a widget, is above all windows and gets all input until it closes."""

    window: str
    widget: str
    rect: list[int]  #: x, y, width, height on the screen
    items: list[str]  #: "-" is a line between items
    selected: int = -1


@dataclass
class Grab:
    """What the left button, held down, has hold of: a window's title bar, its close button, or a widget."""

    window: str
    part: str  #: MOVE, CLOSE or WIDGET
    widget: str = ""
    dx: int = 0
    dy: int = 0


@dataclass(frozen=True)
class Event:
    """Something that was done with a widget; verifiers read the log of them."""

    window: str
    widget: str
    signal: str
    value: str = ""


@dataclass
class State:
    """Everything there is to know about the desktop. ``windows`` go from the lowest to the topmost, which is active."""

    width: int
    height: int
    windows: list[Window] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)
    settings: dict[str, Value] = field(default_factory=lambda: {name: setting.default for name, setting in SETTINGS.items()})
    icon: str = ""  #: the icon selected on the desktop, or ""
    popup: Popup | None = None
    grab: Grab | None = None
    cursor: tuple[int, int] = (0, 0)
    buttons: list[int] = field(default_factory=list)  #: mouse buttons held
    keys: list[Key] = field(default_factory=list)  #: keys held
    caps_lock: bool = False
    clipboard: str = ""
    seconds: int = 0  #: virtual time since reset; only WAIT passes it
    log: list[Event] = field(default_factory=list)

    def window(self, window_id: str) -> Window | None:
        """The open window of that id, or None."""
        return next((w for w in self.windows if w.id == window_id), None)

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
        return frozenset(Modifier[key.name] for key in self.keys if key.name in Modifier.__members__)
