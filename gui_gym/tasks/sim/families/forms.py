"""Forms: check boxes, text fields, a whole form, sliders, and copying from one field to another."""

from __future__ import annotations

from typing import Any

import numpy as np

from gui_gym.actions import Key, Modifier
from gui_gym.desktops.sim.apps.dialog import Dialog
from gui_gym.desktops.sim.layout import Column, place
from gui_gym.desktops.sim.session import Session
from gui_gym.desktops.sim.state import State
from gui_gym.desktops.sim.widgets.basic import Button, CheckBox, Label, Radio
from gui_gym.desktops.sim.widgets.choice import DropDown, Slider
from gui_gym.desktops.sim.widgets.text import TextField
from gui_gym.tasks.sim.brief import Brief
from gui_gym.tasks.sim.families.common import clutter, quoted, submissions, width_for
from gui_gym.tasks.sim.family import Family, Params, pick, sample
from gui_gym.tasks.sim.solver import Solver
from gui_gym.tasks.sim.words import CITIES, OPTIONS, PLANS, SENTENCES, SLIDERS, TITLES, person
from gui_gym.verifiers.score import Outcome


def _buttons(column: Column, ok: str = "OK") -> None:
    """The two buttons that end a dialog; Enter presses the first."""
    column.window.default = "ok"
    column.row(Button(id="ok", name=ok, primary=True), Button(id="cancel", name="Cancel"), align="right")


def _handed_in(state: State, values: dict[str, Any]) -> bool:
    """Whether exactly these values were handed in with OK."""
    return submissions(state) == [("dialog", "ok", values)]


class CheckBoxes(Family):
    """Check exactly the named boxes and press OK."""

    id = "check-boxes"
    skills = ("click", "checkbox", "read")
    touches = ("submitted:dialog",)
    max_steps = 16
    min_size = (280, 170)
    has_infeasible = True

    def draw(self, brief: Brief) -> dict[str, Any]:
        rng, feasible = brief.rng, brief.feasible
        options = sample(rng, OPTIONS, int(rng.integers(4, 7)) + 1)
        missing = options.pop()
        wanted = sample(rng, options, int(rng.integers(1, 4)))
        checked = [bool(rng.random() < 0.3) for _ in options]
        if [o in wanted for o in options] == checked:
            checked[0] = not checked[0]
        names = [quoted(name) for name in (wanted if feasible else [*wanted[:-1], missing])]
        listed = names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]
        wording = pick(
            rng, ["Check {} and nothing else, then press OK.", "Turn on only {}, then click OK.", "Make sure that just {} are ticked and confirm."]
        )
        instruction = wording.format(listed)
        if len(names) == 1:
            instruction = instruction.replace(" are ticked", " is ticked")
        return {"instruction": instruction, "options": options, "checked": checked, "wanted": wanted, "title": pick(rng, TITLES)}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        clutter(session, rng)
        dialog = Dialog(id="dialog", title=params["title"], closing=["ok", "cancel"])
        column = Column(session, dialog, width_for(session, 22))
        columns = 2 if session.look.size.font < 11 else int(rng.integers(1, 3))
        boxes = [CheckBox(id=name, name=name, checked=on) for name, on in zip(params["options"], params["checked"], strict=True)]
        for i in range(0, len(boxes), columns):
            column.row(*boxes[i : i + columns])
        column.space()
        _buttons(column)
        column.finish()
        place(session, dialog, rng)

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        return _handed_in(state, {name: name in params["wanted"] for name in params["options"]})

    def solve(self, solver: Solver, params: Params) -> None:
        if submissions(solver.state):
            return
        for name in params["options"]:
            if solver.widget("dialog", name).value != (name in params["wanted"]):
                solver.click("dialog", name)
        solver.click("dialog", "ok")


