"""The learner's side of tests of a server, of the stub and of vLLM itself."""

import pytest
import torch

from agents.adapters import AdapterConfig, Trainable
from agents.engines.conformance import EngineConformance
from agents.engines.probe import Probe
from agents.engines.transformers_engine import sampling_logprobs
from agents.logprobs import collate, trained_logprobs
from agents.models import load_model
from agents.prompts import PromptBuilder
from agents.rows import Row
from agents.vision import VisionInputs
from gui_gym.codecs import make_codec

SCREEN = (56, 56)


class Side:
    """The learner: a model with an adapter, which :meth:`move` changes."""

    def __init__(self, folder, config=None):
        model, processor = load_model(folder)
        self.trainable = Trainable(model, config or AdapterConfig(rank=4))
        self.model = self.trainable.model
        self.vision = VisionInputs(processor, self.model)
        self.builder = PromptBuilder(self.vision, make_codec("dsl", "grid:10"), system="")
        self.probe = Probe(self.builder)
        self._began = {name: weight.detach().clone() for name, weight in self.model.named_parameters()}

    def forget(self):
        """The weights it began with."""
        with torch.no_grad():
            for name, weight in self.model.named_parameters():
                weight.copy_(self._began[name])

    def move(self, seed=0, scale=0.3):
        generator = torch.Generator().manual_seed(seed)
        with torch.no_grad():
            for name, weight in self.model.named_parameters():
                if "lora_B" in name or self.trainable.config.train == "full":
                    weight.add_(torch.randn(weight.shape, generator=generator) * (scale if "lora_B" in name else scale / 10))

    def prompts(self, frames):
        """8 prompts of 1, 2 and 3 of 16 frames; their answers are made up."""
        made = [self.builder.start("Click it." * (k % 3 + 1), frames[k], SCREEN) for k in range(8)]
        for turn in (1, 2):
            for k in range(8):
                if k % 3 >= turn:
                    answer = self.builder.completion_ids(f"click({k}, {turn})")
                    made[k] = self.builder.extend(made[k], answer, "stop", frames[8 + (k + turn) % 8], "no" * k)
        return made


def rows_of(prompts, completions, sampling):
    return [
        Row(
            [*p.ids, *c.ids], [False] * len(p.ids) + [True] * len(c.ids), [0.0] * len(p.ids) + list(c.logprobs), [0.0] * (len(p.ids) + len(c.ids)),
            list(p.images), sampling,
        )
        for p, c in zip(prompts, completions, strict=True)
    ]  # fmt: skip


def gap(side, prompts, completions, sampling):
    """Largest difference of engine's and learner's log-probs, all conversations in one padded batch."""
    batch = collate(rows_of(prompts, completions, sampling), side.vision, side.vision.tokens.pad)
    with torch.no_grad():
        return float((trained_logprobs(side.model, batch)[0] - batch.behaviour).abs().max())


class ServerConformance(EngineConformance):
    """With fixtures ``engine``, ``side`` and ``prompts``."""

    @pytest.fixture
    def builder(self, side):
        return side.builder

    @pytest.fixture(autouse=True)
    def _side(self, side):
        self.side = side

    def reference(self, engine, prompt, completion, sampling):
        with torch.no_grad():
            logits = self.side.model(**self.side.vision.batch([[*prompt.ids, *completion.ids]], [prompt.images])).logits[0]
        at = len(prompt.ids) - 1
        logprobs = sampling_logprobs(logits[at : at + len(completion.ids)].clone(), sampling)
        return logprobs[torch.arange(len(completion.ids)), list(completion.ids)].tolist()
