"""The browser: links, tabs, bookmarks and downloads."""

from __future__ import annotations

from typing import Any

from gui_gym.actions import Action, Key, Modifier
from gui_gym.desktops.sim.apps.browser import Browser
from gui_gym.desktops.sim.state import State
from gui_gym.desktops.sim.web.sites import BOOKMARKS, DOWNLOADS, bookmarks
from gui_gym.desktops.sim.widgets.page_tabs import PageTabs
from gui_gym.tasks.sim.brief import Brief
from gui_gym.tasks.sim.families.common import quoted, wording
from gui_gym.tasks.sim.families.web_world import (
    TOPICS,
    WebFamily,
    browser_of,
    click_link,
    draw_site,
    draw_sites,
    filler,
    go_to,
    page,
    slug,
    table,
)  # fmt: skip
from gui_gym.tasks.sim.family import Params
from gui_gym.tasks.sim.solver import Solver, middle
from gui_gym.tasks.sim.words import STEMS, note
from gui_gym.verifiers.score import Outcome


def tree_site(brief: Brief, depth: int, width: int) -> tuple[dict[str, str], list[str], str]:
    """A site whose pages lead on to others: its files, the titles of the pages on one way down, and a title that no page has."""
    topics = brief.sample(TOPICS, len(TOPICS))
    home, missing, topics = brief.label("Home page"), topics[0], topics[1:]
    way: list[str] = []
    files: dict[str, str] = {}
    here, title, last = "index", home, ""
    for level in range(depth):
        names, topics = topics[:width], topics[width:]
        if len(topics) < width:
            topics = [name for name in TOPICS if name not in names and name not in way and name != missing]
        name = brief.pick(names)
        links = [f"- [{each}]({here_page(way, each)})" for each in names]
        files[here] = page(title, *filler(brief, brief.by_level(0, 1, 2)), *links, *([f"[{home}](index)"] if level else []))
        for each in names:
            if each != name:
                deeper = [f"- [{other}]({here_page([*way, each], other)})" for other in brief.sample(names, 2) if other != each]
                files[here_page(way, each)] = page(each, *filler(brief, 1), *deeper, f"[{home}](index)")
        here, title, last = here_page(way, name), name, name
        way.append(name)
    files[here] = page(last, *filler(brief, 2), f"[{home}](index)")
    return files, way, missing


def here_page(way: list[str], title: str) -> str:
    """The name of a page below others."""
    return "-".join(slug(each) for each in [*way, title])


def address_of(site: str, way: list[str]) -> str:
    """The address of the last page on a way down."""
    return f"{site}/{here_page(way[:-1], way[-1])}"


class FollowLinks(WebFamily):
    """Go to a page by following the named links."""

    id = "follow-links"
    skills = ("click", "read", "browse", "scroll")
    has_infeasible = True
    max_steps = 30

    def draw(self, brief: Brief) -> dict[str, Any]:
        site = draw_site(brief)
        files, way, missing = tree_site(brief, brief.by_level(2, 3, 4), brief.by_level(4, 6, 9))
        names = [*way[:-1], way[-1] if brief.feasible else missing]
        instruction = wording(
            brief,
            [
                "On the site that is open, follow the links {way} to the last of these pages.",
                "Open the page {last}: it is reached by {way}.",
                "Click your way through the site: {way}. Stay on the last page.",
            ],
            way=", ".join(quoted(name) for name in names),
            last=quoted(names[-1]),
        )
        return self.drawn(instruction, {site: files}, [site], way=way, address=address_of(site, way))

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        browser = state.window("browser")
        return isinstance(browser, Browser) and browser.tab.visit.address == params["address"]

    def solve(self, solver: Solver, params: Params) -> None:
        browser = browser_of(solver)
        if browser.tab.visit.address == params["address"]:
            return
        go_to(solver, params["open"][0])
        for i, name in enumerate(params["way"]):
            click_link(solver, here_page(params["way"][:i], name))

    def spoil(self, solver: Solver, params: Params) -> bool:
        browser_of(solver)
        solver.click("browser", "home")
        return True


