"""What goes to a vLLM server and what comes back: token ids and pictures out, ids and log-probs in, every reply checked."""

from __future__ import annotations

import base64
import io
import math
import threading
from collections import OrderedDict
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from agents.engines.base import Completion, EngineError
from agents.episodes import Frame, Sampling
from agents.prompts import Prompt
from agents.vision import VisionInputs

#: vLLM's floor for log-probs on the wire: it stands for minus infinity and for NaN.
_FLOOR = -9999.0
#: Added to the logits of suppressed ids: they get probability 0, as with minus infinity, which JSON has not.
_NEVER = -1e30
#: Settings under which a token is drawn from the model's own distribution.
_PLAIN = {"top_p": 1.0, "top_k": 0, "min_p": 0.0, "repetition_penalty": 1.0, "ignore_eos": True, "detokenize": False}
#: Most ids that vLLM's GPU runner allows, or biases, in one request.
_MOST_IDS = 1024


class Pictures:
    """PNG data URLs of frames, as the model's adapter scales them. Each frame is encoded once while it is remembered; threads may share it.

    Args:
        vision: the model's adapter.
        limit: bytes that are remembered; the longest unused go first.
    """

    def __init__(self, vision: VisionInputs, limit: int = 2**28):
        self._vision, self._limit, self._held = vision, limit, 0
        self._urls: OrderedDict[str, str] = OrderedDict()
        self._lock = threading.Lock()

    def url(self, frame: Frame) -> str:
        with self._lock:
            if frame.hash in self._urls:
                self._urls.move_to_end(frame.hash)
                return self._urls[frame.hash]
        file = io.BytesIO()
        self._vision.picture(frame).save(file, "PNG", compress_level=1)
        url = "data:image/png;base64," + base64.b64encode(file.getvalue()).decode()
        with self._lock:
            if frame.hash not in self._urls:
                self._urls[frame.hash] = url
                self._held += len(url)
            while self._held > self._limit and len(self._urls) > 1:
                self._held -= len(self._urls.popitem(last=False)[1])
        return url


def request(name: str, prompt: Prompt, pictures: Pictures, settings: dict[str, Any]) -> dict[str, Any]:
    """The body that asks the model or adapter ``name``. Ids go with one placeholder for each image: the server expands them."""
    return {
        "model": name,
        "token_ids": list(prompt.unexpanded),
        "content_parts": [{"type": "image_url", "url": pictures.url(frame)} for frame in prompt.images],
        "sampling_params": settings,
        "return_token_ids": True,
    }


def sampling_params(sampling: Sampling, stop: Sequence[int], width: int) -> dict[str, Any]:
    """vLLM's for exactly ``sampling``, over a vocabulary of ``width`` ids: nothing of the server's or the model's own defaults is left to apply."""
    if 0 < sampling.temperature < 0.01:
        raise ValueError(f"temperature is {sampling.temperature}: vLLM samples at 0 (greedy) or from 0.01")
    return {
        **_PLAIN, "temperature": sampling.temperature, "max_tokens": sampling.max_new_tokens, "logprobs": 0, "stop_token_ids": list(stop),
        **_suppressing(sampling.suppress, width),
    }  # fmt: skip


@lru_cache(maxsize=16)
def _suppressing(suppress: tuple[int, ...], width: int) -> dict[str, Any]:
    """What leaves ``suppress`` out: the shorter list of what is allowed and what is not."""
    suppressed = {i for i in suppress if i < width}
    allowed = [i for i in range(width) if i not in suppressed]
    if min(len(allowed), len(suppressed)) > _MOST_IDS:
        raise ValueError(f"{len(suppressed)} ids are suppressed and {len(allowed)} allowed: vLLM takes lists of at most {_MOST_IDS}")
    if len(allowed) < len(suppressed):
        return {"allowed_token_ids": allowed}
    return {"logit_bias": {str(i): _NEVER for i in sorted(suppressed)}}


