"""Numbers in forms: spinners, ranges, an order, and stars."""

from __future__ import annotations

from typing import Any

from gui_gym.tasks.sim.brief import Brief
from gui_gym.tasks.sim.families.common import draw_labels, quoted, wording
from gui_gym.tasks.sim.families.fields import FormFamily, goal, spec
from gui_gym.tasks.sim.words import SENTENCES, TITLES

COUNTS = ("Copies", "Pages", "Adults", "Children", "Rooms", "Nights", "Bags", "Tables", "Chairs")
ITEMS = ("Pens", "Notebooks", "Lamps", "Mugs", "Candles", "Scissors", "Envelopes")


class UseSpinner(FormFamily):
    """Set one of several spinners to a number; harder ones depend on what another shows, and have to be scrolled to."""

    id = "use-spinner"
    skills = ("type", "click", "spinner", "read")
    max_steps = 20
    has_infeasible = True

    def draw(self, brief: Brief) -> dict[str, Any]:
        *names, missing = draw_labels(brief, COUNTS, brief.by_level(1, 4, 8) + 1)
        values = {name: brief.integer(1, 60) for name in names}
        target = brief.pick(names)
        number = brief.integer(0, 99)
        if number == values[target]:
            number = 99 - number
        asked = quoted(target if brief.feasible else missing)
        choices = [
            "Set {name} to {number} and press {ok}.",
            "Change the number of {name} to {number}, then press {ok}.",
            "Enter {number} for {name}, leave the rest, and confirm with {ok}.",
        ]
        if brief.by_level(False, False, brief.chance(0.6)):
            other = brief.pick([name for name in names if name != target])
            more = brief.integer(2, 39)
            number = values[other] + more
            if number == values[target]:
                number, more = number - 1, more - 1
            choices = [
                f"Set {{name}} to {more} more than {{other}} says, and press {{ok}}.",
                f"{{name}} shall exceed {{other}} by {more}: set it so, then press {{ok}}.",
                f"Change {{name}} alone, to the number of {{other}} plus {more}, and confirm with {{ok}}.",
            ]
            instruction = wording(brief, choices, name=asked, other=quoted(other))
        else:
            instruction = wording(brief, choices, name=asked, number=number)
        fields = [spec(f"count{i}", name, "spinner", values[name], low=0, high=99) for i, name in enumerate(names)]
        wanted = {f"count{names.index(target)}": number} if brief.feasible else {}
        return goal(brief.label("Quantities"), fields, wanted, instruction, view=brief.by_level(8, 8, 5))