class BookmarkPage(WebFamily):
    """Find a page and bookmark it; on hard tasks, an old bookmark has to go."""

    id = "bookmark-page"
    skills = ("click", "read", "browse")
    max_steps = 30

    def draw(self, brief: Brief) -> dict[str, Any]:
        site, *sites = draw_sites(brief, brief.by_level(1, 2, 3))
        files, way, _ = tree_site(brief, brief.by_level(1, 2, 3), brief.by_level(4, 6, 8))
        topics = brief.sample([topic for topic in TOPICS if topic not in way], len(sites))
        old = [[f"{topic} weekly", place] for topic, place in zip(topics, sites, strict=True)]
        others = {place: {"index": page(title, *filler(brief, 2))} for title, place in old}
        gone = brief.by_level(False, False, True)
        instruction = wording(
            brief,
            [
                "Bookmark the page {last}, which is reached by the links {way}.",
                "Follow the links {way} and set a bookmark for the page {last}.",
                "Go to {last} (by {way}) and add it to the bookmarks.",
            ],
            way=", ".join(quoted(name) for name in way),
            last=quoted(way[-1]),
        )
        if gone:
            instruction += f" Then remove the bookmark of the page {quoted(old[0][0])}, which is open in the other tab."
        marks = [[way[-1], address_of(site, way)]]
        return self.drawn(
            instruction,
            {site: files, **others},
            [site, *([old[0][1]] if gone else [])],
            [f"file:{BOOKMARKS}"],
            way=way,
            gone=old[0][1] if gone else "",
            marks=[*old[1 if gone else 0 :], *marks],
            files={BOOKMARKS: "".join(f"{title} | {place}\n" for title, place in old)} if old else {},
        )

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        return sorted(place for _, place in bookmarks(state.files)) == sorted(place for _, place in params["marks"])

    def solve(self, solver: Solver, params: Params) -> None:
        wanted = {place for _, place in params["marks"]}
        way, place = params["way"], params["marks"][-1][1]
        marked = {address for _, address in bookmarks(solver.state.files)}
        if place not in marked:
            go_to(solver, params["open"][0])
            for i, name in enumerate(way):
                click_link(solver, here_page(way[:i], name))
            solver.click("browser", "bookmark")
        for other in sorted(wanted ^ {address for _, address in bookmarks(solver.state.files)}):
            go_to(solver, other)
            solver.click("browser", "bookmark")

    def spoil(self, solver: Solver, params: Params) -> bool:
        go_to(solver, params["open"][0])
        solver.press(Key.D, Modifier.CTRL)
        return True


