"""One HTML page of a suite: every family with its picture, its instruction and its scripted solution as an animation."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from PIL import Image

from gui_gym.env import GuiDesktopEnv
from gui_gym.recording.draw import draw_action, enlarge, label
from gui_gym.recording.page import webp_uri, write_page
from gui_gym.spaces import to_action

SECONDS = 1.2  #: that an animation shows each step for; the last screen stays twice as long
FASTER = 0.6  #: of each step where there are more than :data:`MANY`
MANY = 12
THUMBNAIL = (400, 400)  #: pixels, within which the first screens of the other difficulties are shown


def write_gallery(
    path: str | os.PathLike[str], suite: str = "sim", families: Sequence[str] = (), seed: int = 0, size: tuple[int, int] = (640, 400)
) -> Path:
    """Write the page to ``path``, whole or not at all.

    Args:
        suite: name of the suite.
        families: ids; empty stands for all of the suite that fit a screen of ``size`` pixels.
        seed: which training instance of each is shown.

    Raises:
        TaskError: for a family that does not fit the screen, or without a scripted solution.
        ModuleNotFoundError: without Jinja2, naming the extra.
    """
    env = GuiDesktopEnv(suite, width=size[0], height=size[1], max_steps=10_000)
    areas: dict[str, list[dict[str, Any]]] = defaultdict(list)
    try:
        for family in families or env.suite.ids():
            about = env.suite.describe(family)
            levels: list[str | None] = list(about.get("difficulties", [None]))
            main = levels[len(levels) // 2]
            card = {"id": family, "doc": " ".join(about.get("doc", "").split()), "skills": about.get("skills", [])}
            card |= {"has_infeasible": about.get("has_infeasible", False), "main": _play(env, family, main, seed, solve=True)}
            card["others"] = [_play(env, family, level, seed, solve=False) for level in levels if level != main]
            areas[about.get("area", suite)].append(card)
    finally:
        env.close()
    count = sum(map(len, areas.values()))
    return write_page(
        path,
        "gallery.html.j2",
        {},
        title=f"The suite {suite}: {count} task famil{'y' if count == 1 else 'ies'}",
        paragraphs=["Each animation is the scripted solution of one instance, acted out by mouse and keyboard, and scored 1 by the verifier."],
        areas=[(f"area-{number}", area, cards) for number, (area, cards) in enumerate(sorted(areas.items()))],
        width=size[0],
        height=size[1],
    )


def _play(env: GuiDesktopEnv, family: str, level: str | None, seed: int, solve: bool) -> dict[str, Any]:
    """One instance: its first screen and, if asked, its solution."""
    env.difficulty = level
    frame, info = env.reset(seed=seed, options={"task": family})
    still = enlarge(frame)[0]
    if not solve:
        still.thumbnail(THUMBNAIL, Image.Resampling.LANCZOS)
    shown = {"id": info["task_id"], "difficulty": level, "instruction": info["instruction"], "still": webp_uri([still])}
    if not solve:
        return shown
    images: list[Image.Image] = []
    words = []
    for element in env.solution():
        action = to_action(element, env.width, env.height)
        images.append(Image.fromarray(draw_action(frame, action)))
        words.append(label(action))
        frame, _, _, _, info = env.step(element)
    if not (info["scored"] and info["score"] == 1.0):
        raise RuntimeError(f"{info['task_id']}: the scripted solution scores {info['score']} {info['unscored']}")
    images.append(enlarge(frame)[0])
    pace = SECONDS if len(images) <= MANY else FASTER
    times = [round(1000 * pace)] * (len(images) - 1) + [round(2000 * SECONDS)]
    steps = f"{len(words)} step{'' if len(words) == 1 else 's'}: {', '.join(words)}"
    return {**shown, "animation": webp_uri(images, times, quality=70), "steps": steps if len(steps) <= 300 else steps[:299] + "…"}
