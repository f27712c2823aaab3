"""Pictures that are drawn on: shapes are marked and filled, words are written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gui_gym.desktops.sim.apps.picture_commands import TEXT_FONT
from gui_gym.desktops.sim.apps.pictures import COLORS
from gui_gym.desktops.sim.canvas import Rect
from gui_gym.desktops.sim.fonts import font
from gui_gym.desktops.sim.painting import edit
from gui_gym.desktops.sim.painting.picture import blank
from gui_gym.desktops.sim.state import State
from gui_gym.tasks.sim.brief import Brief
from gui_gym.tasks.sim.families.common import quoted, wording
from gui_gym.tasks.sim.families.picture_world import (
    PAINTS,
    PLAIN_SHAPES,
    SIGNS,
    PictureFamily,
    Scene,
    box_of,
    click_on,
    drag_over,
    draw_looks,
    draw_names,
    mask_of,
    path_of,
    picture_in,
    save,
    shapes_scene,
    take_tool,
    viewer_of,
    with_article,
)  # fmt: skip
from gui_gym.tasks.sim.family import Params
from gui_gym.tasks.sim.solver import Solver
from gui_gym.verifiers.score import Outcome

LINE = 3  #: how thick the lines of the drawing program are at first


class DrawAround(PictureFamily):
    """Draw a rectangle or an ellipse of the named colour around the named shape, and save the picture."""

    id = "draw-around-shape"
    skills = ("perceive", "drag", "draw", "save")
    min_size = (560, 360)  # to draw as exactly as it takes

    def draw(self, brief: Brief) -> dict[str, Any]:
        name = draw_names(brief, 1)[0]
        looks = draw_looks(brief, brief.by_level(3, 5, 8))
        used = {color for color, _ in looks}
        color = brief.pick([paint for paint in PAINTS if paint not in used])
        scene = shapes_scene(brief, looks)
        tool = brief.pick(brief.by_level(["rectangle"], ["rectangle", "ellipse"], ["rectangle", "ellipse"]))
        if tool == "ellipse" and oval_around(scene) is None:
            tool = "rectangle"
        instruction = wording(
            brief,
            [
                "Draw {tool} around the {shape} in {name}, and save the picture.",
                "In the picture {name}, put {tool} around the {shape}; then save it.",
                "Mark the {shape} in {name} by {tool} that encloses it and nothing else, and save.",
            ],
            tool=with_article(f"{color} {tool}"),
            shape=" ".join(looks[0]),
            name=quoted(name),
        )
        return {"instruction": instruction, "scenes": {name: scene}, "target": name, "shown": name, "tool": tool, "color": color}

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        return state.files != start.files and self._marked(state, params)

    def _marked(self, state: State, params: Params) -> bool:
        """Whether a closed line of the right colour and kind goes around the shape alone."""
        before, after = self.picture(params, params["target"]), picture_in(state, path_of(params["target"]))
        if after is None or (after.width, after.height) != (before.width, before.height):
            return False
        changed = (before.rgb != after.rgb).any(axis=2)
        if not changed.any() or (after.rgb[changed] != COLORS[params["color"]]).any():
            return False
        target, *others = [mask_of(part, (before.width, before.height)) for part in params["scenes"][params["target"]]["parts"]]
        x, y, w, h = box_of(changed)
        corners = [bool(changed[row, column]) for row in (y, y + h - 1) for column in (x, x + w - 1)]
        if any(corners) != (params["tool"] == "rectangle") or any(corners) != all(corners):
            return False
        inside = enclosed(changed, target)
        return inside is not None and not (changed & target).any() and not any((other & (changed | inside)).any() for other in others)

    def solve(self, solver: Solver, params: Params) -> None:
        if self._marked(solver.state, params):
            return
        viewer = viewer_of(solver, path_of(params["target"]))
        scene = params["scenes"][params["target"]]
        x, y, w, h = box_of(mask_of(scene["parts"][0], scene["size"]))
        by = 6
        oval = oval_around(scene) if params["tool"] == "ellipse" else None
        take_tool(solver, viewer, params["tool"], params["color"])
        drag_over(solver, viewer, oval or (x - by, y - by, w + 2 * by, h + 2 * by))
        save(solver)


def oval_around(scene: Scene) -> Rect | None:
    """A box whose ellipse encloses the first shape of a scene and touches no other, also if it is a pixel off; None if there is none."""
    size, ground = scene["size"], blank(scene["size"][0], scene["size"][1])
    target, *others = [mask_of(part, size) for part in scene["parts"]]
    taken = np.logical_or.reduce(others) if others else np.zeros_like(target)
    x, y, w, h = box_of(target)

    def oval(by: int) -> np.ndarray:
        return edit.ellipse(ground, (x - by, y - by, w + 2 * by, h + 2 * by), (0, 0, 0), filled=True).array > 0

    def fits(by: int) -> bool:
        within = x >= by and y >= by and x + w + by <= size[0] and y + h + by <= size[1]
        return within and not (target & ~oval(by - LINE)).any() and not (taken & oval(by)).any()

    fitting = [by for by in range(LINE, 24) if fits(by)]
    by = next((by for by in fitting if by - 1 in fitting and by + 1 in fitting), None)
    return None if by is None else (x - by, y - by, w + 2 * by, h + 2 * by)


def enclosed(line: np.ndarray, target: np.ndarray) -> np.ndarray | None:
    """What lies within a closed line around all of ``target``; None if the line does not enclose it."""
    height, width = line.shape
    outside = np.zeros((height + 2, width + 2), bool)
    free = np.ones((height + 2, width + 2), bool)
    free[1:-1, 1:-1] = ~line
    outside[0] = outside[-1] = True
    outside[:, 0] = outside[:, -1] = True
    while True:
        grown = outside.copy()
        grown[1:] |= outside[:-1]
        grown[:-1] |= outside[1:]
        grown[:, 1:] |= outside[:, :-1]
        grown[:, :-1] |= outside[:, 1:]
        grown &= free
        if (grown == outside).all():
            break
        outside = grown
    inside = ~outside[1:-1, 1:-1] & ~line
    return inside if (inside & target).sum() == target.sum() else None


class FillShape(PictureFamily):
    """Fill the named shape with the named colour, and save the picture."""

    id = "fill-shape"
    skills = ("perceive", "draw", "save")

    def draw(self, brief: Brief) -> dict[str, Any]:
        looks = draw_looks(brief, brief.by_level(3, 5, 8))
        color = brief.pick([paint for paint in PAINTS if paint != looks[0][0]])
        instruction = wording(
            brief,
            [
                "Fill the {shape} in {name} with {color}, and save the picture.",
                "In the picture {name}, give the {shape} the colour {color}; then save it.",
                "The {shape} in {name} shall be {color}: paint it and save the picture.",
            ],
            shape=" ".join(looks[0]),
            color=color,
            name="{name}",
        )
        return self.drawn(brief, looks, [0], color, instruction)

    def drawn(self, brief: Brief, looks: Sequence[tuple[str, str]], shapes: Sequence[int], color: str, instruction: str) -> dict[str, Any]:
        """The parameters of a task in which the shapes of these numbers get a colour."""
        name = draw_names(brief, 1)[0]
        return {
            "instruction": instruction.format(name=quoted(name)),
            "scenes": {name: shapes_scene(brief, looks)},
            "target": name,
            "shown": name,
            "color": color,
            "shapes": list(shapes),
        }

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        return state.files != start.files and self._filled(state, params)

    def _filled(self, state: State, params: Params) -> bool:
        """Whether nearly all of each shape has the colour (a pixel at a tip may hang on by its corner alone), and nothing else has changed."""
        before, after = self.picture(params, params["target"]), picture_in(state, path_of(params["target"]))
        if after is None or (after.width, after.height) != (before.width, before.height):
            return False
        parts = params["scenes"][params["target"]]["parts"]
        masks = [mask_of(parts[i], (before.width, before.height)) for i in params["shapes"]]
        changed, wanted = (before.rgb != after.rgb).any(axis=2), (after.rgb == COLORS[params["color"]]).all(axis=2)
        if (changed & ~wanted).any() or (changed & ~np.logical_or.reduce(masks)).any():
            return False
        return all(100 * (mask & wanted).sum() >= 95 * mask.sum() for mask in masks)

    def solve(self, solver: Solver, params: Params) -> None:
        if self._filled(solver.state, params):
            return
        viewer = viewer_of(solver, path_of(params["target"]))
        take_tool(solver, viewer, "fill", params["color"])
        for i in params["shapes"]:
            _, _, _, x, y, side, _ = params["scenes"][params["target"]]["parts"][i]
            middle = (x + side // 2, y + side // 2)
            if viewer.view.picture is not None and viewer.view.picture.color_at(*middle) != COLORS[params["color"]]:
                click_on(solver, viewer, *middle)
        save(solver)


class RecolourShapes(FillShape):
    """Give all shapes of one colour, or all of one kind, another colour, and save the picture."""

    id = "recolour-shapes"

    def draw(self, brief: Brief) -> dict[str, Any]:
        n, count = brief.by_level(4, 6, 10), brief.by_level(2, 3, 4)
        looks = [(brief.pick(PAINTS), brief.pick(PLAIN_SHAPES)) for _ in range(n)]
        by_color = brief.chance(0.5)
        key = looks[0][0] if by_color else looks[0][1]
        others = [paint for paint in PAINTS if paint != key] if by_color else [shape for shape in PLAIN_SHAPES if shape != key]
        for i in range(1, n):
            part = key if i < count else brief.pick(others)
            looks[i] = (part, looks[i][1]) if by_color else (looks[i][0], part)
        order = brief.sample(range(n), n)
        looks = [looks[i] for i in order]
        shapes = [at for at, i in enumerate(order) if i < count]
        color = brief.pick([paint for paint in PAINTS if all(paint != looks[i][0] for i in shapes)])
        what = f"all {key} shapes" if by_color else f"all {key}es" if key == "cross" else f"all {key}s"
        instruction = wording(
            brief,
            [
                "Paint {what} in {name} {color}, and save the picture.",
                "In the picture {name}, give {what} the colour {color}; then save it.",
                "Recolour {what} in {name}: they shall be {color}. Save the picture.",
            ],
            what=what,
            color=color,
            name="{name}",
        )
        return self.drawn(brief, looks, shapes, color, instruction)


class CaptionPicture(PictureFamily):
    """Write a word into a picture in the named colour, and save it."""

    id = "caption-picture"
    skills = ("draw", "type", "dialog", "save")

    def draw(self, brief: Brief) -> dict[str, Any]:
        names = draw_names(brief, brief.by_level(1, 2, 3))
        scenes = {name: shapes_scene(brief, draw_looks(brief, 2)) for name in names}
        for scene in scenes.values():
            scene["parts"] = [part for part in scene["parts"] if part[4] + part[5] <= 76]  # room for the words below
        word = brief.pick([sign.capitalize() for sign in SIGNS]) + brief.by_level("", f" {brief.integer(2, 99)}", f" {brief.integer(100, 999)}")
        color = brief.pick(brief.by_level(["black"], ["black", "red", "blue", "green"], ["red", "blue", "green", "purple"]))
        instruction = wording(
            brief,
            [
                "Write {word} in {color} into the picture {name}, and save it.",
                "Add the words {word} in {color} to {name} by the text tool, and save the picture.",
                "The picture {name} needs the caption {word} in {color}. Write it anywhere into the picture and save.",
            ],
            word=quoted(word),
            color=color,
            name=quoted(names[0]),
        )
        return {"instruction": instruction, "scenes": scenes, "target": names[0], "shown": names[-1], "word": word, "color": color}

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        return state.files != start.files and self._written(state, params)

    def _written(self, state: State, params: Params) -> bool:
        """Whether the words are all that was added, wherever they are."""
        before, after = self.picture(params, params["target"]), picture_in(state, path_of(params["target"]))
        if after is None or (after.width, after.height) != (before.width, before.height):
            return False
        changed = (before.rgb != after.rgb).any(axis=2)
        if not changed.any():
            return False
        x, y, _, _ = box_of(changed)
        alone = edit.write(edit.rectangle(before, (0, 0, before.width, before.height), (1, 2, 3), filled=True), (40, 40), params["word"],
                           font(*TEXT_FONT), COLORS[params["color"]])  # fmt: skip
        ink = box_of((alone.rgb != (1, 2, 3)).any(axis=2))
        wanted = edit.write(before, (40 + x - ink[0], 40 + y - ink[1]), params["word"], font(*TEXT_FONT), COLORS[params["color"]])
        return wanted.same_as(after)

    def solve(self, solver: Solver, params: Params) -> None:
        if self._written(solver.state, params):
            return
        viewer = viewer_of(solver, path_of(params["target"]))
        take_tool(solver, viewer, "text", params["color"])
        click_on(solver, viewer, 20, 92)
        solver.type(params["word"] + "\n")
        save(solver)
