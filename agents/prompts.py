"""The one prompt builder for warm-up, rollout and evaluation: ids that are held and only ever appended to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from agents.chat_template import ChatTemplate
from agents.episodes import Frame
from agents.models import ModelError
from agents.vision import VisionInputs
from gui_gym.codecs import Codec

History = Literal["append", "last_n", "block"]

SYSTEM = (
    "You use a computer by looking at its screen. In each turn you see a screenshot and answer with what to do next. "
    "When the task is done, say so; if it cannot be done, say that it fails."
)


class PromptError(ValueError):
    """A prompt that would not be what the model is trained on."""


@dataclass(frozen=True, eq=False)
class Exchange:
    """A frame that was shown, with the error text shown beside it, and what was answered ("" finish reason: not yet)."""

    frame: Frame
    error: str = ""
    completion: tuple[int, ...] = ()
    finish_reason: str = ""


@dataclass(frozen=True, eq=False)
class Prompt:
    """What the model is given.

    Args:
        ids: token ids, image placeholders expanded.
        images: the frames the placeholders stand for, in order.
        unexpanded: the same ids with one placeholder for each image (what a vLLM server takes).
        instruction: of the task.
        screen: ``(width, height)`` of the screen in pixels.
        exchanges: what the prompt holds, oldest first; the last one waits for its answer.
    """

    ids: tuple[int, ...]
    images: tuple[Frame, ...]
    unexpanded: tuple[int, ...]
    instruction: str
    screen: tuple[int, int]
    exchanges: tuple[Exchange, ...]


class PromptBuilder:
    """Makes the prompts of an episode.

    The next prompt is the ids held so far, the ids the model sampled, and the ids of a suffix; nothing is decoded and
    encoded again, and no earlier message is rendered again.

    Args:
        vision: adapter of the model, shared with engine and learner.
        codec: how actions are written; its description goes into the default system message.
        history: which frames a prompt holds. "append": all, one growing row an episode. "last_n": the last ``n``, a new row
            each turn once there are more. "block": all, and when there would be more than ``n`` the oldest ``drop`` go at once.
        n: most frames of a prompt under "last_n" and "block".
        drop: how many frames "block" drops at once; None is half of ``n``.
        system: the system message; None is a general one with the codec's description, "" is none.
        chat_template: Jinja text to use instead of the processor's.

    Raises :class:`~agents.models.ModelError` for a chat template that rewrites earlier turns, or a processor whose image
    placeholders cannot be expanded one by one.
    """

    def __init__(
        self,
        vision: VisionInputs,
        codec: Codec,
        *,
        history: History = "append",
        n: int = 4,
        drop: int | None = None,
        system: str | None = None,
        chat_template: str | None = None,
    ):
        if history not in ("append", "last_n", "block"):
            raise ValueError(f"history is {history!r}: expected 'append', 'last_n' or 'block'")
        drop = (1 if history == "last_n" else max(1, n // 2)) if drop is None else drop
        if n < 1 or not 1 <= drop <= n or (history == "last_n" and drop != 1):
            raise ValueError(f"n is {n} and drop {drop}: expected n >= 1 and 1 <= drop <= n (only 'block' takes a drop)")
        self.vision, self.codec, self.history, self.n, self.drop, self.system = vision, codec, history, n, drop, system
        self.template = ChatTemplate(vision.processor, chat_template)
        self._special = sorted((str(t) for t in vision.tokenizer.added_tokens_decoder.values() if t.special and len(str(t).strip()) > 1), key=len)
        self._end = self._encode(self.template.close)[0]
        if self._end not in vision.tokens.stop:
            end = vision.tokenizer.convert_ids_to_tokens(self._end)
            raise ModelError(
                f"the chat template ends an answer with {end!r}, which does not stop generation: expected one of ids {vision.tokens.stop}"
            )
        self._check_expansion()

    def _encode(self, text: str, opening: bool = False) -> list[int]:
        tokenizer = self.vision.tokenizer
        # as transformers does it: the tokenizer adds its opening tokens unless the template has written them
        add = opening and not (tokenizer.bos_token and text.startswith(tokenizer.bos_token))
        with self.vision.lock:
            return list(tokenizer(text, add_special_tokens=add)["input_ids"])

    def _check_expansion(self) -> None:
        import numpy as np

        frame = Frame(np.zeros((64, 96, 3), np.uint8))
        for text, opening in ((self.template.first("", "Do it."), True), (self.template.following("No."), False)):
            ours = self.vision.expand(self._encode(text, opening), [frame])
            kwargs = {} if opening and len(self._encode(text, True)) != len(self._encode(text)) else {"add_special_tokens": False}
            theirs = self.vision.processor(text=[text], images=[[self.vision.picture(frame)]], **kwargs)["input_ids"][0]
            if ours != [int(i) for i in theirs]:
                raise ModelError(
                    f"{type(self.vision.processor).__name__} does not put each image in place of one placeholder: such a model is not supported"
                )

    def plain(self, text: str) -> str:
        """``text`` with every special token in it broken by a space, so that no task or model text can forge one."""
        while any(token in text for token in self._special):
            for token in self._special:
                text = text.replace(token, f"{token[0]} {token[1:]}")
        return text

    def system_text(self, screen: tuple[int, int]) -> str:
        """The system message for a screen of ``(width, height)`` pixels."""
        return f"{SYSTEM}\n{self.codec.describe(screen)}" if self.system is None else self.system

    def completion_ids(self, text: str) -> tuple[int, ...]:
        """The ids of an answer somebody else wrote (a demonstration), end token included."""
        tokenizer = self.vision.tokenizer
        with self.vision.lock:
            ids = tokenizer(self.template.lead + text, add_special_tokens=False, split_special_tokens=True)["input_ids"]
        return (*ids, self._end)

    def completion_text(self, ids: Sequence[int]) -> str:
        """What sampled ids say, without the end token."""
        ids = ids[:-1] if ids and ids[-1] in self.vision.tokens.stop else ids
        return str(self.vision.tokenizer.decode(list(ids), skip_special_tokens=False, clean_up_tokenization_spaces=False))

    def start(self, instruction: str, frame: Frame, screen: tuple[int, int], error: str = "") -> Prompt:
        """The first prompt of an episode: system message, instruction, the first frame (and ``error``, if there is one already)."""
        text = self.plain(f"{instruction}\n{error}" if error else instruction)
        return self._add(
            None, self._encode(self.template.first(self.system_text(screen), text), opening=True), Exchange(frame, error), instruction, screen
        )

    def extend(self, prompt: Prompt, completion_ids: Sequence[int], finish_reason: str, frame: Frame, error: str = "") -> Prompt:
        """The prompt after an answer.

        Args:
            prompt: what was answered.
            completion_ids: exactly the sampled ids.
            finish_reason: "stop" or "length"; a completion cut by length is closed, with a token that was not sampled.
            frame: the screen now.
            error: why the answer could not be carried out, told to the model; "" if it was.

        Raises :class:`PromptError` for a completion with an image token in it.
        """
        if not completion_ids or finish_reason not in ("stop", "length"):
            raise PromptError(f"expected a completion that ended by 'stop' or 'length', got {len(completion_ids)} ids and {finish_reason!r}")
        if self.vision.image_token_id in completion_ids:
            raise PromptError("the completion holds an image token: it must be suppressed in sampling (VisionInputs.sampling), never forwarded")
        last = prompt.exchanges[-1]
        answered = Exchange(last.frame, last.error, tuple(completion_ids), finish_reason)
        exchanges = (*prompt.exchanges[:-1], answered, Exchange(frame, error))
        if self.history == "append" or len(exchanges) <= self.n:
            return self._follow(prompt, answered, exchanges[-1])
        kept = exchanges[min(self.drop, len(exchanges) - 1) :]
        rebuilt = self.start(prompt.instruction, kept[0].frame, prompt.screen, kept[0].error)
        for answer, following in zip(kept, kept[1:], strict=False):
            rebuilt = self._follow(rebuilt, answer, following)
        return rebuilt

    def _follow(self, prompt: Prompt, answered: Exchange, following: Exchange) -> Prompt:
        suffix = self._encode(self.template.following(self.plain(following.error)))
        if answered.completion[-1] == suffix[0]:
            suffix = suffix[1:]
        held = Prompt(prompt.ids, prompt.images, prompt.unexpanded, prompt.instruction, prompt.screen, (*prompt.exchanges[:-1], answered))
        return self._add(held, suffix, following, prompt.instruction, prompt.screen)

    def _add(self, held: Prompt | None, suffix: list[int], exchange: Exchange, instruction: str, screen: tuple[int, int]) -> Prompt:
        count = suffix.count(self.vision.image_token_id)
        if count != 1:
            raise PromptError(f"one image needs one placeholder, the text holds {count}: {self.vision.tokenizer.decode(suffix)!r}")
        expanded = self.vision.expand(suffix, [exchange.frame])
        if held is None:
            return Prompt(tuple(expanded), (exchange.frame,), tuple(suffix), instruction, screen, (exchange,))
        completion = held.exchanges[-1].completion
        return Prompt(
            (*held.ids, *completion, *expanded),
            (*held.images, exchange.frame),
            (*held.unexpanded, *completion, *suffix),
            instruction,
            screen,
            (*held.exchanges, exchange),
        )
