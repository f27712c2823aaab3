"""Errands with files: plans, invoices and counts that are written down, attachments, and folders that are put in order."""

from __future__ import annotations

from typing import Any

from gui_gym.desktops.sim.apps.preferences import caption
from gui_gym.desktops.sim.filesystem import size_of
from gui_gym.tasks.sim.brief import Brief
from gui_gym.tasks.sim.families.common import listed, quoted, wording
from gui_gym.tasks.sim.families.errand_world import (
    Errand,
    document,
    draw_file_names,
    draw_place,
    look_into,
    reached,
    read_mail,
    shown,
    write_text,
)
from gui_gym.tasks.sim.families.mail_world import as_message, draw_mail, draw_people, save_attachment
from gui_gym.tasks.sim.families.settings import set_setting
from gui_gym.tasks.sim.families.tables import ITEMS
from gui_gym.tasks.sim.families.terminal import home, run, shell_path
from gui_gym.tasks.sim.family import Params
from gui_gym.tasks.sim.solver import Solver
from gui_gym.tasks.sim.words import CITIES, FOLDERS, LINES, SENTENCES, STEMS, note


def write_texts(solver: Solver, params: Params) -> None:
    """Write the text files that are wanted."""
    for path, lines in params["goal"]["texts"].items():
        write_text(solver, path, lines)


class FileAttachment(Errand):
    """Save what came with a mail under a new name, and note that name in a list."""

    id = "file-attachment"
    skills = ("mail", "dialog", "files", "editor", "type", "multi-app")
    has_infeasible = True

    def draw(self, brief: Brief) -> dict[str, Any]:
        *people, missing = draw_people(brief, brief.by_level(4, 6, 9))
        senders, folder = brief.sample(people, len(people)), draw_place(brief)
        mail, target = draw_mail(brief, senders), senders.index(people[0])
        names = draw_file_names(brief, 2 * len(mail), "txt")
        for i, data in enumerate(mail):
            count = brief.by_level(1, 1, 2) if i == target else brief.integer(0, 2)
            data["attachments"] = [[name, note(brief.rng, brief.integer(2, 5))] for name in names[2 * i : 2 * i + count]]
        which = brief.integer(0, len(mail[target]["attachments"]) - 1)
        name, text = mail[target]["attachments"][which]
        new, kept = f"{brief.pick(('received', 'from-mail', 'incoming'))}-{brief.integer(100, 999)}.txt", f"{brief.pick(('index', 'contents'))}.txt"
        entries = draw_file_names(brief, brief.by_level(2, 5, 9), "txt")
        instruction = wording(
            brief,
            [
                "Save the file {name} that {who} has mailed in the folder {folder} as {new}. Then add the line {new} at the end of {kept} there.",
                "Put the attachment {name} of the mail from {who} into {folder}, under the name {new}, and note it: the last line of {kept} in that "
                "folder shall be {new}.",
                "{who} has sent {name} by mail. It belongs into {folder} as {new}; write {new} as another line below those in {kept} of that folder.",
            ],
            name=quoted(name),
            who=quoted(people[0] if brief.feasible else missing),
            folder=quoted(folder),
            new=quoted(new),
            kept=quoted(kept),
        )
        goal = {"files": {f"{folder}/{new}": text}, "texts": {f"{folder}/{kept}": [*entries, new]}}
        files = {f"{folder}/{kept}": "".join(f"{entry}\n" for entry in entries)}
        files |= {f"{folder}/{entry}": note(brief.rng, 2) for entry in entries}
        return self.drawn(brief, instruction, goal, shown(brief, f"{folder}/{kept}", "mail"), mail=mail, files=files, about=target, which=which)

    def solve(self, solver: Solver, params: Params) -> None:
        if not reached(solver.state, params["goal"], "files"):
            path = next(iter(params["goal"]["files"]))
            save_attachment(solver, as_message(params["mail"][params["about"]]), params["which"], home(path))
        write_texts(solver, params)


