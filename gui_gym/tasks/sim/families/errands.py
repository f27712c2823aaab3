"""Errands with sheets and mail: figures that go from one to the other, and sheets that are corrected and sent."""

from __future__ import annotations

from typing import Any

from gui_gym.desktops.sim.filesystem import size_of
from gui_gym.desktops.sim.sheets.csv_text import write_csv
from gui_gym.desktops.sim.sheets.references import Cell
from gui_gym.tasks.sim.brief import Brief
from gui_gym.tasks.sim.families.calculator import CalculatorFamily
from gui_gym.tasks.sim.families.common import listed, quoted, wording
from gui_gym.tasks.sim.families.errand_world import (
    Errand,
    document,
    draw_file_names,
    draw_place,
    draw_sheets,
    look_into,
    reached,
    read_mail,
    send,
    set_table,
    shown,
)
from gui_gym.tasks.sim.families.mail_world import SUBJECTS, address_of, draw_mail, draw_people, use_action, write
from gui_gym.tasks.sim.families.spreadsheet import GROUPS, KEYS, NUMBERS, with_cells
from gui_gym.tasks.sim.families.tables import ITEMS, Row
from gui_gym.tasks.sim.family import Params
from gui_gym.tasks.sim.solver import Solver
from gui_gym.tasks.sim.words import CITIES, FOLDERS, note


def rows_of(sheet: Params) -> list[Row]:
    """All rows of a drawn sheet, its header included."""
    return [list(sheet["header"]), *(list(row) for row in sheet["rows"])]


def recipient(brief: Brief, person: str) -> str:
    """How an instruction names somebody that mail goes to: by the address on easy tasks, else by the name that their mail has."""
    return quoted(brief.by_level(address_of(person), person, person))


def draw_subject(brief: Brief) -> str:
    """A subject; always a new one, as it ends in a number."""
    return f"{brief.pick(SUBJECTS)} {brief.integer(2, 999)}"


class EditAndMail(Errand):
    """Correct values of a sheet, save it, and mail it to somebody. On harder tasks the sheet has to be told from others by a column it has."""

    id = "edit-and-mail"
    skills = ("spreadsheet", "mail", "files", "dialog", "type", "multi-app")
    has_infeasible = True
    max_steps = 50

    def draw(self, brief: Brief) -> dict[str, Any]:
        people, sheet = draw_people(brief, brief.by_level(4, 6, 8)), draw_sheets(brief)
        cells: dict[Cell, str] = {}
        changes: list[str] = []
        for row in brief.sample(range(len(sheet["rows"])), brief.by_level(1, 1, 2)):
            column, new = brief.integer(NUMBERS, len(sheet["header"]) - 1), str(brief.integer(1000, 9999))
            cells[row + 1, column] = new
            name = sheet["rows"][row][KEYS] if brief.feasible or changes else sheet["missing"]
            changes.append(f"{quoted(sheet['header'][column])} of {quoted(name)} to {quoted(new)}")
        subject = draw_subject(brief)
        instruction = wording(
            brief,
            [
                "In {sheet}, set {changes}, and save. Then mail the sheet to {to} as an attachment, with the subject {subject}.",
                "{to} needs {sheet}, corrected: set {changes}, save it, and send the file by mail with the subject {subject}.",
                "Set {changes} in {sheet} and save it. Attach the saved file to a mail to {to} with the subject {subject}, and send that.",
            ],
            sheet=sheet["called"],
            changes=" and ".join(changes),
            to=recipient(brief, people[0]),
            subject=quoted(subject),
        )
        letter = {"to": address_of(people[0]), "subject": subject, "words": None, "attached": [sheet["sheet"]]}
        goal = {"tables": {sheet["sheet"]: with_cells(rows_of(sheet), cells)}, "letter": letter}
        mail = draw_mail(brief, brief.sample(people, len(people)))
        return self.drawn(brief, instruction, goal, shown(brief, sheet["sheet"], "mail"), mail=mail, files=sheet["files"])

    def solve(self, solver: Solver, params: Params) -> None:
        for path, rows in params["goal"]["tables"].items():
            set_table(solver, path, rows)
        send(solver, params["goal"]["letter"])


