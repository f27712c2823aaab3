"""One target of many: links, a sequence of buttons, pictograms, shades of a colour, and what a tooltip says."""

from __future__ import annotations

from typing import Any

import numpy as np

from gui_gym.actions import Action
from gui_gym.desktops.sim.apps.dialog import Dialog
from gui_gym.desktops.sim.canvas import Color
from gui_gym.desktops.sim.layout import Column, place
from gui_gym.desktops.sim.pictograms import PICTOGRAMS
from gui_gym.desktops.sim.session import Session
from gui_gym.desktops.sim.state import State, Window
from gui_gym.desktops.sim.widgets.basic import Button, Label
from gui_gym.desktops.sim.widgets.icon_button import IconButton
from gui_gym.desktops.sim.widgets.link import Link
from gui_gym.tasks.sim.brief import Brief, Difficulty
from gui_gym.tasks.sim.families.buttons import ClickOneFamily
from gui_gym.tasks.sim.families.common import clutter, draw_labels, flow, listed, paragraph, quoted, said_number, used, width_for, wording
from gui_gym.tasks.sim.family import Family, Params, pick
from gui_gym.tasks.sim.solver import Solver
from gui_gym.tasks.sim.words import ALIKE, BUTTONS, CITIES, COLORS, FIRST, LINES, SENTENCES, TITLES
from gui_gym.verifiers.score import Outcome


class ClickLink(ClickOneFamily):
    """A page of text with links in it; one of them is to be followed, and no other."""

    id = "click-link"
    skills = ("click", "read", "link")
    window = "page"
    among = "links"

    def draw(self, brief: Brief) -> dict[str, Any]:
        *links, missing = brief.sample((*FIRST, *CITIES), brief.by_level(brief.integer(2, 3), brief.integer(4, 6), brief.integer(7, 9)) + 1)
        target = brief.pick(links) if brief.feasible else missing
        texts = brief.sample(LINES, len(links))
        choices = [
            "Follow the link {link}.",
            "Click on the link that says {link}.",
            "In the text, open the link {link} and no other.",
        ]
        instruction = wording(brief, choices, link=quoted(target))
        return {"instruction": instruction, "target": target, "links": links, "texts": texts, "title": brief.label(brief.pick(TITLES))}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        clutter(session, rng)
        font, size = session.look.sans, session.look.size
        window = Window(id="page", title=params["title"])
        column = Column(session, window, width_for(session, int(rng.integers(26, 36))))
        height, x = font.height + 3, 0
        for text, link in zip(params["texts"], params["links"], strict=True):
            for kind, word in [*((Label, word) for word in text.split(" ")), (Link, link)]:
                wide = font.width(word)
                if x and x + wide > column.width:
                    x, column.y = 0, column.y + height
                place_at = {"x": size.pad + x, "y": column.y, "w": wide, "h": height}
                window.widgets.append(kind(id=link if kind is Link else f"word{len(window.widgets)}", name=word, **place_at))
                x += wide + font.width(" ")
        column.y += height + size.gap
        column.finish()
        place(session, window, rng)


class ClickSequence(Family):
    """Press several buttons in the order that is told, each once, and no other."""

    id = "click-sequence"
    skills = ("click", "read", "order")
    max_steps = 16

    def draw(self, brief: Brief) -> dict[str, Any]:
        hard = brief.difficulty is Difficulty.HARD
        labels = draw_labels(brief, ALIKE if hard else BUTTONS, brief.by_level(3, brief.integer(4, 6), brief.integer(8, 10)))
        order = brief.sample(labels, brief.by_level(2, 3, brief.integer(4, 6)))
        choices = [
            "Press these buttons in this order, each once: {all}.",
            "Click {all}, one after the other.",
            "In the order given, click {all}, and nothing else.",
        ]
        title = brief.label(brief.pick(TITLES))
        return {"instruction": wording(brief, choices, all=listed(order, "then")), "labels": labels, "order": order, "title": title}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        clutter(session, rng)
        dialog = Dialog(id="dialog", title=params["title"])
        column = Column(session, dialog, width_for(session, int(rng.integers(22, 32))))
        buttons = [Button(id=label, name=label) for label in params["labels"]]
        flow(column, buttons, align=pick(rng, ["left", "centre", "right"]), least=int(rng.integers(3, 8)) * session.look.size.font)
        column.finish()
        place(session, dialog, rng)

    @staticmethod
    def _pressed(state: State) -> list[str]:
        return [event.widget for event in state.events("clicked") if event.window == "dialog"]

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        return self._pressed(state) == params["order"]

    def solve(self, solver: Solver, params: Params) -> None:
        done = self._pressed(solver.state)
        if done == params["order"][: len(done)]:
            for label in params["order"][len(done) :]:
                solver.click("dialog", label)

    def spoil(self, solver: Solver, params: Params) -> bool:
        solver.click("dialog", params["labels"][0])
        return True


