"""The browser: questions about what pages say."""

from __future__ import annotations

import re
from typing import Any, ClassVar

from gui_gym.actions import Key, Modifier
from gui_gym.desktops.sim.state import State
from gui_gym.desktops.sim.web.sites import price_of
from gui_gym.tasks.sim.brief import Brief
from gui_gym.tasks.sim.families.common import quoted, wording
from gui_gym.tasks.sim.families.web_world import (
    TOPICS,
    WebFamily,
    click_link,
    draw_products,
    draw_site,
    draw_sites,
    enter,
    euros,
    filler,
    go_to,
    look_at,
    page,
    press_button,
    slug,
    table,
)  # fmt: skip
from gui_gym.tasks.sim.family import Params
from gui_gym.tasks.sim.solver import Solver
from gui_gym.tasks.sim.words import CITIES, FIRST, LAST
from gui_gym.verifiers.score import Outcome


def said_amount(answer: str | None, number: str) -> bool:
    """Whether an answer is this number and no other, such as "12.50", "12,50 €" or "€ 12.5" for 12.50; digits of a phone may be grouped."""
    said = re.sub(r"^(?:€|eur|euros?)|(?:€|eur|euros?)$", "", (answer or "").strip().rstrip(".").casefold()).strip()
    if not re.fullmatch(r"\+?[0-9][0-9 .,/-]*", said):
        return False
    if "." in number:
        return re.fullmatch(r"[0-9]+(?:[.,][0-9]{1,2})?", said) is not None and price_of(said.replace(",", ".")) == price_of(number)
    if " " not in number and not re.fullmatch(r"[0-9]+|[0-9]{1,3}(?:[ .,][0-9]{3})+", said):
        return False
    return re.sub(r"[^0-9]", "", said) == re.sub(r"[^0-9]", "", number)


class AnswerOnPage(WebFamily):
    """A question that pages answer with a number: its parameter "number" is the text of it, such as "12.50"."""

    skills: ClassVar[tuple[str, ...]] = ("browse", "read", "answer")
    max_steps: ClassVar[int] = 30

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        return said_amount(outcome.answer, params["number"])

    def spoil(self, solver: Solver, params: Params) -> bool:
        return False


class SearchSite(AnswerOnPage):
    """Find a product on a site and say its price or its article number."""

    id = "search-site"
    skills = ("browse", "type", "read", "answer")
    has_infeasible = True

    def draw(self, brief: Brief) -> dict[str, Any]:
        site, n = draw_site(brief), brief.by_level(8, 18, 36)
        *names, missing = draw_products(brief, n + 1)
        prices, numbers = [brief.integer(250, 19999) for _ in names], brief.sample(range(10000, 100000), n)
        files = {
            "index": page(
                brief.label("Home page"), *filler(brief, 1), "form ask find results", f"field text q | {brief.label('Search')}",
                f"button {brief.label('Search')}", "end", *(f"- [{brief.label('All products')}](results)" for _ in range(brief.by_level(1, 1, 0))),
            ),
            "results": page(brief.label("Search"), "items products.txt", f"[{brief.label('Home page')}](index)"),
            "products.txt": f"{brief.label('Article')} | page\n" + "".join(f"{name} | {slug(name)}\n" for name in names),
        }  # fmt: skip
        for name, price, number in zip(names, prices, numbers, strict=True):
            facts = [f"{brief.label('Price')}: {euros(price)}", f"{brief.label('Article number')}: {number}"]
            files[slug(name)] = page(name, *filler(brief, brief.by_level(0, 1, 2)), *facts, f"[{brief.label('Home page')}](index)")
        by_price = brief.chance(0.5)
        what = "What does the {} cost?" if by_price else "What is the article number of the {}?"
        what = what.format(quoted(names[0] if brief.feasible else missing))
        how = brief.pick(["Search the site and answer with the number alone.", "Look on the site that is open. Answer with the number."])
        asked = euros(prices[0])[:-2] if by_price else str(numbers[0])
        return self.drawn(f"{what} {how}", {site: files}, [site], name=names[0], number=asked)

    def solve(self, solver: Solver, params: Params) -> None:
        go_to(solver, params["open"][0])
        enter(solver, {"q": params["name"]})
        press_button(solver)
        click_link(solver, slug(params["name"]))
        look_at(solver, params["number"])
        solver.answer(params["number"])