class FindHiddenFile(Errand):
    """Have hidden files shown, and say how large one is: a named one, on hard tasks the largest."""

    id = "find-hidden-file"
    skills = ("settings", "files", "read", "answer", "multi-app")
    has_infeasible = True
    max_steps = 20

    def draw(self, brief: Brief) -> dict[str, Any]:
        folder = f"Documents/{brief.pick(FOLDERS)}"
        *names, missing = [f".{stem}{brief.integer(10, 99)}" for stem in brief.sample(STEMS, brief.by_level(3, 5, 7) + 1)]
        texts = [note(brief.rng, lines) for lines in brief.sample(range(1, 16), len(names))]
        plain = draw_file_names(brief, brief.by_level(3, 5, 8), "txt")
        files = {f"{folder}/{name}": text for name, text in zip(names, texts, strict=True)}
        files |= {f"{folder}/{name}": note(brief.rng, brief.integer(8, 16)) for name in plain}
        largest = brief.feasible and brief.by_level(False, False, brief.chance(0.5))
        at = max(range(len(names)), key=lambda i: size_of(texts[i])) if largest else brief.integer(0, len(names) - 1)
        tie = [size_of(text) for text in texts].count(size_of(texts[at])) > 1
        what = "the largest of the hidden files" if largest and not tie else f"the hidden file {quoted(names[at] if brief.feasible else missing)}"
        instruction = wording(
            brief,
            [
                "Turn {setting} on in the settings. Then answer with the size in bytes of {what} in the folder {folder}.",
                "How many bytes has {what} in {folder}? Turn on {setting} to see it, and leave it on. Answer with the number.",
                "Have hidden files shown ({setting} in the settings) and say how large {what} in {folder} is: answer with the number of bytes.",
            ],
            setting=quoted(brief.label(caption("hidden_files"))),
            what=what,
            folder=quoted(folder),
        )
        goal = {"settings": {"hidden_files": True}, "answer": str(size_of(texts[at]))}
        shuffled = {path: files[path] for path in brief.sample(sorted(files), len(files))}
        return self.drawn(brief, instruction, goal, shown(brief, f"files:{folder}"), files=shuffled, folder=folder)

    def solve(self, solver: Solver, params: Params) -> None:
        if not reached(solver.state, params["goal"], "settings"):
            set_setting(solver, "hidden_files", True)
        look_into(solver, params["folder"])
        solver.answer(params["goal"]["answer"])


class CountAndNote(Errand):
    """Count the lines of a long file that say something, and write the numbers into another file."""

    id = "count-and-note"
    skills = ("terminal", "read", "count", "editor", "type", "multi-app")
    has_infeasible = True
    max_steps = 30

    def draw(self, brief: Brief) -> dict[str, Any]:
        folder, words = f"Documents/{brief.pick(FOLDERS)}", brief.sample(("ERROR", "WARNING", "INFO", "DEBUG", "NOTICE"), 4)
        *logs, missing = [f"{stem}{brief.integer(10, 99)}.log" for stem in brief.sample(STEMS, brief.by_level(1, 3, 4) + 1)]
        files: dict[str, str] = {}
        for log in logs:
            lines = []
            for _ in range(brief.by_level(14, 60, 140) + brief.integer(0, 30)):
                moment = f"{brief.integer(0, 23):02d}:{brief.integer(0, 59):02d}"
                lines.append(f"{moment} {brief.pick(words)} {brief.pick(('disk', 'network', 'printer', 'mail', 'backup'))} {brief.integer(1, 99)}")
            files[f"{folder}/{log}"] = "".join(f"{line}\n" for line in sorted(lines))
        asked, text = words[: brief.by_level(1, 1, 2)], files[f"{folder}/{logs[0]}"]
        counts = [sum(f" {word} " in line for line in text.splitlines()) for word in asked]
        target = f"{folder}/{brief.pick(('count', 'result', 'number'))}{brief.integer(10, 99)}.txt"
        there = brief.by_level(True, False, False)
        if there:
            files[target] = ""
        lines = [str(counts[0])] if len(asked) == 1 else [f"{word} {n}" for word, n in zip(asked, counts, strict=True)]
        instruction = wording(
            brief,
            [
                "Count the lines of {log} in {folder} that contain {words}, and write {form} into {file} in that folder.",
                "How many lines of the file {log} in {folder} have the word {words}? Write {form} into {file} there.",
                "How many lines of {log} in the folder {folder} contain {words}? Let {file} there hold {form}.",
            ],
            log=quoted(logs[0] if brief.feasible else missing),
            folder=quoted(folder),
            words=listed(asked, "or"),
            form="just the number" if len(asked) == 1 else f"for each of the two words, in this order, a line such as {quoted('FATAL 7')}",
            file=f"the {'empty' if there else 'new'} file {quoted(target.rpartition('/')[2])}",
        )
        open_ = shown(brief, target, "terminal") if there else shown(brief, "terminal", f"files:{folder}")
        return self.drawn(brief, instruction, {"texts": {target: lines}}, open_, files=files, log=f"{folder}/{logs[0]}", asked=asked)

    def solve(self, solver: Solver, params: Params) -> None:
        if not reached(solver.state, params["goal"], "texts"):
            for word in params["asked"]:
                run(solver, f"grep -c {word} {shell_path(params['log'])}")
            write_texts(solver, params)


