"""The settings app."""

from __future__ import annotations

import pytest

from gui_gym.actions import Action, Key, Modifier
from gui_gym.desktops.sim import SimDesktop
from gui_gym.desktops.sim.apps.preferences import CHOICES, LANGUAGE_NAMES, PAGES, Preferences, caption, open_preferences
from gui_gym.desktops.sim.labels import LANGUAGES
from gui_gym.desktops.sim.settings import SETTINGS, Value
from gui_gym.desktops.sim.widgets.choice import Slider
from gui_gym.tasks.sim import Solver
from gui_gym.tasks.sim.families.settings import set_setting

SIZES = [(1280, 720), (640, 400), (320, 200)]


def app(desktop: SimDesktop, page: str = "") -> Preferences:
    window = open_preferences(desktop.session, page)
    assert isinstance(window, Preferences)
    return window


def click(desktop: SimDesktop, widget: str) -> None:
    window = desktop.state.window("settings")
    assert window is not None
    x, y, w, h = window.rect_of(window.widget(widget))
    desktop.perform(Action.click(x + w // 2, y + h // 2))


def test_every_setting_has_a_place_and_every_choice_a_name() -> None:
    assert sorted(name for names in PAGES.values() for name in names) == sorted(SETTINGS)
    chosen = {name: set(setting.choices) for name, setting in SETTINGS.items() if setting.choices}
    assert chosen.pop("language") == set(LANGUAGE_NAMES) == set(LANGUAGES)
    assert chosen == {name: set(labels) for name, labels in CHOICES.items()}


@pytest.mark.parametrize("text_size", CHOICES["text_size"])
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("size", SIZES)
def test_all_controls_of_all_pages_have_room(size: tuple[int, int], language: str, text_size: str) -> None:
    desktop = SimDesktop(*size)
    desktop.state.settings.update(language=language, text_size=text_size)
    window = app(desktop)
    for page in PAGES:
        app(desktop, page)
        assert all(widget.w > 0 and widget.y + widget.h <= window.h for widget in window.widgets), page


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", SETTINGS)
def test_each_setting_can_be_changed_by_its_control(name: str, size: tuple[int, int]) -> None:
    desktop = SimDesktop(*size)
    app(desktop)
    setting = SETTINGS[name]
    before = dict(desktop.state.settings)
    values: dict[type, Value] = {bool: not setting.default, int: 37, str: next((c for c in setting.choices if c != setting.default), "Zoë, 3")}
    value = values[type(setting.default)]
    solver = Solver(desktop.copy_state())
    set_setting(solver, name, value)
    for action in solver.actions:
        desktop.perform(action)
    assert dict(desktop.state.settings) == {**before, name: value}


def test_a_page_shows_what_is_changed_elsewhere() -> None:
    desktop = SimDesktop(640, 400)
    window = app(desktop, "Sound")
    desktop.session.change_setting("mute", True)
    desktop.session.change_setting("volume", 12)
    slider = window.widget("volume")
    assert window.widget("mute").value is True and isinstance(slider, Slider) and slider.number == 12


def test_the_language_of_the_window_follows_the_setting() -> None:
    desktop = SimDesktop(640, 400)
    window = app(desktop, "Language and region")
    desktop.session.change_setting("language", "de")
    assert window.title == "Einstellungen" and window.widget("heading").name == "Sprache und Region"


def test_settings_are_searched_on_all_pages() -> None:
    desktop = SimDesktop(640, 400)
    window = app(desktop, "Mail")
    desktop.perform(Action.press(Key.F, Modifier.CTRL))
    desktop.perform(Action.type_text("clock"))
    assert window.shown(desktop.session) == ["clock_24_hours"] and caption("clock_24_hours") == "24-hour clock"
    click(desktop, "clock_24_hours")
    assert desktop.state.settings["clock_24_hours"] is False
    click(desktop, "search")
    desktop.perform(Action.type_text(" radio"))
    assert window.widget("heading").name == "No settings found."
    row = window.pages.row_rect(desktop.session.look, 0)
    x, y, _, _ = window.rect_of(window.pages)
    assert row is not None
    desktop.perform(Action.click(x + 5, y + row[1] + 3))
    assert window.page == "Appearance" and window.searching == "" and window.find("theme:dusk")


def test_larger_letters_are_laid_out_at_once() -> None:
    desktop = SimDesktop(640, 400)
    window = app(desktop)
    before = window.widget("large_pointer").h
    click(desktop, "text_size:large")
    assert window.widget("large_pointer").h > before and window.widget("text_size:large").value is True