class MailTotal(Errand):
    """Add up a column of a sheet, on harder tasks of some rows alone, and mail the total to somebody."""

    id = "mail-total"
    skills = ("spreadsheet", "reason", "mail", "files", "type", "multi-app")

    def draw(self, brief: Brief) -> dict[str, Any]:
        people, sheet = draw_people(brief, brief.by_level(4, 6, 8)), draw_sheets(brief)
        header, rows, column = sheet["header"], sheet["rows"], NUMBERS
        for row, number in zip(rows, brief.sample(range(12, 480), len(rows)), strict=True):
            row[column] = str(number)  # whole numbers, whatever the column is
        files = {**sheet["files"], sheet["sheet"]: write_csv([header, *rows])}
        group = brief.by_level("", "", brief.pick(sorted({row[GROUPS] for row in rows})))
        total = sum(int(row[column]) for row in rows if group in ("", row[GROUPS]))
        subject = draw_subject(brief)
        instruction = wording(
            brief,
            [
                "Add up the column {column} of {sheet}{rows}, and mail the total to {to}: the subject is {subject}, the text the number alone.",
                "What does {column} in {sheet} come to{rows}? Send {to} that number as the only text of a mail with the subject {subject}.",
                "{to} wants to know the sum of {column} in {sheet}{rows}. Mail the number, without any other text, under the subject {subject}.",
            ],
            column=quoted(header[column]),
            sheet=sheet["called"],
            rows=f", for the rows whose {quoted(header[GROUPS])} is {quoted(group)}" if group else "",
            to=recipient(brief, people[0]),
            subject=quoted(subject),
        )
        letter = {"to": address_of(people[0]), "subject": subject, "words": str(total), "attached": []}
        mail = draw_mail(brief, brief.sample(people, len(people)))
        open_ = shown(brief, sheet["sheet"], "mail")
        return self.drawn(brief, instruction, {"letter": letter}, open_, mail=mail, files=files, sheet=sheet["sheet"])

    def solve(self, solver: Solver, params: Params) -> None:
        document(solver, params["sheet"])
        send(solver, params["goal"]["letter"])


class MailToSheet(Errand):
    """Enter the figures that somebody's mail gives into the right rows of a sheet."""

    id = "mail-to-sheet"
    skills = ("read", "mail", "spreadsheet", "files", "type", "multi-app")
    has_infeasible = True

    def draw(self, brief: Brief) -> dict[str, Any]:
        *people, missing = draw_people(brief, brief.by_level(4, 6, 9))
        sheet = draw_sheets(brief)
        column = brief.integer(NUMBERS, len(sheet["header"]) - 1)
        cells: dict[Cell, str] = {}
        # others give figures for other rows, on hard tasks also for the same ones
        order = brief.sample(range(len(people)), len(people))
        said = {}
        for at, i in enumerate(order):
            if i and not brief.chance(brief.by_level(0.2, 0.5, 0.8)):
                continue
            figures = []
            for row in brief.sample(range(len(sheet["rows"])), brief.by_level(1, 2, 3)):
                new = str(brief.integer(1000, 9999))
                figures.append(f"{sheet['header'][column]} of {sheet['rows'][row][KEYS]} is now {new}.")
                if i == 0:
                    cells[row + 1, column] = new
            said[at] = "\n".join(figures)
        instruction = wording(
            brief,
            [
                "{who} has mailed new figures: enter them into {sheet}, and save it.",
                "Bring {sheet} up to date with what the mail from {who} says, and save the file.",
                "Read what {who} writes and change the values in {sheet} accordingly. Save it.",
            ],
            who=quoted(people[0] if brief.feasible else missing),
            sheet=sheet["called"],
        )
        goal = {"tables": {sheet["sheet"]: with_cells(rows_of(sheet), cells)}}
        mail = draw_mail(brief, [people[i] for i in order], said)
        return self.drawn(brief, instruction, goal, shown(brief, sheet["sheet"], "mail"), mail=mail, files=sheet["files"], about=order.index(0))

    def solve(self, solver: Solver, params: Params) -> None:
        if not reached(solver.state, params["goal"], "tables"):
            read_mail(solver, params)
            for path, rows in params["goal"]["tables"].items():
                set_table(solver, path, rows)