def read_choice(reply: dict[str, Any], prompt: Prompt, label: str) -> dict[str, Any]:
    """The one choice of ``reply``, once the server is found to have read ``prompt`` and to have sampled with the weights ``label`` ("": any).

    vLLM expands ids that are expanded already once more, and takes a placeholder without its image for text, both without a word.
    """
    ids, places = reply.get("prompt_token_ids"), (reply.get("mm_placeholders") or {}).get("image") or []
    if ids != list(prompt.ids) or len(places) != len(prompt.images):
        raise EngineError(
            f"the server made {len(ids or [])} ids with {len(places)} images of a prompt of {len(prompt.ids)} ids with {len(prompt.images)}: "
            "expected the same ids. Serve the same model with the same processor settings, by vLLM 0.32 or newer"
        )
    choices = reply.get("choices")
    if not isinstance(choices, list) or len(choices) != 1 or not isinstance(choices[0], dict):
        raise EngineError(f"the server gave {str(choices)[:200]}: expected one choice")
    found = labels(choices[0])
    if label and found != {label}:
        raise EngineError(
            f"the server sampled with weights {', '.join(sorted(found)) or 'of no known version'}, not {label}: it was started anew, or is given "
            "weights by something else. Go on from the last checkpoint with --resume"
        )
    return choices[0]


def labels(choice: dict[str, Any]) -> set[str]:
    """What the server calls the weights that sampled ``choice``: more than one if they changed under way, none if it does not say."""
    return {str(span["version"]) for span in choice.get("weight_versions") or []}


def read_completion(choice: dict[str, Any], sampling: Sampling, stop: Sequence[int], version: int) -> Completion:
    """The completion in ``choice``, once it is found to be one of ``sampling``."""
    ids, content = choice.get("token_ids") or [], _content(choice)
    if not ids or [each.get("token_id") for each in content] != ids:
        raise EngineError(f"the server gave {len(ids)} ids and {len(content)} log-probs, or those of other ids: they must come in pairs")
    logprobs: list[Any] = [each.get("logprob") for each in content]
    bad = [p for p in logprobs if not isinstance(p, (int, float)) or not math.isfinite(p) or not _FLOOR < p <= 1e-5]
    if bad:
        raise EngineError(f"the server gave a log-prob of {bad[0]}: expected finite ones, 0 or less. Its weights, or the adapter's, are damaged")
    if forbidden := sorted(set(ids) & set(sampling.suppress)):
        raise EngineError(f"the server sampled the suppressed ids {forbidden[:5]}: it applies neither allowed_token_ids nor logit_bias")
    ends, reason, most = [k for k, i in enumerate(ids) if i in stop], choice.get("finish_reason"), sampling.max_new_tokens
    if not (ends == [len(ids) - 1] if reason == "stop" else reason == "length" and not ends and len(ids) == most):
        raise EngineError(
            f"the server ended by {reason!r} after {len(ids)} ids, with end tokens at {ends[:3]}: expected one, the last, or {most} ids and none"
        )
    return Completion(tuple(ids), tuple(min(0.0, float(p)) for p in logprobs), str(reason), version)


def probe_params(ids: Sequence[int], temperature: float) -> dict[str, Any]:
    """Settings that ask for the log-probs of ``ids``, all others left out, after a prompt."""
    return {**_PLAIN, "temperature": temperature, "max_tokens": 1, "seed": 0, "logprobs": len(ids), "allowed_token_ids": list(ids)}


def read_distribution(choice: dict[str, Any], ids: Sequence[int]) -> np.ndarray:
    """The log-probs of ``ids`` in ``choice``, float64 ``(len(ids),)``."""
    first = (_content(choice) or [{}])[0]
    found = {each.get("token_id"): each.get("logprob") for each in [first, *first.get("top_logprobs", [])]}
    if missing := [i for i in ids if not isinstance(found.get(i), float)]:
        raise EngineError(
            f"the server's log-probs are not those of the distribution it samples from: the allowed ids {missing[:3]} are not among them. "
            "Start it with --logprobs-mode processed_logprobs (and --max-logprobs 20 or more)"
        )
    values = np.array([found[i] for i in ids])
    if not (np.isfinite(values) & (values > _FLOOR)).all():
        raise EngineError(f"the server gave log-probs of {values.min():g}: its weights, or the adapter's, are damaged")
    return values


def _content(choice: dict[str, Any]) -> list[dict[str, Any]]:
    return (choice.get("logprobs") or {}).get("content") or []
