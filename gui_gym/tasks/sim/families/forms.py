"""Forms: check boxes, text fields, a whole form, sliders, and copying from one field to another."""

from __future__ import annotations

from typing import Any

import numpy as np

from gui_gym.actions import Key, Modifier
from gui_gym.desktops.sim.apps.dialog import Dialog
from gui_gym.desktops.sim.layout import Column, place
from gui_gym.desktops.sim.session import Session
from gui_gym.desktops.sim.widgets.basic import CheckBox, Label, Radio
from gui_gym.desktops.sim.widgets.choice import DropDown, Slider
from gui_gym.desktops.sim.widgets.text import TextField
from gui_gym.tasks.sim.brief import Brief, Difficulty
from gui_gym.tasks.sim.families.common import (
    DialogFamily,
    box_width,
    clutter,
    dialog_width,
    draw_labels,
    listed,
    ok_cancel,
    quoted,
    tick,
    width_for,
    wording,
)
from gui_gym.tasks.sim.family import Params
from gui_gym.tasks.sim.solver import Solver
from gui_gym.tasks.sim.words import CITIES, OPTIONS, PLANS, SENTENCES, SLIDERS, TITLES, person


class CheckBoxes(DialogFamily):
    """Check exactly the named boxes and press OK."""

    id = "check-boxes"
    skills = ("click", "checkbox", "read")
    max_steps = 24
    has_infeasible = True

    def draw(self, brief: Brief) -> dict[str, Any]:
        *options, missing = draw_labels(brief, OPTIONS, brief.by_level(3, brief.integer(4, 6), brief.integer(8, 10)) + 1)
        wanted = brief.sample(options, brief.by_level(1, brief.integer(1, 3), brief.integer(3, 5)))
        checked = [brief.chance(0.3) for _ in options]
        if [option in wanted for option in options] == checked:
            checked[0] = not checked[0]
        named = wanted if brief.feasible else [*wanted[:-1], missing]
        are = "are" if len(named) > 1 else "is"
        choices = [
            "Check {names} and nothing else, then press {ok}.",
            "Turn on only {names}, then click {ok}.",
            f"Make sure that just {{names}} {are} ticked and confirm with {{ok}}.",
        ]
        instruction = wording(brief, choices, names=listed(named))
        title = brief.label(brief.pick(TITLES))
        return {"instruction": instruction, "options": options, "checked": checked, "wanted": wanted, "title": title}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        clutter(session, rng)
        dialog = Dialog(id="dialog", title=params["title"])
        size = session.look.size
        widest = max(box_width(session, option) for option in params["options"])
        columns = 2 if size.font < 11 or len(params["options"]) > 6 else int(rng.integers(1, 3))
        column = Column(session, dialog, max(width_for(session, 22), min(columns * (widest + size.gap), width_for(session, 60))))
        boxes = [CheckBox(id=name, name=name, checked=on) for name, on in zip(params["options"], params["checked"], strict=True)]
        for i in range(0, len(boxes), columns):
            column.row(*boxes[i : i + columns])
        column.space()
        ok_cancel(session, column)
        place(session, dialog, rng)

    def values(self, params: Params) -> dict[str, Any]:
        return {name: name in params["wanted"] for name in params["options"]}

    def fill(self, solver: Solver, params: Params) -> None:
        tick(solver, {name: name in params["wanted"] for name in params["options"]})


class ChooseOne(DialogFamily):
    """Choose one of several options that exclude each other and press OK."""

    id = "choose-one"
    skills = ("click", "radio", "read")
    max_steps = 12
    has_infeasible = True

    def draw(self, brief: Brief) -> dict[str, Any]:
        count = brief.by_level(3, 4, brief.integer(6, 7)) + 1
        of_plans = brief.difficulty is not Difficulty.HARD and brief.chance(0.5)
        *options, missing = draw_labels(brief, PLANS, count) if of_plans else brief.sample(CITIES, count)
        target = brief.pick(options) if brief.feasible else missing
        chosen = brief.pick([name for name in options if name != target]) if brief.chance(0.5) else ""
        choices = ["Choose {name} and press {ok}.", "Select the option {name}, then click {ok}.", "Pick {name} and confirm with {ok}."]
        instruction = wording(brief, choices, name=quoted(target))
        title = brief.label(brief.pick(TITLES))
        return {"instruction": instruction, "options": options, "target": target, "chosen": chosen, "title": title}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        clutter(session, rng)
        dialog = Dialog(id="dialog", title=params["title"])
        column = Column(session, dialog, dialog_width(session, int(rng.integers(15, 22))))
        for name in params["options"]:
            column.row(Radio(id=name, name=name, group="options", checked=name == params["chosen"]))
        ok_cancel(session, column)
        place(session, dialog, rng)

    def values(self, params: Params) -> dict[str, Any]:
        return {name: name == params["target"] for name in params["options"]}

    def fill(self, solver: Solver, params: Params) -> None:
        solver.click("dialog", params["target"])