class ReplyWithNumber(Errand):
    """Answer a mail that asks for the size of a file, for how many lines it has, or for what a sheet says."""

    id = "reply-with-number"
    skills = ("read", "mail", "files", "type", "multi-app")
    has_infeasible = True

    def draw(self, brief: Brief) -> dict[str, Any]:
        *people, missing = draw_people(brief, brief.by_level(4, 6, 9))
        sheet, folder = draw_sheets(brief), f"Documents/{brief.pick(FOLDERS)}"
        names = draw_file_names(brief, brief.by_level(4, 7, 10), "txt")
        files = {f"{folder}/{name}": note(brief.rng, brief.integer(3, 12)) for name in names}
        order, said, answers = brief.sample(range(len(people)), len(people)), {}, {}
        for at, i in enumerate(order):
            if i and not brief.chance(brief.by_level(0.2, 0.5, 0.9)):
                continue
            name, row = brief.pick(names), brief.pick(sheet["rows"])
            text, column = files[f"{folder}/{name}"], sheet["header"][NUMBERS]
            question, answers[i] = brief.pick(
                [
                    (f"How many bytes has the file {name} in your folder {folder}?", str(size_of(text))),
                    (f"How many lines has the file {name} in your folder {folder}?", str(text.count("\n"))),
                    (f"Which {column} has {row[KEYS]} in the sheet {sheet['sheet'].rpartition('/')[2]}?", row[NUMBERS]),
                ]
            )
            said[at] = f"{question} Please send me just the number."
        target, path = order.index(0), sheet["sheet"] if said[order.index(0)].startswith("Which") else folder
        instruction = wording(
            brief,
            [
                "{who} asks for a number by mail. Look it up and reply with the number alone.",
                "Answer the mail from {who}: find out what it asks, and let the reply say the number and nothing else.",
                "Reply to {who} with the number that the mail asks for, and no other text.",
            ],
            who=quoted(people[0] if brief.feasible else missing),
        )
        mail = draw_mail(brief, [people[i] for i in order], said)
        letter = {"to": address_of(people[0]), "subject": f"Re: {mail[target]['subject']}", "words": answers[0], "attached": []}
        open_ = shown(brief, f"files:{folder}", "mail")
        return self.drawn(brief, instruction, {"letter": letter}, open_, mail=mail, files=sheet["files"] | files, about=target, path=path)

    def solve(self, solver: Solver, params: Params) -> None:
        if reached(solver.state, params["goal"], "letter"):
            return
        read_mail(solver, params)
        if params["path"].endswith(".csv"):
            document(solver, params["path"])
        else:
            look_into(solver, params["path"])
        read_mail(solver, params)
        use_action(solver, "reply")
        write(solver, params["goal"]["letter"]["words"])


class PriceWithTax(Errand):
    """Work out what orders cost, by a list of prices in a text file and with the tax it names, and enter that into the sheet of the orders."""

    id = "price-with-tax"
    skills = ("read", "reason", "calculator", "spreadsheet", "files", "type", "multi-app")
    has_infeasible = True
    max_steps = 44

    def draw(self, brief: Brief) -> dict[str, Any]:
        folder, tax = draw_place(brief), brief.pick((6, 7, 8, 10, 12, 15, 19, 20, 21, 25))
        *items, missing = brief.sample(ITEMS, brief.by_level(5, 9, 15))
        prices = {item: brief.integer(2, 89) for item in items}
        rows = [
            [item, brief.pick(CITIES), str(brief.integer(3, 60)), f"{brief.integer(10, 2000)}.00"] for item in brief.sample(items, len(items) - 1)
        ]
        targets = brief.sample(range(len(rows)), brief.by_level(1, 1, 2))
        sums, cells = [], {}
        for row in targets:
            item, _, units, _ = rows[row]
            cents = int(units) * prices[item] * (100 + tax)
            rows[row][3], cells[row + 1, 3] = "", f"{cents // 100}.{cents % 100:02d}"
            sums.append(f"{units}×{prices[item]}×(100+{tax})÷100")
        name, other = draw_file_names(brief, 2, "csv")[0], draw_file_names(brief, 1, "txt")[0]
        sheet, listing = f"{folder}/{name}", f"{folder}/{other}"
        header = ["Item", "City", "Units", "Total"]
        files = {
            sheet: write_csv([header, *rows]),
            listing: "".join(f"{item}: {prices[item]} euros each\n" for item in brief.sample(items, len(items))) + f"\nTax: {tax} %\n",
            **{f"{folder}/{each}": note(brief.rng, 4) for each in ("notes.txt", "letter.txt", "plan.txt")[: brief.by_level(0, 2, 3)]},
        }
        asked = [rows[row][0] for row in targets] if brief.feasible else [missing, *(rows[row][0] for row in targets[1:])]
        instruction = wording(
            brief,
            [
                "The file {listing} has prices without tax, and the tax. Work out what the orders of {what} in {sheet} come to with tax, "
                "enter each amount as a number under {total}, and save. Both files are in {folder}.",
                "In {sheet}, the {total} of {what} is missing: enter units times price, plus tax, as a number each, and save. Prices and tax are in "
                "{listing}, also in {folder}.",
                "Fill in {total} for {what} in {sheet} of the folder {folder}: the units times the price in {listing}, with the tax that is named "
                "there added. Enter plain numbers and save the sheet.",
            ],
            listing=quoted(other),
            sheet=quoted(name),
            what=listed(asked),
            total=quoted("Total"),
            folder=quoted(folder),
        )
        goal = {"tables": {sheet: with_cells([header, *rows], cells)}}
        return self.drawn(brief, instruction, goal, shown(brief, sheet, listing, "calculator"), files=files, listing=listing, sums=sums)

    def solve(self, solver: Solver, params: Params) -> None:
        if reached(solver.state, params["goal"], "tables"):
            return
        document(solver, params["listing"])
        for expression in params["sums"]:
            CalculatorFamily.work_out(solver, expression)
        for path, rows in params["goal"]["tables"].items():
            set_table(solver, path, rows)
