"""Log-probs of the trained tokens of rows: one forward pass per micro-batch, logits only where a token is trained."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any
from weakref import WeakSet

import torch
from torch import Tensor
from torch.utils.checkpoint import checkpoint

from agents.episodes import Frame
from agents.features import ImageFeatures
from agents.models import base_model
from agents.rows import Row

#: From the frames of each row and the padded ``(rows, length)`` ids to the model's other keyword arguments;
#: :class:`agents.vision.VisionInputs` is one, whose ``features`` then stand for the pixels.
ImageInputs = Callable[[Sequence[Sequence[Frame]], Tensor], dict[str, Tensor]]

#: The largest share of a micro-batch that may be padding.
PADDING = 0.1

#: How many logits may exist at once in float32 (128 MiB): trained tokens are taken in chunks of that many over the vocabulary.
CHUNK = 2**25

_more_than_head: WeakSet[Any] = WeakSet()  # models that do more to their logits than the head does


@dataclass(eq=False)
class Batch:
    """Rows padded on the right. ``tokens`` counts trained tokens; the one-dimensional tensors have one entry for each.

    Args:
        rows: what was batched.
        inputs: the model's keyword arguments, ``input_ids`` and ``attention_mask`` ``(rows, length)`` int64 among them.
        keep: ``(positions,)`` int64, the sequence positions whose logits are needed: those before a trained token.
        row: ``(tokens,)`` int64, index into ``rows``.
        column: ``(tokens,)`` int64, index into ``keep``.
        targets: ``(tokens,)`` int64, the trained ids.
        behaviour: ``(tokens,)`` float32, the engine's log-probs.
        advantages: ``(tokens,)`` float32, that of each token's turn.
        temperature: ``(tokens,)`` float32.
        features: of the rows' images; None where ``inputs`` hold all there is.
    """

    rows: list[Row]
    inputs: dict[str, Tensor]
    keep: Tensor
    row: Tensor
    column: Tensor
    targets: Tensor
    behaviour: Tensor
    advantages: Tensor
    temperature: Tensor
    features: ImageFeatures | None = None

    def pixels(self, model: Any) -> AbstractContextManager[dict[str, Tensor]]:
        """What ``model`` takes for the pixels of all images, while the context lasts."""
        frames = [frame for row in self.rows for frame in row.images]
        return self.features.given(model, frames) if self.features and frames else nullcontext({})

    def per_token(self, values: Sequence[float]) -> Tensor:
        """``(tokens,)`` float32: each row's value, repeated for its trained tokens."""
        return torch.tensor(values, dtype=torch.float32, device=self.row.device)[self.row]


def collate(rows: Sequence[Row], vision: ImageInputs, pad_id: int, device: torch.device | str = "cpu") -> Batch:
    """Batch ``rows``. ValueError for one whose mask or log-probs do not fit its ids, or that trains its first token."""
    for row in rows:
        if not len(row.ids) == len(row.mask) == len(row.logprobs) == len(row.advantages):
            lengths = f"{len(row.ids)} ids, {len(row.mask)} mask entries, {len(row.logprobs)} log-probs and {len(row.advantages)} advantages"
            raise ValueError(f"a row has {lengths}: expected as many of each")
        if not any(row.mask) or row.mask[0]:
            raise ValueError("a row trains at least one token and never its first, which nothing predicts")
        if row.sampling.temperature <= 0:
            raise ValueError("a row was sampled at temperature 0: greedy completions are for evaluation and cannot be trained on")
    length = max(len(row.ids) for row in rows)
    ids = torch.full((len(rows), length), pad_id, dtype=torch.int64)
    attention = torch.zeros((len(rows), length), dtype=torch.int64)
    mask = torch.zeros((len(rows), length), dtype=torch.bool)
    logprobs, advantages = torch.zeros((2, len(rows), length), dtype=torch.float32)
    for i, row in enumerate(rows):
        n = len(row.ids)
        ids[i, :n] = torch.tensor(row.ids, dtype=torch.int64)
        attention[i, :n] = 1
        mask[i, :n] = torch.tensor(row.mask, dtype=torch.bool)
        logprobs[i, :n] = torch.tensor(row.logprobs, dtype=torch.float32)
        advantages[i, :n] = torch.tensor(row.advantages, dtype=torch.float32)
    at = mask.nonzero()
    keep, column = torch.unique(at[:, 1] - 1, return_inverse=True)
    features = getattr(vision, "features", None)
    others = (vision.layout if features else vision)([row.images for row in rows], ids)  # type: ignore[attr-defined]
    inputs = {"input_ids": ids, "attention_mask": attention, **others}
    temperature = torch.tensor([row.sampling.temperature for row in rows], dtype=torch.float32)[at[:, 0]]
    on = functools.partial(Tensor.to, device=device)
    return Batch(
        rows=list(rows),
        inputs={name: on(value) for name, value in inputs.items()},
        keep=on(keep),
        row=on(at[:, 0]),
        column=on(column),
        targets=on(ids[mask]),
        behaviour=on(logprobs[mask]),
        advantages=on(advantages[mask]),
        temperature=on(temperature),
        features=features,
    )


def micro_batches(rows: Sequence[Row], tokens: int) -> Iterator[list[Row]]:
    """``rows`` in parts of at most ``tokens`` padded tokens each (a longer row is a part of its own), longest first.

    At most :data:`PADDING` of a part is padding: rows that differ more in length go to another part.
    """
    if tokens < 1:
        raise ValueError(f"micro_tokens is {tokens}: expected at least 1")
    part: list[Row] = []
    filled = 0
    for row in sorted(rows, key=lambda row: -len(row.ids)):
        area = len(part[0].ids) * (len(part) + 1) if part else 0
        if part and (area > tokens or filled + len(row.ids) < (1 - PADDING) * area):
            yield part
            part, filled = [], 0
        part.append(row)
        filled += len(row.ids)
    if part:
        yield part


