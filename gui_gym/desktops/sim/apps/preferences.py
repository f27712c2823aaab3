"""The settings app: pages of controls, each bound to one of the desktop's settings and applied at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gui_gym.actions import Key, Modifier
from gui_gym.desktops.sim.apps.toolbar import hide, show
from gui_gym.desktops.sim.layout import cascade, fit
from gui_gym.desktops.sim.look import metrics_for
from gui_gym.desktops.sim.settings import SETTINGS
from gui_gym.desktops.sim.state import Window
from gui_gym.desktops.sim.widgets.base import Stroke, Widget
from gui_gym.desktops.sim.widgets.basic import CheckBox, Label
from gui_gym.desktops.sim.widgets.choice import DropDown, Slider
from gui_gym.desktops.sim.widgets.listview import ListView
from gui_gym.desktops.sim.widgets.text import TextField
from gui_gym.desktops.sim.widgets.tile import Tile

if TYPE_CHECKING:
    from gui_gym.desktops.sim.session import Session

#: What each setting is called, page by page.
PAGES: dict[str, dict[str, str]] = {
    "Appearance": {"theme": "Theme", "text_size": "Text size", "large_pointer": "Large pointer"},
    "Screen": {"brightness": "Brightness", "night_light": "Night light", "lock_minutes": "Minutes until the screen locks"},
    "Sound": {"volume": "Volume", "mute": "Mute", "notifications": "Notifications"},
    "Network": {"wifi": "Wi-Fi", "bluetooth": "Bluetooth", "computer_name": "Computer name"},
    "Language and region": {
        "language": "Language",
        "clock_24_hours": "24-hour clock",
        "week_starts": "First day of the week",
        "decimal_comma": "Decimal comma",
    },
    "Files and editor": {
        "hidden_files": "Show hidden files",
        "single_click": "Open with a single click",
        "confirm_delete": "Ask before deleting",
        "sort_files": "Sort files by",
        "autosave": "Auto save",
        "word_wrap": "Word wrap",
    },
    "Mail": {"mail_name": "Your name", "mail_signature": "Signature"},
    "About": {},
}
#: What the values of a setting are called. Languages have the same names everywhere.
CHOICES: dict[str, dict[str, str]] = {
    "theme": {"harbour": "Harbour", "meadow": "Meadow", "dusk": "Dusk", "graphite": "Graphite"},
    "text_size": {"small": "Small", "normal": "Normal", "large": "Large"},
    "week_starts": {"monday": "Monday", "sunday": "Sunday"},
    "sort_files": {"name": "Name", "size": "Size"},
}
LANGUAGE_NAMES = {"en": "English", "de": "Deutsch", "fr": "Français", "es": "Español", "ja": "日本語", "zh": "中文"}
TILES = ("theme", "text_size")


def page_of(setting: str) -> str:
    """The page a setting is on."""
    return next(page for page, settings in PAGES.items() if setting in settings)


def caption(setting: str) -> str:
    """What a setting is called, in English."""
    return PAGES[page_of(setting)][setting]


def choice_label(session: Session, setting: str, value: str) -> str:
    """What a value of a setting that has choices is called on the screen."""
    return LANGUAGE_NAMES[value] if setting == "language" else session.label(CHOICES[setting][value])


@dataclass(kw_only=True)
class Preferences(Window):
    """Its widgets: the field "search", the list "pages", and for each setting that is shown a control with its name as id: a check box, a
    slider, a drop-down list or a field. A theme and a text size are radio buttons such as "theme:dusk". "heading" is the page's name.
    """

    icon = "settings"

    page: str = "Appearance"

    @property
    def pages(self) -> ListView:
        """The pages."""
        return self.part("pages", ListView)

    @property
    def searching(self) -> str:
        """What is searched for, or ""."""
        return str(self.widget("search").value).strip().casefold()

    def shown(self, session: Session) -> list[str]:
        """The settings that are shown: those of the page, or all that are called as is searched for."""
        words = self.searching.split()
        if not words:
            return list(PAGES[self.page])
        return [name for settings in PAGES.values() for name, text in settings.items() if all(w in session.label(text).casefold() for w in words)]

    def show_page(self, session: Session) -> None:
        """Have the controls of what is to be shown."""
        self.pages.rows = [[session.label(page)] for page in PAGES]
        self.pages.selected = -1 if self.searching else list(PAGES).index(self.page)
        self.widgets = [self.widget("search"), self.pages]
        names = self.shown(session)
        heading = session.label("Search" if self.searching else self.page)
        self.widgets.append(Label(id="heading", name=heading if names or not self.searching else session.label("No settings found.")))
        for name in names:
            self.widgets += _controls(session, name)
        if self.page == "About" and not self.searching:
            self.widgets += _about(session)
        self.layout(session)
        session.touch(self)

    def layout(self, session: Session) -> None:
        look, size = session.look, session.look.size
        self.least = (24 * size.font, 20 * size.font)
        gap, y, bottom = max(1, size.gap // 2), size.title + size.gap, self.h - size.pad
        side = max(look.sans.width(row[0]) for row in self.pages.rows) + 3 * size.gap if self.pages.rows else 0
        side = min(side, (self.w - 2 * size.pad) * 2 // 5)
        show(self.widget("search"), size.pad, y, side, size.control)
        show(self.pages, size.pad, y + size.control + gap, side, bottom - y - size.control - gap)
        left = size.pad + side + size.pad
        width = self.w - left - size.pad
        self.put(session, self.widgets[2], left, y, width, bottom)
        y += size.control + gap
        names = list(dict.fromkeys(w.id.partition(":")[0].removesuffix("-label") for w in self.widgets[3:]))
        for name in names:
            parts = [w for w in self.widgets if w.id == name or w.id.startswith(f"{name}:")]
            label = self.find(f"{name}-label")
            if label is not None and (len(parts) > 1 or look.sans.width(label.name) > width // 2):
                y = self.put(session, label, left, y, width, bottom, look.sans.height + 1)
                label = None
            indent = width // 2 + gap if label is not None else 0
            if label is not None:
                self.put(session, label, left, y, width // 2, bottom)
            high = size.control if len(parts) == 1 else look.sans.height + 2 * size.control
            below = y
            for i, part in enumerate(parts):
                start = (width - indent + gap) * i // len(parts)
                part_width = (width - indent + gap) * (i + 1) // len(parts) - start - gap
                below = self.put(session, part, left + indent + start, y, part_width, bottom, high)
            y = below + gap

    def put(self, session: Session, widget: Widget, x: int, y: int, width: int, bottom: int, height: int = 0) -> int:
        """Put a widget at a place if there is room above ``bottom``; the y below it."""
        height = height or session.look.size.control
        if y + height > bottom:
            hide(widget)
            return y
        show(widget, x, y, width, height)
        if isinstance(widget, Tile) and not widget.theme:
            value = widget.id.partition(":")[2]
            widget.letters = metrics_for(session.state.width, session.state.height, value).font
        return y + height

    def on_signal(self, session: Session, widget: Widget, signal: str, value: str) -> None:
        if widget is self.pages:
            if signal == "selected" and self.pages.selected >= 0:
                field = self.part("search", TextField)
                field.text, field.caret, field.anchor, field.left = "", 0, 0, 0
                self.page = list(PAGES)[self.pages.selected]
                self.show_page(session)
        elif widget.id == "search":
            self.show_page(session)
        else:
            self._apply(session, widget)

    def _apply(self, session: Session, widget: Widget) -> None:
        """Give a control's setting the value of the control."""
        name, _, choice = widget.id.partition(":")
        value = choice or widget.value
        if name in SETTINGS and SETTINGS[name].allows(value):
            session.change_setting(name, value)

    def on_setting(self, session: Session, name: str) -> None:
        if name == "language":
            session.retitle(self, session.label("Settings"))
            focus = self.focus
            self.show_page(session)
            self.focus = focus
            return
        if self.page == "About":
            self.show_page(session)
        for widget in self.widgets:
            if widget.id.partition(":")[0] == name:
                _set(widget, session.state.settings[name])
                session.touch(self, widget)

    def on_stroke(self, session: Session, stroke: Stroke) -> bool:
        if stroke.is_(Key.F, Modifier.CTRL):
            session.focus(self, self.widget("search"))
            return True
        return False


