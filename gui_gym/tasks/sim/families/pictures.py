"""Pictures: turned, cropped, copied, found and read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from gui_gym.actions import Key, Modifier
from gui_gym.desktops.sim.apps.file_dialog import FileDialog
from gui_gym.desktops.sim.apps.pictures import COLORS
from gui_gym.desktops.sim.filesystem import HOME
from gui_gym.desktops.sim.painting import edit
from gui_gym.desktops.sim.painting.picture import Picture
from gui_gym.desktops.sim.state import State
from gui_gym.tasks.sim.brief import Brief
from gui_gym.tasks.sim.families.common import quoted, said_number, wording
from gui_gym.tasks.sim.families.picture_world import (
    FOLDER,
    PAINTS,
    PLAIN_SHAPES,
    SIGNS,
    PictureFamily,
    command,
    drag_over,
    draw_looks,
    draw_names,
    landscape,
    path_of,
    picture_in,
    render,
    save,
    shapes_scene,
    shows,
    take_tool,
    viewer_of,
    with_article,
)  # fmt: skip
from gui_gym.tasks.sim.family import Params
from gui_gym.tasks.sim.solver import Solver
from gui_gym.verifiers.score import Outcome


class RotatePicture(PictureFamily):
    """Turn a picture until it stands upright, and save it. On harder tasks it has to be found in its folder first."""

    id = "rotate-picture"
    skills = ("perceive", "pictures", "save")

    def draw(self, brief: Brief) -> dict[str, Any]:
        names = draw_names(brief, brief.by_level(1, 2, 4))
        scenes = {name: landscape(brief, brief.pick(SIGNS)) for name in names}
        turned = {name: brief.integer(1, 3) if i == 0 else brief.integer(0, 3) for i, name in enumerate(names)}
        instruction = wording(
            brief,
            [
                "Turn the picture {name} until it stands upright, and save it.",
                "The picture {name} is not upright. Turn it the right way up and save the change.",
                "Rotate {name} so that its sign can be read, then save.",
            ],
            name=quoted(names[0]),
        )
        shown = names[brief.by_level(0, -1, -1)]
        return {"instruction": instruction, "scenes": scenes, "turned": turned, "target": names[0], "shown": shown}

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        return state.files != start.files and shows(state, path_of(params["target"]), render(params["scenes"][params["target"]]))

    def solve(self, solver: Solver, params: Params) -> None:
        path = path_of(params["target"])
        upright = render(params["scenes"][params["target"]])
        viewer = viewer_of(solver, path)
        here = viewer.view.picture
        quarters = next((n for n in range(4) if here is not None and edit.turn(here, n).same_as(upright)), 0)
        for _ in range(1 if quarters == 3 else quarters):
            solver.click(viewer.id, f"button turn {'left' if quarters == 3 else 'right'}")
        if quarters:
            save(solver)


class CropPicture(PictureFamily):
    """Crop a picture to what is in a frame that is drawn in it, and save it."""

    id = "crop-picture"
    skills = ("perceive", "drag", "pictures", "save")
    slack = 3  #: pixels that each side may be outside of the frame's

    def draw(self, brief: Brief) -> dict[str, Any]:
        name = draw_names(brief, 1)[0]
        scene = shapes_scene(brief, draw_looks(brief, brief.by_level(3, 5, 8)))
        color, *others = brief.sample(["red", "blue", "green", "purple"], brief.by_level(1, 2, 3))
        frames: list[tuple[str, int, int, int, int]] = []
        columns = len(others) + 1
        for i, other in zip(brief.sample(range(columns), columns), [color, *others], strict=True):
            wide = 160 // columns
            w, h = brief.integer(max(32, wide // 2), wide - 8), brief.integer(40, 96)
            x, y = i * wide + brief.integer(2, wide - w - 2), brief.integer(4, 116 - h)
            frames.append((other, x, y, w, h))
        for other, x, y, w, h in frames:
            for box in ([x, y, w, 2], [x, y + h - 2, w, 2], [x, y, 2, h], [x + w - 2, y, 2, h]):
                scene["parts"].append(["box", list(COLORS[other]), *box])
        instruction = wording(
            brief,
            [
                "Crop the picture {name} to what is in the {color} frame, and save it.",
                "Cut the {color} frame with all that is in it out of {name}: crop the picture to it and save it.",
                "Of the picture {name} only the part within the {color} frame shall be left. Crop it and save.",
            ],
            name=quoted(name),
            color=color,
        )
        return {"instruction": instruction, "scenes": {name: scene}, "target": name, "shown": name, "frame": list(frames[0][1:])}

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        return state.files != start.files and self._cropped(state, params)

    def _cropped(self, state: State, params: Params) -> bool:
        """Whether what is left is what the frame holds, give or take a few pixels."""
        found, before = picture_in(state, path_of(params["target"])), self.picture(params, params["target"])
        if found is None:
            return False
        x, y, w, h = params["frame"]
        low, high = -2, self.slack  # how far each side may lie inside of the frame's outer edge, and outside
        for left in range(max(0, x - high), x - low + 1):
            for top in range(max(0, y - high), y - low + 1):
                right, bottom = left + found.width, top + found.height
                if low <= right - x - w <= high and low <= bottom - y - h <= high and right <= before.width and bottom <= before.height:
                    if edit.crop(before, (left, top, found.width, found.height)).same_as(found):
                        return True
        return False

    def solve(self, solver: Solver, params: Params) -> None:
        if self._cropped(solver.state, params):
            return
        viewer = viewer_of(solver, path_of(params["target"]))
        take_tool(solver, viewer, "select")
        drag_over(solver, viewer, tuple(params["frame"]))
        command(solver, viewer, "Edit", "Crop to selection")
        save(solver)


class SavePictureAs(PictureFamily):
    """Save a picture under another name or in another folder, on harder tasks changed; the first file stays as it is."""

    id = "save-picture-as"
    skills = ("pictures", "dialog", "type", "save")
    changes = {"mirrored": "flip", "turned to the left": "turn left", "turned to the right": "turn right"}

    def draw(self, brief: Brief) -> dict[str, Any]:
        names = draw_names(brief, brief.by_level(1, 2, 4) + 1)
        new = names.pop()
        scenes = {name: landscape(brief, brief.pick(SIGNS)) for name in names}
        folder = brief.pick(brief.by_level(["Pictures"], ["Pictures", "Documents"], ["Documents", "Downloads"]))
        change = brief.by_level("", "", brief.pick(list(self.changes)))
        how = f", {change}," if change else ""
        instruction = wording(
            brief,
            [
                "Save the picture {name}{how} as {new} in the folder {folder}; {name} itself stays as it is.",
                "Make a copy of {name}{how} called {new} in the folder {folder}, without changing {name}.",
                "Store {name}{how} under the name {new} in {folder} as well, and leave the file {name} alone.",
            ],
            name=quoted(names[0]),
            how=how,
            new=quoted(new),
            folder=quoted(folder),
        )
        return {
            "instruction": instruction, "scenes": scenes, "target": names[0], "shown": names[-1], "new": f"{HOME}/{folder}/{new}", "change": change,
        }  # fmt: skip

    def may_change(self, params: Params, start: State) -> Sequence[str]:
        return ["closed:*", f"file:{params['new']}"]

    def _wanted(self, params: Params) -> Picture:
        picture = self.picture(params, params["target"])
        way = self.changes.get(params["change"], "")
        return edit.flip(picture) if way == "flip" else edit.turn(picture, {"": 0, "turn left": 3, "turn right": 1}[way])

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        return params["new"] in state.files and shows(state, params["new"], self._wanted(params))

    def solve(self, solver: Solver, params: Params) -> None:
        if shows(solver.state, params["new"], self._wanted(params)):
            return
        viewer = viewer_of(solver, path_of(params["target"]))
        if params["change"]:
            solver.click(viewer.id, f"button {self.changes[params['change']]}")
        command(solver, viewer, "File", "Save as")
        dialog = next(window for window in reversed(solver.state.windows) if isinstance(window, FileDialog))
        solver.fill(dialog.id, "name", params["new"])
        solver.press(Key.ENTER)

    def spoil(self, solver: Solver, params: Params) -> bool:
        viewer = viewer_of(solver, params["new"])
        solver.click(viewer.id, "button turn left")
        solver.press(Key.S, Modifier.CTRL)
        return True


class FindPicture(PictureFamily):
    """Say which picture shows the named shapes."""

    id = "find-picture"
    skills: ClassVar[tuple[str, ...]] = ("perceive", "pictures", "answer")
    has_infeasible = True
    max_steps = 24

    def draw(self, brief: Brief) -> dict[str, Any]:
        count, n = brief.by_level(4, 6, 9), brief.by_level(2, 4, 5)
        names = draw_names(brief, count)
        wanted = draw_looks(brief, brief.by_level(1, 2, 2))
        pairs = [(color, shape) for color in PAINTS for shape in PLAIN_SHAPES if (color, shape) not in wanted]
        near = [pair for pair in pairs if any(pair[0] == color or pair[1] == shape for color, shape in wanted)]
        scenes = {}
        for i, name in enumerate(names):
            looks = brief.sample(near, min(2, n)) + brief.sample(pairs, n - min(2, n))
            if i == 0 and brief.feasible:
                looks[: len(wanted)] = wanted
            elif len(wanted) > 1 and brief.chance(0.6):
                looks[0] = brief.pick(wanted)  # one of them alone is not enough
            scenes[name] = shapes_scene(brief, list(dict.fromkeys(looks)))
        what = " and ".join(with_article(" ".join(look)) for look in wanted)
        instruction = wording(
            brief,
            [
                "Which picture in the folder Pictures shows {what}? Answer with the name of the file.",
                "Look through the pictures in the folder Pictures for the one with {what}, and answer with its file name.",
                "One of the pictures has {what} in it. Which one? Answer with the file's name.",
            ],
            what=what,
        )
        return {"instruction": instruction, "scenes": {name: scenes[name] for name in sorted(names)}, "target": names[0], "shown": brief.pick(names)}

    def may_change(self, params: Params, start: State) -> Sequence[str]:
        return ["closed:*"]

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        said = (outcome.answer or "").strip().strip("“”\"'.").removeprefix(f"{FOLDER}/").casefold().removesuffix(".pic")
        return said == params["target"].removesuffix(".pic")

    def solve(self, solver: Solver, params: Params) -> None:
        viewer_of(solver, path_of(params["target"]))
        solver.answer(params["target"])

    def spoil(self, solver: Solver, params: Params) -> bool:
        return False


class ReadSign(FindPicture):
    """Say which number is on the sign in a picture."""

    id = "read-sign"
    skills = ("perceive", "read", "pictures", "answer")
    has_infeasible = False

    def draw(self, brief: Brief) -> dict[str, Any]:
        names = draw_names(brief, brief.by_level(2, 4, 7))
        digits = brief.by_level(3, 4, 6)
        numbers = [str(brief.integer(10 ** (digits - 1), 10**digits - 1)) for _ in names]
        scenes = {name: landscape(brief, number) for name, number in zip(names, numbers, strict=True)}
        turned = {name: brief.by_level(0, 0, brief.integer(0, 3)) for name in names}
        instruction = wording(
            brief,
            [
                "Which number is on the sign in the picture {name}? Answer with the number.",
                "Look at {name} and answer with the number that its sign says.",
                "Read the sign in the picture {name}; answer with its number alone.",
            ],
            name=quoted(names[0]),
        )
        shown = names[-1]
        return {"instruction": instruction, "scenes": scenes, "turned": turned, "target": names[0], "shown": shown, "number": numbers[0]}

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        return said_number(outcome.answer, params["number"])

    def solve(self, solver: Solver, params: Params) -> None:
        viewer_of(solver, path_of(params["target"]))
        solver.answer(params["number"])