class SortDownloads(Errand):
    """Move the downloads of some kinds to where the rules in a text file say, and on harder tasks delete the empty ones."""

    id = "sort-downloads"
    skills = ("read", "files", "terminal", "drag", "care", "multi-app")
    has_infeasible = True
    max_steps = 26

    def draw(self, brief: Brief) -> dict[str, Any]:
        kinds, count = brief.sample(("txt", "csv", "log", "md"), 4), brief.by_level(5, 9, 14)
        ruled = kinds[: brief.by_level(1, 2, 3)]
        endings = [*ruled, *(brief.pick(kinds) for _ in range(count - len(ruled)))]
        names = [f"{stem}{brief.integer(10, 99)}.{ending}" for stem, ending in zip(brief.sample(STEMS, count), endings, strict=True)]
        empty = brief.sample(names[len(ruled) :], brief.by_level(0, 1, 3))
        texts = {f"Downloads/{name}": "" if name in empty else note(brief.rng, brief.integer(1, 5)) for name in brief.sample(names, count)}
        folders = {ending: f"Documents/{folder}" for ending, folder in zip(ruled, brief.sample(FOLDERS, len(ruled)), strict=True)}
        moved = {name: f"{folders[ending]}/{name}" for name, ending in zip(names, endings, strict=True) if ending in folders and name not in empty}
        rules = [f"Files that end in .{ending} go to {folder}" for ending, folder in folders.items()]
        rules += ["Empty files of any kind are deleted"] if empty else []
        rules = [*brief.sample(rules, len(rules)), "All others stay in Downloads"]
        here, missing = [f"{brief.pick(('rules', 'order', 'tidy'))}{number}.txt" for number in brief.sample(range(10, 100), 2)]
        path = f"Documents/{here}"
        instruction = wording(
            brief,
            [
                "Sort the files in {downloads} by the rules in {rules}, which is in {documents}.",
                "Tidy up the folder {downloads}: the file {rules} in {documents} says where its files belong.",
                "Do what {rules} in {documents} says with the files in {downloads}.",
            ],
            downloads=quoted("Downloads"),
            documents=quoted("Documents"),
            rules=quoted(here if brief.feasible else missing),
        )
        goal = {"files": {target: texts[f"Downloads/{name}"] for name, target in moved.items()}}
        gone = {"gone": [f"Downloads/{name}" for name in [*moved, *empty]]}
        files = {**texts, path: "".join(f"{rule}\n" for rule in rules), **{f"{folder}/kept.txt": note(brief.rng, 2) for folder in folders.values()}}
        open_ = shown(brief, path, "files:Downloads")
        return self.drawn(brief, instruction, goal | gone, open_, files=files, rules=path, empty=empty, moved=moved)

    def solve(self, solver: Solver, params: Params) -> None:
        if all(reached(solver.state, params["goal"], part) for part in params["goal"]):
            return
        document(solver, params["rules"])
        gone = [f"Downloads/{name}" for name in params["empty"] if home(f"Downloads/{name}") in solver.state.files]
        if gone:
            run(solver, f"rm {' '.join(map(shell_path, gone))}")
        for folder in sorted({path.rpartition("/")[0] for path in params["moved"].values()}):
            left = [f"Downloads/{name}" for name, path in params["moved"].items() if path == f"{folder}/{name}"]
            left = [path for path in left if home(path) in solver.state.files]
            if left:
                run(solver, f"mv {' '.join(map(shell_path, left))} {shell_path(folder)}")


class BackUpListed(Errand):
    """Copy the files that a list names into a new folder."""

    id = "back-up-listed"
    skills = ("read", "files", "terminal", "menu", "care", "multi-app")
    has_infeasible = True
    max_steps = 26

    def draw(self, brief: Brief) -> dict[str, Any]:
        folder, target = f"Documents/{brief.pick(FOLDERS)}", f"{brief.pick(('backup', 'safe', 'copies'))}-{brief.integer(10, 999)}"
        names = draw_file_names(brief, brief.by_level(4, 8, 14), brief.pick(("txt", "md")))
        wanted = brief.sample(names, brief.by_level(2, 3, 5))
        numbers = brief.sample(range(10, 100), brief.by_level(1, 2, 3) + 1)
        *lists, missing = [f"{brief.pick(('keep', 'important', 'list'))}{number}.txt" for number in numbers]
        files = {f"{folder}/{name}": note(brief.rng, brief.integer(1, 6)) for name in names}
        for i, name in enumerate(lists):
            files[f"Documents/{name}"] = "".join(f"{each}\n" for each in (wanted if i == 0 else brief.sample(names, len(wanted))))
        instruction = wording(
            brief,
            [
                "Copy the files that {list} in {documents} names from {folder} into a new folder {target} in {documents}.",
                "Make a folder {target} in {documents}, and put a copy of each file that {list} there lists into it. The files are in {folder}.",
                "Back up: {list} in {documents} says which files of {folder} shall be copied to the new folder {target} in {documents}.",
            ],
            list=quoted(lists[0] if brief.feasible else missing),
            documents=quoted("Documents"),
            folder=quoted(folder),
            target=quoted(target),
        )
        goal = {"files": {f"Documents/{target}/{name}": files[f"{folder}/{name}"] for name in wanted}}
        open_ = shown(brief, f"Documents/{lists[0]}", f"files:{folder}")
        listing = f"Documents/{lists[0]}"
        return self.drawn(brief, instruction, goal, open_, files=files, listing=listing, folder=folder, target=f"Documents/{target}")

    def solve(self, solver: Solver, params: Params) -> None:
        if reached(solver.state, params["goal"], "files"):
            return
        document(solver, params["listing"])
        names = [path.rpartition("/")[2] for path in params["goal"]["files"]]
        run(solver, f"mkdir -p {shell_path(params['target'])}")
        run(solver, f"cd {shell_path(params['folder'])}; cp {' '.join(names)} {shell_path(params['target'])}")


