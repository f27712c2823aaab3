"""Message boxes: answer the one that is meant, in the way that is asked."""

from __future__ import annotations

from typing import Any

import numpy as np

from gui_gym.desktops.sim.apps.dialog import Dialog
from gui_gym.desktops.sim.layout import Column, place, put_over
from gui_gym.desktops.sim.session import Session
from gui_gym.desktops.sim.state import State, Window
from gui_gym.desktops.sim.widgets.basic import Button, CheckBox
from gui_gym.tasks.sim.brief import Brief
from gui_gym.tasks.sim.families.common import box_width, flow, handed_in, paragraph, quoted, submissions, width_for, wording
from gui_gym.tasks.sim.family import Family, Params, pick
from gui_gym.tasks.sim.solver import Solver
from gui_gym.tasks.sim.words import OPTIONS, SENTENCES, STEMS, filename
from gui_gym.verifiers.score import Outcome

#: What message boxes ask about a file, with their buttons.
QUESTIONS: dict[str, tuple[str, ...]] = {
    "Save the changes to {}?": ("Save", "Don't save", "Cancel"),
    "Delete {} for good?": ("Delete", "Cancel", "Details"),
    "Replace {}?": ("Replace", "Rename", "Skip", "Cancel"),
}


class AnswerMessage(Family):
    """One or more message boxes, each over the window it is about; one is to be answered with the button that is named, the others left."""

    id = "answer-message"
    skills = ("click", "dialog", "checkbox", "read")
    max_steps = 12
    min_size = (300, 190)

    def draw(self, brief: Brief) -> dict[str, Any]:
        files = [filename(stem, brief.rng) for stem in brief.sample(STEMS, brief.by_level(1, 2, 3))]
        question = brief.pick(sorted(QUESTIONS))  # hard boxes all ask the same
        boxes = []
        for file in files:
            asked = brief.by_level(question, brief.pick(sorted(QUESTIONS)), question)
            boxes.append({"file": file, "text": brief.label(asked).format(file), "buttons": brief.labels(QUESTIONS[asked])})
        at = brief.integer(0, len(files) - 1)
        button = brief.pick(boxes[at]["buttons"])
        choices = [
            "Check {again} in the message about {file} and answer it with {button}.",
            "A message asks something about {file}: tick {again} there and press {button}.",
            "In the message box that mentions {file}, turn on {again}, then click {button}, and leave everything else open.",
        ]
        instruction = wording(brief, choices, file=quoted(files[at]), button=quoted(button), again=quoted(brief.label("Don't ask again")))
        return {"instruction": instruction, "boxes": boxes, "target": at, "button": button}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        for i in rng.permutation(len(params["boxes"])):
            number, size = int(i), session.look.size
            box = params["boxes"][number]
            owner = Window(id=f"window{number}", title=box["file"])
            column = Column(session, owner, width_for(session, int(rng.integers(20, 28))))
            paragraph(column, pick(rng, SENTENCES))
            column.row(CheckBox(id="option", name=session.label(pick(rng, OPTIONS)), checked=bool(rng.integers(2))))
            column.space(int(rng.integers(3, 9)) * size.gap)
            column.finish()
            place(session, owner, rng)
            message = Dialog(id=f"message{number}", title=session.label("Warning"), modal_for=owner.id)
            message.closing = [f"button{j}" for j in range(len(box["buttons"]))]
            again = session.label("Don't ask again")
            column = Column(session, message, max(width_for(session, int(rng.integers(17, 23))), box_width(session, again)))
            paragraph(column, box["text"], "message")
            column.row(CheckBox(id="again", name=again))
            flow(column, [Button(id=f"button{j}", name=name) for j, name in enumerate(box["buttons"])], align="right")
            column.finish()
            put_over(session, message, owner)

    def may_change(self, params: Params, start: State) -> list[str]:
        return [f"submitted:message{params['target']}"]

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        at, box = params["target"], params["boxes"][params["target"]]
        there = {window.id for window in start.windows} - {f"message{at}"}
        button = f"button{box['buttons'].index(params['button'])}"
        others = [w.widget("again").value for w in state.windows if w.find("again")]
        return handed_in(state, {"again": True}, f"message{at}", button) and there <= {w.id for w in state.windows} and not any(others)

    def solve(self, solver: Solver, params: Params) -> None:
        at, box = params["target"], params["boxes"][params["target"]]
        if not submissions(solver.state):
            for i in range(len(params["boxes"])):
                if solver.widget(f"message{i}", "again").value != (i == at):
                    solver.click(f"message{i}", "again")
            solver.click(f"message{at}", f"button{box['buttons'].index(params['button'])}")

    def spoil(self, solver: Solver, params: Params) -> bool:
        solver.close(f"window{params['target']}")
        return True
