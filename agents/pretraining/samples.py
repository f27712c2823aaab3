"""Training sequences for pretraining: screens with questions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from agents.config import Agent
from agents.episodes import Frame
from agents.pretraining.config import PretrainConfig
from agents.pretraining.questions import CONTAINERS, Question, about_things, about_words, alternatives, distinct
from agents.pretraining.things import Thing, things
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
        looks: for each thing or place that a question tells of, the position of its last word and that of the image token in which it lies.
        recalls: for each coordinate that is answered, the position before it and that of the last word that tells it; for each token that is
            answered as the question says it, the position before it and that token's in the question.
    """

    ids: list[int]
    mask: list[bool]
    frames: list[Frame]
    named: list[tuple[int, ...]]
    looks: list[tuple[int, int]] = field(default_factory=list)
    recalls: list[tuple[int, int]] = field(default_factory=list)


class Screens:
    """Samples drawn from simulated screens: the same for the same seed."""

    def __init__(self, config: PretrainConfig, agent: Agent):
        self.config, self.agent = config, agent
        self.size = (config.width, config.height)
        self.suite = load_suite("sim")
        self.suite.screen = self.size
        self.desktop = SimDesktop(*self.size)
        self.builder = agent.prompts
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
        underway = rng.random() < self.config.demonstrations
        if underway:
            self._underway(rng)
        else:
            self._task(rng)
        found, frame = things(self.desktop.session), self.frame()
        return Sample([], [], [frame], self.named(found, rng, 1.0 if underway else self.config.written))

    def _underway(self, rng: np.random.Generator) -> Question:
        """Set up an instance of one of the families of several steps, do some of its scripted solution, and ask what comes next."""
        config, codec = self.config, self.builder.codec
        family = config.demonstrated[int(rng.integers(len(config.demonstrated)))]
        task = self.suite.draw(rng, family, difficulty=config.demonstrated_difficulty)
        self.desktop.reset(task, 0)
        *actions, _ = self.suite.solution(task, self.desktop)
        done = int(rng.integers(len(actions)))
        for action in actions[:done]:  # as the policy would: only to a cell exact
            self.desktop.perform(codec.parse(codec.format(action, self.size), self.size, self.desktop.cursor)[0])
        return Question(task.instruction, actions[done])

    def draw(self, rng: np.random.Generator) -> Sample:
        """A screen with questions."""
        config = self.config
        while True:
            underway = rng.random() < config.demonstrations
            asked = [self._underway(rng)] if underway else alternatives(self._task(rng), self.desktop)
            found, written = things(self.desktop.session), 1.0 if underway else config.written
            asked = [asked[int(i)] for i in rng.permutation(len(asked))][: config.questions // 2]
            asked += [about_words(rng) for _ in range(-(-config.questions // 5))]
            for _ in range(2):  # now where it is, now what it is
                asked += about_things(found, self.cell, rng, written)
            asked = distinct(asked)[: config.questions]
            if asked:
                order = rng.permutation(len(asked))
                return self.sample([asked[int(i)] for i in order], self.frame(), self.named(found, rng, written))

    def frame(self) -> Frame:
        """The screen as it is now."""
        return Frame(self.desktop.screenshot())

    def sample(self, asked: Sequence[Question], frame: Frame, named: list[tuple[int, ...]]) -> Sample:
        """The questions as turns after one image, whose tokens are ``named``."""
        builder, count = self.builder, len(named)
        prompt = builder.start(asked[0].text, frame, self.size)
        first = prompt.ids.index(self.agent.vision.image_token_id)
        sample = Sample([], [], [frame], named)
        for n, question in enumerate(asked):
            if n:  # an answer ends with the first id of what follows it
                text, begin = f"{self._opening}{builder.plain(question.text)}{self._closing}", len(sample.ids) - 1
                turn = list(self._encode(text))[1:]
            else:
                text, begin = builder.template.first("", builder.plain(question.text)), len(prompt.ids) - len(prompt.unexpanded)
                turn = list(prompt.ids)
            words = [begin + self._last_token(text, word) for word in question.about]
            answer = builder.completion_ids(builder.codec.format(question.action, self.size))
            spots = [len(sample.ids) + len(turn) + i for i, token in enumerate(answer) if token in self._coordinates]
            seen = [question.place] if question.place else [question.action.point, question.action.to][: len(words)]
            sample.looks += [(word, first + self._token_at(*pixel, count)) for word, pixel in zip(words, seen, strict=True) if pixel]
            sample.recalls += [(spot - 1, words[i // 2]) for i, spot in enumerate(spots) if words]
            before = len(sample.ids) + len(turn)
            copies = self._copies(builder.codec.format(question.action, self.size), text, question.action.text or "")
            sample.recalls += [(before + i - 1, begin + j) for i, j in copies]
            sample.ids += [*turn, *answer]
            sample.mask += [False] * len(turn) + [True] * len(answer)
        return sample

    def _last_token(self, text: str, word: str) -> int:
        """The position, among the ids of ``text``, of the token in which the last occurrence of ``word`` ends."""
        end = text.rindex(self.builder.plain(word)) + len(self.builder.plain(word))
        return next(i for i, (start, stop) in enumerate(self._offsets(text)) if start < end <= stop)

    def _copies(self, answer: str, text: str, copied: str) -> list[tuple[int, int]]:
        """For each token of ``answer`` within ``copied``, which ``text`` has in quotes: the token of ``text`` with the same characters."""
        copied, lead = self.builder.plain(copied), self.builder.template.lead
        if not copied or copied not in answer or f"“{copied}”" not in text:
            return []
        here, there = (lead + answer).rindex(copied), text.index(f"“{copied}”") + 1
        tokens = [(i, start - here) for i, (start, _) in enumerate(self._offsets(lead + answer)) if here <= start < here + len(copied)]
        return [(i, next(j for j, (start, stop) in enumerate(self._offsets(text)) if start <= there + k < stop)) for i, k in tokens]

    @lru_cache(maxsize=4096)  # noqa: B019  as above
    def _offsets(self, text: str) -> list[tuple[int, int]]:
        return list(self.agent.vision.tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)["offset_mapping"])

    def _layout(self, count: int) -> tuple[int, int]:
        """Columns and rows of the ``count`` image tokens of a screen."""
        columns = round((count * self.seen[0] / self.seen[1]) ** 0.5)
        return columns, count // columns

    def _token_at(self, x: int, y: int, count: int) -> int:
        """Which of the ``count`` image tokens of a screen shows a pixel, row by row."""
        columns, rows = self._layout(count)
        return y * rows // self.size[1] * columns + x * columns // self.size[0]

    def named(self, found: list[Thing], rng: np.random.Generator, written: float) -> list[tuple[int, ...]]:
        """For each image token, row by row: the ids of what is seen in its part of the screen, and of where that has its middle.

        Of the texts, but for those on buttons, only the share ``written`` is asked for, and nothing where the others are.
        """
        count = self.agent.vision.image_tokens(self.frame())
        width, height = self.size
        columns, rows = self._layout(count)
        bags: list[set[int]] = [set() for _ in range(count)]
        left_out = set()
        for thing in found:
            if thing.role in CONTAINERS:
                continue
            asked = not thing.written or thing.role == "push button" or rng.random() < written
            place = self.cell(*thing.middle)[0].split(",")
            ids = {i for text in (f" {thing.name[:48]}", *place) for i in self._encode(text)}
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
