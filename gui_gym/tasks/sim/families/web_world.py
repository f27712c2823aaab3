"""The web of tasks: how sites are made, laid out, gone through and what is left behind on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from gui_gym.actions import MAX_SCROLL, Action, Key, Modifier
from gui_gym.desktops.sim.apps.browser import Browser, make_browser
from gui_gym.desktops.sim.canvas import Rect
from gui_gym.desktops.sim.layout import place
from gui_gym.desktops.sim.session import Session
from gui_gym.desktops.sim.state import State
from gui_gym.desktops.sim.web.sites import WEB, submissions
from gui_gym.desktops.sim.widgets.basic import CheckBox, Radio
from gui_gym.desktops.sim.widgets.choice import DropDown
from gui_gym.desktops.sim.widgets.date_field import DateField
from gui_gym.desktops.sim.widgets.month_view import MonthView
from gui_gym.tasks.sim.brief import Brief
from gui_gym.tasks.sim.families.common import clutter
from gui_gym.tasks.sim.family import Family, Params
from gui_gym.tasks.sim.solver import Solver, middle
from gui_gym.tasks.task import TaskError
from gui_gym.verifiers.score import Outcome

NAMES = (
    "harbour", "meadow", "lantern", "compass", "willow", "granite", "saffron", "juniper", "cobalt", "maple", "pebble", "orchard", "kestrel", "tundra",
)  # fmt: skip
THINGS = (
    "mug", "lamp", "scarf", "kettle", "basket", "cushion", "teapot", "blanket", "vase", "clock", "umbrella", "backpack", "notebook", "candle",
    "plate", "towel", "tray", "bottle", "mirror", "stool",
)  # fmt: skip
KINDS = ("linen", "copper", "striped", "oak", "glass", "woollen", "enamel", "bamboo", "leather", "ceramic", "folding", "travel")
TOPICS = (
    "Garden", "Kitchen", "Travel", "Music", "Sports", "Weather", "History", "Science", "Books", "Animals", "Health", "Cars", "Films",
    "Games", "Markets", "Opinion", "Schools", "Theatre", "Museums", "Rivers", "Trains", "Islands", "Forests", "Bridges", "Castles",
    "Bakeries", "Cycling", "Sailing", "Hiking", "Painting", "Pottery", "Chess", "Tools", "Seeds", "Birds", "Insects", "Recipes", "Cheese",
    "Tea", "Fossils", "Planets", "Volcanoes",
)  # fmt: skip
FILLER = (
    "We have been here for more than twenty years.", "Our office is open from nine to five on weekdays.", "All prices include taxes.",
    "Thank you for your visit.", "This page was last changed in March.", "Please tell us when something does not work.",
    "Children under six pay nothing.", "Orders that come in before noon leave the house on the same day.", "The offers are valid while stocks last.",
    "There is a map at the end of the printed edition.", "Dogs are welcome in the garden.", "Results may differ from year to year.",
)  # fmt: skip


# Making sites


def draw_sites(brief: Brief, n: int, ending: str = "example") -> list[str]:
    """The names of ``n`` different sites."""
    firsts, lasts = brief.sample(NAMES, n), brief.sample(NAMES, n)
    return [f"{first}-{last}.{ending}" for first, last in zip(firsts, lasts, strict=True)]


def draw_site(brief: Brief, ending: str = "example") -> str:
    """The name of a site."""
    return draw_sites(brief, 1, ending)[0]


def page(title: str, *lines: str) -> str:
    """The text of a page with its title as a heading."""
    return "\n".join([f"title {title}", f"# {title}", *lines]) + "\n"


def filler(brief: Brief, n: int) -> list[str]:
    """Sentences that do not matter."""
    return brief.sample(FILLER, n)


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """The lines of a table."""
    return [f"| {' | '.join(row)} |" for row in [head, *rows]]


def slug(text: str) -> str:
    """A page's name from its title."""
    return text.casefold().replace(" ", "-")


def euros(cents: int) -> str:
    """A price."""
    return f"{cents // 100}.{cents % 100:02d} €"


