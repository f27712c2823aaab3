"""The pictures of tasks: how they are drawn, opened, worked on and compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from gui_gym.actions import Action, Key, Modifier
from gui_gym.desktops.sim.apps.pictures import COLORS, Pictures, make_pictures
from gui_gym.desktops.sim.canvas import Color, Rect
from gui_gym.desktops.sim.filesystem import HOME
from gui_gym.desktops.sim.fonts import font
from gui_gym.desktops.sim.layout import place
from gui_gym.desktops.sim.painting import edit
from gui_gym.desktops.sim.painting.picture import Picture, PictureError, blank, read_picture, write_picture
from gui_gym.desktops.sim.session import Session
from gui_gym.desktops.sim.state import State
from gui_gym.desktops.sim.widgets.shapes import Point
from gui_gym.desktops.sim.widgets.swatches import Swatches
from gui_gym.tasks.sim.brief import Brief
from gui_gym.tasks.sim.families.common import clutter
from gui_gym.tasks.sim.family import Family, Params
from gui_gym.tasks.sim.solver import Solver
from gui_gym.tasks.sim.words import STEMS
from gui_gym.tasks.task import TaskError
from gui_gym.verifiers.score import Outcome

FOLDER = f"{HOME}/Pictures"
SIZE = (160, 120)
SHAPES = ("circle", "triangle", "square", "pentagon", "hexagon", "star", "diamond", "cross", "arrow")
#: What shapes can be coloured with: the colours of the drawing program that are easily told apart.
PAINTS = ("black", "brown", "red", "orange", "yellow", "green", "turquoise", "blue", "purple", "pink")
_GROUNDS: tuple[Color, ...] = ((250, 246, 232), (226, 238, 250), (232, 246, 232), (246, 232, 244), (240, 240, 240), (255, 255, 255))
_SKIES: tuple[Color, ...] = ((176, 214, 246), (214, 232, 246), (250, 214, 180), (62, 78, 122))
_MEADOWS: tuple[Color, ...] = ((112, 178, 96), (196, 178, 120), (232, 236, 240), (90, 140, 84))
_LEAVES: tuple[Color, ...] = ((46, 120, 66), (200, 120, 40))

Scene = Mapping[str, Any]  #: a picture as data: see :func:`render`


SIGNS = ("PIER", "HOTEL", "FARM", "MILL", "POST", "TAXI", "BEACH", "MUSEUM", "CAMP", "FERRY", "LODGE", "MARKET")
PLAIN_SHAPES = ("circle", "triangle", "square", "star", "diamond", "cross")


def with_article(text: str) -> str:
    """A name with its article."""
    return f"{'an' if text[0] in 'aeiou' else 'a'} {text}"


# Making pictures


def render(scene: Scene) -> Picture:
    """The picture of a scene ``{"size", "ground", "parts"}``. Parts are ``["shape", name, colour, x, y, side, turn]``,
    ``["box", colour, x, y, w, h]``, ``["oval", colour, x, y, w, h]`` and ``["text", text, colour, x, y, size]``; colours are red, green and blue."""
    picture = blank(scene["size"][0], scene["size"][1], tuple(scene["ground"]))
    for kind, *part in scene["parts"]:
        if kind == "shape":
            name, color, x, y, side, turn = part
            picture = edit.figure(picture, name, x, y, side, tuple(color), turn)
        elif kind == "text":
            text, color, x, y, size = part
            picture = edit.write(picture, (x, y), text, font("bold", size), tuple(color))
        else:
            draw = edit.rectangle if kind == "box" else edit.ellipse
            picture = draw(picture, tuple(part[1:]), tuple(part[0]), filled=True)
    return picture


def shapes_scene(brief: Brief, looks: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """A scene of shapes, ``(colour, shape)`` each, at different places with room around them."""
    columns, rows = (3, 2) if len(looks) <= 6 else (4, 3)
    wide, high = SIZE[0] // columns, SIZE[1] // rows
    parts = []
    for (color, shape), cell in zip(looks, brief.sample(range(columns * rows), len(looks)), strict=True):
        side = brief.integer(min(wide, high) // 2, min(wide, high) - 18)
        x = cell % columns * wide + brief.integer(8, wide - side - 8)
        y = cell // columns * high + brief.integer(8, high - side - 8)
        parts.append(["shape", shape, list(COLORS[color]), x, y, side, 0])
    return {"size": list(SIZE), "ground": list(brief.pick(_GROUNDS)), "parts": parts}


def draw_looks(brief: Brief, n: int) -> list[tuple[str, str]]:
    """``n`` different pairs of a colour and a shape; on harder tasks several share a colour or a shape."""
    colors, shapes = brief.sample(PAINTS, brief.by_level(6, 4, 4)), brief.sample(SHAPES, brief.by_level(6, 4, 4))
    pairs = [(color, shape) for color in colors for shape in shapes]
    return brief.sample(pairs, n)


def landscape(brief: Brief, sign: str) -> dict[str, Any]:
    """A house, a tree and a sun or moon, and a sign that says something."""
    w, h = SIZE
    line = brief.integer(62, 78)
    parts: list[list[Any]] = [["box", list(brief.pick(_MEADOWS)), 0, line, w, h - line]]
    parts.append(["oval", list(brief.pick([(252, 206, 70), (244, 244, 228)])), brief.integer(8, w - 30), brief.integer(4, 14), 20, 20])
    if brief.chance(0.7):
        x = brief.integer(2, w - 60)
        parts.append(["oval", list(brief.pick([(206, 220, 232), (168, 150, 140)])), x, line - 18, 60, 36])
        parts.append(["box", parts[0][1], 0, line, w, h - line])
    left = brief.integer(4, 30)
    wall, roof = brief.pick([(222, 196, 160), (236, 232, 222), (200, 120, 96)]), brief.pick([(150, 60, 50), (92, 70, 60), (70, 84, 120)])
    parts += [["box", list(wall), left, line - 22, 36, 30], ["shape", "triangle", list(roof), left - 4, line - 48, 44, 0]]
    parts += [["box", list(roof), left + 14, line - 6, 8, 14], ["box", [250, 236, 150], left + 4, line - 16, 8, 8]]
    tree = brief.integer(100, 126)
    parts += [
        ["box", [112, 78, 46], tree + 11, line - 8, 6, 22],
        ["oval", list(brief.pick([(46, 120, 66), (200, 120, 40)])), tree, line - 34, 28, 30],
    ]
    wide = font("bold", 16).width(sign)
    x = brief.integer(40, w - wide - 14)
    parts += [["box", [112, 78, 46], x + wide // 2 + 2, h - 20, 4, 20], ["box", [112, 78, 46], x - 1, h - 39, wide + 12, 24]]
    parts += [["box", [250, 248, 240], x + 1, h - 37, wide + 8, 20], ["text", sign, [30, 34, 44], x + 5, h - 37, 16]]
    return {"size": list(SIZE), "ground": list(brief.pick(_SKIES)), "parts": parts}


def draw_names(brief: Brief, n: int) -> list[str]:
    """``n`` different names of pictures; on hard tasks all begin alike."""
    if brief.by_level(False, False, True):
        return [f"{stem}{number}.pic" for stem in [brief.pick(STEMS)] for number in brief.sample(range(10, 100), n)]
    return [f"{stem}.pic" for stem in brief.sample(STEMS, n)]


def path_of(name: str) -> str:
    """Where a picture lies."""
    return f"{FOLDER}/{name}"


# Comparing


def picture_in(state: State, path: str) -> Picture | None:
    """The picture of a file, or None."""
    try:
        return read_picture(state.files.get(path, ""))
    except PictureError:
        return None


def shows(state: State, path: str, expected: Picture) -> bool:
    """Whether a file holds this picture."""
    found = picture_in(state, path)
    return found is not None and found.same_as(expected)


def mask_of(part: Sequence[Any], size: Sequence[int]) -> np.ndarray:
    """Which pixels the shape of a scene covers."""
    alone = render({"size": size, "ground": [1, 2, 3], "parts": [part]})
    return (alone.rgb != (1, 2, 3)).any(axis=2)


def box_of(mask: np.ndarray) -> Rect:
    """The bounds of what is true in a mask that is true somewhere."""
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    return int(columns[0]), int(rows[0]), int(columns[-1] - columns[0] + 1), int(rows[-1] - rows[0] + 1)


class PictureFamily(Family):
    """A task with pictures in the folder Pictures, of which one is open. Its parameters: "scenes" by file name, "shown", the open one, "turned",
    the quarters that files are turned by, and "target", the file that is changed."""

    max_steps: ClassVar[int] = 30

    def picture(self, params: Params, name: str) -> Picture:
        """The picture that a file holds at first."""
        return edit.turn(render(params["scenes"][name]), params.get("turned", {}).get(name, 0))

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        for name in params["scenes"]:
            session.state.files[path_of(name)] = write_picture(self.picture(params, name))
        clutter(session, rng)
        size = session.look.size
        _, _, width, height = session.work_area
        w = min(int(rng.integers(36, 54)) * size.font, width)
        h = min(int(rng.integers(30, 40)) * size.font, height)
        place(session, make_pictures(session, path_of(params["shown"]), w, h), rng)

    def may_change(self, params: Params, start: State) -> Sequence[str]:
        return ["closed:*", f"file:{path_of(params['target'])}"]

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        raise NotImplementedError

    def spoil(self, solver: Solver, params: Params) -> bool:
        """Turn the picture once more and save it."""
        viewer = viewer_of(solver, path_of(params["target"]))
        command(solver, viewer, "Picture", "Turn left")
        solver.press(Key.S, Modifier.CTRL)
        return True


# Working on pictures


def viewer_of(solver: Solver, path: str) -> Pictures:
    """A window that shows a picture, all of it, as it is saved."""
    viewers = [window for window in solver.state.windows if isinstance(window, Pictures) and solver.session.blocker(window) is None]
    viewer = next((window for window in viewers if window.path == path), viewers[-1] if viewers else None)
    if viewer is None:
        raise TaskError("there is no scripted solution from here: no picture is open")
    solver.raise_window(viewer)
    if viewer.unsaved:
        command(solver, viewer, "File", "Revert")
    for _ in range(40):
        if viewer.path == path:
            break
        solver.click(viewer.id, "button forward")
    else:
        raise TaskError(f"there is no scripted solution from here: the picture {path!r} is gone")
    if viewer.view.zoom:
        solver.click(viewer.id, "button fit")
    return viewer


def command(solver: Solver, viewer: Pictures, menu: str, item: str) -> None:
    """Choose an item of a menu."""
    solver.open_menu(viewer.id, "menu", menu)
    solver.choose(item)


def on_picture(solver: Solver, viewer: Pictures, x: int, y: int) -> Point:
    """The pixel of the screen that shows a pixel of the picture."""
    view, look = viewer.view, solver.session.look
    solver.reach(viewer, viewer.rect_of(view))
    left, top, _, _ = viewer.rect_of(view)
    dx, dy = view.place_of(look, x, y)
    return left + dx, top + dy


def click_on(solver: Solver, viewer: Pictures, x: int, y: int) -> None:
    """Click a pixel of the picture."""
    solver.act(Action.click(*on_picture(solver, viewer, x, y)))


def drag_over(solver: Solver, viewer: Pictures, rect: Rect) -> None:
    """Drag from the upper left to the lower right pixel of a rectangle of the picture."""
    x, y, w, h = rect
    solver.act(Action.drag(*on_picture(solver, viewer, x, y), *on_picture(solver, viewer, x + w - 1, y + h - 1)))


def take_tool(solver: Solver, viewer: Pictures, tool: str, color: str = "") -> None:
    """Take up a tool, and a colour."""
    solver.click(viewer.id, f"tool {tool}")
    if color:
        swatches = viewer.widget("colors")
        assert isinstance(swatches, Swatches)
        x, y, w, h = swatches.cells()[swatches.names.index(color)]
        left, top, _, _ = viewer.rect_of(swatches)
        solver.act(Action.click(*solver.reach(viewer, (left + x, top + y, w, h))))


def save(solver: Solver) -> None:
    """Save what is on top."""
    solver.press(Key.S, Modifier.CTRL)