def _toolbar(session: Session, column: Column, buttons: list[IconButton], rng: np.random.Generator) -> None:
    """Pictograms in rows, at the top of a window."""
    side = session.look.size.control + int(rng.integers(0, 4)) * 2
    for button in buttons:
        button.w = button.h = side
    per_row = max(1, min(int(rng.integers(5, 13)), (column.width + column.size.gap) // (side + column.size.gap)))
    for i in range(0, len(buttons), per_row):
        column.row(*buttons[i : i + per_row], height=side, align="left")


class ClickIcon(ClickOneFamily):
    """A tool bar of pictograms; the one that is described is to be pressed, and no other."""

    id = "click-icon"
    skills = ("click", "perceive")
    min_size = (200, 130)
    window = "tools"
    among = "pictures"

    def draw(self, brief: Brief) -> dict[str, Any]:
        count = brief.by_level(brief.integer(2, 3), brief.integer(5, 8), brief.integer(14, 20))
        *pictures, missing = brief.sample(sorted(PICTOGRAMS), count + 1)
        target = brief.pick(pictures) if brief.feasible else missing
        choices = [
            "Click the button with the {picture}.",
            "In the tool bar, press the {picture}.",
            "Press the button that shows a picture of the {picture}.",
        ]
        goal = {"target": target, "pictures": pictures, "title": brief.label(brief.pick(TITLES)), "text": brief.pick(SENTENCES)}
        return {"instruction": wording(brief, choices, picture=target), **goal}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        clutter(session, rng)
        window = Window(id="tools", title=params["title"])
        column = Column(session, window, width_for(session, int(rng.integers(22, 36))))
        _toolbar(session, column, [IconButton(id=name, picture=name) for name in params["pictures"]], rng)
        paragraph(column, params["text"], muted=True)
        column.finish()
        place(session, window, rng)


class ReadTooltip(Family):
    """Say which code the tooltip of a pictogram shows; hard ones tell another pictogram's place beside it."""

    id = "read-tooltip"
    skills = ("hover", "perceive", "answer")
    max_steps = 12

    def draw(self, brief: Brief) -> dict[str, Any]:
        pictures = brief.sample(sorted(PICTOGRAMS), brief.by_level(brief.integer(2, 3), brief.integer(5, 8), brief.integer(10, 14)))
        codes = [str(code) for code in brief.sample(range(1000, 10000), len(pictures))]
        at = brief.integer(0, len(pictures) - 1)
        what = f"the {pictures[at]}"
        if brief.difficulty is Difficulty.HARD:
            at = max(1, at)
            what = f"the button that, in reading order, comes right after the {pictures[at - 1]}"
        choices = [
            "Rest the pointer on {what}: which code does its tooltip say?",
            "Which code is in the tooltip of {what}?",
            "Hover over {what} and read the code that appears.",
        ]
        instruction = f"{wording(brief, choices, what=what)} Answer with the number alone, and leave the window open."
        return {"instruction": instruction, "pictures": pictures, "codes": codes, "code": codes[at], "title": brief.label(brief.pick(TITLES))}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        clutter(session, rng)
        window = Window(id="tools", title=params["title"])
        column = Column(session, window, width_for(session, int(rng.integers(22, 36))))
        word = session.label("Code")
        buttons = [IconButton(id=name, picture=name, tip=f"{word}: {code}") for name, code in zip(params["pictures"], params["codes"], strict=True)]
        _toolbar(session, column, buttons, rng)
        column.space(int(rng.integers(2, 6)) * session.look.size.gap)
        column.finish()
        place(session, window, rng)

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        return said_number(outcome.answer, params["code"]) and state.window("tools") is not None

    def solve(self, solver: Solver, params: Params) -> None:
        window = solver.window("tools")
        name = params["pictures"][params["codes"].index(params["code"])]
        solver.act(Action.move(*solver.reach(window, window.rect_of(window.widget(name)))))
        solver.answer(params["code"])

    def spoil(self, solver: Solver, params: Params) -> bool:
        solver.close("tools")
        return True


#: Which of several shades of a colour: the words for it, and its place from the darkest on.
_SHADES = {"darkest": 0, "second darkest": 1, "second lightest": -2, "lightest": -1}


class ClickShade(Family):
    """Tiles in shades of one colour, and of another if it is hard; the darkest or the like is to be pressed."""

    id = "click-shade"
    skills = ("click", "perceive", "compare")
    max_steps = 10
    min_size = (200, 150)

    def draw(self, brief: Brief) -> dict[str, Any]:
        colors = brief.sample([name for name in sorted(COLORS) if name not in ("grey", "pink", "yellow")], brief.by_level(1, 1, 2))
        which = brief.pick(brief.by_level(["darkest", "lightest"], sorted(_SHADES), sorted(_SHADES)))
        count = brief.by_level(3, brief.integer(4, 6), 5)
        first = brief.integer(30, 45)
        step = (170 - first) // (count - 1)  # shades from dark to pale, in percent
        tiles = [[color, first + i * step] for color in colors for i in range(count)]
        target = tiles.index([colors[0], first + (_SHADES[which] % count) * step])
        choices = [
            "Click the {which} {color} square.",
            "Press the {color} tile that is the {which} one.",
            "Of the {color} squares, click the {which}.",
        ]
        instruction = wording(brief, choices, which=which, color=colors[0])
        return {"instruction": instruction, "target": target, "tiles": tiles, "title": brief.label(brief.pick(TITLES))}

    @staticmethod
    def _shade(name: str, percent: int) -> Color:
        """A colour made darker below 100 percent, or mixed with white above."""
        parts = COLORS[name]
        mixed = [part * percent // 100 if percent <= 100 else part + (255 - part) * (percent - 100) // 100 for part in parts]
        return mixed[0], mixed[1], mixed[2]

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        size = session.look.size
        tiles, columns = params["tiles"], int(rng.integers(3, 6))
        side, gap = 2 * size.font - int(rng.integers(0, size.font // 2)), size.gap + int(rng.integers(0, size.gap))
        window = Window(id="tiles", title=params["title"])
        rows = -(-len(tiles) // columns)
        window.w = max(columns * (side + gap) - gap + 2 * size.pad, session.look.bold.width(params["title"]) + 3 * size.title)
        window.h = size.title + rows * (side + gap) - gap + 2 * size.pad
        for spot, i in enumerate(rng.permutation(len(tiles))):
            x, y = size.pad + spot % columns * (side + gap), size.title + size.pad + spot // columns * (side + gap)
            window.widgets.append(Button(id=f"tile{i}", color=self._shade(*tiles[int(i)]), x=x, y=y, w=side, h=side))
        place(session, window, rng)

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        return used(state, "tiles", "clicked") == {f"tile{params['target']}"}

    def solve(self, solver: Solver, params: Params) -> None:
        if not used(solver.state, "tiles", "clicked"):
            solver.click("tiles", f"tile{params['target']}")

    def spoil(self, solver: Solver, params: Params) -> bool:
        solver.click("tiles", f"tile{(params['target'] + 1) % len(params['tiles'])}")
        return True