class WriteInvoice(Errand):
    """Write the invoice of an order that came by mail, after a template; on harder tasks the amount has to be worked out."""

    id = "write-invoice"
    skills = ("read", "reason", "mail", "editor", "files", "type", "multi-app")
    has_infeasible = True
    max_steps = 30

    def draw(self, brief: Brief) -> dict[str, Any]:
        *people, missing = draw_people(brief, brief.by_level(4, 6, 9))
        order, said, orders, total = brief.sample(range(len(people)), len(people)), {}, [], brief.by_level(False, True, True)
        for i in range(len(people)):
            count, price, item, city = brief.integer(2, 40), brief.integer(3, 60), brief.pick(ITEMS), brief.pick(CITIES)
            orders.append({"[NAME]": people[i], "[CITY]": city, "[COUNT]": str(count), "[ITEM]": item, "[TOTAL]": str(count * price)})
            if i == 0 or brief.chance(brief.by_level(0.3, 0.5, 0.8)):
                said[order.index(i)] = f"Please send {count} {item} to {city}. We agreed on {price} euros for each of them."
        marks = brief.sample(("[NAME]", "[CITY]"), brief.by_level(1, 1, 2)) + ["[COUNT]", "[ITEM]"] + (["[TOTAL]"] if total else [])
        forms = {
            "[NAME]": "To: [NAME]",
            "[CITY]": "Place: [CITY]",
            "[COUNT]": "Number: [COUNT]",
            "[ITEM]": "Goods: [ITEM]",
            "[TOTAL]": "Total: [TOTAL] euros",
        }
        middle = [forms[mark] for mark in brief.sample(marks, len(marks))]
        lines = [brief.pick(("Invoice", "Bill", "Your order")), *middle, brief.pick((*LINES, *SENTENCES))]
        folder, (template, other) = draw_place(brief), draw_file_names(brief, 2, "txt")
        new = f"{folder}/{brief.pick(('invoice', 'bill'))}-{brief.integer(100, 999)}.txt"
        filled = [self._fill(line, orders[0]) for line in lines]
        instruction = wording(
            brief,
            [
                "{who} has ordered something by mail. Write the invoice as the new file {new} in {folder}: the text of the template {template} "
                "there, with the order's values in the place of {marks}.",
                "Make an invoice for the order that {who} mailed. It is a copy of {template} in {folder}, called {new}, in which {marks} are "
                "replaced by what the mail says.",
                "Take the template {template} in {folder}, replace {marks} by the values of the order in the mail from {who}, and save it there "
                "under the new name {new}. The template stays as it is.",
            ],
            who=quoted(people[0] if brief.feasible else missing),
            new=quoted(new.rpartition("/")[2]),
            folder=quoted(folder),
            template=quoted(template),
            marks=listed(marks),
        )
        if total:
            instruction += f" {quoted('[TOTAL]')} is the number times the price, a plain number."
        files = {f"{folder}/{template}": "".join(f"{line}\n" for line in lines), f"{folder}/{other}": note(brief.rng, 4)}
        mail, open_ = draw_mail(brief, [people[i] for i in order], said), shown(brief, f"{folder}/{template}", "mail")
        target = {"about": order.index(0), "template": f"{folder}/{template}"}
        return self.drawn(brief, instruction, {"texts": {new: filled}}, open_, mail=mail, files=files, **target)

    @staticmethod
    def _fill(line: str, values: Params) -> str:
        for mark, value in values.items():
            line = line.replace(mark, value)
        return line

    def solve(self, solver: Solver, params: Params) -> None:
        if not reached(solver.state, params["goal"], "texts"):
            read_mail(solver, params)
            document(solver, params["template"])
            write_texts(solver, params)
