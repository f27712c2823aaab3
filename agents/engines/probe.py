"""One question to server and learner alike: how likely are a few ids after one prompt?"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import numpy as np
import torch
from torch.distributed.fsdp import FSDPModule

from agents.episodes import Frame
from agents.prompts import PromptBuilder

#: The learner's answer, None where it cannot be had; True asks for that of the model without its adapter.
Learner = Callable[[bool], np.ndarray | None]
#: Ids asked for; a server gives up to 20 log-probs of a token unless it was started with --max-logprobs.
IDS = 16


class Probe:
    """A prompt with an image, and ids spread over the vocabulary. An answer is float64 ``(IDS,)``: log-probs of the ids, all others left out.

    Nothing is sampled, so that one token tells whether two sides compute the same.
    """

    def __init__(self, prompts: PromptBuilder):
        frame = Frame(np.random.default_rng(0).integers(0, 256, (112, 112, 3), np.uint8))
        self.prompt = prompts.start("Say what you see.", frame, (112, 112))
        tokens = prompts.vision.tokens
        blocked = {*tokens.suppress, *tokens.stop}
        free = [i for i in range(len(prompts.vision.tokenizer)) if i not in blocked]
        self.ids = tuple(free[k * len(free) // IDS] for k in range(IDS))
        self._vision = prompts.vision

    def learner(self, model: Any) -> Learner:
        """How ``model`` answers, with the weights it has when asked: not at all once it is split over processes, which would all have to be asked."""

        @torch.no_grad()
        def answer(bare: bool) -> np.ndarray | None:
            if any(isinstance(module, FSDPModule) for module in model.modules()):
                return None
            inputs = self._vision.batch([self.prompt.ids], [self.prompt.images], device=model.device)
            with model.disable_adapter() if bare and hasattr(model, "disable_adapter") else nullcontext():
                logits = model(**inputs, use_cache=False, logits_to_keep=1).logits[0, -1]
            found: np.ndarray = logits[list(self.ids)].double().log_softmax(-1).cpu().numpy()
            return found

        return answer
