"""The window manager: resize, minimise, maximise, bring back and tile windows, use one that is covered, and start a program."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gui_gym.actions import Key, Modifier
from gui_gym.desktops.sim import icons
from gui_gym.desktops.sim.apps import APPS
from gui_gym.desktops.sim.layout import Column, place
from gui_gym.desktops.sim.session import Session
from gui_gym.desktops.sim.state import MAXIMISE, MINIMISE, State, Window
from gui_gym.desktops.sim.widgets.basic import Button, CheckBox, Label
from gui_gym.tasks.sim.brief import Brief
from gui_gym.tasks.sim.families.common import closed, draw_labels, listed, quoted, used, width_for, wording
from gui_gym.tasks.sim.families.windows import open_all
from gui_gym.tasks.sim.family import Family, Params
from gui_gym.tasks.sim.solver import Solver
from gui_gym.tasks.sim.words import OPTIONS, SENTENCES, TITLES
from gui_gym.verifiers.score import Outcome


@dataclass(kw_only=True)
class Sheet(Window):
    """A resizable window with a text that is broken into lines as wide as it is."""

    resizable: bool = True

    def layout(self, session: Session) -> None:
        size = session.look.size
        for widget in self.widgets:
            widget.x, widget.y = size.pad, size.title + size.pad
            widget.w, widget.h = max(1, self.w - 2 * size.pad), max(1, self.h - size.title - 2 * size.pad)


def open_sheets(session: Session, titles: Sequence[str], rng: np.random.Generator) -> None:
    """A resizable window for each title, of any size; its id is its title."""
    size = session.look.size
    _, _, width, height = session.work_area
    for title in titles:
        window = Sheet(id=title, title=title)
        least = max(8 * size.title, session.look.bold.width(title) + 5 * size.title)
        window.w = min(width * 3 // 4, max(least, int(rng.integers(14, 30)) * size.font))
        window.h = min(height * 3 // 4, int(rng.integers(8, 18)) * size.font)
        window.least = (least, 3 * size.title)
        texts = [SENTENCES[int(i)] for i in rng.permutation(len(SENTENCES))[:2]]
        window.widgets = [Label(id="text", name=". ".join(texts))]
        window.layout(session)
        place(session, window, rng)


def restored(state: State, start: State, *names: str) -> bool:
    """Whether all windows of the start but those named are open, and neither more nor less minimised or maximised than they were."""
    before = {w.id: (w.minimised, w.maximised) for w in start.windows if w.id not in names}
    return {w.id: (w.minimised, w.maximised) for w in state.windows if w.id in before} == before


class ResizeWindow(Family):
    """Make a window as wide, and as high unless it is easy, as another one, whose size stays."""

    id = "resize-window"
    skills = ("drag", "window", "compare")
    max_steps = 16

    def draw(self, brief: Brief) -> dict[str, Any]:
        titles = draw_labels(brief, TITLES, brief.by_level(2, 2, brief.integer(3, 4)))
        target, model = brief.sample(titles, 2)
        high = brief.by_level(False, True, True)
        what = "as wide and as high as" if high else "as wide as"
        choices = [
            "Make the window {target} {what} {model}.",
            "Resize {target} until it is {what} the window {model}.",
            "Drag the border of {target} so that it becomes {what} {model}.",
        ]
        instruction = wording(brief, choices, target=quoted(target), what=what, model=quoted(model))
        return {"instruction": instruction, "titles": titles, "target": target, "model": model, "high": high}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        open_sheets(session, params["titles"], rng)
        target, model = (session.state.window(params[name]) for name in ("target", "model"))
        assert target is not None and model is not None
        model.w = max(model.w, target.least[0])
        model.layout(session)
        slack = self._slack(session.state)
        if abs(target.w - model.w) <= 3 * slack:  # they differ enough to be seen
            narrow = model.w - 4 * slack
            target.w = narrow if narrow >= target.least[0] else model.w + 4 * slack
            target.layout(session)
        for window in (target, model):
            _, _, width, height = session.work_area
            session.move(window, min(window.x, width - window.w), min(window.y, height - window.h))

    @staticmethod
    def _slack(state: State) -> int:
        """How many pixels a size may be off."""
        return max(5, state.width // 50)

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        target = state.window(params["target"])
        sizes = {w.id: (w.w, w.h) for w in start.windows}
        others = {w.id: (w.w, w.h) for w in state.windows if w.id in sizes and w.id != params["target"]}
        if target is None or others != {name: size for name, size in sizes.items() if name != target.id} or not restored(state, start):
            return False
        (w, h), slack = sizes[params["model"]], self._slack(state)
        return abs(target.w - w) <= slack and (abs(target.h - h) <= slack or not params["high"])

    def solve(self, solver: Solver, params: Params) -> None:
        target, model = solver.window(params["target"]), solver.window(params["model"])
        solver.resize(target.id, model.w, model.h if params["high"] else target.h)

    def spoil(self, solver: Solver, params: Params) -> bool:
        model = solver.window(params["model"])
        solver.resize(model.id, model.w, model.h + 4 * self._slack(solver.state))
        return True


class MinimiseWindow(Family):
    """Minimise the windows that are named, and no other."""

    id = "minimise-window"
    skills = ("click", "window", "read")
    max_steps = 12
    has_infeasible = True
    button, verb = MINIMISE, "Minimise"

    def draw(self, brief: Brief) -> dict[str, Any]:
        *titles, missing = draw_labels(brief, TITLES, brief.by_level(3, 4, brief.integer(5, 6)) + 1)
        targets = brief.sample(titles, brief.by_level(2, 2, 3))  # a stray click on the task bar minimises one
        named = targets if brief.feasible else [*targets[:-1], missing]
        choices = [
            f"{self.verb} {{all}}.",
            f"{self.verb} the windows {{all}} and leave the others as they are.",
            f"Use the title bar to {self.verb.lower()} {{all}}, and nothing else.",
        ]
        return {"instruction": wording(brief, choices, all=listed(named)), "titles": titles, "targets": targets}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        open_sheets(session, params["titles"], rng)

    @staticmethod
    def _is_done(window: Window) -> bool:
        return window.minimised

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        targets = params["targets"]
        return restored(state, start, *targets) and all((window := state.window(title)) and self._is_done(window) for title in targets)

    def solve(self, solver: Solver, params: Params) -> None:
        for title in params["targets"]:
            if not self._is_done(solver.window(title)):
                solver.press_title_button(title, self.button)

    def spoil(self, solver: Solver, params: Params) -> bool:
        solver.press_title_button(next(title for title in params["titles"] if title not in params["targets"]), self.button)
        return True


class MaximiseWindow(MinimiseWindow):
    """Maximise the windows that are named, and no other."""

    id = "maximise-window"
    button, verb = MAXIMISE, "Maximise"

    @staticmethod
    def _is_done(window: Window) -> bool:
        return window.maximised and not window.minimised


class RestoreWindow(Family):
    """Bring back a window that is minimised and check its box; windows that are minimised besides stay so."""

    id = "restore-window"
    skills = ("click", "window", "checkbox", "read")
    max_steps = 12
    min_size = (560, 360)
    has_infeasible = True

    def draw(self, brief: Brief) -> dict[str, Any]:
        short = [title for title in TITLES if len(brief.label(title)) <= 12]  # the task bar shows them whole
        *titles, missing = draw_labels(brief, short, brief.by_level(2, 3, 4) + 1)
        hidden = brief.sample(titles, brief.by_level(1, 2, 3))
        target, option = brief.pick(hidden), brief.label(brief.pick(OPTIONS))
        choices = [
            "The window {title} is minimised: bring it back and check its box {option}.",
            "Restore {title} from the task bar and tick {option} in it.",
            "Show the window {title} again, turn on {option} there, and leave the other windows as they are.",
        ]
        instruction = wording(brief, choices, title=quoted(target if brief.feasible else missing), option=quoted(option))
        return {"instruction": instruction, "titles": titles, "hidden": hidden, "target": target, "option": option}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        open_all(session, params["titles"], rng, resizable=True)
        for window in list(session.state.windows):
            box = window.part("option", CheckBox)
            box.name, box.checked = params["option"], False  # in all of them, so that the window counts
            window.w = max(window.w, box.x + session.look.sans.width(box.name) + 3 * session.look.size.font + session.look.size.pad)
            box.w = window.w - 2 * box.x
            left, top, width, height = session.work_area
            session.move(window, min(window.x, left + width - window.w), window.y)
        for title in params["hidden"]:
            hidden = session.state.window(title)
            assert hidden is not None
            session.minimise(hidden)

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        boxes = {window.id: window.widget("option").value for window in state.windows if window.id in params["titles"]}
        target = state.window(params["target"])
        right = {title: title == params["target"] for title in params["titles"]}
        return restored(state, start, params["target"]) and target is not None and not target.minimised and boxes == right

    def solve(self, solver: Solver, params: Params) -> None:
        if not solver.widget(params["target"], "option").value:
            solver.click(params["target"], "option")
        elif solver.window(params["target"]).minimised:
            solver.raise_window(solver.window(params["target"]))

    def spoil(self, solver: Solver, params: Params) -> bool:
        solver.click(params["target"], "option")
        return True


class TileWindows(Family):
    """Let one window fill the left half of the screen and, unless it is easy, another one the right half."""

    id = "tile-windows"
    skills = ("drag", "window", "keyboard")
    max_steps = 16

    def draw(self, brief: Brief) -> dict[str, Any]:
        titles = draw_labels(brief, TITLES, brief.by_level(2, brief.integer(2, 3), brief.integer(4, 5)))
        sides = brief.sample(["left", "right"], brief.by_level(1, 2, 2))
        places = dict(zip(brief.sample(titles, len(sides)), sides, strict=True))
        return {"instruction": self._instruction(brief, places), "titles": titles, "places": places}

    @staticmethod
    def _instruction(brief: Brief, places: dict[str, str]) -> str:
        fill = " and ".join(f"{quoted(title)} fills the {side} half" for title, side in places.items())
        put = " and ".join(f"{quoted(title)} on the {side} half" for title, side in places.items())
        choices = [
            f"Arrange the windows so that {fill} of the screen.",
            f"Put {put} of the screen, each from the top down to the task bar."
            if len(places) > 1
            else f"Put {put} of the screen, from the top down to the task bar.",
            f"Resize and move windows until {fill} of the screen.",
        ]
        return brief.pick(choices)

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        open_sheets(session, params["titles"], rng)

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        left, top, width, height = Session(state).work_area
        slack, right = max(5, state.width // 40), True
        for title, side in params["places"].items():
            window = state.window(title)
            if window is None or window.minimised or window.maximised:
                return False
            wanted = (left + (width // 2 if side == "right" else 0), top, width // 2, height)
            right = right and all(abs(is_ - ought) <= slack for is_, ought in zip(window.bounds, wanted, strict=True))
        return right and not closed(state, start)

    def solve(self, solver: Solver, params: Params) -> None:
        for title, side in params["places"].items():
            solver.raise_window(solver.window(title))
            solver.press(Key.LEFT if side == "left" else Key.RIGHT, Modifier.META)

    def spoil(self, solver: Solver, params: Params) -> bool:
        title, side = next(iter(params["places"].items()))
        solver.raise_window(solver.window(title))
        solver.press(Key.RIGHT if side == "left" else Key.LEFT, Modifier.META)
        return True


class UseHiddenWindow(Family):
    """Windows that look alike and cover each other: check a box and press a button in the one that is named, and touch nothing in the others."""

    id = "use-hidden-window"
    skills = ("click", "window", "checkbox", "read")
    max_steps = 12

    def draw(self, brief: Brief) -> dict[str, Any]:
        titles = draw_labels(brief, TITLES, brief.by_level(2, brief.integer(3, 4), brief.integer(5, 6)))
        options = draw_labels(brief, OPTIONS, brief.by_level(1, 2, 3))
        target, option = brief.pick(titles), brief.pick(options)
        choices = [
            "In the window {title}, check {option} and press {apply}.",
            "Bring {title} to the front, tick {option} there and click {apply}.",
            "Turn on {option} in the window {title}, which may be covered, then press its button {apply}.",
        ]
        instruction = wording(brief, choices, title=quoted(target), option=quoted(option), apply=quoted(brief.label("Apply")))
        return {"instruction": instruction, "titles": titles, "options": options, "target": target, "option": option}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        size, look = session.look.size, session.look
        wide = max(look.bold.width(title) for title in params["titles"]) + 3 * size.title
        spot: tuple[int, int] | None = None
        for i in rng.permutation(len(params["titles"])):
            title = params["titles"][int(i)]
            window = Window(id=title, title=title)
            column = Column(
                session, window, max(min(wide, width_for(session, 40)), width_for(session, 14, *(f"        {name}" for name in params["options"])))
            )
            for option in params["options"]:
                column.row(CheckBox(id=option, name=option))
            column.row(Button(id="apply", name=session.label("Apply")), align="right")
            column.finish()
            place(session, window, rng)
            if spot:  # each nearly where the one before is
                step = int(rng.integers(size.gap, size.title))
                left, top, width, height = session.work_area
                session.move(window, min(spot[0] + step, left + width - window.w), min(spot[1] + step // 2, top + height - window.h))
            spot = window.x, window.y

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        boxes = {(window.id, widget.id) for window in state.windows for widget in window.widgets if isinstance(widget, CheckBox) and widget.checked}
        pressed = {event.window for event in state.events("clicked") if event.widget == "apply"}
        return boxes == {(params["target"], params["option"])} and pressed == {params["target"]} and self._applied(state, params)

    @staticmethod
    def _applied(state: State, params: Params) -> bool:
        """Whether the button was pressed after the box was used last."""
        events = [event for event in state.log if event.window == params["target"] and event.signal in ("toggled", "clicked")]
        return bool(events) and events[-1].signal == "clicked"

    def solve(self, solver: Solver, params: Params) -> None:
        window = solver.window(params["target"])
        for widget in list(window.widgets):
            if isinstance(widget, CheckBox) and widget.checked != (widget.id == params["option"]):
                solver.click(window.id, widget.id)
        if not used(solver.state, window.id, "clicked") or not self._applied(solver.state, params):
            solver.click(window.id, "apply")

    def spoil(self, solver: Solver, params: Params) -> bool:
        solver.click(params["target"], params["option"])
        return True


#: Programs by id, with what the ids of their windows begin with.
PROGRAMS = {
    "browser": "browser",
    "calculator": "calculator",
    "calendar": "calendar",
    "editor": "editor",
    "files": "files",
    "mail": "mail",
    "pictures": "picture",
    "settings": "settings",
    "spreadsheet": "spreadsheet",
    "terminal": "terminal",
}


ON_DESKTOP = ("files", *icons.PROGRAMS)  #: what icons on the desktop start too, which a stray double click can hit


class OpenApp(Family):
    """Start a program, or several of them, from the start menu."""

    id = "open-app"
    skills = ("click", "menu", "desktop")
    max_steps = 14
    min_size = (560, 360)

    def draw(self, brief: Brief) -> dict[str, Any]:
        hidden = [app for app in sorted(PROGRAMS) if app not in ON_DESKTOP]
        apps = brief.by_level(brief.sample(hidden, 1), brief.sample(sorted(PROGRAMS), 2), brief.sample(sorted(PROGRAMS), 3))
        titles = draw_labels(brief, TITLES, brief.by_level(1, 2, 4))
        named = [brief.label(APPS[app].label) for app in apps]
        choices = [
            "Start {all} from the start menu.",
            "Open {all}, and leave everything else as it is.",
            "Use the button at the left end of the task bar to start {all}.",
        ]
        return {"instruction": wording(brief, choices, all=listed(named)), "apps": apps, "titles": titles}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        open_sheets(session, params["titles"], rng)

    @staticmethod
    def _opened(state: State, params: Params) -> dict[str, str]:
        """The windows that have been opened since the start, by what their ids begin with."""
        return {window.id.partition(":")[0]: window.id for window in state.windows if window.id not in params["titles"]}

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        return set(self._opened(state, params)) == {PROGRAMS[app] for app in params["apps"]} and restored(state, start)

    def solve(self, solver: Solver, params: Params) -> None:
        for app in params["apps"]:
            if PROGRAMS[app] not in self._opened(solver.state, params):
                solver.start_program(app)

    def spoil(self, solver: Solver, params: Params) -> bool:
        solver.close(self._opened(solver.state, params)[PROGRAMS[params["apps"][0]]])
        return True
