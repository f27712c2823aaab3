"""Longer texts: select in them, change a word, and find what they say."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from gui_gym.actions import Key
from gui_gym.desktops.sim.apps.dialog import Dialog
from gui_gym.desktops.sim.layout import Column, place
from gui_gym.desktops.sim.session import Session
from gui_gym.desktops.sim.state import State, Window
from gui_gym.desktops.sim.widgets.area import TextArea
from gui_gym.desktops.sim.widgets.basic import Label
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
from gui_gym.tasks.sim.families.fields import retype
from gui_gym.tasks.sim.families.prose import absent_words, find_word, paragraphs, point_at, rare_words, select, sentences, words_of
from gui_gym.tasks.sim.family import Family, Params
from gui_gym.tasks.sim.solver import Solver
from gui_gym.tasks.sim.words import TITLES
from gui_gym.verifiers.score import Outcome

_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")
_WORDS = ("boat", "lamp", "coat", "bell", "seed", "mask", "ring", "moss", "fork", "tent")


def area_window(session: Session, window_id: str, title: str, text: str, rng: np.random.Generator, rows: tuple[int, int]) -> Window:
    """A window with a text area, as high as a random number of ``rows`` in font sizes, not open yet."""
    size = session.look.size
    window = Window(id=window_id, title=title, focus="text")
    column = Column(session, window, width_for(session, int(rng.integers(26, 36))))
    height = min(int(rng.integers(*rows)) * size.font, session.work_area[3] - column.y - size.pad - 2 * size.shadow)
    column.row(TextArea(id="text", name=session.label("Text"), text=text, wrap=True), height=height)
    column.finish()
    return window


class SelectText(Family):
    """Select exactly a word, a sentence, or all from one word to another in a text, and change nothing."""

    id = "select-text"
    skills = ("drag", "keyboard", "read", "edit")
    max_steps = 14
    has_infeasible = True

    def draw(self, brief: Brief) -> dict[str, Any]:
        least = brief.by_level(2, 2, 3)
        counts = brief.by_level([2], [brief.integer(2, 3) for _ in range(2)], [brief.integer(3, 4) for _ in range(3)])
        number = brief.integer(0, len(counts) - 1)
        if not brief.feasible:
            counts[number] = least  # and one more is asked for, as if it were one of the longer ones
        parts = paragraphs(brief, counts)
        text = "\n".join(parts)
        if brief.by_level(True, False, False):
            target = brief.pick(rare_words(text) if brief.feasible else absent_words(text))
            choices = ["Select the word {word}, nothing else.", "Mark {word} in the text.", "Highlight exactly the word {word}."]
            at = find_word(text, target) if brief.feasible else 0
            return self._params(brief, text, at, at + len(target), wording(brief, choices, word=quoted(target)))
        inside = re.findall(r"[^.]+\.", parts[number])
        if brief.by_level(False, True, brief.chance(0.3)):
            at = len(inside) - 1 if brief.chance(0.6) else brief.integer(0, len(inside) - 1)
            which = f"the {_ORDINALS[at if brief.feasible else least]} sentence of the {_ORDINALS[number]} paragraph"
            choices = ["Select {which}, up to its full stop.", "Mark {which} and nothing else.", "Highlight exactly {which}."]
            start = text.index(inside[at].strip())
            return self._params(brief, text, start, start + len(inside[at].strip()), wording(brief, choices, which=which))
        words = [word for word in rare_words(text) if word in words_of(parts[number])]
        first, last = sorted(brief.sample(range(len(words)), 2))
        start, end = find_word(text, words[first]), find_word(text, words[last]) + len(words[last])
        choices = [
            "Select the text from {first} to {last}, both included.",
            "Mark everything between {first} and {last} with these two words.",
            "Highlight the part that begins with {first} and ends with {last}.",
        ]
        named = [words[first], words[last]]
        if not brief.feasible:
            named[brief.integer(0, 1)] = brief.pick(absent_words(text))
        return self._params(brief, text, start, end, wording(brief, choices, first=quoted(named[0]), last=quoted(named[1])))

    @staticmethod
    def _params(brief: Brief, text: str, start: int, end: int, instruction: str) -> dict[str, Any]:
        return {"instruction": instruction, "text": text, "start": start, "end": end, "title": brief.label(brief.pick(TITLES))}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        place(session, area_window(session, "text", params["title"], params["text"], rng, (9, 16)), rng)

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        window = state.window("text")
        area = window.find("text") if window else None
        if not isinstance(area, TextArea) or area.text != params["text"]:
            return False
        low, high = area.selection
        chosen = area.text[low:high]  # a space more at its ends does no harm
        return (low + len(chosen) - len(chosen.lstrip()), low + len(chosen.rstrip())) == (params["start"], params["end"])

    def solve(self, solver: Solver, params: Params) -> None:
        if solver.widget("text", "text").value != params["text"]:
            retype(solver, "text", "text", params["text"])
        select(solver, "text", "text", params["start"], params["end"])

    def spoil(self, solver: Solver, params: Params) -> bool:
        solver.press(Key.RIGHT)
        return True


class ReplaceWord(DialogFamily):
    """Put a word in the place of another wherever that stands in a text; in harder texts it is a part of other words, too, which are to stay."""

    id = "replace-word"
    skills = ("edit", "type", "read")
    max_steps = 40
    has_infeasible = True

    def draw(self, brief: Brief) -> dict[str, Any]:
        old, new = brief.sample(_WORDS, 2)
        found = sentences(brief, brief.by_level(2, 4, 7))
        count = brief.by_level(1, 2, 4)
        spots = brief.sample(range(len(found)), len(found))
        for i in spots[:count]:
            found[i] = found[i].replace(" the ", f" the {old} of the ", 1) if " the " in found[i] else f"The {old} came first. {found[i]}"
        for i in spots[count : count + brief.by_level(0, 0, 2)]:
            found[i] = f"Some {old}s were left. {found[i]}"
        text = "\n".join(" ".join(found[i : i + 2]) for i in range(0, len(found), 2))
        asked = old if brief.feasible else brief.pick([word for word in _WORDS if word not in (old, new) and word not in text])
        choices = [
            "Replace the word {old} with {new} everywhere in the text, and press {save}.",
            "Wherever the text says {old} as a whole word, write {new} instead. Then press {save}.",
            "Change each {old} (the whole word only) to {new} and leave the rest. Press {save} at the end.",
        ]
        instruction = wording(brief, choices, old=quoted(asked), new=quoted(new), save=quoted(brief.label("Save")))
        after = re.sub(rf"\b{old}\b", new, text)
        return {"instruction": instruction, "before": text, "after": after, "old": old, "new": new, "title": brief.label(brief.pick(TITLES))}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        clutter(session, rng)
        dialog = Dialog(id="dialog", title=params["title"])
        column = Column(session, dialog, width_for(session, int(rng.integers(28, 38))))
        height = min(room_for_list(session, column), int(rng.integers(10, 18)) * session.look.size.font)
        column.row(TextArea(id="text", name=session.label("Text"), text=params["before"], wrap=True), height=height)
        ok_cancel(session, column, "Save")
        place(session, dialog, rng)

    def values(self, params: Params) -> dict[str, Any]:
        return {"text": params["after"]}

    def fill(self, solver: Solver, params: Params) -> None:
        if solver.widget("dialog", "text").value == params["before"]:
            for spot in reversed([*re.finditer(rf"\b{params['old']}\b", params["before"])]):
                select(solver, "dialog", "text", spot.start(), spot.end())
                solver.type(params["new"])
        elif solver.widget("dialog", "text").value != params["after"]:
            retype(solver, "dialog", "text", params["after"])


class ScrollAndType(DialogFamily):
    """Type a word of a text, such as its last one, which may have to be scrolled to, into a field."""

    id = "scroll-and-type"
    skills = ("scroll", "read", "type")
    max_steps = 14

    def draw(self, brief: Brief) -> dict[str, Any]:
        parts = paragraphs(brief, brief.by_level([2], [3, 3, 4], [3, 3, 3, 4, 3]))
        number = brief.by_level(0, len(parts) - 1, brief.integer(0, len(parts) - 1))
        last = brief.by_level(True, True, brief.chance(0.5))
        part = parts[number]
        if brief.by_level(False, False, True):
            sentence = brief.integer(0, 2)
            part = part.split(". ")[sentence]
            which = f"the {'last' if last else 'first'} word of the {_ORDINALS[sentence]} sentence of the {_ORDINALS[number]} paragraph"
        else:
            which = "the last word of the text"
        field = brief.label("Entry")
        choices = [
            "Type {which} into the field {field} and press {ok}.",
            "Enter {which}, without the full stop, as {field}; then press {ok}.",
            "What is {which}? Write it into {field} and confirm with {ok}.",
        ]
        instruction = wording(brief, choices, which=which, field=quoted(field))
        word = words_of(part)[-1 if last else 0]
        at = "\n".join(parts).index(part) + (part.rindex(word) if last else 0)
        return {"instruction": instruction, "text": "\n".join(parts), "word": word, "at": at, "title": brief.label(brief.pick(TITLES))}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        clutter(session, rng)
        look, size = session.look, session.look.size
        dialog = Dialog(id="dialog", title=params["title"])
        column = Column(session, dialog, width_for(session, int(rng.integers(24, 34))))
        height = min(room_for_list(session, column) - size.control - size.gap, int(rng.integers(8, 12)) * size.font)
        column.row(TextArea(id="text", name=session.label("Text"), text=params["text"], wrap=True, readonly=True), height=height)
        name = session.label("Entry")
        column.row(Label(id="label", name=name, w=look.sans.width(name) + size.gap), TextField(id="entry", name=name))
        ok_cancel(session, column)
        place(session, dialog, rng)

    def values(self, params: Params) -> dict[str, Any]:
        return {"text": params["text"], "entry": params["word"]}

    def fill(self, solver: Solver, params: Params) -> None:
        point_at(solver, "dialog", "text", params["at"])  # scrolls it into view
        retype(solver, "dialog", "entry", params["word"])


class FindInText(Family):
    """Say which word stands right before or after others in the text of the named window."""

    id = "find-in-text"
    skills = ("read", "scroll", "window", "answer")
    max_steps = 20
    has_infeasible = True

    def draw(self, brief: Brief) -> dict[str, Any]:
        count = brief.by_level(1, 2, 3)
        titles = draw_labels(brief, TITLES, count)
        texts = {title: "\n".join(paragraphs(brief, brief.by_level([2], [3, 3], [4, 4, 4]))) for title in titles}
        title = titles[0]
        text = texts[title]
        words, rare = words_of(text), rare_words(text)
        after = brief.chance(0.6)
        around = [
            (a, b) for a, b in zip(words, words[1:], strict=False) if f"{a} {b}" in text and (a if after else b) in rare and min(len(a), len(b)) > 3
        ]
        asked, word = brief.pick(around) if after else brief.pick(around)[::-1]
        at = find_word(text, asked)
        if not brief.feasible:
            asked = brief.pick(absent_words(text))
        beside = "after" if after else "before"
        choices = [
            f"Which word stands right {beside} {{asked}} in the text of the window {{title}}?",
            f"In the window {{title}}, what is the word right {beside} {{asked}}?",
            f"Look in {{title}}: which word comes right {beside} {{asked}}?",
        ]
        instruction = wording(brief, choices, asked=quoted(asked), title=quoted(title))
        return {"instruction": f"{instruction} Answer with that word alone.", "texts": texts, "title": title, "word": word, "at": at}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        titles = list(params["texts"])
        for i in rng.permutation(len(titles)):
            place(session, area_window(session, titles[i], titles[i], params["texts"][titles[i]], rng, (7, 11)), rng)

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        said = (outcome.answer or "").strip().strip("“”\"'.").casefold()
        windows = [(state.window(title), text) for title, text in params["texts"].items()]
        kept = all(window.widget("text").value == text for window, text in windows if window)  # closing one does no harm
        return said == params["word"].casefold() and kept

    def solve(self, solver: Solver, params: Params) -> None:
        for title, text in params["texts"].items():
            if solver.state.window(title) and solver.widget(title, "text").value != text:
                retype(solver, title, "text", text)
        solver.raise_window(solver.window(params["title"]))
        point_at(solver, params["title"], "text", params["at"])  # scrolls it into view
        solver.answer(params["word"])

    def spoil(self, solver: Solver, params: Params) -> bool:
        solver.click(params["title"], "text")
        solver.type("x")
        return True