class ChooseOne(Family):
    """Choose one of several options that exclude each other and press OK."""

    id = "choose-one"
    skills = ("click", "radio", "read")
    touches = ("submitted:dialog",)
    max_steps = 12
    min_size = (280, 170)
    has_infeasible = True

    def draw(self, brief: Brief) -> dict[str, Any]:
        rng, feasible = brief.rng, brief.feasible
        *options, missing = sample(rng, PLANS if rng.random() < 0.5 else CITIES, 5)
        target = pick(rng, options) if feasible else missing
        chosen = pick(rng, [name for name in options if name != target]) if rng.random() < 0.5 else ""
        wording = pick(rng, ["Choose {} and press OK.", "Select the option {}, then click OK.", "Pick {} and confirm."])
        return {"instruction": wording.format(quoted(target)), "options": options, "target": target, "chosen": chosen, "title": pick(rng, TITLES)}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        clutter(session, rng)
        dialog = Dialog(id="dialog", title=params["title"], closing=["ok", "cancel"])
        column = Column(session, dialog, width_for(session, int(rng.integers(15, 22))))
        for name in params["options"]:
            column.row(Radio(id=name, name=name, group="options", checked=name == params["chosen"]))
        _buttons(column)
        column.finish()
        place(session, dialog, rng)

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        return _handed_in(state, {name: name == params["target"] for name in params["options"]})

    def solve(self, solver: Solver, params: Params) -> None:
        if not submissions(solver.state):
            solver.click("dialog", params["target"])
            solver.click("dialog", "ok")


class EnterText(Family):
    """Type a text, accents and quotes included, into a field and press OK."""

    id = "enter-text"
    skills = ("type", "click")
    touches = ("submitted:dialog",)
    min_size = (200, 120)

    def draw(self, brief: Brief) -> dict[str, Any]:
        rng = brief.rng
        text = pick(rng, [*SENTENCES, person(rng), pick(rng, CITIES)])
        wording = pick(rng, ["Type {} into the field and press OK.", "Enter {} and confirm with OK.", "Write {} in the text box, then click OK."])
        earlier = pick(rng, CITIES) if rng.random() < 0.3 else ""
        return {"instruction": wording.format(quoted(text)), "text": text, "earlier": earlier if earlier != text else "", "title": pick(rng, TITLES)}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        clutter(session, rng)
        dialog = Dialog(id="dialog", title=params["title"], closing=["ok", "cancel"])
        column = Column(session, dialog, width_for(session, int(rng.integers(18, 27))))
        column.row(Label(id="label", name=pick(rng, ["Text:", "Note:", "Message:"])))
        column.row(TextField(id="text", name="Text", text=params["earlier"]))
        _buttons(column)
        column.finish()
        place(session, dialog, rng)

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        return _handed_in(state, {"text": params["text"]})

    def solve(self, solver: Solver, params: Params) -> None:
        if not submissions(solver.state):
            solver.fill("dialog", "text", params["text"])
            solver.click("dialog", "ok")


class FillForm(Family):
    """Fill in several fields, choose from a list, tick or leave a box, and send the form."""

    id = "fill-form"
    skills = ("type", "click", "checkbox", "menu", "form")
    touches = ("submitted:dialog",)
    max_steps = 30
    min_size = (280, 170)

    def draw(self, brief: Brief) -> dict[str, Any]:
        rng = brief.rng
        name, city, plans = person(rng), pick(rng, CITIES), sample(rng, PLANS, 4)
        plan, news = pick(rng, plans), bool(rng.integers(2))
        letters = "with" if news else "without"
        wording = pick(
            rng,
            [
                "Sign up {name} from {city} for the plan {plan}, {letters} the newsletter.",
                "Fill in the form: name {name}, city {city}, plan {plan}, {letters} the newsletter. Then press Send.",
            ],
        )
        instruction = wording.format(name=quoted(name), city=quoted(city), plan=quoted(plan), letters=letters)
        return {"instruction": instruction, "name": name, "city": city, "plan": plan, "news": news, "plans": plans, "ticked": bool(rng.integers(2))}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        clutter(session, rng)
        dialog = Dialog(id="dialog", title="Sign up", closing=["ok", "cancel"])
        column = Column(session, dialog, width_for(session, 28))
        wide = session.look.sans.width("Name:  ") + session.look.size.gap
        rows = [
            (Label(id="name-label", name="Name:", w=wide), TextField(id="name", name="Name")),
            (Label(id="city-label", name="City:", w=wide), TextField(id="city", name="City")),
            (Label(id="plan-label", name="Plan:", w=wide), DropDown(id="plan", name="Plan", choices=list(params["plans"]))),
        ]
        for i in rng.permutation(3):
            column.row(*rows[int(i)])
        column.row(CheckBox(id="news", name="Send me the newsletter", checked=params["ticked"]))
        _buttons(column, "Send")
        column.finish()
        place(session, dialog, rng)

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        return _handed_in(state, {key: params[key] for key in ("name", "city", "plan", "news")})

    def solve(self, solver: Solver, params: Params) -> None:
        if submissions(solver.state):
            return
        for field in ("name", "city"):
            if solver.widget("dialog", field).value != params[field]:
                solver.fill("dialog", field, params[field])
        if solver.widget("dialog", "plan").value != params["plan"]:
            solver.click("dialog", "plan")
            solver.choose(params["plan"])
        if solver.widget("dialog", "news").value != params["news"]:
            solver.click("dialog", "news")
        solver.click("dialog", "ok")