class EnterText(DialogFamily):
    """Type a text, accents and quotes included, into the named field and press OK."""

    id = "enter-text"
    skills = ("type", "click")
    min_size = (240, 140)

    def draw(self, brief: Brief) -> dict[str, Any]:
        texts = [brief.pick(CITIES), person(brief.rng)]
        if brief.difficulty is not Difficulty.EASY:
            texts += SENTENCES
        text, *earlier = brief.sample(texts, len(texts)) + brief.sample(CITIES, 3)
        fields = draw_labels(brief, ("Text", "Note", "Message", "Comment", "Subject"), brief.by_level(1, 1, 3))
        filled = [word if brief.chance(brief.by_level(0.0, 0.3, 0.6)) else "" for word in earlier[-len(fields) :]]
        target = brief.pick(fields)
        held = {field: word if field != target or word != text else "" for field, word in zip(fields, filled, strict=True)}
        choices = [
            "Type {text} into the field {field} and press {ok}.",
            "Enter {text} for {field} and confirm with {ok}.",
            "The field {field} must hold {text}, and nothing else: see to it, then click {ok}.",
        ]
        instruction = wording(brief, choices, text=quoted(text), field=quoted(target))
        return {"instruction": instruction, "text": text, "target": target, "fields": held, "title": brief.label(brief.pick(TITLES))}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        clutter(session, rng)
        dialog = Dialog(id="dialog", title=params["title"])
        column = Column(session, dialog, dialog_width(session, int(rng.integers(18, 27))))
        for name, text in params["fields"].items():
            column.row(Label(id=f"{name}-label", name=f"{name}:"))
            column.row(TextField(id=name, name=name, text=text))
        ok_cancel(session, column)
        place(session, dialog, rng)

    def values(self, params: Params) -> dict[str, Any]:
        return {**params["fields"], params["target"]: params["text"]}

    def fill(self, solver: Solver, params: Params) -> None:
        for name, text in {**params["fields"], params["target"]: params["text"]}.items():
            if solver.widget("dialog", name).value != text:
                solver.fill("dialog", name, text)


class FillForm(DialogFamily):
    """Fill in several fields, choose from a list, tick or leave a box, and send the form."""

    id = "fill-form"
    skills = ("type", "click", "checkbox", "menu", "form")
    max_steps = 36

    def draw(self, brief: Brief) -> dict[str, Any]:
        values = {"Name": person(brief.rng), "City": brief.pick(CITIES)}
        if brief.difficulty is Difficulty.HARD:
            values |= {"Phone": f"0{brief.integer(100, 999)} {brief.integer(10000, 99999)}", "Company": f"{person(brief.rng)} & Co."}
        fields = [[key, brief.label(key), value] for key, value in values.items()]
        plans = draw_labels(brief, PLANS, brief.by_level(3, 4, 5))
        goal: dict[str, Any] = {"fields": fields, "plans": plans, "plan": "", "news": None, "ticked": brief.chance(0.5)}
        parts = [f"{shown} {quoted(value)}" for _, shown, value in fields]
        if brief.difficulty is not Difficulty.EASY:
            goal |= {"plan": brief.pick(plans), "news": brief.chance(0.5)}
            parts.append(f"{brief.label('Plan')} {quoted(goal['plan'])}")
            parts.append(f"{'with' if goal['news'] else 'without'} the tick at {quoted(brief.label('Send me the newsletter'))}")
        choices = [
            "Fill in the form: {all}. Then press {send}.",
            "Enter {all}, and send the form with {send}.",
            "Sign up with these details: {all}. {send} hands them in.",
        ]
        return {"instruction": wording(brief, choices, all=", ".join(parts), send=quoted(brief.label("Send"))), **goal}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        clutter(session, rng)
        dialog = Dialog(id="dialog", title=session.label("Sign up"))
        names = [shown for _, shown, _ in params["fields"]] + [session.label("Plan")]
        wide = max(session.look.sans.width(f"{name}:") for name in names) + session.look.size.gap
        news = session.label("Send me the newsletter")
        column = Column(session, dialog, max(width_for(session, 28), min(wide + 16 * session.look.size.font, width_for(session, 60, news))))
        rows = [(Label(id=f"{key}-label", name=f"{shown}:", w=wide), TextField(id=key, name=shown)) for key, shown, _ in params["fields"]]
        if params["plan"]:
            plan = DropDown(id="Plan", name=session.label("Plan"), choices=list(params["plans"]))
            rows.append((Label(id="Plan-label", name=f"{plan.name}:", w=wide), plan))  # type: ignore[arg-type]
        for i in rng.permutation(len(rows)):
            column.row(*rows[int(i)])
        if params["news"] is not None:
            column.row(CheckBox(id="news", name=news, checked=params["ticked"]))
        ok_cancel(session, column, "Send")
        place(session, dialog, rng)

    def values(self, params: Params) -> dict[str, Any]:
        values = {key: value for key, _, value in params["fields"]}
        return values | ({"Plan": params["plan"], "news": params["news"]} if params["plan"] else {})

    def fill(self, solver: Solver, params: Params) -> None:
        for key, value in self.values(params).items():
            if solver.widget("dialog", key).value == value:
                continue
            if isinstance(solver.widget("dialog", key), TextField):
                solver.fill("dialog", key, value)
            else:
                solver.click("dialog", key)
            if key == "Plan":
                solver.choose(value)


