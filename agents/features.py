"""What a model's vision tower makes of frames: computed once for each distinct frame, not once for each place it is shown at.

The model's own forward stays in charge (peft's and other wrappers' hooks run, M-RoPE sees the grids of all images): while a
call lasts, its ``get_image_features`` looks the frames up here.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor, nn

from agents.byte_cache import ByteCache
from agents.episodes import Frame
from agents.models import base_model

if TYPE_CHECKING:
    from agents.vision import VisionInputs

#: The fields of what ``get_image_features`` returns that a language model reads; the second is Qwen3-VL's, one entry a layer.
POOLED, STACKED = "pooler_output", "deepstack_features"

_numbers = count()


class ImageFeatures:
    """Features of frames, for one model's learner and engine.

    Where no gradient goes through the vision tower, each frame is computed alone (so that its features depend on nothing else, bit by bit) and kept
    until the tower's weights change. Where one does, the distinct frames of a call are computed together, with their graph.

    A model for which this gives other logits than its ordinary forward gets its pixels as usual, with a warning; that is found out at its first use.

    Args:
        vision: processes frames and knows how many image tokens each takes.
        cache: where features are kept, on the model's device.
    """

    def __init__(self, vision: VisionInputs, cache: ByteCache):
        self.vision, self.cache = vision, cache
        self._towers: dict[nn.Module, _Tower] = {}

    @contextmanager
    def given(self, model: Any, frames: Sequence[Frame]) -> Iterator[dict[str, Tensor]]:
        """While it lasts, the first forward of ``model`` that is given what this yields sees ``frames``, in the order of its image placeholders.

        Yields the keyword arguments that stand for the pixels of ``frames``, beside those of :meth:`VisionInputs.layout`.
        """
        base, tower = base_model(model), self._tower(model)
        if not frames or tower is None:
            yield {name: value.to(base.device) for name, value in self.vision.pixels(frames).items()}
            return
        with tower.answering(lambda run: self._features(tower, run, frames)):
            yield {"pixel_values": torch.zeros(1, device=base.device)}  # that there are images; nobody reads it

    def forget(self, model: Any) -> None:
        """The weights of ``model`` have changed: forget the features of a tower that may be trained."""
        tower = self._towers.get(_inner(base_model(model)))
        if tower is not None and tower.trained():
            self.cache.drop(tower.owns)

    def _tower(self, model: Any) -> _Tower | None:
        """The vision tower of ``model``; None where it gets its pixels as usual."""
        base = base_model(model)
        inner = _inner(base)
        if inner not in self._towers:
            self._towers[inner] = tower = _Tower(base, inner)
            tower.works = hasattr(inner, "get_image_features") and self._agrees(model, tower)
            if not tower.works:
                warnings.warn(
                    f"{type(base).__name__} does not take image features from outside: images that are seen again are computed again", stacklevel=4
                )
        return self._towers[inner] if self._towers[inner].works else None

    @torch.no_grad()
    def _agrees(self, model: Any, tower: _Tower) -> bool:
        """Whether the logits after two images, given in the other order than computed, are those of an ordinary forward."""
        device = base_model(model).device
        rng = np.random.default_rng(1)
        one, two = (Frame(rng.integers(0, 256, (64, 96, 3), np.uint8)) for _ in range(2))
        frames = [two, one, two]
        image, between = self.vision.tokens.image, self.vision.tokens.stop[0]
        ids = torch.tensor([self.vision.expand([between, image] * 3 + [between], frames)], device=device)
        layout = {name: value.to(device) for name, value in self.vision.layout([frames], ids).items()}
        shared = {"input_ids": ids, "attention_mask": torch.ones_like(ids), **layout, "use_cache": False}
        pixels = {name: value.to(device) for name, value in self.vision.pixels(frames).items()}
        expected = model(**shared | pixels).logits
        try:
            with tower.answering(lambda run: self._features(tower, run, frames, keep=False)):
                found = model(**shared, pixel_values=torch.zeros(1, device=device)).logits
        except (AttributeError, LookupError, RuntimeError, TypeError, ValueError):  # of a family that asks for more of its pixels
            return False
        scale = float(expected.float().abs().max())
        return bool(torch.isfinite(found).all()) and float((found - expected).float().abs().max()) <= scale * (
            1e-4 if found.dtype == torch.float32 else 0.1
        )

    def _features(self, tower: _Tower, run: Any, frames: Sequence[Frame], keep: bool = True) -> Any:
        """What the tower returns for ``frames``; ``run`` computes it from processed images."""
        distinct = {frame.hash: frame for frame in frames}
        if torch.is_grad_enabled() and tower.trained():
            computed = run(self.vision.pixels(list(distinct.values())))
            parts = dict(zip(distinct, tower.split(computed, [self.vision.image_tokens(f) for f in distinct.values()]), strict=True))
            return tower.join([parts[frame.hash] for frame in frames])
        state = tower.state(self.cache)
        parts = {}
        for key, frame in distinct.items():
            part = self.cache.get((state, key)) if keep else None
            if part is None:
                with torch.no_grad():
                    (part,) = tower.split(run(self.vision.process(frame, keep=tower.trained())), [self.vision.image_tokens(frame)])
                if keep:
                    self.cache.put((state, key), part, sum(tensor.nbytes for tensors in part.values() for tensor in tensors))
            parts[key] = part
        return tower.join([parts[frame.hash] for frame in frames])


class _Tower:
    """The part of one model that turns pixels into features: its ``get_image_features`` and the weights that uses."""

    def __init__(self, base: Any, inner: Any):
        self.inner, self.number, self.works = inner, next(_numbers), False
        decoder = base.get_decoder()
        self._modules = [child for child in inner.children() if all(module is not decoder for module in child.modules()) and child is not decoder]
        self._versions: tuple[int, ...] = ()
        self._kind: Any = None
        self._listed = self._stacked = False

    def parameters(self) -> Iterator[nn.Parameter]:
        yield from self.inner.parameters(recurse=False)
        for module in self._modules:
            yield from module.parameters()

    def trained(self) -> bool:
        """Whether a gradient goes into it."""
        return any(parameter.requires_grad for parameter in self.parameters())

    def owns(self, key: Any) -> bool:
        return isinstance(key[0], tuple) and key[0][0] == self.number

    def state(self, cache: ByteCache) -> tuple[Any, ...]:
        """What its results depend on besides the frame. Results of earlier weights are dropped from ``cache``."""
        versions = tuple(parameter._version for parameter in self.parameters())  # torch counts changes in place
        if versions != self._versions:
            self._versions = versions
            cache.drop(self.owns)
        lora = [module for child in self._modules for module in child.modules() if hasattr(module, "lora_A")]
        return self.number, *{(tuple(module.active_adapters), module.disable_adapters) for module in lora}

    @contextmanager
    def answering(self, features: Any) -> Iterator[None]:
        """While it lasts, ``get_image_features`` returns ``features(run)``, where ``run`` calls the model's own on processed images."""
        own, held = self.inner.get_image_features, self.inner.__dict__.get("get_image_features")
        signature = inspect.signature(own)
        asked = False

        def answer(*args: Any, **kwargs: Any) -> Any:
            nonlocal asked
            asked = True
            given = signature.bind_partial(*args, **kwargs)  # what else the model passes goes on to its own

            def run(processed: dict[str, Tensor]) -> Any:
                fitting = {name: value.to(self.inner.device) for name, value in processed.items() if name in signature.parameters}
                given.arguments.update(fitting)
                return own(*given.args, **given.kwargs)

            return features(run)

        self.inner.get_image_features = answer
        try:
            yield
        finally:
            if held is None:
                del self.inner.get_image_features
            else:
                self.inner.get_image_features = held
        if not asked:
            raise RuntimeError(f"{type(self.inner).__name__} never asked for the features of its images: what it computed has not seen them")

    def split(self, output: Any, tokens: Sequence[int]) -> list[dict[str, list[Tensor]]]:
        """The features of each image, of which ``tokens`` says how many tokens it takes."""
        pooled, stacked = getattr(output, POOLED), getattr(output, STACKED, None)
        self._kind, self._listed, self._stacked = type(output), isinstance(pooled, (list, tuple)), stacked is not None
        fields: dict[str, Any] = {POOLED: [pooled], **({STACKED: stacked} if self._stacked else {})}
        parts: list[dict[str, list[Tensor]]] = [{name: [] for name in fields} for _ in tokens]
        for name, layers in fields.items():
            for layer in layers:
                whole = torch.cat(list(layer)) if isinstance(layer, (list, tuple)) else layer
                flat = whole.reshape(-1, whole.shape[-1])
                if len(flat) != sum(tokens):
                    raise ValueError(f"{len(flat)} image features for {sum(tokens)} image tokens")
                for part, piece in zip(parts, flat.split(list(tokens)), strict=True):
                    part[name].append(piece.reshape(-1, *whole.shape[1:]))
        return parts

    def join(self, parts: Sequence[dict[str, list[Tensor]]]) -> Any:
        """An output as ``get_image_features`` returns it, for these images in order."""
        pooled: Any = [part[POOLED][0] for part in parts]
        fields = {POOLED: pooled if self._listed else torch.cat(pooled)}
        if self._stacked:
            fields[STACKED] = [list(layer) for layer in zip(*(part[STACKED] for part in parts), strict=True)]
        return self._kind(**fields)


def _inner(base: Any) -> Any:
    """The module whose forward asks for image features: the one inside the model with the output head."""
    return getattr(base, base.base_model_prefix, base)