class SetSlider(Family):
    """Set one of several sliders to a number, leave the others, and press OK."""

    id = "set-slider"
    skills = ("drag", "slider", "read")
    touches = ("submitted:dialog",)
    min_size = (240, 140)

    def draw(self, brief: Brief) -> dict[str, Any]:
        rng = brief.rng
        names = sample(rng, SLIDERS, int(rng.integers(1, 4)))
        step = pick(rng, [1, 5, 10])
        starts = [step * int(rng.integers(0, 100 // step + 1)) for _ in names]
        number = step * int(rng.integers(0, 100 // step + 1))
        if number == starts[0]:
            number = (number + step) % (100 + step)
        wording = pick(rng, ["Set {} to {} and press OK.", "Move the slider {} to {}, then click OK.", "Change {} to {} and confirm."])
        instruction = wording.format(quoted(names[0]), number)
        return {"instruction": instruction, "target": names[0], "number": number, "names": names, "starts": starts, "step": step}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        clutter(session, rng)
        dialog = Dialog(id="dialog", title="Settings", closing=["ok", "cancel"])
        column = Column(session, dialog, width_for(session, 28))
        wide = max(session.look.sans.width(name) for name in params["names"]) + session.look.size.gap
        for i in rng.permutation(len(params["names"])):
            name = params["names"][i]
            column.row(Label(id=f"{name}-label", name=name, w=wide), Slider(id=name, name=name, step=params["step"], number=params["starts"][i]))
        _buttons(column)
        column.finish()
        place(session, dialog, rng)

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        numbers = dict(zip(params["names"], params["starts"], strict=True))
        return _handed_in(state, {**numbers, params["target"]: params["number"]})

    def solve(self, solver: Solver, params: Params) -> None:
        if submissions(solver.state):
            return
        for name, number in zip(params["names"], params["starts"], strict=True):
            solver.slide("dialog", name, params["number"] if name == params["target"] else number)
        solver.click("dialog", "ok")


class CopyText(Family):
    """Copy what one field holds into another and press OK."""

    id = "copy-text"
    skills = ("type", "keyboard", "clipboard")
    touches = ("submitted:dialog",)
    min_size = (240, 140)

    def draw(self, brief: Brief) -> dict[str, Any]:
        rng = brief.rng
        code = "".join(pick(rng, "ABCDEFGHJKLMNPQRSTUVWXYZ23456789") for _ in range(int(rng.integers(6, 13))))
        wording = pick(
            rng, ["Copy the code into the field below it and press OK.", "Enter the code from the first field in the second, then confirm with OK."]
        )
        return {"instruction": wording, "code": code, "title": pick(rng, TITLES)}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        clutter(session, rng)
        dialog = Dialog(id="dialog", title=params["title"], closing=["ok", "cancel"])
        column = Column(session, dialog, width_for(session, int(rng.integers(18, 26))))
        column.row(Label(id="label1", name="Code:"))
        column.row(TextField(id="code", name="Code", text=params["code"]))
        column.row(Label(id="label2", name="Repeat the code:"))
        column.row(TextField(id="again", name="Repeat the code"))
        _buttons(column)
        column.finish()
        place(session, dialog, rng)

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        return _handed_in(state, {"code": params["code"], "again": params["code"]})

    def solve(self, solver: Solver, params: Params) -> None:
        if submissions(solver.state):
            return
        if solver.widget("dialog", "code").value != params["code"]:
            solver.fill("dialog", "code", params["code"])
        solver.click("dialog", "code")
        solver.press(Key.A, Modifier.CTRL)
        solver.press(Key.C, Modifier.CTRL)
        solver.click("dialog", "again")
        solver.press(Key.A, Modifier.CTRL)
        solver.press(Key.V, Modifier.CTRL)
        solver.click("dialog", "ok")
