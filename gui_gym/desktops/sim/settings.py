"""The settings of the desktop: what they are called, which values they take, and how they begin. Programs obey them."""

from __future__ import annotations

from dataclasses import dataclass

from gui_gym.desktops.sim.labels import LANGUAGES
from gui_gym.desktops.sim.look import TEXT_SIZES, THEMES

Value = bool | int | str


@dataclass(frozen=True)
class Setting:
    """One setting: a switch (bool), a number from ``low`` to ``high``, one of ``choices``, or any text."""

    default: Value
    choices: tuple[str, ...] = ()
    low: int = 0
    high: int = 100

    def allows(self, value: Value) -> bool:
        """Whether it can have this value."""
        if type(value) is not type(self.default):
            return False
        if isinstance(value, str):
            return not self.choices or value in self.choices
        return isinstance(value, bool) or self.low <= value <= self.high


#: Settings by name.
SETTINGS: dict[str, Setting] = {
    "theme": Setting("harbour", tuple(sorted(THEMES))),
    "text_size": Setting("normal", TEXT_SIZES),
    "large_pointer": Setting(False),
    "language": Setting("en", LANGUAGES),
    "clock_24_hours": Setting(True),
    "week_starts": Setting("monday", ("monday", "sunday")),
    "decimal_comma": Setting(False),
    "brightness": Setting(80),
    "night_light": Setting(False),
    "volume": Setting(60),
    "mute": Setting(False),
    "wifi": Setting(True),
    "bluetooth": Setting(False),
    "notifications": Setting(True),
    "lock_minutes": Setting(10, low=0, high=60),  #: 0 is never
    "computer_name": Setting("desktop"),
    "mail_name": Setting("Sam Rivera"),
    "mail_signature": Setting(""),
    "confirm_delete": Setting(False),
    "hidden_files": Setting(False),
    "single_click": Setting(False),
    "sort_files": Setting("name", ("name", "size")),
    "autosave": Setting(False),
    "word_wrap": Setting(False),
}
