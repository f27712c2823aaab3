"""Typing what is asked: changed, exactly as shown, on several lines, or chosen from suggestions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gui_gym.actions import Key, Modifier
from gui_gym.desktops.sim.apps.dialog import Dialog
from gui_gym.desktops.sim.labels import label
from gui_gym.desktops.sim.layout import Column, place
from gui_gym.desktops.sim.session import Session
from gui_gym.desktops.sim.state import State
from gui_gym.desktops.sim.widgets.area import TextArea
from gui_gym.desktops.sim.widgets.basic import Label
from gui_gym.tasks.sim.brief import Brief
from gui_gym.tasks.sim.families.common import clutter, ok_cancel, quoted, room_for_list, submissions, width_for, wording
from gui_gym.tasks.sim.families.fields import FormFamily, Spec, goal, label_width, note, retype, rows_of, set_field, spec
from gui_gym.tasks.sim.family import Family, Params
from gui_gym.tasks.sim.solver import Solver
from gui_gym.tasks.sim.words import LINES, SENTENCES, TITLES
from gui_gym.verifiers.score import Outcome

WORDS = (
    "amber", "basket", "cedar", "dolphin", "ember", "falcon", "garnet", "harbour", "island", "jasmine", "kettle", "lantern", "meadow", "nectar",
    "opal", "pigeon", "quiver", "raven", "saddle", "thistle", "umbrella", "violin", "willow", "yonder", "zigzag", "bottle", "copper", "dragon",
)  # fmt: skip

#: Ways to change a text, with how instructions put them.
CHANGES: dict[str, tuple[Callable[[str], str], str]] = {
    "upper": (str.upper, "in capital letters"),
    "lower": (str.lower, "in small letters"),
    "reverse": (lambda text: text[::-1], "backwards, letter by letter"),
    "join": (lambda text: text.replace(" ", ""), "without the spaces"),
    "dashes": (lambda text: text.replace(" ", "-"), "with a hyphen instead of each space"),
    "initials": (lambda text: "".join(word[0] for word in text.split(" ")), "as its initials alone, without spaces"),
    "swap": (lambda text: " ".join(reversed(text.split(" "))), "with its words in the opposite order"),
    "digits": (lambda text: "".join(c for c in text if c.isdigit()), "without anything but its digits"),
    "letters": (lambda text: "".join(c for c in text if not c.isdigit()).strip(), "without its digits and the space before them"),
}
_SIMPLE, _MIDDLE, _HARD = ("upper", "lower"), ("upper", "lower", "join", "dashes", "digits"), ("reverse", "initials", "swap", "letters", "dashes")


class TransformText(FormFamily):
    """Enter a text that the window shows in another form: in capitals, backwards, without spaces, as initials, ..."""

    id = "transform-text"
    skills = ("type", "read", "reason")
    max_steps = 14

    def draw(self, brief: Brief) -> dict[str, Any]:
        def text() -> str:
            words = [word.capitalize() if brief.chance(0.5) else word for word in brief.sample(WORDS, brief.by_level(1, 2, 3))]
            return " ".join([*words, str(brief.integer(10, 9999))])

        way = brief.pick(brief.by_level(_SIMPLE, _MIDDLE, _HARD))
        change, how = CHANGES[way]
        name, other = brief.label("Source"), brief.label("Other source")
        source = text()
        shown = [note("source", f"{name}: {source}")]
        if brief.by_level(False, brief.chance(0.5), True):
            shown.insert(brief.integer(0, 1), note("other", f"{other}: {text()}"))
        earlier = brief.by_level("", "", source)
        field = spec("result", brief.label("Result"), value=earlier if earlier != change(source) else "")
        choices = [
            "Enter the text after {name} {how} as {result} and press {ok}.",
            "Type what stands after {name}, {how}, into the field {result}; then press {ok}.",
            "Fill in {result} with the text of {name} {how}, and confirm with {ok}.",
        ]
        parts = {"name": quoted(name), "how": how, "result": quoted(field["label"])}
        return goal(brief.label(brief.pick(TITLES)), [*shown, field], {"result": change(source)}, wording(brief, choices, **parts))


def _han(brief: Brief) -> str:
    """Some characters as Japanese or Chinese labels have them."""
    return label(brief.pick(TITLES), brief.pick(["ja", "zh"]))


def _strange(brief: Brief) -> str:
    """A text that is not easily typed: look-alikes, accents, signs, or several scripts."""
    plain = "".join(brief.pick("abcdefghkmnprstuvwxyz") for _ in range(brief.integer(4, 7)))
    alike = "".join(brief.pick("0OQl1I5S8B2Zrnm") for _ in range(brief.integer(6, 9)))
    accents = "".join(brief.pick("áàâäãåçéèêëíìîïñóòôöõøßúùûüýÿžšąęłő") for _ in range(brief.integer(4, 7)))
    signs = "".join(brief.pick("!\"#$%&'()*+,-./:;<=>?@[]^_{|}~§€£°±×÷«»") for _ in range(brief.integer(4, 7)))
    if brief.by_level(True, False, False):
        return f"{plain}{brief.integer(10, 999)}"
    if brief.by_level(True, True, False):
        return brief.pick([accents, f"{plain} {accents}", f"{plain}{signs}", brief.pick(SENTENCES)])
    return " ".join(brief.sample([alike, accents, signs, _han(brief), plain.upper()], 3))


class TypeExact(FormFamily):
    """Type a text exactly as the window shows it, accents, signs and Chinese characters included; harder windows show several."""

    id = "type-exact"
    skills = ("type", "read", "perceive")
    max_steps = 14

    def draw(self, brief: Brief) -> dict[str, Any]:
        count = brief.by_level(1, 2, 3)
        texts = [_strange(brief) for _ in range(count)]
        number = brief.integer(0, count - 1)
        line = brief.label("Line")
        shown = [note(f"line{i}", f"{line} {i + 1}: {text}") for i, text in enumerate(texts)]
        field = spec("entry", brief.label("Entry"), value=brief.by_level("", "", texts[number][:-1]))
        choices = [
            "Type the text of {line} exactly as shown into the field {entry} and press {ok}.",
            "Enter what {line} says, character by character, as {entry}. Then press {ok}.",
            "Copy the text after {line} into {entry} without any change and confirm with {ok}.",
        ]
        parts = {"line": quoted(f"{line} {number + 1}"), "entry": quoted(field["label"])}
        return goal(brief.label(brief.pick(TITLES)), [*shown, field], {"entry": texts[number]}, wording(brief, choices, **parts))


_PLACES = ("Kar", "Ber", "Mar", "Lin", "Wal", "San", "Bel", "Hal")
_ENDS = ("burg", "stadt", "hafen", "berg", "feld", "brück", "heim", "au", "dorf", "see", "wald", "tal")


class UseSuggestions(FormFamily):
    """Take the suggestion with a given beginning and end in a field that suggests as one types."""

    id = "use-suggestions"
    skills = ("type", "menu", "read")
    max_steps = 24
    has_infeasible = True

    def draw(self, brief: Brief) -> dict[str, Any]:
        per_stem = brief.by_level(2, 4, 7)
        stems = brief.sample(_PLACES, brief.by_level(2, 4, 6))
        ends = {stem: brief.sample(_ENDS, per_stem + 1) for stem in stems}
        stem = stems[0]
        end = ends[stem][0] if brief.feasible else ends[stem][-1]
        middles = ("", "o", "en", "is")
        entries = sorted({f"{s}{brief.pick(middles)}{e}" for s in stems for e in ends[s][:-1] if s != stem or e != end})
        entries = [e for e in entries if not (e.startswith(stem) and e.endswith(end))]
        target = f"{stem}{brief.pick(middles)}{end}"
        if brief.feasible:
            entries = sorted([*entries, target])
        begun = quoted(stem), quoted(end)
        name = brief.label("Destination")
        fields = [spec("place", name, "suggest", brief.by_level("", "", brief.pick(entries)), entries=entries)]
        if fields[0]["value"] == target:
            fields[0]["value"] = ""
        if brief.by_level(False, True, True):
            fields.append(spec("start", brief.label("Starting point"), "text", brief.pick([e for e in entries if e != target] or ["Oslo"])))
        choices = [
            "In the field {name}, choose the suggestion that begins with {a} and ends with {b}; then press {ok}.",
            "Start typing in {name} and take the suggested place from {a} to {b}: it begins and ends so. Confirm with {ok}.",
            "Fill in {name} with the suggested place whose name starts with {a} and ends with {b}, and press {ok}.",
        ]
        instruction = wording(brief, choices, name=quoted(name), a=begun[0], b=begun[1])
        return goal(brief.label("Route"), fields, {"place": target} if brief.feasible else {}, instruction)

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        clutter(session, rng)
        size = session.look.size
        dialog = Dialog(id="dialog", title=params["title"])
        fields: list[Spec] = params["fields"]
        width = width_for(session, max(int(rng.integers(22, 30)), label_width(session, fields) // size.font + 14))
        column = Column(session, dialog, width)
        rows = rows_of(session, fields)
        for i in rng.permutation(len(rows)):
            column.row(*rows[int(i)])
        column.space(int(rng.integers(3, 5)) * size.control if session.state.height >= 360 else 4 * size.control)
        ok_cancel(session, column)
        place_field = dialog.widget("place")
        dialog.widgets.remove(place_field)
        dialog.widgets.append(place_field)  # its suggestions cover what is below it
        place(session, dialog, rng)

    def solve(self, solver: Solver, params: Params) -> None:
        if submissions(solver.state):
            return
        for field in params["fields"]:
            set_field(solver, "dialog", field, params["wanted"].get(field["id"], field["value"]))
        if getattr(solver.widget("dialog", "place"), "suggested", None):
            solver.raise_window(solver.window("dialog"))
            solver.press(Key.ESCAPE)
        solver.click("dialog", "ok")


class MultiLineNote(Family):
    """Write a note of several lines, or harder, put a line into one between two others."""

    id = "multi-line-note"
    skills = ("type", "keyboard", "edit")
    touches = ("submitted:dialog",)
    max_steps = 20

    def draw(self, brief: Brief) -> dict[str, Any]:
        count = brief.by_level(2, 3, 7)
        new, *lines = brief.sample(LINES, count + 1)
        save, parts = quoted(brief.label("Save")), {}
        if brief.by_level(True, True, False):
            listing = ", then ".join(quoted(line) for line in lines)
            choices = [
                "Write a note of {count} lines: {listing}. Then press {save}.",
                "Type these {count} lines into the note, nothing else: {listing}; and press {save}.",
                "The note shall say, line by line, {listing}. Enter that and press {save}.",
            ]
            before, after = brief.by_level("", "\n".join(brief.sample(LINES, 2)), ""), "\n".join(lines)
            parts = {"count": count, "listing": listing}
        else:
            at = brief.integer(1, count - 1)
            choices = [
                "Add the line {new} right after the line {line} in the note, change nothing else, and press {save}.",
                "Put a new line {new} below {line} in the note, keep the other lines, and press {save}.",
                "In the note, insert {new} as a line of its own after {line}; then press {save}.",
            ]
            before, after = "\n".join(lines), "\n".join([*lines[:at], new, *lines[at:]])
            parts = {"new": quoted(new), "line": quoted(lines[at - 1])}
        return {"instruction": wording(brief, choices, save=save, **parts), "before": before, "after": after, "title": brief.label("Note")}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        clutter(session, rng)
        size = session.look.size
        dialog = Dialog(id="dialog", title=params["title"])
        column = Column(session, dialog, width_for(session, int(rng.integers(30, 38))))
        column.row(Label(id="label", name=session.label("Text")))
        height = min(room_for_list(session, column), int(rng.integers(10, 16)) * size.font)
        column.row(TextArea(id="text", name=session.label("Text"), text=params["before"]), height=height)
        ok_cancel(session, column, "Save")
        dialog.default = ""
        place(session, dialog, rng)

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        said = submissions(state)
        return [(w, b, v["text"].removesuffix("\n")) for w, b, v in said] == [("dialog", "ok", params["after"])]

    def solve(self, solver: Solver, params: Params) -> None:
        if submissions(solver.state):
            return
        area = solver.widget("dialog", "text")
        before, after = params["before"].split("\n"), params["after"].split("\n")
        if area.value == params["before"] and len(after) == len(before) + 1 and len(before) > 3:
            at = next(i for i, line in enumerate(after) if i >= len(before) or line != before[i])
            solver.click("dialog", "text")
            solver.press(Key.HOME, Modifier.CTRL)
            for _ in range(at - 1):
                solver.press(Key.DOWN)
            solver.press(Key.END)
            solver.type("\n" + after[at])
        elif area.value != params["after"]:
            retype(solver, "dialog", "text", params["after"])
        solver.click("dialog", "ok")
