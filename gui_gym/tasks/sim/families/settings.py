"""The settings app: change one or several settings, and say what one is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gui_gym.actions import Action, Key
from gui_gym.desktops.sim.apps.preferences import CHOICES, LANGUAGE_NAMES, PAGES, Preferences, caption, make_preferences, page_of
from gui_gym.desktops.sim.layout import place
from gui_gym.desktops.sim.session import Session
from gui_gym.desktops.sim.settings import SETTINGS, Value
from gui_gym.desktops.sim.state import State
from gui_gym.tasks.sim.brief import Brief
from gui_gym.tasks.sim.families.common import clutter, quoted, said_number, wording
from gui_gym.tasks.sim.families.mail_world import open_app
from gui_gym.tasks.sim.family import Family, Params
from gui_gym.tasks.sim.solver import Solver, middle
from gui_gym.tasks.sim.words import CITIES, FIRST, LAST
from gui_gym.verifiers.score import Outcome

NO_THEMES = ("Garden", "Music", "Maps", "Weather", "Library", "Travel")  #: what no theme is called, in no language
NO_SETTINGS = ("Captions", "Cookies", "Sync", "Previews", "Rulers", "Spelling", "Reminders")  #: what no setting is called
COMPUTERS = ("atlas", "birch", "comet", "delta", "ember", "falcon", "harbour", "iris", "juniper", "kestrel")


def draw_value(brief: Brief, name: str) -> Value:
    """Some value of a setting."""
    setting = SETTINGS[name]
    if isinstance(setting.default, bool):
        return brief.chance(0.5)
    if isinstance(setting.default, int):
        return brief.integer(setting.low, setting.high)
    if setting.choices:
        return brief.pick(setting.choices)
    if name == "computer_name":
        return f"{brief.pick(COMPUTERS)}-{brief.integer(2, 99)}"
    if name == "mail_name":
        return f"{brief.pick(FIRST)} {brief.pick(LAST)}"
    return f"Greetings from {brief.pick(CITIES)}, {brief.pick(FIRST)}"


def draw_other(brief: Brief, name: str, value: Value) -> Value:
    """A value that a setting does not have."""
    while (other := draw_value(brief, name)) == value:
        pass
    return other


def wish(brief: Brief, name: str, value: Value) -> str:
    """What an instruction says of a setting, to be read after "please"."""
    called = quoted(brief.label(caption(name)))
    if isinstance(value, bool):
        return f"turn {called} {'on' if value else 'off'}"
    if isinstance(value, str) and SETTINGS[name].choices:
        shown = LANGUAGE_NAMES[value] if name == "language" else brief.label(CHOICES[name][value])
        return f"set {called} to {quoted(shown)}"
    return f"set {called} to {quoted(value) if isinstance(value, str) else value}"


class SettingsFamily(Family):
    """A task that changes the settings ``params["wanted"]`` of a desktop that begins with ``params["given"]``."""

    min_size = (300, 190)
    max_steps = 30

    def drawn(self, brief: Brief, names: Sequence[str], wordings: Sequence[str], impossible: str = "", instead: int = 0) -> dict[str, Any]:
        """The parameters of an instance in which these settings are to be changed; if not feasible, ``impossible`` is asked for ``instead``
        of the one with that index."""
        given = {name: draw_value(brief, name) for name in SETTINGS} | {"language": brief.language}
        wanted = {name: draw_other(brief, name, given[name]) for name in names}
        wishes = [wish(brief, name, value) for name, value in wanted.items()]
        if not brief.feasible:
            wishes[instead] = impossible
        *first, last = wishes
        text = f"{', '.join(first)} and {last}" if first else last
        instruction = brief.pick(wordings).format(text)
        pages = [page for page in PAGES if page not in {page_of(name) for name in names}]
        open_ = brief.chance(brief.by_level(1.0, 0.7, 0.4))
        capital = instruction[0].upper() + instruction[1:]
        return {"instruction": capital, "given": given, "wanted": wanted, "open": open_, "page": brief.pick(pages)}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        session.state.settings.update(params["given"])
        clutter(session, rng)
        if params["open"]:
            size, (_, _, width, height) = session.look.size, session.work_area
            w = min(int(rng.integers(44, 54)) * size.font, width - size.gap)
            h = min(int(rng.integers(27, 34)) * size.font, height - size.gap)
            place(session, make_preferences(session, w, h, params["page"]), rng)

    def may_change(self, params: Params, start: State) -> Sequence[str]:
        return [f"setting:{name}" for name in params["wanted"]]

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        return dict(state.settings) == {**start.settings, **params["wanted"]}

    def solve(self, solver: Solver, params: Params) -> None:
        for name, value in params["wanted"].items():
            if solver.state.settings[name] != value:
                set_setting(solver, name, value)

    def spoil(self, solver: Solver, params: Params) -> bool:
        """Turn a switch that was not asked for."""
        name = next(name for name in ("bluetooth", "hidden_files", "decimal_comma", "mute") if name not in params["wanted"])
        set_setting(solver, name, not solver.state.settings[name])
        return True


def settings_page(solver: Solver, name: str) -> Preferences:
    """The settings app on the page of a setting."""
    open_app(solver, "settings", "settings")
    window = solver.window("settings")
    assert isinstance(window, Preferences)
    if window.page != page_of(name) or window.searching:
        row = list(PAGES).index(page_of(name))
        solver.act(Action.click(*middle(solver.scroll_row(window, window.pages, row))))
    return window


def set_setting(solver: Solver, name: str, value: Value) -> None:
    """Give a setting a value in the settings app."""
    settings_page(solver, name)
    setting = SETTINGS[name]
    if name in ("theme", "text_size"):
        solver.click("settings", f"{name}:{value}")
    elif isinstance(value, bool):
        solver.click("settings", name)
    elif isinstance(value, int):
        solver.slide("settings", name, value)
    elif setting.choices:
        solver.click("settings", name)
        solver.choose(value)
    else:
        solver.fill("settings", name, value)
        if not value:
            solver.press(Key.BACKSPACE)


_WORDINGS = ("In the settings, {}.", "Please {} in the settings.", "Open the settings and {}.", "{}.")


class ChangeTheme(SettingsFamily):
    """Choose another theme and another size of text, on harder tasks also what the pointer and the screen are like."""

    id = "change-theme"
    has_infeasible = True
    skills = ("click", "settings", "read")
    max_steps = 20

    def draw(self, brief: Brief) -> dict[str, Any]:
        missing = f"set {quoted(brief.label('Theme'))} to {quoted(brief.label(brief.pick(NO_THEMES)))}"
        return self.drawn(
            brief, ["theme", "text_size", *brief.by_level((), ("large_pointer",), ("large_pointer", "night_light"))], _WORDINGS, missing
        )


class SetVolume(SettingsFamily):
    """Set the volume or the brightness to a number, and switch what is on the same page."""

    id = "set-volume"
    skills = ("drag", "slider", "settings", "read")
    max_steps = 24

    def draw(self, brief: Brief) -> dict[str, Any]:
        slider, switches = brief.pick((("volume", ("mute", "notifications")), ("brightness", ("night_light",))))
        more = brief.by_level([], [brief.pick(switches)], [*switches])
        return self.drawn(brief, brief.sample([slider, *more], 1 + len(more)), _WORDINGS)


class ChangeLanguage(SettingsFamily):
    """Choose the language of the desktop, and on harder tasks what else belongs to a region."""

    id = "change-language"
    skills = ("click", "menu", "settings", "read")
    max_steps = 22

    def draw(self, brief: Brief) -> dict[str, Any]:
        region = ("clock_24_hours", "week_starts", "decimal_comma")
        return self.drawn(brief, ["language", *brief.sample(region, brief.by_level(1, 2, 3))], _WORDINGS)


class ChangeClock(SettingsFamily):
    """Change how times, weeks and numbers are written, on hard tasks also how files are sorted."""

    id = "change-clock-format"
    skills = ("click", "settings", "read")
    max_steps = 24

    def draw(self, brief: Brief) -> dict[str, Any]:
        names = ["clock_24_hours", "week_starts", *brief.by_level((), ("decimal_comma",), ("decimal_comma", "sort_files"))]
        return self.drawn(brief, brief.sample(names, len(names)), _WORDINGS)


class SeveralSettings(SettingsFamily):
    """Change two to four settings that are on different pages."""

    id = "several-settings"
    has_infeasible = True
    skills = ("click", "type", "settings", "read", "search")
    max_steps = 32

    def draw(self, brief: Brief) -> dict[str, Any]:
        pages = brief.sample([page for page, names in PAGES.items() if names], brief.by_level(2, 3, 4))
        names = [brief.pick([name for name in PAGES[page] if name != "language"]) for page in pages]
        missing = f"turn {quoted(brief.label(brief.pick(NO_SETTINGS)))} {brief.pick(('on', 'off'))}"
        return self.drawn(brief, names, _WORDINGS, missing, brief.integer(0, len(names) - 1))


class WhichSetting(SettingsFamily):
    """Say what a setting is, and leave it so."""

    id = "which-setting"
    skills = ("read", "settings", "answer")
    max_steps = 16

    def draw(self, brief: Brief) -> dict[str, Any]:
        name = brief.pick(("volume", "brightness", "lock_minutes", "computer_name", "mail_name", "mail_signature"))
        drawn = self.drawn(brief, [name], ("{}",))
        called = quoted(brief.label(caption(name)))
        number = isinstance(SETTINGS[name].default, int)
        drawn["instruction"] = wording(
            brief,
            [
                "What is {called} set to? Answer with {what}.",
                "Look up {called} in the settings and answer with {what}.",
                "Which value has {called} in the settings? The answer is {what}.",
            ],
            called=called,
            what="the number alone" if number else "exactly the text that is there",
        )
        return drawn | {"wanted": {}, "asked": name}

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        value: Value = params["given"][params["asked"]]
        said = (outcome.answer or "").strip().strip('“”"')
        right = said_number(said, str(value)) if isinstance(value, int) else said == value
        return right and super().check(state, start, params, outcome)

    def solve(self, solver: Solver, params: Params) -> None:
        settings_page(solver, params["asked"])
        solver.answer(str(params["given"][params["asked"]]))