def trained_logprobs(model: Any, batch: Batch) -> tuple[Tensor, Tensor]:
    """Log-prob of each trained token and entropy (nats, without gradient) of the distribution it was drawn from.

    As the engine has it: logits / temperature, suppressed ids at -inf, softmax, in float32. Both are ``(tokens,)``. Where the model gives no
    numbers neither do they: the optimiser takes no step on such a loss. FloatingPointError for a trained token that cannot have been sampled.

    ``model`` is called once, from the outside, with its output head replaced by :class:`_Head`, so that logits exist for a chunk of trained tokens
    at a time. A model that does more to its logits than the head does gets them computed as usual, at all kept positions.
    """
    base = base_model(model)
    head = base.get_output_embeddings()
    with _checkpointing(base), batch.pixels(model) as pixels:
        inputs = {**batch.inputs, **pixels, "use_cache": False, "logits_to_keep": batch.keep}
        result = None
        if base not in _more_than_head:
            with _Head(head, batch) as replaced:
                result = model(**inputs).logits
            if result is not replaced.result and not (result.shape == replaced.result.shape and torch.equal(result, replaced.result)):
                _more_than_head.add(base)
                result = None
        if result is None:
            logits = model(**inputs).logits[batch.row, batch.column]
            result = _in_chunks(lambda x: x, logits, batch, logits.shape[-1])
    logprobs, entropy = result[0], result[1].detach()
    for at in (~torch.isfinite(logprobs.detach())).nonzero()[:, 0].tolist():
        if int(batch.targets[at]) in batch.rows[int(batch.row[at])].sampling.suppress:
            raise FloatingPointError(f"a trained token (id {int(batch.targets[at])}) is one that its own sampling settings suppress")
    return logprobs, entropy


class _Head:
    """While it lasts, ``head`` (which may hold a LoRA adapter) returns log-probs and entropies ``(2, tokens)`` instead of logits.

    Its ``forward`` is replaced on the module itself, so that hooks around it run as ever.
    """

    def __init__(self, head: Any, batch: Batch):
        self.head, self.batch = head, batch
        self.result: Any = None

    def __enter__(self) -> _Head:
        self._held, forward = self.head.__dict__.get("forward"), self.head.forward

        def chunked(hidden: Tensor) -> Tensor:
            self.result = _in_chunks(forward, hidden[self.batch.row, self.batch.column], self.batch, self.head.weight.shape[0])
            return self.result

        self.head.forward = chunked
        return self

    def __exit__(self, *_: object) -> None:
        del self.head.forward
        if self._held is not None:
            self.head.forward = self._held


def _in_chunks(head: Callable[[Tensor], Tensor], hidden: Tensor, batch: Batch, width: int) -> Tensor:
    """Log-probs and entropies ``(2, tokens)`` of the trained tokens, from what the head is given for each.

    Where one chunk is not enough, its logits are not kept for the backward pass but computed again.
    """
    size = max(1, CHUNK // width)
    kinds = sorted({row.sampling.suppress for row in batch.rows})
    kind_of = torch.tensor([kinds.index(row.sampling.suppress) for row in batch.rows], device=hidden.device)[batch.row]
    blocked = torch.zeros((len(kinds), width), dtype=torch.bool, device=hidden.device)
    for kind, ids in enumerate(kinds):
        blocked[kind, list(ids)] = True

    def of_chunk(hidden: Tensor, targets: Tensor, temperature: Tensor, kind: Tensor) -> Tensor:
        logits = head(hidden).float() / temperature[:, None]
        if blocked.any():
            logits = logits.masked_fill(blocked if len(kinds) == 1 else blocked[kind], float("-inf"))
        all_logprobs = logits.log_softmax(-1)
        with torch.no_grad():
            entropy = torch.special.entr(all_logprobs.exp()).sum(-1)
        return torch.stack([all_logprobs.gather(1, targets[:, None])[:, 0], entropy])

    chunks = list(zip(*(t.split(size) for t in (hidden, batch.targets, batch.temperature, kind_of)), strict=True))
    if len(chunks) == 1:
        return of_chunk(*chunks[0])
    if not torch.is_grad_enabled():
        return torch.cat([of_chunk(*chunk) for chunk in chunks], 1)
    return torch.cat([checkpoint(of_chunk, *chunk, use_reentrant=False) for chunk in chunks], 1)


def checkpoint_layers(model: Any) -> None:
    """From now on forward passes of :func:`trained_logprobs` keep one hidden state a layer, and the backward pass computes the rest again."""
    base = base_model(model)
    if not base.supports_gradient_checkpointing:
        raise ValueError(f"{type(base).__name__} cannot checkpoint its layers: expected gradient_checkpointing=False")
    name = "activation" if hasattr(base, "activation_checkpointing_enable") else "gradient"  # transformers is renaming it
    getattr(base, f"{name}_checkpointing_enable")(**{f"{name}_checkpointing_kwargs": {"use_reentrant": False}})


@contextmanager
def _checkpointing(base: Any) -> Iterator[None]:
    """A layer checkpoints in training mode alone; what is in it stays in eval mode, without dropout."""
    layers = [module for module in base.modules() if getattr(module, "gradient_checkpointing", False) and not module.training]
    for layer in layers:
        layer.training = True
    try:
        yield
    finally:
        for layer in layers:
            layer.training = False