class SetRange(FormFamily):
    """Set both ends of a range with a slider of two thumbs; harder forms have several sliders, in fine steps."""

    id = "set-range"
    skills = ("drag", "slider", "keyboard")
    max_steps = 60
    ems = (30, 38)

    def draw(self, brief: Brief) -> dict[str, Any]:
        kinds = [("Price range", 0, 200, 20), ("Floor area", 0, 120, 10), ("Year of construction", 1900, 2020, 10)]
        if brief.by_level(False, False, True):
            kinds = [("Price range", 0, 200, 5), ("Floor area", 0, 150, 5), ("Year of construction", 1900, 2020, 2)]
        kinds = brief.sample(kinds, brief.by_level(1, 2, 3))
        fields, wanted, said = [], {}, []
        for i, (english, low, high, step) in enumerate(kinds):
            ends = [sorted(low + step * n for n in brief.sample(range((high - low) // step + 1), 2)) for _ in range(2)]
            name = brief.label(english)
            fields.append(spec(f"range{i}", name, "range", ends[0], low=low, high=high, step=step))
            if i < brief.by_level(1, 1, 2):
                if ends[1] == ends[0]:
                    ends[1] = [low, high] if ends[0] != [low, high] else [low + step, high]
                wanted[f"range{i}"] = ends[1]
                said.append(f"{quoted(name)} to {ends[1][0]} – {ends[1][1]}")
        if brief.by_level(False, False, True):
            fields.append(spec("discount", brief.label("Discount"), "slider", 10 * brief.integer(0, 10)))
        choices = [
            "Set {ranges} and press {ok}.",
            "Narrow or widen {ranges}, then press {ok}.",
            "Move the thumbs of {ranges}; leave everything else and confirm with {ok}.",
        ]
        fields = [fields[i] for i in brief.rng.permutation(len(fields))]
        instruction = wording(brief, choices, ranges=" and ".join(said))
        return goal(brief.label("Filter"), fields, wanted, instruction)


class OrderForm(FormFamily):
    """Order numbers of things, choose how to pay, tick extras; harder orders say what the money shall buy, and the form has to be scrolled."""

    id = "order-form"
    skills = ("form", "spinner", "menu", "checkbox", "reason")
    max_steps = 40
    has_infeasible = True

    def draw(self, brief: Brief) -> dict[str, Any]:
        *items, missing = draw_labels(brief, ITEMS, brief.by_level(2, 4, 6) + 1)
        prices = [brief.integer(2, 19) for _ in items]
        fields = [
            spec(f"item{i}", f"{item} ({price} €)", "spinner", brief.by_level(0, 0, brief.integer(0, 2)), low=0, high=99)
            for i, (item, price) in enumerate(zip(items, prices, strict=True))
        ]
        asked = brief.sample(range(len(items)), brief.by_level(1, 2, 3))
        wanted: dict[str, Any] = {}
        said = []
        for turn, i in enumerate(asked):
            number = brief.integer(3, 12)
            wanted[f"item{i}"] = number
            name = quoted(items[i])
            if turn == 0 and brief.by_level(False, False, True):
                said.append(f"as many {name} as {number * prices[i] + brief.integer(0, prices[i] - 1)} € buy")
            else:
                said.append(f"{number} of {name if brief.feasible or turn else quoted(missing)}")
        if not brief.feasible and not any(quoted(missing) in part for part in said):
            said[-1] = f"{brief.integer(3, 12)} of {quoted(missing)}"
        ways = brief.labels(["By card", "By invoice", "Cash", "Transfer"])
        pay = brief.pick(ways)
        extras = [("express", "Express delivery"), ("gift", "Gift wrapping"), ("insured", "Insurance")]
        if brief.by_level(False, True, True):
            fields.append(spec("payment", brief.label("Payment"), "choice", brief.pick([*(w for w in ways if w != pay), ""]), choices=ways))
            wanted["payment"] = pay
            said.append(f"payment {quoted(pay)}")
        for key, english in extras[: brief.by_level(1, 2, 3)]:
            on = brief.chance(0.5)
            fields.append(spec(key, brief.label(english), "check", brief.chance(0.5)))
            wanted[key] = on
            said.append(f"{'with' if on else 'without'} {quoted(brief.label(english))}")
        others = ", everything else at zero" if brief.by_level(False, False, True) else ""
        if others:
            wanted.update({field["id"]: 0 for field in fields if field["kind"] == "spinner" and field["id"] not in wanted})
        choices = [
            "Order {list}{others}, and press {ok}.",
            "Fill in the order: {list}{others}. Then press {ok}.",
            "We need {list}{others}. Place the order with {ok}.",
        ]
        instruction = wording(brief, choices, list=", ".join(said), others=others, ok=quoted(brief.label("Place order")))
        return goal(brief.label("Order"), fields, wanted if brief.feasible else {}, instruction, "Place order", view=brief.by_level(8, 8, 6))


class RateAndReview(FormFamily):
    """Give stars, write a comment and tick boxes; harder reviews have several ratings, some of which are given already."""

    id = "rate-and-review"
    skills = ("click", "type", "form")
    max_steps = 30

    def draw(self, brief: Brief) -> dict[str, Any]:
        names = [brief.label(name) for name in brief.sample(["Quality", "Delivery", "Service quality"], brief.by_level(1, 1, 3))]
        fields, wanted, said = [], {}, []
        for i, name in enumerate(names):
            stars = brief.integer(1, 5)
            before = brief.by_level(0, 0, brief.integer(0, 5))
            fields.append(spec(f"stars{i}", name, "rating", before if before != stars else 0))
            wanted[f"stars{i}"] = stars
            said.append(f"{stars} {'star' if stars == 1 else 'stars'} for {quoted(name)}")
        comment = brief.pick(SENTENCES)
        more: dict[str, Any] = {}
        if brief.by_level(brief.chance(0.5), True, True):
            earlier = brief.by_level("", "", brief.pick([s for s in SENTENCES if s != comment]))
            fields.append(spec("comment", brief.label("Comment"), value=earlier))
            more["comment"] = comment
            said.append(f"the comment {quoted(comment)}")
        for key, english in (("anonymous", "Anonymous"), ("recommend", "I would recommend it"))[: brief.by_level(0, 1, 2)]:
            on = brief.chance(0.5)
            fields.append(spec(key, brief.label(english), "check", brief.chance(0.5)))
            more[key] = on
            said.append(f"{quoted(brief.label(english))} {'ticked' if on else 'not ticked'}")
        choices = [
            "Write a review with {list}, and press {ok}.",
            "Rate it: {list}. Then press {ok}.",
            "Give {list}; publish that with {ok}.",
        ]
        instruction = wording(brief, choices, list=", ".join(said), ok=quoted(brief.label("Publish")))
        return goal(f"{brief.label('Review')}: {brief.label(brief.pick(TITLES))}", fields, {**wanted, **more}, instruction, "Publish")
