"""Errands with what pages and pictures show: it goes into the calendar, into a sheet, or to somebody by mail."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from gui_gym.desktops.sim import clock
from gui_gym.desktops.sim.painting.picture import write_picture
from gui_gym.desktops.sim.sheets.csv_text import write_csv
from gui_gym.desktops.sim.web.sites import WEB
from gui_gym.tasks.sim.brief import Brief
from gui_gym.tasks.sim.families.agenda_world import as_appointment, draw_agenda, enter_event, span
from gui_gym.tasks.sim.families.common import listed, quoted, wording
from gui_gym.tasks.sim.families.errand_world import (
    Errand,
    document,
    draw_file_names,
    draw_place,
    reached,
    send,
    set_table,
    shown,
)
from gui_gym.tasks.sim.families.errands import draw_subject, recipient
from gui_gym.tasks.sim.families.mail_world import address_of, draw_mail, draw_people, open_app
from gui_gym.tasks.sim.families.picture_world import PAINTS, PLAIN_SHAPES, draw_names, render, shapes_scene, viewer_of, with_article
from gui_gym.tasks.sim.families.spreadsheet import NUMBERS, with_cells
from gui_gym.tasks.sim.families.tables import ITEMS
from gui_gym.tasks.sim.families.terminal import home, run, shell_path
from gui_gym.tasks.sim.families.web_world import TOPICS, draw_site, euros, filler, go_to, look_at, page, slug, table
from gui_gym.tasks.sim.family import Params
from gui_gym.tasks.sim.solver import Solver
from gui_gym.tasks.sim.words import CITIES, FOLDERS, STEMS

WEB_FOLDER = WEB.removeprefix("/home/user/")


def draw_pages(brief: Brief, title: str, lines: list[str], others: dict[str, list[str]]) -> tuple[str, dict[str, str]]:
    """A site with a page of these lines among others, all of which its first page leads to: its name, and its files by path from home."""
    site, titles = draw_site(brief), brief.sample([title, *others], 1 + len(others))
    links = [f"- [{each}]({slug(each)})" for each in titles]
    pages = {"index": page(site.partition(".")[0].replace("-", " ").title(), *filler(brief, 1), *links)}
    for each in titles:
        text = lines if each == title else others[each]
        pages[slug(each)] = page(each, *filler(brief, brief.by_level(1, 2, 4)), *text)
    return site, {f"{WEB_FOLDER}/{site}/{name}": text for name, text in pages.items()}


def said_page(brief: Brief, title: str, site: str) -> str:
    """How an instruction names a page: on easy tasks it is open."""
    return brief.by_level("the page that is open", f"the page {quoted(title)} of {quoted(site)}", f"the page {quoted(title)} of {quoted(site)}")


def open_page(brief: Brief, site: str, title: str) -> str:
    """What to open for the browser to show the page, on medium tasks the first page of its site."""
    return "browser:" + brief.by_level(f"{site}/{slug(title)}", site, site)


class WebErrand(Errand):
    """An errand that begins on a page, at ``params["address"]``, which says ``params["words"]``."""

    def read_page(self, solver: Solver, params: Params) -> None:
        """Go to the page and to what it says."""
        open_app(solver, "browser", "browser")
        go_to(solver, params["address"])
        look_at(solver, params["words"])


class PageToCalendar(WebErrand):
    """Enter something that a page announces into the calendar. On hard tasks other pages announce the same for other days."""

    id = "page-to-calendar"
    skills = ("read", "browse", "calendar", "type", "multi-app")
    has_infeasible = True
    max_steps = 40

    def draw(self, brief: Brief) -> dict[str, Any]:
        page_title, *others = brief.sample(TOPICS, brief.by_level(1, 3, 5))
        kinds, count = ("Tour", "Talk", "Class", "Concert", "Market", "Film", "Walk"), brief.by_level(3, 6, 10)
        *titles, missing = brief.sample([f"{kind} in {city}" for kind in kinds for city in CITIES], count + 1)
        events = []
        for title in titles:
            day, (start, end) = clock.START.date() + timedelta(days=brief.integer(1, 40)), span(brief.integer(16, 38), 30 * brief.integer(1, 5))
            events.append({"title": title, "date": day.isoformat(), "start": start, "end": end, "place": f"{brief.pick(STEMS).title()} Hall"})
        head, event = ["Event", "Day", "From", "To", "Place"], brief.pick(events)
        lines = table(head, [list(each.values()) for each in events])
        elsewhere = {}
        for other in others:
            rows = []
            for each in events if brief.by_level(False, False, True) else events[:2]:
                day, (start, end) = clock.START.date() + timedelta(days=brief.integer(1, 40)), span(brief.integer(16, 38), 30 * brief.integer(1, 5))
                rows.append([each["title"], day.isoformat(), start, end, f"{brief.pick(STEMS).title()} Hall"])
            elsewhere[other] = table(head, rows)
        site, files = draw_pages(brief, page_title, lines, elsewhere)
        instruction = wording(
            brief,
            [
                "Enter {title} into the calendar, with day, times and place as {page} announces it.",
                "According to {page}, when and where is {title}? Put it into the calendar: title, day, from, to and place.",
                "Look {title} up on {page} and make an appointment of that name in the calendar, with its day, times and place.",
            ],
            title=quoted(event["title"] if brief.feasible else missing),
            page=said_page(brief, page_title, site),
        )
        open_ = shown(brief, open_page(brief, site, page_title), "calendar")
        agenda = draw_agenda(brief, brief.by_level(2, 5, 9))
        target = {"address": f"{site}/{slug(page_title)}", "words": event["title"], "event": event}
        return self.drawn(brief, instruction, {"agenda": [*agenda, event]}, open_, files=files, agenda=agenda, **target)

    def solve(self, solver: Solver, params: Params) -> None:
        if not reached(solver.state, params["goal"], "agenda"):
            self.read_page(solver, params)
            enter_event(solver, as_appointment(params["event"]))


class PageToSheet(WebErrand):
    """Enter the prices that a page has for some things into a sheet. On hard tasks other pages have other prices for them."""

    id = "page-to-sheet"
    skills = ("read", "browse", "spreadsheet", "files", "type", "multi-app")
    has_infeasible = True
    max_steps = 40

    def draw(self, brief: Brief) -> dict[str, Any]:
        page_title, *others = brief.sample(TOPICS, brief.by_level(1, 3, 5))
        folder = draw_place(brief)
        *items, missing = brief.sample(ITEMS, brief.by_level(4, 8, 14))
        prices = {item: brief.integer(150, 9900) for item in items}
        lines = table(["Item", "Price"], [[item, euros(prices[item])] for item in items])
        elsewhere = {other: table(["Item", "Price"], [[item, euros(brief.integer(150, 9900))] for item in items]) for other in others}
        site, files = draw_pages(brief, page_title, lines, elsewhere)
        listed_, header = brief.sample(items, len(items) - 1), ["Item", "City", "Units", "Price"]
        rows = [[item, brief.pick(CITIES), str(brief.integer(3, 90)), f"{brief.integer(1, 90)}.50"] for item in listed_]
        cells, names = {}, draw_file_names(brief, brief.by_level(1, 2, 3), "csv")
        targets = brief.sample(range(len(rows)), brief.by_level(1, 2, 3))
        for row in targets:
            cents, rows[row][NUMBERS + 1] = prices[rows[row][0]], ""
            cells[row + 1, NUMBERS + 1] = f"{cents // 100}.{cents % 100:02d}"
        sheet = f"{folder}/{names[0]}"
        asked = [rows[row][0] for row in targets]
        if not brief.feasible:
            asked[0] = missing
        instruction = wording(
            brief,
            [
                "Look up the price of {items} on {page}, enter it as a plain number under {column} in {sheet} of the folder {folder}, and save.",
                "In the sheet {sheet} in {folder}, fill in {column} for {items} by {page}, as plain numbers, and save it.",
                "What does {page} say that {items} cost? Enter that into {column} of {sheet} in the folder {folder}, without the sign, and save.",
            ],
            items=listed(asked),
            page=said_page(brief, page_title, site),
            column=quoted("Price"),
            sheet=quoted(names[0]),
            folder=quoted(folder),
        )
        files |= {f"{folder}/{name}": write_csv([header, *brief.sample(rows, len(rows))]) for name in names[1:]}
        files[sheet] = write_csv([header, *rows])
        goal = {"tables": {sheet: with_cells([header, *rows], cells)}}
        open_ = shown(brief, open_page(brief, site, page_title), sheet)
        target = {"address": f"{site}/{slug(page_title)}", "words": euros(prices[rows[targets[0]][0]])}
        return self.drawn(brief, instruction, goal, open_, files=files, **target)

    def solve(self, solver: Solver, params: Params) -> None:
        if not reached(solver.state, params["goal"], "tables"):
            self.read_page(solver, params)
            for path, rows in params["goal"]["tables"].items():
                set_table(solver, path, rows)


class MailPageFact(WebErrand):
    """Mail somebody the number that a page gives for something."""

    id = "mail-page-fact"
    skills = ("read", "browse", "mail", "type", "multi-app")
    has_infeasible = True

    def draw(self, brief: Brief) -> dict[str, Any]:
        page_title, *others = brief.sample(TOPICS, brief.by_level(1, 3, 5))
        people, what = draw_people(brief, brief.by_level(4, 6, 8)), brief.pick(("Visitors", "Seats", "Members", "Bicycles", "Trees"))
        *places, missing = brief.sample(CITIES, brief.by_level(5, 8, 12))
        numbers = brief.sample(range(1001, 9999), len(places))
        lines = table(["City", what], [[city, str(number)] for city, number in zip(places, numbers, strict=True)])
        elsewhere = {
            other: table(["City", what], [[city, str(brief.integer(1001, 9999))] for city in brief.sample(places, len(places))]) for other in others
        }
        site, files = draw_pages(brief, page_title, lines, elsewhere)
        at, subject = brief.integer(0, len(places) - 1), draw_subject(brief)
        instruction = wording(
            brief,
            [
                "Find {what} of {city} on {page}, and mail the number to {to}: subject {subject}, and no other text.",
                "{to} asks for {what} of {city}, which is on {page}. Send the number alone by mail, with the subject {subject}.",
                "Send {to} a mail with the subject {subject} whose text is just the number that {page} gives as {what} of {city}.",
            ],
            what=quoted(what),
            city=quoted(places[at] if brief.feasible else missing),
            page=said_page(brief, page_title, site),
            to=recipient(brief, people[0]),
            subject=quoted(subject),
        )
        letter = {"to": address_of(people[0]), "subject": subject, "words": str(numbers[at]), "attached": []}
        mail, open_ = draw_mail(brief, brief.sample(people, len(people))), shown(brief, open_page(brief, site, page_title), "mail")
        target = {"address": f"{site}/{slug(page_title)}", "words": str(numbers[at])}
        return self.drawn(brief, instruction, {"letter": letter}, open_, mail=mail, files=files, **target)

    def solve(self, solver: Solver, params: Params) -> None:
        if not reached(solver.state, params["goal"], "letter"):
            self.read_page(solver, params)
            send(solver, params["goal"]["letter"])


class SendPicture(Errand):
    """Find the picture that shows something and mail it to somebody; on harder tasks move it to a folder as well."""

    id = "send-picture"
    skills = ("perceive", "pictures", "mail", "files", "dialog", "multi-app")
    has_infeasible = True

    def draw(self, brief: Brief) -> dict[str, Any]:
        people, names = draw_people(brief, brief.by_level(4, 6, 8)), draw_names(brief, brief.by_level(3, 5, 7))
        wanted, n = (brief.pick(PAINTS), brief.pick(PLAIN_SHAPES)), brief.by_level(2, 3, 4)
        pairs = [(color, shape) for color in PAINTS for shape in PLAIN_SHAPES if (color, shape) != wanted]
        near = [pair for pair in pairs if pair[0] == wanted[0] or pair[1] == wanted[1]]
        files = {}
        for i, name in enumerate(names):
            looks = [*brief.sample(near, 1), *brief.sample(pairs, n)]
            if i == 0 and brief.feasible:
                looks[0] = wanted
            files[f"Pictures/{name}"] = write_picture(render(shapes_scene(brief, list(dict.fromkeys(looks)))))
        subject, path = draw_subject(brief), f"Pictures/{names[0]}"
        folder = brief.by_level("", "", f"Pictures/{brief.pick(FOLDERS)}")
        instruction = wording(
            brief,
            [
                "One of the pictures in the folder Pictures shows {what}. Mail it to {to} as an attachment, with the subject {subject}{more}.",
                "Look through the folder Pictures for the picture with {what}, and mail it to {to} as an attachment under the subject "
                "{subject}{more}.",
                "{to} wants the picture with {what} from the folder Pictures: attach it to a mail with the subject {subject}, send that{more}.",
            ],
            what=with_article(" ".join(wanted)),
            to=recipient(brief, people[0]),
            subject=quoted(subject),
            more=f", and move the picture to the folder {quoted(folder)}" if folder else "",
        )
        letter = {"to": address_of(people[0]), "subject": subject, "words": None, "attached": [path]}
        goal: dict[str, Any] = {"letter": letter}
        if folder:
            goal |= {"files": {f"{folder}/{names[0]}": files[path]}, "gone": [path]}
            letter["attached"] = [f"{folder}/{names[0]}"]
        mail = draw_mail(brief, brief.sample(people, len(people)))
        shuffled = {each: files[each] for each in sorted(files)} | ({f"{folder}/": ""} if folder else {})
        open_ = brief.by_level([f"Pictures/{brief.pick(names)}", "mail"], shown(brief, "files:Pictures", "mail"), [])
        return self.drawn(brief, instruction, goal, open_, mail=mail, files=shuffled, picture=path)

    def solve(self, solver: Solver, params: Params) -> None:
        goal = params["goal"]
        if home(params["picture"]) in solver.state.files:
            viewer = next((window for window in solver.state.windows if window.id.startswith("picture:")), None)
            if viewer is None:
                document(solver, params["picture"])
            viewer_of(solver, home(params["picture"]))
            if "gone" in goal:
                target = next(iter(goal["files"]))
                run(solver, f"mv {shell_path(params['picture'])} {shell_path(target)}")
        send(solver, goal["letter"])