def _set(widget: Widget, value: object) -> None:
    """Show a setting's value on its control, if it does not yet."""
    if isinstance(widget, CheckBox):
        widget.checked = bool(value)
    elif isinstance(widget, Slider) and isinstance(value, int):
        widget.number = value
    elif isinstance(widget, DropDown):
        widget.selected = widget.choices.index(str(value))
    elif isinstance(widget, Tile):
        widget.checked = widget.id.partition(":")[2] == value
    elif isinstance(widget, TextField) and widget.text != value:
        widget.text = str(value)
        widget.caret = widget.anchor = len(widget.text)


def _controls(session: Session, name: str) -> list[Widget]:
    """The control of a setting, with its label if it needs one."""
    setting, value, text = SETTINGS[name], session.state.settings[name], session.label(caption(name))
    label = Label(id=f"{name}-label", name=text)
    controls: list[Widget]
    if name in TILES:
        tiles = [Tile(id=f"{name}:{choice}", name=choice_label(session, name, choice), group=name) for choice in CHOICES[name]]
        for tile in tiles:
            tile.theme = tile.id.partition(":")[2] if name == "theme" else ""
        controls = [label, *tiles]
    elif isinstance(setting.default, bool):
        controls = [CheckBox(id=name, name=text)]
    elif isinstance(setting.default, int):
        controls = [label, Slider(id=name, name=text, low=setting.low, high=setting.high)]
    elif setting.choices:
        labels = {choice: choice_label(session, name, choice) for choice in setting.choices}
        controls = [label, DropDown(id=name, name=text, choices=list(labels), labels=labels)]
    else:
        controls = [label, TextField(id=name, name=text)]
    for control in controls:
        _set(control, value)
    return controls


def _about(session: Session) -> list[Widget]:
    """What the page about the computer says."""
    state = session.state
    lines = {
        "computer": ("Computer name", str(state.settings["computer_name"])),
        "screen": ("Screen", f"{state.width} × {state.height}"),
        "version": ("Version", "1.0"),
    }
    return [Label(id=name, name=f"{session.label(english)}: {value}") for name, (english, value) in lines.items()]


def make_preferences(session: Session, width: int, height: int, page: str = "Appearance") -> Preferences:
    """The settings app on one of its pages, ``width`` x ``height`` pixels, at the screen's corner and not opened yet."""
    label = session.label
    window = Preferences(id="settings", title=label("Settings"), w=width, h=height, resizable=True, page=page)
    window.widgets = [TextField(id="search", name=label("Search"), hint=label("Search")), ListView(id="pages", name=label("Settings"))]
    window.focus = "pages"
    window.show_page(session)
    return window


def open_preferences(session: Session, path: str = "") -> Window:
    """Open the settings app, or raise it; ``path`` may name one of its pages."""
    window = session.state.window("settings")
    if window is None:
        window = make_preferences(session, *fit(session, 48, 28))
        cascade(session, window)
    else:
        session.activate(window)
    if isinstance(window, Preferences) and path in PAGES:
        window.page = path
        window.show_page(session)
    return window
