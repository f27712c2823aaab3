"""Frames to what a model takes: placeholder ids in the text and pixel tensors beside it, each frame processed once."""

from __future__ import annotations

import inspect
import math
import threading
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import torch
from PIL import Image

from agents.byte_cache import ByteCache
from agents.episodes import Frame, Sampling
from agents.features import ImageFeatures
from agents.models import ModelError, base_model, token_ids


class VisionInputs:
    """What prompt builder, engine and learner share about one model's eyes: one image size, one cache, one layout.

    Tensors of several images are laid out as the model's own processor does it: found out once at construction, so
    that no family needs code of its own.

    Args:
        processor: as :func:`agents.models.load_model` returned it.
        model: the same model, wrapped by peft or not.
        max_pixels: a frame with a larger area (width x height) is scaled down to it before the processor sees it.
        cache_bytes: how much memory processed frames and their features may hold; the longest unused go first.

    Attributes:
        tokens: the :class:`~agents.models.TokenIds` of the model.
        tokenizer: of the processor.
        lock: held while the tokenizer is called, which keeps settings of a call in itself: rollouts may run in several threads.
        features: what the model's vision tower makes of frames, an :class:`~agents.features.ImageFeatures`.
        prepared: frames processed so far; one that was not kept in the cache is processed again.
    """

    def __init__(self, processor: Any, model: Any, *, max_pixels: int | None = None, cache_bytes: int = 2**30):
        if max_pixels is not None and max_pixels < 28 * 28:
            raise ValueError(f"max_pixels is {max_pixels}: expected an area (width x height) of at least {28 * 28} pixels")
        self.processor, self.tokenizer, self.max_pixels = processor, processor.tokenizer, max_pixels
        self.lock = threading.RLock()
        self.tokens = token_ids(model, processor)
        self._accepted = set(inspect.signature(base_model(model).forward).parameters)
        self._cache = ByteCache(cache_bytes)
        self.features = ImageFeatures(self, self._cache)
        self._expansions: dict[tuple[int, ...], tuple[int, ...]] = {}
        self._sizes: dict[tuple[int, ...], dict[str, torch.Tensor]] = {}
        self._axes = self._find_axes()
        self.prepared = 0

    @property
    def image_token_id(self) -> int:
        return self.tokens.image

    def sampling(self, temperature: float = 1.0, max_new_tokens: int = 64) -> Sampling:
        """Sampling settings with this model's special and image ids suppressed."""
        return Sampling(temperature, max_new_tokens, self.tokens.suppress)

    def picture(self, frame: Frame) -> Image.Image:
        """``frame`` as the processor gets it: scaled down to ``max_pixels``."""
        picture = Image.fromarray(frame.pixels)
        width, height = picture.size
        if self.max_pixels is not None and width * height > self.max_pixels:
            scale = math.sqrt(self.max_pixels / (width * height))
            picture = picture.resize((max(1, int(width * scale)), max(1, int(height * scale))), Image.Resampling.BICUBIC)
        return picture

    def _process(self, frames: Sequence[Frame]) -> dict[str, torch.Tensor]:
        out = self.processor.image_processor([[self.picture(frame) for frame in frames]], return_tensors="pt")
        return {name: value for name, value in out.items() if name in self._accepted and isinstance(value, torch.Tensor)}

    def _find_axes(self) -> dict[str, int]:
        """The axis along which each tensor of one image joins that of the next, such that the processor's own result comes out."""
        rng = np.random.default_rng(0)
        pair = [Frame(rng.integers(0, 256, (64, 96, 3), np.uint8)) for _ in range(2)]
        first, second, both = self._process(pair[:1]), self._process(pair[1:]), self._process(pair)
        axes = {}
        for name, joint in both.items():
            fitting = [
                axis for axis in range(joint.dim())
                if first[name].shape[axis] + second[name].shape[axis] == joint.shape[axis]
                and torch.equal(torch.cat([first[name], second[name]], axis), joint)
            ]  # fmt: skip
            if not fitting:
                raise ModelError(f"{type(self.processor).__name__} gives a {name!r} for two images that is not made of each image's own")
            axes[name] = fitting[0]
        if not axes:
            raise ModelError(f"{type(self.processor).__name__} gives no tensor that the model takes: expected pixel_values or the like")
        return axes

    def process(self, frame: Frame, keep: bool = True) -> dict[str, torch.Tensor]:
        """The model's image tensors (float32 and int64, on the CPU) for one frame; ``keep`` them for the next time."""
        if (held := self._cache.get(frame.hash)) is not None:
            return held
        tensors = self._process([frame])
        self.prepared += 1
        if keep:
            self._cache.put(frame.hash, tensors, sum(tensor.nbytes for tensor in tensors.values()))
        return tensors

    def pixels(self, frames: Sequence[Frame]) -> dict[str, torch.Tensor]:
        """The model's image tensors (float32 and int64, on the CPU) for ``frames`` in order; empty for no frames."""
        each = {key: self.process(frame) for key, frame in {frame.hash: frame for frame in frames}.items()}
        return self._join([each[frame.hash] for frame in frames])

    def _join(self, each: Sequence[dict[str, torch.Tensor]]) -> dict[str, torch.Tensor]:
        return {name: torch.cat([one[name] for one in each], axis) for name, axis in self._axes.items() if name in each[0]} if each else {}

    def _grid(self, frame: Frame) -> dict[str, torch.Tensor]:
        """The tensors of ``frame`` that are no pixels, such as Qwen's grid: they depend on its size alone."""
        size = frame.pixels.shape
        if size not in self._sizes:
            self._sizes[size] = {name: value for name, value in self.process(frame, keep=False).items() if not name.startswith("pixel")}
        return self._sizes[size]

    def expansion(self, frame: Frame) -> tuple[int, ...]:
        """The ids that one placeholder becomes for ``frame``: depends on its size alone."""
        size = frame.pixels.shape
        if size not in self._expansions:
            with self.lock:
                out = self.processor(text=[self.processor.image_token], images=[[self.picture(frame)]], add_special_tokens=False)
            self._expansions[size] = tuple(int(i) for i in out["input_ids"][0])
        return self._expansions[size]

    def image_tokens(self, frame: Frame) -> int:
        """How many image token ids ``frame`` takes in an expanded prompt."""
        return self.expansion(frame).count(self.tokens.image)

    def expand(self, ids: Sequence[int], frames: Sequence[Frame]) -> list[int]:
        """``ids`` with the k-th image token replaced by the expansion of the k-th frame; ValueError unless their numbers agree."""
        count = sum(i == self.tokens.image for i in ids)
        if count != len(frames):
            raise ValueError(f"{count} image placeholders but {len(frames)} images: they must be as many")
        remaining = iter(frames)
        return [j for i in ids for j in (self.expansion(next(remaining)) if i == self.tokens.image else (i,))]

    def seen_size(self, width: int, height: int) -> tuple[int, int]:
        """``(width, height)`` in pixels of what the model makes of a screen of that size: the frame of "model pixel" coordinates."""
        frame = Frame(np.zeros((height, width, 3), np.uint8))
        tensors = self._process([frame])
        if "image_grid_thw" in tensors:
            _, rows, columns = tensors["image_grid_thw"][0].tolist()
            patch = self.processor.image_processor.patch_size
            return columns * patch, rows * patch
        shape = tensors["pixel_values"].shape
        if math.prod(shape[:-3]) == 1:
            return int(shape[-1]), int(shape[-2])
        return self.picture(frame).size  # cut into tiles: the model sees it at about its own size

    def batch(
        self,
        sequences: Sequence[Sequence[int]],
        images: Sequence[Sequence[Frame]],
        *,
        side: Literal["left", "right"] = "left",
        device: str | torch.device = "cpu",
        pixels: bool = True,
    ) -> dict[str, torch.Tensor]:
        """The model's arguments for sequences of expanded ids, each with its own frames (0 or more).

        Args:
            sequences: expanded ids, of any lengths.
            images: the frames of each sequence, in the order of their placeholders.
            side: where the padding goes: "left" to generate, "right" to train.
            pixels: False leaves the pixels out, for a forward under :meth:`ImageFeatures.given`.

        Returns ``input_ids`` and ``attention_mask`` ``(n, longest)`` int64, and what :meth:`__call__` (or :meth:`layout`) adds.
        """
        longest = max(map(len, sequences))
        ids = torch.full((len(sequences), longest), self.tokens.pad)
        mask = torch.zeros_like(ids)
        for row, sequence in enumerate(sequences):
            where = slice(longest - len(sequence), longest) if side == "left" else slice(0, len(sequence))
            ids[row, where], mask[row, where] = torch.tensor(sequence), 1
        out = {"input_ids": ids, "attention_mask": mask, **(self(images, ids) if pixels else self.layout(images, ids))}
        return {name: value.to(device) for name, value in out.items()}

    def __call__(self, images: Sequence[Sequence[Frame]], ids: torch.Tensor) -> dict[str, torch.Tensor]:
        """The model's arguments beside ids and attention mask, for padded ``ids`` ``(n, length)`` and the frames of each row.

        ValueError if a row's image ids are not those its frames take.
        """
        return self.layout(images, ids) | self.pixels([frame for frames in images for frame in frames])

    def layout(self, images: Sequence[Sequence[Frame]], ids: torch.Tensor) -> dict[str, torch.Tensor]:
        """As :meth:`__call__`, without the pixels: what the language model needs beside the features of the images."""
        found = (ids == self.tokens.image).sum(1).tolist()
        for row, frames in enumerate(images):
            expected = sum(self.image_tokens(frame) for frame in frames)
            if expected != found[row]:
                raise ValueError(f"sequence {row} has {found[row]} image ids but its {len(frames)} images take {expected}")
        out = self._join([self._grid(frame) for frames in images for frame in frames])
        for name in ("mm_token_type_ids", "token_type_ids"):
            if name in self._accepted:
                out[name] = (ids == self.tokens.image).long()
        return out
