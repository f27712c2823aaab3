"""A chat template taken apart, so that a conversation only ever grows: what opens it, what closes an answer, what asks for the next."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from agents.models import ModelError

_ANSWERS = ("click(x=1,y=2)", "<think>\nIt is there.\n</think>\n\nclick(x=1,y=2)")


class ChatTemplate:
    """The pieces of a processor's chat template, checked at construction.

    A template that writes earlier turns differently once later ones exist (by removing the model's thoughts, say) is
    refused with :class:`~agents.models.ModelError`: prompts here are held ids plus a suffix, so the model would see
    other text than its template means.

    Args:
        processor: its ``chat_template`` is used.
        chat_template: Jinja text to use instead.

    Attributes:
        lead: white space between the generation prompt and an answer, which the answer begins with; mostly "".
        close: what follows an answer, beginning with the token that ends it.
    """

    def __init__(self, processor: Any, chat_template: str | None = None):
        self._tokenizer, self._template = processor.tokenizer, chat_template or processor.chat_template
        self.lead, self.close = self._probe(_ANSWERS[0])
        if self._probe(_ANSWERS[1]) != (self.lead, self.close):
            raise self._refusal("it writes an answer that holds a thought in another way")

    def _render(self, messages: list[dict[str, Any]], generate: bool) -> str:
        # the tokenizer's method renders the same template; a processor's may look for videos as well
        return str(self._tokenizer.apply_chat_template(messages, chat_template=self._template, tokenize=False, add_generation_prompt=generate))

    def _refusal(self, what: str) -> ModelError:
        return ModelError(
            f"this chat template rewrites earlier turns: {what}. Prompts here only grow, so the model would not see what its "
            "template means. Pass chat_template=... with one that leaves earlier turns as they were"
        )

    def _probe(self, answer: str) -> tuple[str, str]:
        """Lead and close of ``answer``, after checking that three turns with it only ever append."""
        messages: list[dict[str, Any]] = [_user("Do it.")]
        parts: set[tuple[str, str]] = set()
        for turn in range(3):
            asked = self._render(messages, generate=True)
            messages.append({"role": "assistant", "content": [{"type": "text", "text": answer}]})
            answered = self._render(messages, generate=False)
            if not answered.startswith(asked):
                raise self._refusal(f"what stands before answer {turn + 1} changes once the answer is there")
            rest = answered[len(asked) :]
            if rest.strip() == "" or answer not in rest:
                raise self._refusal("it removes a part of the answer, such as the model's thought")
            lead, close = rest.split(answer, 1)
            if lead.strip():
                raise self._refusal(f"it writes {lead!r} before an answer, which the generation prompt lacks")
            messages.append(_user("And now?"))
            if not self._render(messages, generate=True).startswith(answered):
                raise self._refusal("an answer, or what stands before it, changes once another message follows")
            parts.add((lead, close))
        if len(parts) != 1:
            raise self._refusal("it closes answers in different ways")
        lead, close = parts.pop()
        if not close:
            raise ModelError("this chat template puts nothing after an answer: expected a token that ends it")
        return lead, close

    def first(self, system: str, text: str) -> str:
        """The opening: system message (none if ""), user message with ``text`` and one image, generation prompt."""
        messages = [{"role": "system", "content": [{"type": "text", "text": system}]}] if system else []
        return self._render([*messages, _user(text)], generate=True)

    @lru_cache(maxsize=1024)  # noqa: B019  one template lives as long as its run
    def following(self, text: str) -> str:
        """What follows an answer: :attr:`close`, a user message with one image and ``text`` (maybe ""), the generation prompt."""
        held = [_user("Do it."), {"role": "assistant", "content": [{"type": "text", "text": _ANSWERS[0]}]}]
        answered, asked = self._render(held, generate=False), self._render([*held, _user(text)], generate=True)
        if not asked.startswith(answered):
            raise self._refusal("an answer, or what stands before it, changes once another message follows")
        return self.close + asked[len(answered) :]


def _user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": [*([{"type": "text", "text": text}] if text else []), {"type": "image"}]}
