"""Dialogs that lead somewhere: forms that complain, wizards, agreements, and windows that want keys."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gui_gym.actions import MAX_SCROLL, Action, Key, Modifier
from gui_gym.desktops.sim.apps.agreement import Agreement, Terms
from gui_gym.desktops.sim.apps.player import make_player
from gui_gym.desktops.sim.apps.wizard import Wizard, make_wizard
from gui_gym.desktops.sim.layout import Column, place
from gui_gym.desktops.sim.session import Session
from gui_gym.desktops.sim.state import State, Window
from gui_gym.desktops.sim.widgets.basic import CheckBox, Label
from gui_gym.desktops.sim.widgets.text import TextField
from gui_gym.tasks.sim.brief import Brief
from gui_gym.tasks.sim.families.common import (
    DialogFamily,
    clutter,
    draw_labels,
    ok_cancel,
    quoted,
    room_for_list,
    width_for,
    wording,
)
from gui_gym.tasks.sim.families.fields import FormFamily, content_width, goal, retype, rows_of, set_field, spec
from gui_gym.tasks.sim.families.prose import paragraphs
from gui_gym.tasks.sim.families.records import FIELDS
from gui_gym.tasks.sim.family import Family, Params
from gui_gym.tasks.sim.solver import Solver
from gui_gym.tasks.sim.words import FIRST, LAST, person
from gui_gym.verifiers.score import Outcome

#: Fields a form can refuse, by their English labels: the pattern, the message, and how a wrong value is made of a right one.
RULES: dict[str, tuple[str, str, Callable[[str], str]]] = {
    "Postal code": ("[0-9]{5}", "{}: five digits are expected", lambda text: text[:-1]),
    "E-mail": (r"[^@ ]+@[^@ ]+\.[a-z]+", "{}: an @ and a point are expected", lambda text: text.replace("@", " at ")),
    "Phone": ("[0-9 +]+", "{}: only digits, spaces and + are allowed", lambda text: text.replace("0", "O").replace("1", "l") + " x"),
    "Customer number": ("[A-Z]{2}[0-9]{6}", "{}: two letters and six digits are expected", lambda text: text[2:] + text[:2]),
    "Last name": (".+", "{}: this field is empty", lambda text: ""),
}


class MendForm(FormFamily):
    """Hand in a form that refuses what is wrong: correct that alone, from a card in another window, and leave the rest."""

    id = "mend-form"
    skills = ("form", "read", "type", "window")
    max_steps = 30

    def draw(self, brief: Brief) -> dict[str, Any]:
        names = brief.sample(sorted(RULES), brief.by_level(2, 4, 5))
        broken = names[: brief.by_level(1, 1, 3)]
        card = {name: FIELDS[name](brief) for name in names}
        entered = {name: RULES[name][2](value) if name in broken else value for name, value in card.items()}
        for name in ("City", "Street", "Work phone")[: brief.by_level(0, 1, 3)]:  # what differs from the card but is not refused
            card[name], entered[name] = FIELDS[name](brief), FIELDS[name](brief)
        order = brief.sample(list(entered), len(entered))
        ids = {name: f"field{i}" for i, name in enumerate(order)}
        fields = [spec(ids[name], brief.label(name), value=entered[name]) for name in order]
        rules = [[ids[name], RULES[name][0], brief.label(RULES[name][1]).format(brief.label(name))] for name in order if name in RULES]
        title, ok = brief.label("New customer"), brief.label("Send")
        choices = [
            "Send the form {title}. If it refuses a field, correct that field from the window {card}; leave all others as they are.",
            "Press {ok} in {title} and mend only what it complains about: {card} has the right values.",
            "Hand in {title} with {ok}. Where it reports an error, take the value from {card}, and change nothing else.",
        ]
        names_of = {"title": quoted(title), "ok": quoted(ok), "card": quoted(brief.label("Customer card"))}
        lines = [f"{brief.label(name)}: {card[name]}" for name in brief.sample(list(card), len(card))]
        wanted = {ids[name]: card[name] for name in broken}
        return goal(title, fields, wanted, wording(brief, choices, **names_of), "Send", rules=rules, lines=lines, view=brief.by_level(8, 8, 5))

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        card = Window(id="card", title=session.label("Customer card"))
        column = Column(session, card, width_for(session, int(rng.integers(12, 20)), *params["lines"]))
        for i, line in enumerate(params["lines"]):
            column.row(Label(id=f"line{i}", name=line), height=session.look.sans.height)
        column.finish()
        place(session, card, rng)
        self.open_form(session, params, rng)


class FormWizard(DialogFamily):
    """Go through the pages of a wizard, fill in each as asked, and finish. Harder ones come filled in for somebody else."""

    id = "form-wizard"
    skills = ("form", "type", "menu", "checkbox")
    button = "finish"
    max_steps = 50

    def draw(self, brief: Brief) -> dict[str, Any]:
        pages = {"Person": ["First name", "Last name"], "Address": ["Street", "City"], "Payment": []}
        if brief.by_level(True, False, False):
            pages["Person"].pop()
            pages["Address"].pop()
        ways = brief.labels(["By card", "By invoice", "Cash", "Transfer"])
        wanted: dict[str, Any] = {}
        said, laid = [], []
        for title, names in pages.items():
            fields = []
            for name in brief.sample(names, len(names)):
                value = FIELDS[name](brief)
                key = name.lower().replace(" ", "-")
                before = brief.by_level("", "", f"{FIELDS[name](brief)}a")
                fields.append(spec(key, brief.label(name), value=before if before != value else ""))
                wanted[key] = value
                said.append(f"{quoted(fields[-1]['label'])} {quoted(value)}")
            if title == "Payment":
                way, mail = brief.pick(ways), brief.chance(0.5)
                name, box = brief.label("Payment"), brief.label("Invoice by e-mail")
                others = [w for w in ways if w != way]
                fields.append(spec("payment", name, "choice", brief.by_level("", "", brief.pick(others)), choices=ways))
                wanted["payment"] = way
                said.append(f"{quoted(name)} {quoted(way)}")
                if brief.by_level(False, True, True):
                    fields.append(spec("mail", box, "check", brief.chance(0.5)))
                    wanted["mail"] = mail
                    said.append(f"{quoted(box)} {'ticked' if mail else 'not ticked'}")
            laid.append({"title": brief.label(title), "fields": fields})
        if brief.by_level(False, False, True):
            laid = [laid[i] for i in brief.rng.permutation(len(laid))]
            said = brief.sample(said, len(said))
        choices = [
            "Go through the pages with {list}, and press {ok} on the last one.",
            "Register with {list}; the last page has the button {ok}.",
            "Fill in the wizard: {list}. Then press {ok}.",
        ]
        instruction = wording(brief, choices, list=", ".join(said), ok=quoted(brief.label("Finish")))
        return {"instruction": instruction, "title": brief.label("Registration"), "pages": laid, "wanted": wanted}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        clutter(session, rng)
        every = [field for page in params["pages"] for field in page["fields"]]
        width = content_width(session, every, int(rng.integers(24, 34)))
        pages = [(page["title"], rows_of(session, page["fields"])) for page in params["pages"]]
        place(session, make_wizard(session, "dialog", params["title"], width, pages), rng)

    def values(self, params: Params) -> dict[str, Any]:
        return dict(params["wanted"])

    def fill(self, solver: Solver, params: Params) -> None:
        wizard = solver.window("dialog")
        assert isinstance(wizard, Wizard)
        for number, page in enumerate(params["pages"]):
            if all(wizard.widget(field["id"]).value == params["wanted"][field["id"]] for field in page["fields"]):
                continue
            while wizard.page != number:
                solver.click("dialog", "back" if wizard.page > number else "next")
            for field in page["fields"]:
                set_field(solver, "dialog", field, params["wanted"][field["id"]])
        while wizard.page < len(params["pages"]):
            solver.click("dialog", "next")


class SignAgreement(DialogFamily):
    """Scroll an agreement to its end, which allows it to be accepted, sign it, and leave other boxes as asked; harder ones say how to sign."""

    id = "sign-agreement"
    skills = ("scroll", "checkbox", "type", "read")
    max_steps = 24

    def draw(self, brief: Brief) -> dict[str, Any]:
        parts = paragraphs(brief, brief.by_level([4, 4], [4, 4, 4], [4, 4, 4, 4]))
        lines = [f"{i + 1}. {part}" for i, part in enumerate(parts)]
        name = person(brief.rng)
        hidden = brief.by_level(False, False, True)
        if hidden:
            lines.append(f"{len(lines) + 1}. {brief.pick(FIRST)} {brief.pick(LAST)} keeps a copy. To be signed by {name}.")
        offers = brief.chance(0.5)
        box, field = brief.label("Send me offers"), brief.label("Full name")
        who = "the name that the last paragraph of the agreement gives" if hidden else quoted(name)
        choices = [
            "Accept the agreement and sign it with {who}; {box} shall be {ticked}.",
            "Read the agreement to its end, tick {accept}, enter {who} as {field}, have {box} {ticked}, and sign.",
            "Sign the agreement: accept it, enter {who} as {field}, with {box} {ticked}, then press {ok}.",
        ]
        instruction = wording(
            brief, choices, who=who, box=quoted(box), field=quoted(field), ticked="ticked" if offers else "not ticked",
            accept=quoted(brief.label("I accept the agreement")), ok=quoted(brief.label("Sign")),
        )  # fmt: skip
        earlier = brief.by_level("", "", f"{brief.pick(FIRST)} X.")
        before = brief.by_level(offers, brief.chance(0.5), not offers)
        return {"instruction": instruction, "text": "\n".join(lines), "name": name, "offers": offers, "before": before, "earlier": earlier}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        clutter(session, rng)
        look, size = session.look, session.look.size
        dialog = Agreement(id="dialog", title=session.label("Agreement"))
        accept, offers = session.label("I accept the agreement"), session.label("Send me offers")
        column = Column(session, dialog, width_for(session, int(rng.integers(26, 36)), accept + 6 * " ", offers + 6 * " "))
        height = min(room_for_list(session, column) - 3 * (size.control + size.gap), int(rng.integers(8, 11)) * size.font)
        terms = Terms(id="text", name=session.label("Agreement"), text=params["text"], wrap=True, readonly=True)
        column.row(terms, height=height)
        boxes = [CheckBox(id="accept", name=accept, enabled=False), CheckBox(id="offers", name=offers, checked=params["before"])]
        for i in rng.permutation(2):
            column.row(boxes[int(i)])
        name = session.label("Full name")
        field = TextField(id="name", name=name, text=params["earlier"], caret=len(params["earlier"]), anchor=len(params["earlier"]))
        column.row(Label(id="name-label", name=name, w=look.sans.width(name) + size.gap), field)
        ok_cancel(session, column, "Sign")
        dialog.widget("ok").enabled = False
        place(session, dialog, rng)
        terms.look_for_end(session, dialog)

    def values(self, params: Params) -> dict[str, Any]:
        return {"text": params["text"], "accept": True, "offers": params["offers"], "name": params["name"]}

    def fill(self, solver: Solver, params: Params) -> None:
        window, text = solver.window("dialog"), solver.widget("dialog", "text")
        assert isinstance(text, Terms)
        while not text.seen:
            solver.act(Action.scroll_by(*solver.reach(window, window.rect_of(text)), dy=MAX_SCROLL))
        if solver.widget("dialog", "offers").value != params["offers"]:
            solver.click("dialog", "offers")
        if not solver.widget("dialog", "accept").value:
            solver.click("dialog", "accept")
        if solver.widget("dialog", "name").value != params["name"]:
            retype(solver, "dialog", "name", params["name"])


_COMMANDS = ("Next track", "Previous track", "Louder", "Quieter", "Shuffle", "Repeat", "Record", "Stop", "Bookmark", "Lyrics")
_HELD = (("CTRL",), ("CTRL", "SHIFT"), ("ALT",))
_KEYS = ("B", "D", "E", "G", "H", "J", "K", "L", "M", "N", "P", "R", "T", "U", "Y", "F6", "F7", "F8", "F9", "LEFT", "RIGHT")


class PressShortcuts(Family):
    """Give one command or several, in order, by the shortcuts that a window lists; any other that is given spoils it."""

    id = "press-shortcuts"
    skills = ("keyboard", "read", "window")
    max_steps = 14
    has_infeasible = True

    def draw(self, brief: Brief) -> dict[str, Any]:
        *names, missing = draw_labels(brief, _COMMANDS, brief.by_level(3, 5, 7) + 1)
        keys = brief.sample(_KEYS, len(names))
        shared = brief.by_level(keys, keys, [brief.pick(keys[:2]) if i % 2 else key for i, key in enumerate(keys)])
        commands: dict[str, list[Any]] = {}
        for name, key in zip(names, shared, strict=True):
            held = [list(h) for h in _HELD if [key, list(h)] not in commands.values()]
            commands[name] = [key, brief.pick(held or [["CTRL", "ALT"]])]
        wanted = brief.sample(names, brief.by_level(1, 2, 4))
        asked = [quoted(name) for name in (wanted if brief.feasible else [*wanted[:-1], missing])]
        listing = ", then ".join(asked)
        title = brief.label("Player")
        choices = [
            "With the shortcuts that {title} lists, give the command {list}.",
            "Use the keyboard in {title}: {list}.",
            "In the window {title}, press the keys for {list}.",
        ]
        instruction = wording(brief, choices, title=quoted(title), list=listing)
        return {"instruction": instruction, "title": title, "commands": commands, "wanted": wanted}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        commands = {name: (key, tuple(held)) for name, (key, held) in params["commands"].items()}
        names = sorted(commands)
        order = [names[i] for i in rng.permutation(len(names))]
        place(session, make_player(session, "player", params["title"], commands, order, int(rng.integers(18, 28))), rng)
        clutter(session, rng)

    @staticmethod
    def _given(state: State) -> list[str]:
        return [event.value for event in state.events("commanded")]

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        return self._given(state) == params["wanted"] and state.window("player") is not None

    def solve(self, solver: Solver, params: Params) -> None:
        given = self._given(solver.state)
        if given == params["wanted"][: len(given)]:
            for name in params["wanted"][len(given) :]:
                self._press(solver, params, name)

    @staticmethod
    def _press(solver: Solver, params: Params, name: str) -> None:
        key, held = params["commands"][name]
        solver.raise_window(solver.window("player"))
        solver.press(Key[key], *(Modifier[modifier] for modifier in held))

    def spoil(self, solver: Solver, params: Params) -> bool:
        self._press(solver, params, params["wanted"][0])
        return True
