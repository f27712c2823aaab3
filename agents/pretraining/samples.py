"""Training sequences for pretraining: screens with questions, and demonstrations."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import gymnasium as gym
import numpy as np

from agents.config import Agent
from agents.episodes import Frame
from agents.pretraining.config import PretrainConfig
from agents.pretraining.questions import CONTAINERS, Question, about_things, alternatives, distinct
from agents.pretraining.things import Thing, things
from agents.rows import rows_from_episode
from agents.warmup.demonstrations import DemonstrationConfig, demonstrate
from gui_gym.desktops.sim.desktop import SimDesktop
from gui_gym.tasks import Task, load_suite

#: The class of a vision token in which nothing is, among token ids: it stands for "nothing here".
NOTHING = 0


@dataclass(eq=False)
class Sample:
    """One training sequence.

    Args:
        ids: token ids, image placeholders expanded.
        mask: True at the ids of answers.
        frames: the images of the placeholders.
        named: for each image token in order, the ids of what lies there (empty: not asked).
        points: for each coordinate that is answered, the position before it in ``ids`` and that of the image token in which the point lies.
    """

    ids: list[int]
    mask: list[bool]
    frames: list[Frame]
    named: list[tuple[int, ...]]
    points: list[tuple[int, int]] = field(default_factory=list)


class Screens:
    """Samples drawn from simulated screens: the same for the same seed."""

    def __init__(self, config: PretrainConfig, agent: Agent):
        self.config, self.agent = config, agent
        self.size = (config.width, config.height)
        self.suite = load_suite("sim")
        self.suite.screen = self.size
        self.desktop = SimDesktop(*self.size)
        self.builder = agent.prompts
        self.sampling = agent.vision.sampling(1.0, config.policy.max_new_tokens)
        self.env = gym.make("GuiDesktop-v0", disable_env_checker=True, width=config.width, height=config.height, split="train")
        self.seen = agent.vision.seen_size(*self.size)
        self._opening, self._closing = self._turn()
        tokens = agent.vision.tokenizer.get_vocab()
        self._coordinates = {i for token, i in tokens.items() if re.fullmatch(r"[xy]=[0-9]+", token)}

    def _turn(self) -> tuple[str, str]:
        """What stands around a question that shows no image."""
        shown = self.builder.template.following("QUESTION")
        image = str(self.agent.vision.tokenizer.convert_ids_to_tokens(self.agent.vision.image_token_id))
        for mark in ("<|vision_start|>", image, "<|vision_end|>"):
            shown = shown.replace(mark, "")
        opening, closing = shown.split("QUESTION")
        return opening, closing

    @lru_cache(maxsize=4096)  # noqa: B019  one stream of samples lives as long as its run
    def _encode(self, text: str) -> tuple[int, ...]:
        return tuple(self.agent.vision.tokenizer(text, add_special_tokens=False)["input_ids"])

    def cell(self, x: int, y: int) -> tuple[str, tuple[int, int]]:
        """How the policy writes a pixel, and the pixel that this means."""
        frame = self.builder.codec.frame
        numerals = [frame.encode(value, self.size, axis) for axis, value in enumerate((x, y))]
        meant = [frame.decode(numeral, self.size, axis) for axis, numeral in enumerate(numerals)]
        return f"x={numerals[0]},y={numerals[1]}", (meant[0], meant[1])

    def _task(self, rng: np.random.Generator) -> Task:
        """Set up an instance of one of the families, or of any."""
        config = self.config
        family = None if rng.random() < config.others else config.families[int(rng.integers(len(config.families)))]
        task = self.suite.draw(rng, family, difficulty=config.difficulty)
        self.desktop.reset(task, 0)
        return task

    def look(self, rng: np.random.Generator) -> Sample:
        """A screen without questions, whose image tokens are asked what lies there."""
        self._task(rng)
        found, frame = things(self.desktop.session), self.frame()
        return Sample([], [], [frame], self.named(found, self.agent.vision.image_tokens(frame), rng))

    def draw(self, rng: np.random.Generator) -> list[Sample]:
        """One sample, or the rows of one demonstration."""
        config = self.config
        if rng.random() < config.demonstrations:
            return self.demonstration(rng)
        while True:
            task = self._task(rng)
            found = things(self.desktop.session)
            asked = alternatives(task, self.desktop)
            if not asked and task.params["family"] in config.families:
                actions = self.suite.solution(task, self.desktop)
                asked = [Question(task.instruction, actions[0])] if len(actions) == 2 else []
            asked = [asked[int(i)] for i in rng.permutation(len(asked))][: config.questions * 2 // 3]
            for _ in range(2):  # now where it is, now what it is
                asked += about_things(found, self.cell, rng, config.written)
            asked = distinct(asked)[: config.questions]
            if asked:
                order = rng.permutation(len(asked))
                return [self.sample([asked[int(i)] for i in order], found, self.frame(), rng)]

    def frame(self) -> Frame:
        """The screen as it is now."""
        return Frame(self.desktop.screenshot())

    def sample(self, asked: Sequence[Question], found: list[Thing], frame: Frame, rng: np.random.Generator) -> Sample:
        """The questions as turns after one image."""
        vision, builder = self.agent.vision, self.builder
        prompt = builder.start(asked[0].text, frame, self.size)
        ids = list(prompt.ids)
        mask = [False] * len(ids)
        count, points = vision.image_tokens(frame), []
        first = ids.index(vision.image_token_id)
        for n, question in enumerate(asked):
            if n:
                turn = self._encode(f"{self._opening}{builder.plain(question.text)}{self._closing}")[1:]  # an answer ends with its first id
                ids += turn
                mask += [False] * len(turn)
            answer = builder.completion_ids(builder.codec.format(question.action, self.size))
            spots = [i for i, token in enumerate(answer) if token in self._coordinates]
            for i, pixel in zip(spots, (p for point in (question.action.point, question.action.to) for p in (point, point)), strict=False):
                points.append((len(ids) + i - 1, first + self._token_at(*pixel, count)))
            ids += answer
            mask += [True] * len(answer)
        return Sample(ids, mask, [frame], self.named(found, count, rng), points)

    def _layout(self, count: int) -> tuple[int, int]:
        """Columns and rows of the ``count`` image tokens of a screen."""
        columns = round((count * self.seen[0] / self.seen[1]) ** 0.5)
        return columns, count // columns

    def _token_at(self, x: int, y: int, count: int) -> int:
        """Which of the ``count`` image tokens of a screen shows a pixel, row by row."""
        columns, rows = self._layout(count)
        return y * rows // self.size[1] * columns + x * columns // self.size[0]

    def named(self, found: list[Thing], count: int, rng: np.random.Generator) -> list[tuple[int, ...]]:
        """For each of ``count`` image tokens, row by row: the ids of what is seen in its part of the screen, and of where that has its middle.

        Most texts beside those on buttons are left out (``config.written``), and what lies there is not asked.
        """
        width, height = self.size
        columns, rows = self._layout(count)
        bags: list[set[int]] = [set() for _ in range(count)]
        left_out = set()
        for thing in found:
            if thing.role in CONTAINERS:
                continue
            asked = not thing.written or thing.role == "push button" or rng.random() < self.config.written
            place = self.cell(*thing.middle)[0].split(",")
            ids = {i for text in (thing.name[:48], *place) for i in self._encode(text)}
            x, y, w, h = thing.rect
            left, right = x * columns // width, (x + w - 1) * columns // width
            top, bottom = y * rows // height, (y + h - 1) * rows // height
            for row in range(max(0, top), min(rows, bottom + 1)):
                for column in range(max(0, left), min(columns, right + 1)):
                    if asked:
                        bags[row * columns + column].update(ids)
                    else:
                        left_out.add(row * columns + column)
        return [tuple(sorted(bag)) or (() if i in left_out else (NOTHING,)) for i, bag in enumerate(bags)]

    def demonstration(self, rng: np.random.Generator) -> list[Sample]:
        """The rows of a scripted solution of a family of several steps."""
        config = self.config
        while True:
            family = config.demonstrated[int(rng.integers(len(config.demonstrated)))]
            low_high = {"task": self.suite.draw(rng, family, difficulty=config.difficulty).id}
            episode = demonstrate(_Chosen(self.env, low_high), self.builder, self.sampling, int(rng.integers(2**31)), DemonstrationConfig())
            if episode.score.scored and episode.score.value == 1.0:
                break
        samples = []
        for row in rows_from_episode(episode, self.agent.vision):
            blank: list[tuple[int, ...]] = [()] * sum(self.agent.vision.image_tokens(frame) for frame in row.images)
            samples.append(Sample(row.ids, row.mask, row.images, blank))
        return samples


class _Chosen:
    """An env whose resets choose the task."""

    def __init__(self, env: Any, options: dict[str, Any]):
        self.unwrapped, self.options = env.unwrapped, options

    def reset(self, seed: int) -> Any:
        return self.unwrapped.reset(seed=seed, options=self.options)
