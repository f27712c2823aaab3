"""Buttons: press the only one, or the one with a name or a colour."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from gui_gym.desktops.sim.apps.dialog import Dialog
from gui_gym.desktops.sim.layout import Column, place
from gui_gym.desktops.sim.session import Session
from gui_gym.desktops.sim.state import State, Window
from gui_gym.desktops.sim.widgets.basic import Button
from gui_gym.tasks.sim.brief import Brief, Difficulty
from gui_gym.tasks.sim.families.common import clutter, draw_labels, flow, paragraph, quoted, used, width_for, wording
from gui_gym.tasks.sim.family import Family, Params, pick, sample
from gui_gym.tasks.sim.solver import Solver
from gui_gym.tasks.sim.words import ALIKE, BUTTONS, COLORS, MORE_COLORS, SENTENCES, TITLES
from gui_gym.verifiers.score import Outcome


class PressTheButton(Family):
    """A window with exactly one button at a random place in it: large on a tiny screen, small if it is hard. A click beside it changes nothing."""

    id = "press-the-button"
    skills = ("click",)
    localised = False
    max_steps = 10
    min_size = (96, 80)

    def draw(self, brief: Brief) -> dict[str, Any]:
        rng = brief.rng
        instruction = pick(rng, ["Press the button.", "Click the button.", "Click on the only button in the window."])
        goal = {"instruction": instruction, "label": pick(rng, [b for b in BUTTONS if len(b) <= 5]), "color": pick(rng, sorted(COLORS))}
        return goal | brief.by_level({"middle": True}, {}, {"small": True})

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        size, look = session.look.size, session.look
        _, _, width, height = session.work_area
        window = Window(id="panel", title="Panel")
        window.w, window.h = min(width - 2 * size.shadow, 46 * size.font), min(height - 2 * size.shadow, 30 * size.font)
        button = Button(id="button", name=params["label"], color=COLORS[params["color"]])
        if size.bar:  # so small that a stray click seldom hits it
            button.w, button.h = look.sans.width(button.name) + 2 * size.gap, look.sans.height + 4
        else:
            button.w, button.h = max(4 * size.font, look.sans.width(button.name) + 2 * size.pad), 3 * size.font
        if params.get("small"):
            button.w, button.h = look.sans.width(button.name) + size.gap + 4, look.sans.height + 1
        button.x = int(rng.integers(size.pad, window.w - size.pad - button.w + 1))
        button.y = int(rng.integers(size.title + size.pad, window.h - size.pad - button.h + 1))
        if params.get("middle"):
            button.y = (size.title + window.h - button.h) // 2
        window.widgets = [button]
        place(session, window, rng)

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        return used(state, "panel", "clicked") == {params["label"]}

    def solve(self, solver: Solver, params: Params) -> None:
        if not used(solver.state, "panel", "clicked"):
            solver.click("panel", "button")


class ClickOneFamily(Family):
    """The widget ``params["target"]`` of the window ``window`` is clicked, and no other of those that ``params[among]`` lists."""

    max_steps = 10
    has_infeasible = True
    window: ClassVar[str]
    among: ClassVar[str]

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        return used(state, self.window, "clicked") == {params["target"]}

    def solve(self, solver: Solver, params: Params) -> None:
        if not used(solver.state, self.window, "clicked"):
            solver.click(self.window, params["target"])

    def spoil(self, solver: Solver, params: Params) -> bool:
        solver.click(self.window, next(name for name in params[self.among] if name != params["target"]))
        return True


class ClickButton(Family):
    """A dialog with several named buttons, or one of two such dialogs. Any other that is clicked, before or after, spoils it."""

    id = "click-button"
    skills = ("click", "read")
    max_steps = 10
    min_size = (240, 150)
    has_infeasible = True

    def draw(self, brief: Brief) -> dict[str, Any]:
        hard = brief.difficulty is Difficulty.HARD
        count = brief.by_level(brief.integer(2, 3), brief.integer(3, 7), brief.integer(7, 10))
        *labels, missing = draw_labels(brief, ALIKE if hard else BUTTONS, count + 1)
        target = brief.pick(labels) if brief.feasible else missing
        title, other_title = draw_labels(brief, TITLES, 2)
        goal: dict[str, Any] = {"target": target, "labels": labels, "title": title, "message": brief.pick(SENTENCES), "other": None}
        if not hard:
            choices = ["Click the {it} button.", "Press {it} in the dialog.", "Click on the button that says {it}.", "In the dialog, choose {it}."]
            return {"instruction": wording(brief, choices, it=quoted(target)), **goal}
        some = brief.sample([label for label in labels if label != target or brief.feasible], 3)
        goal["other"] = {"title": other_title, "message": brief.pick(SENTENCES), "labels": some}
        choices = [
            "In the window {title}, click {it}.",
            "There are two dialogs: press {it} in the one called {title}.",
            "Click the {it} button of {title}, and nothing else.",
        ]
        return {"instruction": wording(brief, choices, it=quoted(target), title=quoted(title)), **goal}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        dialogs = [("dialog", params), *([("other", params["other"])] if params["other"] else [])]
        if len(dialogs) == 1:
            clutter(session, rng)
        for i in rng.permutation(len(dialogs)):
            name, of = dialogs[int(i)]
            dialog = Dialog(id=name, title=of["title"])
            wide = int(session.look.bold.width(of["title"])) + 3 * session.look.size.title
            column = Column(session, dialog, max(width_for(session, 27 if name == "dialog" else 18), min(wide, width_for(session, 40))))
            paragraph(column, of["message"], "message")
            buttons = [Button(id=f"button{i}", name=label) for i, label in enumerate(of["labels"])]
            flow(column, buttons, align=pick(rng, ["left", "centre", "right"]), least=int(rng.integers(2, 6)) * session.look.size.font)
            column.finish()
            place(session, dialog, rng)

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        return used(state, "dialog", "clicked") == {params["target"]} and not used(state, "other", "clicked")

    def solve(self, solver: Solver, params: Params) -> None:
        if not used(solver.state, "dialog", "clicked"):
            solver.click("dialog", f"button{params['labels'].index(params['target'])}")

    def spoil(self, solver: Solver, params: Params) -> bool:
        other = next(i for i, label in enumerate(params["labels"]) if label != params["target"])
        solver.click("dialog", f"button{other}")
        return True


class ClickColour(ClickOneFamily):
    """A window of coloured tiles, strewn about. Any other that is clicked, before or after, spoils it."""

    id = "click-colour"
    skills = ("click", "perceive")
    min_size = (96, 80)
    window = "tiles"
    among = "colors"

    def draw(self, brief: Brief) -> dict[str, Any]:
        rng = brief.rng
        count = brief.by_level(brief.integer(2, 3), brief.integer(4, 6), brief.integer(8, 11))
        among = sorted(COLORS | MORE_COLORS) if brief.difficulty is Difficulty.HARD else sorted(COLORS)
        *colors, missing = sample(rng, among, count + 1)
        target = pick(rng, colors) if brief.feasible else missing
        instruction = wording(
            brief, ["Click the {color} square.", "Click on the tile that is {color}.", "Press the {color} tile and no other."], color=target
        )
        return {"instruction": instruction, "target": target, "colors": sorted(colors), "title": brief.label(brief.pick(TITLES))}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        size = session.look.size
        _, _, width, height = session.work_area
        columns, rows = (4, 3) if len(params["colors"]) > 6 else (3, 2)
        side = size.font + 6 if rows == 3 or size.bar else 2 * size.font + 2
        window = Window(id="tiles", title=params["title"])
        window.w, window.h = min(width - 2 * size.shadow, 34 * size.font), min(height - 2 * size.shadow, 22 * size.font)
        cell_w, cell_h = (window.w - 2 * size.pad) // columns, (window.h - size.title - 2 * size.pad) // rows
        spots = rng.permutation(columns * rows)
        for i, color in enumerate(params["colors"]):
            x = size.pad + cell_w * (int(spots[i]) % columns) + int(rng.integers(0, max(1, cell_w - side)))
            y = size.title + size.pad + cell_h * (int(spots[i]) // columns) + int(rng.integers(0, max(1, cell_h - side)))
            window.widgets.append(Button(id=color, color=(COLORS | MORE_COLORS)[color], x=x, y=y, w=side, h=side))
        place(session, window, rng)