class ReadPageTable(AnswerOnPage):
    """Say a number from a table of a page: of a row, or on hard tasks of the row that is the first in some order."""

    id = "read-page-table"
    skills = ("browse", "read", "scroll", "compare", "answer")
    has_infeasible = True
    max_steps = 16
    columns = {"Inhabitants": (900, 98000), "Schools": (2, 99), "Rainfall": (210, 1990), "Altitude": (1, 2400), "Bridges": (1, 60)}

    def draw(self, brief: Brief) -> dict[str, Any]:
        site, n = draw_site(brief), brief.by_level(6, 14, 30)
        places = brief.sample([f"{city}{end}" for city in CITIES for end in ("", " North", " East", " Harbour")], n + 1)
        missing = places.pop()
        heads = brief.sample(list(self.columns), brief.by_level(2, 3, 4))
        values = [brief.sample(range(low, high), min(n, high - low)) for low, high in (self.columns[head] for head in heads)]
        rows = [[place, *(str(column[i % len(column)]) for column in values)] for i, place in enumerate(places)]
        column = heads[0]
        top = brief.by_level(False, False, brief.chance(0.5)) and brief.feasible
        if top:
            key = max(range(1, len(heads)), key=lambda j: len(set(values[j])) == n)
            top = len(set(row[key + 1] for row in rows)) == n
        place = places[0] if brief.feasible else missing
        row = rows[0]
        question = wording(
            brief,
            ["What does the table say under {column} for {place}?", "Look up {place} in the table: which number is in the column {column}?",
             "Which number has {place} in the column {column} of the table?"],
            column=quoted(column),
            place=quoted(place),
        )  # fmt: skip
        if top:
            row = max(rows, key=lambda row: int(row[key + 1]))
            question = f"Which number is in the column {quoted(column)} for the place with the greatest number under {quoted(heads[key])}?"
        sortable = ["sortable"] if brief.by_level(False, True, True) else []
        body = page("Places", *filler(brief, brief.by_level(0, 2, 3)), *sortable, *table(["Place", *heads], brief.sample(rows, n)))
        return self.drawn(f"{question} Answer with the number alone.", {site: {"index": body}}, [site], number=row[1], row=row[0])

    def solve(self, solver: Solver, params: Params) -> None:
        go_to(solver, params["open"][0])
        look_at(solver, params["row"])
        solver.answer(params["number"])


class ComparePages(AnswerOnPage):
    """Say by how much a product is dearer on one site than on another one."""

    id = "compare-pages"
    skills = ("browse", "read", "compare", "answer")

    def draw(self, brief: Brief) -> dict[str, Any]:
        n = brief.by_level(3, 6, 12)
        first, second = draw_sites(brief, 2)
        names = draw_products(brief, n)
        unit = brief.by_level(100, 10, 5)
        cheap = [brief.integer(3, 120) * 100 if unit == 100 else brief.integer(300, 9000) // unit * unit for _ in names]
        dear = [price + unit * brief.integer(1, 90) for price in cheap]
        lists = {first: dear, second: cheap} if brief.chance(0.5) else {second: cheap, first: dear}
        files = {}
        for site, prices in lists.items():
            order = brief.sample(range(n), n)
            rows = [[names[i], euros(prices[i])] for i in order]
            files[site] = {"index": page(site.partition(".")[0].title(), *filler(brief, 2), *table(brief.labels(["Article", "Price"]), rows))}
        instruction = wording(
            brief,
            [
                "By how many euros is the {name} dearer on {first} than on {second}? Answer with the number alone.",
                "Compare the price of the {name} on {first} and on {second}: what is the difference in euros? Answer with the number.",
                "How many euros does one save by buying the {name} on {second} instead of {first}? Answer with a number.",
            ],
            name=quoted(names[0]),
            first=first,
            second=second,
        )
        return self.drawn(instruction, files, list(lists), name=names[0], number=euros(dear[0] - cheap[0])[:-2])

    def solve(self, solver: Solver, params: Params) -> None:
        go_to(solver, params["open"][0])
        look_at(solver, params["name"])
        solver.press(Key.TAB, Modifier.CTRL)
        go_to(solver, params["open"][1])
        look_at(solver, params["name"])
        solver.answer(params["number"])


class PhoneBook(AnswerOnPage):
    """Look somebody up in a phone book of several pages, and say the number."""

    id = "phone-book"
    skills = ("browse", "read", "scroll", "answer")
    has_infeasible = True

    def draw(self, brief: Brief) -> dict[str, Any]:
        site, n = draw_site(brief), brief.by_level(8, 24, 60)
        people = brief.sample([(last, first) for last in LAST for first in FIRST], n + 1)
        missing = people.pop()
        target = people[0]
        if brief.by_level(False, False, True):  # others of the same last name
            people = [target, *((target[0], first) for first in brief.sample([f for f in FIRST if f != target[1]], 5)), *people[6:]]
            people = list(dict.fromkeys(people))
            missing = brief.pick([(target[0], first) for first in FIRST if (target[0], first) not in people])
        phones = {person: f"0{brief.integer(20, 99)} {brief.integer(100000, 999999)}" for person in people}
        streets = {person: f"{brief.pick(TOPICS)} Street {brief.integer(1, 99)}" for person in people}
        initials = sorted({last[0] for last, _ in people})
        head = [brief.label("Name"), brief.label("Street"), brief.label("Phone")]
        files = {"index": page("Phone book", *filler(brief, 1), " ".join(f"[{letter}](names-{letter})" for letter in initials))}
        for letter in initials:
            rows = [[f"{last}, {first}", streets[last, first], phones[last, first]] for last, first in sorted(people) if last[0] == letter]
            files[f"names-{letter}"] = page(letter, *table(head, rows), "[Phone book](index)")
        who = target if brief.feasible else missing
        question = wording(
            brief,
            [
                "What is the phone number of {who}?",
                "Look up the phone number of {who} in the phone book.",
                "Which number has {who} in the phone book?",
            ],
            who=quoted(f"{who[0]}, {who[1]}"),
        )
        return self.drawn(f"{question} Answer with the number.", {site: files}, [site], number=phones[target], letter=target[0][0])

    def solve(self, solver: Solver, params: Params) -> None:
        go_to(solver, params["open"][0])
        click_link(solver, f"names-{params['letter']}")
        look_at(solver, params["number"])
        solver.answer(params["number"])
