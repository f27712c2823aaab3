"""Trees: find an entry by opening the folders it is in."""

from __future__ import annotations

from typing import Any

import numpy as np

from gui_gym.desktops.sim.apps.dialog import Dialog
from gui_gym.desktops.sim.layout import Column, place
from gui_gym.desktops.sim.session import Session
from gui_gym.desktops.sim.widgets.outline import BETWEEN, Node
from gui_gym.desktops.sim.widgets.tree import Tree
from gui_gym.tasks.sim.brief import Brief
from gui_gym.tasks.sim.families.common import DialogFamily, clutter, dialog_width, ok_cancel, quoted, room_for_list, wording
from gui_gym.tasks.sim.family import Params
from gui_gym.tasks.sim.solver import Solver
from gui_gym.tasks.sim.words import FOLDERS, STEMS, TITLES, filename


class SelectInTree(DialogFamily):
    """Open the folders of a tree, select the file that is named in the folder that is named, and press OK."""

    id = "select-in-tree"
    skills = ("click", "tree", "scroll", "read")
    max_steps = 24
    has_infeasible = True

    def draw(self, brief: Brief) -> dict[str, Any]:
        folders = brief.sample(FOLDERS, brief.by_level(2, brief.integer(3, 4), brief.integer(5, 6)))
        names = [filename(stem, brief.rng) for stem in brief.sample(STEMS, brief.by_level(5, 8, 12))]
        *names, missing = names
        paths = []
        for folder in folders:
            inner = brief.sample([name for name in FOLDERS if name != folder], brief.by_level(0, 1, 2))
            homes = [folder, *(f"{folder}{BETWEEN}{name}" for name in inner)]
            for home in homes:  # a name is in several folders, so that the folder counts
                paths += [f"{home}{BETWEEN}{name}" for name in brief.sample(names, brief.by_level(2, 2, 3))]
        among = [path for path in paths if path.count(BETWEEN) == brief.by_level(1, 2, 2)]
        target = brief.pick(among)
        home, _, name = target.rpartition(BETWEEN)
        where = ", in ".join(quoted(part) for part in reversed(home.split(BETWEEN)))
        choices = [
            "In the tree, select {file} in the folder {where}, and press {ok}.",
            "Find the file {file} of the folder {where}, select it and confirm with {ok}.",
            "Choose {file}, which is in {where}, then click {ok}.",
        ]
        parts = {"file": quoted(name if brief.feasible else missing), "where": where}
        return {"instruction": wording(brief, choices, **parts), "paths": paths, "target": target, "title": brief.label(brief.pick(TITLES))}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        clutter(session, rng)
        roots: list[Node] = []
        for path in params["paths"]:
            nodes = roots
            for name in path.split(BETWEEN):
                node = next((node for node in nodes if node.name == name), None)
                if node is None:
                    node = Node(name)
                    nodes.append(node)
                nodes = node.nodes
        dialog = Dialog(id="dialog", title=params["title"])
        column = Column(session, dialog, dialog_width(session, int(rng.integers(18, 25))))
        height = min(room_for_list(session, column), int(rng.integers(13, 20)) * session.look.size.font)
        column.row(Tree(id="tree", name=session.label("Folder"), nodes=roots), height=height)
        ok_cancel(session, column)
        place(session, dialog, rng)

    def values(self, params: Params) -> dict[str, Any]:
        return {"tree": params["target"]}

    def fill(self, solver: Solver, params: Params) -> None:
        solver.open_path("dialog", "tree", params["target"])