class SetSlider(DialogFamily):
    """Set one or two of several sliders to a number, leave the others, and press OK."""

    id = "set-slider"
    skills = ("drag", "slider", "read")
    min_size = (240, 140)
    max_steps = 40

    def draw(self, brief: Brief) -> dict[str, Any]:
        names = draw_labels(brief, SLIDERS, brief.by_level(brief.integer(1, 2), brief.integer(1, 3), 4))
        step = brief.by_level(10, brief.pick([1, 5, 10]), 1)
        starts = {name: step * brief.integer(0, 100 // step) for name in names}
        goals = {}
        for name in names[: brief.by_level(1, 1, 2)]:
            number = step * brief.integer(0, 100 // step)
            goals[name] = number if number != starts[name] else (number + step) % (100 + step)
        choices = ["Set {all} and press {ok}.", "Move the slider {all}, then click {ok}.", "Change {all} and confirm with {ok}."]
        if len(goals) > 1:
            choices[1] = "Move the sliders {all}, then click {ok}."
        parts = " and ".join(f"{quoted(name)} to {number}" for name, number in goals.items())
        instruction = wording(brief, choices, all=parts)
        return {"instruction": instruction, "goals": goals, "starts": starts, "step": step}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        clutter(session, rng)
        dialog = Dialog(id="dialog", title=session.label("Settings"))
        names = list(params["starts"])
        wide = max(map(session.look.sans.width, names)) + session.look.size.gap
        column = Column(session, dialog, max(width_for(session, 28), min(wide + 18 * session.look.size.font, width_for(session, 60))))
        for i in rng.permutation(len(names)):
            name = names[int(i)]
            column.row(Label(id=f"{name}-label", name=name, w=wide), Slider(id=name, name=name, step=params["step"], number=params["starts"][name]))
        ok_cancel(session, column)
        place(session, dialog, rng)

    def values(self, params: Params) -> dict[str, Any]:
        return params["starts"] | params["goals"]

    def fill(self, solver: Solver, params: Params) -> None:
        for name, number in (params["starts"] | params["goals"]).items():
            solver.slide("dialog", name, number)


class CopyText(DialogFamily):
    """Copy what one of several fields holds into another and press OK."""

    id = "copy-text"
    skills = ("type", "keyboard", "clipboard")
    min_size = (260, 160)

    def draw(self, brief: Brief) -> dict[str, Any]:
        fields = draw_labels(brief, ("Code", "Serial number", "Reference", "Invoice number"), brief.by_level(1, 1, 3))
        length = brief.by_level((4, 5), (6, 12), (10, 16))
        letters = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
        codes = {field: "".join(brief.pick(letters) for _ in range(brief.integer(*length))) for field in fields}
        source = brief.pick(fields)
        choices = [
            "Copy what the field {source} holds into {copy} and press {ok}.",
            "Enter the text of the field {source} in {copy} too, then confirm with {ok}.",
            "The field {copy} must hold the same as {source}: see to it and click {ok}.",
        ]
        parts = {"source": quoted(source), "copy": quoted(brief.label("Copy to"))}
        return {"instruction": wording(brief, choices, **parts), "fields": codes, "source": source, "title": brief.label(brief.pick(TITLES))}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        clutter(session, rng)
        dialog = Dialog(id="dialog", title=params["title"])
        copy = session.label("Copy to")
        names = [*params["fields"], copy]
        wide = max(session.look.sans.width(f"{name}:") for name in names) + session.look.size.gap
        em = session.look.size.font
        column = Column(session, dialog, min(width_for(session, 60), wide + int(rng.integers(15, 22)) * em))
        for name, code in params["fields"].items():
            column.row(Label(id=f"{name}-label", name=f"{name}:", w=wide), TextField(id=name, name=name, text=code))
        column.row(Label(id="again-label", name=f"{copy}:", w=wide), TextField(id="again", name=copy))
        ok_cancel(session, column)
        place(session, dialog, rng)

    def values(self, params: Params) -> dict[str, Any]:
        return {**params["fields"], "again": params["fields"][params["source"]]}

    def fill(self, solver: Solver, params: Params) -> None:
        for name, code in params["fields"].items():
            if solver.widget("dialog", name).value != code:
                solver.fill("dialog", name, code)
        solver.click("dialog", params["source"])
        solver.press(Key.A, Modifier.CTRL)
        solver.press(Key.C, Modifier.CTRL)
        solver.click("dialog", "again")
        solver.press(Key.A, Modifier.CTRL)
        solver.press(Key.V, Modifier.CTRL)