class DownloadFile(WebFamily):
    """Download the right one of several files from a page."""

    id = "download-file"
    skills = ("click", "read", "browse", "scroll")
    has_infeasible = True
    max_steps = 24

    def draw(self, brief: Brief) -> dict[str, Any]:
        site, n = draw_site(brief), brief.by_level(4, 8, 14)
        if brief.by_level(False, False, True):
            stem = brief.pick(STEMS)
            names = [f"{stem}-{year}-{part}.txt" for year in (2023, 2024, 2025) for part in ("spring", "summer", "autumn", "winter", "final")]
            names = brief.sample(names, n + 1)
        else:
            names = [f"{stem}{brief.integer(10, 99)}.txt" for stem in brief.sample(STEMS, n + 1)]
        missing = names.pop()
        target = names[0]
        texts = {name: note(brief.rng, 2) for name in names}
        order = brief.sample(names, n)
        rows = [
            [f"[{name}](get:{name})", f"{brief.integer(2, 90)} kB", f"2025-{brief.integer(1, 12):02d}-{brief.integer(1, 28):02d}"] for name in order
        ]
        head = brief.labels(["Name", "Size", "Date"])
        files = dict(texts)
        title = brief.label("Downloads")
        files["files"] = page(title, *filler(brief, 1), *table(head, rows))
        links = [f"- [{name}]({slug(name)})" for name in brief.sample(TOPICS, 3)]
        files["index"] = page(brief.label("Home page"), *filler(brief, brief.by_level(0, 1, 2)), *brief.sample([*links, f"- [{title}](files)"], 4))
        instruction = wording(
            brief,
            [
                "Download the file {name} from the site that is open.",
                "The site that is open offers the file {name}: download it.",
                "Get {name} from the downloads of this site, and no other file.",
            ],
            name=quoted(target if brief.feasible else missing),
        )
        return self.drawn(instruction, {site: files}, [site], [f"file:{DOWNLOADS}/*"], name=target, text=texts[target], page=f"{site}/files")

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        new = {path: text for path, text in state.files.items() if path.startswith(f"{DOWNLOADS}/") and start.files.get(path) != text}
        return new == {f"{DOWNLOADS}/{params['name']}": params["text"]}

    def solve(self, solver: Solver, params: Params) -> None:
        if f"{DOWNLOADS}/{params['name']}" in solver.state.files:
            return
        go_to(solver, params["open"][0])
        click_link(solver, "files")
        click_link(solver, f"get:{params['name']}")
        solver.press(Key.ENTER)

    def spoil(self, solver: Solver, params: Params) -> bool:
        go_to(solver, params["page"])
        click_link(solver, f"get:{params['name']}")
        return True


class CloseTabs(WebFamily):
    """Close all tabs of the browser but the named one."""

    id = "close-tabs"
    skills = ("click", "read", "browse")
    max_steps = 30
    min_size = (560, 360)  # to read the tabs

    def draw(self, brief: Brief) -> dict[str, Any]:
        n = brief.by_level(4, 5, 6)
        topics = brief.sample([topic for topic in TOPICS if len(topic) < 8], n)
        sites = draw_sites(brief, n)
        keep = brief.integer(0, n - 1)
        instruction = wording(
            brief,
            [
                "Close all tabs of the browser but the one with the page {name}.",
                "Leave only the tab {name} open in the browser; close all others.",
                "Tidy up: of the browser's tabs, only {name} shall stay.",
            ],
            name=quoted(topics[keep]),
        )
        files = {site: {"index": page(topic, *filler(brief, 2))} for site, topic in zip(sites, topics, strict=True)}
        return self.drawn(instruction, files, sites, keep=sites[keep])

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        browser = state.window("browser")
        return isinstance(browser, Browser) and [tab.visit.address for tab in browser.tabs] == [params["keep"]]

    def solve(self, solver: Solver, params: Params) -> None:
        browser = browser_of(solver)
        if all(tab.visit.address != params["keep"] for tab in browser.tabs):
            solver.press(Key.T, Modifier.CTRL)
            go_to(solver, params["keep"])
        tabs = browser.widget("tabs")
        assert isinstance(tabs, PageTabs)
        while len(browser.tabs) > 1:
            keep = next(i for i, tab in enumerate(browser.tabs) if tab.visit.address == params["keep"])
            other = next(i for i in range(len(browser.tabs)) if i != keep)
            x, y, _, _ = browser.rect_of(tabs)
            look = solver.session.look
            cross = tabs.cross(tabs.tab_rects(look)[other])
            if cross is not None:
                solver.act(Action.click(*solver.reach(browser, (x + cross[0], y + cross[1], cross[2], cross[3]))))
            else:
                left, top, w, h = tabs.tab_rects(look)[other]
                solver.act(Action.click(*middle((x + left, y + top, w, h))))
                solver.press(Key.W, Modifier.CTRL)

    def spoil(self, solver: Solver, params: Params) -> bool:
        browser_of(solver)
        solver.press(Key.T, Modifier.CTRL)
        return True