def draw_products(brief: Brief, n: int) -> list[str]:
    """``n`` different products; the more of them, the more share a word."""
    kinds, things = brief.sample(KINDS, min(len(KINDS), n // 2 + 2)), brief.sample(THINGS, min(len(THINGS), n // 3 + 2))
    return brief.sample([f"{kind.capitalize()} {thing}" for kind in kinds for thing in things], n)


class WebFamily(Family):
    """A task in the browser. Its parameters: "sites", the files of each site by name, "open", the addresses of the tabs, and "may", patterns of
    what else doing it changes."""

    skills: ClassVar[tuple[str, ...]] = ("browse",)
    max_steps: ClassVar[int] = 60

    def drawn(
        self, instruction: str, sites: Mapping[str, Mapping[str, str]], tabs: Sequence[str], may: Sequence[str] = (), **more: Any
    ) -> dict[str, Any]:
        """The parameters of an instance."""
        return {
            "instruction": instruction,
            "sites": {name: dict(files) for name, files in sites.items()},
            "open": list(tabs),
            "may": list(may),
            **more,
        }

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        for site, files in params["sites"].items():
            for name, text in files.items():
                session.state.files[f"{WEB}/{site}/{name}"] = text
        session.state.files.update(params.get("files", {}))
        clutter(session, rng)
        size = session.look.size
        _, _, width, height = session.work_area
        w = min(int(rng.integers(44, 68)) * size.font, width)
        h = min(int(rng.integers(30, 44)) * size.font, height)
        place(session, make_browser(session, params["open"], w, h), rng)

    def may_change(self, params: Params, start: State) -> Sequence[str]:
        return ["closed:*", *params["may"]]

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        raise NotImplementedError


class FormFamily(WebFamily):
    """A task that ends with one form that is sent to a site. Its parameters: "site" and "record", what is sent, and "form", its page."""

    skills: ClassVar[tuple[str, ...]] = ("browse", "form")

    def drawn(
        self, instruction: str, sites: Mapping[str, Mapping[str, str]], tabs: Sequence[str], may: Sequence[str] = (), **more: Any
    ) -> dict[str, Any]:
        site = more["site"]
        may = [f"file:{WEB}/{site}/submitted/*", f"file:{WEB}/{site}/submitted/", *may]
        return super().drawn(instruction, sites, tabs, may, **more)

    def sent(self, state: State, params: Params) -> bool:
        """Whether that form, and no other, was sent as it shall be."""
        return [tidy(record) for record in submissions(state.files, params["site"])] == [tidy(params["record"])]

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        return self.sent(state, params)

    def fill(self, solver: Solver, params: Params) -> None:
        """Go to the form and hand it in."""
        raise NotImplementedError

    def solve(self, solver: Solver, params: Params) -> None:
        if self.sent(solver.state, params):
            return
        if submissions(solver.state.files, params["site"]):
            raise TaskError("there is no scripted solution from here: a form has been sent already")
        self.fill(solver, params)

    def spoil(self, solver: Solver, params: Params) -> bool:
        """Go back and send it again."""
        browser = browser_of(solver)
        solver.press(Key.LEFT, Modifier.ALT)
        if any(head.kind in ("send", "order") for head in browser.tab.page.forms):
            press_button(solver)
            return len(submissions(solver.state.files, params["site"])) > 1
        return False


def tidy(record: Mapping[str, str]) -> dict[str, str]:
    """A record without spaces around its values."""
    return {name: value.strip() for name, value in record.items()}


# Going through pages


def browser_of(solver: Solver) -> Browser:
    """The browser, on top."""
    browser = solver.window("browser")
    assert isinstance(browser, Browser)
    if blocker := solver.session.blocker(browser):
        solver.raise_window(blocker)
        solver.press(Key.ESCAPE)
    solver.raise_window(browser)
    return browser


def go_to(solver: Solver, address: str) -> Browser:
    """Enter an address."""
    browser = browser_of(solver)
    if browser.tab.visit.address != address:
        solver.click("browser", "address")
        solver.press(Key.A, Modifier.CTRL)
        solver.type(address + "\n")
    return browser


def scroll_to(solver: Solver, browser: Browser, rect: Rect) -> Rect:
    """Where a rectangle of the page is on the screen, once it is in view."""
    view, look = browser.view, solver.session.look
    solver.reach(browser, browser.rect_of(view))
    while not (rect[1] >= view.top and rect[1] + rect[3] <= view.top + view.h - 2):
        before, away = view.top, rect[1] + rect[3] // 2 - view.top - view.h // 2
        step = 3 * look.sans.height
        notches = max(-MAX_SCROLL, min(MAX_SCROLL, round(away / step) or (1 if away > 0 else -1)))
        left, top, _, high = browser.rect_of(view)
        solver.act(Action.scroll_by(left + 2, top + high // 2, dy=notches))  # beside all fields, some of which use the wheel themselves
        if view.top == before:
            raise TaskError("there is no scripted solution from here: a part of the page cannot be scrolled into view")
    x, y, _, _ = browser.rect_of(view)
    return x + 1 + rect[0], y + 1 + rect[1] - view.top, rect[2], rect[3]


def click_link(solver: Solver, target: str) -> None:
    """Click the link of the page that leads to a target."""
    browser = browser_of(solver)
    flow = browser.view.flow(solver.session.look)
    if target not in flow.links:
        raise TaskError(f"there is no scripted solution from here: the page has no link to {target!r}")
    rect = flow.link_rects(flow.links.index(target))[0]
    solver.act(Action.click(*middle(scroll_to(solver, browser, rect))))


def look_at(solver: Solver, words: str) -> None:
    """Scroll the page so that words of it are in view."""
    browser = browser_of(solver)
    places = browser.view.flow(solver.session.look).matches(words)
    if not places:
        raise TaskError(f"there is no scripted solution from here: the page does not say {words!r}")
    scroll_to(solver, browser, places[0][0])


def field_rect(solver: Solver, browser: Browser, widget_id: str) -> Rect:
    """Where a field is on the screen, once it is in view."""
    controls = browser.view.flow(solver.session.look).controls
    if widget_id not in controls:
        raise TaskError(f"there is no scripted solution from here: the page has no field {widget_id!r}")
    return scroll_to(solver, browser, controls[widget_id])


def enter(solver: Solver, values: Mapping[str, str], form: int = 0) -> None:
    """Fill in fields of a form of the page."""
    browser = browser_of(solver)
    for name, value in values.items():
        _enter(solver, browser, f"{form}:{name}", value)


def _enter(solver: Solver, browser: Browser, widget_id: str, value: str) -> None:
    options = [w for w in browser.tab.shown.controls if isinstance(w, Radio) and w.group == widget_id]
    if options:
        option = next((w for w in options if w.name == value), None)
        if option is None:
            raise TaskError(f"there is no scripted solution from here: {value!r} cannot be chosen")
        if not option.checked:
            solver.act(Action.click(*middle(field_rect(solver, browser, option.id))))
        return
    widget = browser.widget(widget_id)
    if isinstance(widget, CheckBox):
        if widget.checked != (value == "yes"):
            solver.act(Action.click(*middle(field_rect(solver, browser, widget_id))))
    elif isinstance(widget, DropDown):
        if widget.value != value:
            solver.act(Action.click(*middle(field_rect(solver, browser, widget_id))))
            solver.choose(value)
    elif isinstance(widget, DateField):
        if widget.day != value:
            solver.act(Action.click(*middle(field_rect(solver, browser, widget_id))))
            pick_day(solver, value)
    elif str(widget.value) != value:
        x, y, w, h = field_rect(solver, browser, widget_id)
        solver.act(Action.click(x + min(w // 2, 2 * solver.session.look.size.font), y + h // 2))
        solver.press(Key.A, Modifier.CTRL)
        solver.type(value)


def pick_day(solver: Solver, day: str) -> None:
    """Pick a day in the calendar that is open."""
    window = solver.window("calendar:browser")
    month = window.part("month", MonthView)
    x, y, _, _ = window.rect_of(month)
    for _ in range(40):
        found = dict(month.days())
        if day in found:
            left, top, w, h = found[day]
            solver.act(Action.click(*middle((x + left, y + top, w, h))))
            return
        way = 1 if day > max(found) else -1
        left, top, w, h = next(rect for _, months, rect in month.arrows() if months == way)
        solver.act(Action.click(*middle((x + left, y + top, w, h))))


def press_button(solver: Solver, form: int = 0) -> None:
    """Press the button of a form of the page."""
    browser = browser_of(solver)
    solver.act(Action.click(*middle(field_rect(solver, browser, f"{form}:button"))))
