"""Log-probs of the trained tokens of rows: one forward pass per micro-batch, logits only where a token is trained."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from agents.episodes import Frame
from agents.rows import Row

#: From the frames of each row and the padded ``(rows, length)`` ids to the model's other keyword arguments.
ImageInputs = Callable[[Sequence[Sequence[Frame]], Tensor], dict[str, Tensor]]


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
    inputs = {"input_ids": ids, "attention_mask": attention, **vision([row.images for row in rows], ids)}
    temperature = torch.tensor([row.sampling.temperature for row in rows], dtype=torch.float32)[at[:, 0]]
    return Batch(
        list(rows),
        {name: value.to(device) for name, value in inputs.items()},
        *(t.to(device) for t in (keep, at[:, 0], column, ids[mask], logprobs[mask], advantages[mask], temperature)),
    )


def micro_batches(rows: Sequence[Row], tokens: int) -> Iterator[list[Row]]:
    """``rows`` in parts of at most ``tokens`` padded tokens each (a longer row is a part of its own), longest first."""
    if tokens < 1:
        raise ValueError(f"micro_tokens is {tokens}: expected at least 1")
    part: list[Row] = []
    for row in sorted(rows, key=lambda row: -len(row.ids)):
        if part and len(part[0].ids) * (len(part) + 1) > tokens:
            yield part
            part = []
        part.append(row)
    if part:
        yield part


def trained_logprobs(model: nn.Module, batch: Batch) -> tuple[Tensor, Tensor]:
    """Log-prob of each trained token and entropy (nats, without gradient) of the distribution it was drawn from.

    As the engine has it: logits / temperature, suppressed ids at -inf, softmax, in float32. Both are ``(tokens,)``.
    """
    logits = model(**batch.inputs, use_cache=False, logits_to_keep=batch.keep).logits
    logits = logits[batch.row, batch.column].float() / batch.temperature[:, None]
    for ids in {row.sampling.suppress for row in batch.rows if row.sampling.suppress}:
        of_row = torch.tensor([row.sampling.suppress == ids for row in batch.rows], device=logits.device)
        blocked = torch.zeros(logits.shape[1], dtype=torch.bool, device=logits.device)
        blocked[list(ids)] = True
        logits = logits.masked_fill(of_row[batch.row][:, None] & blocked, float("-inf"))
    all_logprobs = logits.log_softmax(-1)
    with torch.no_grad():
        entropy = torch.special.entr(all_logprobs.exp()).sum(-1)
    logprobs = all_logprobs.gather(1, batch.targets[:, None])[:, 0]
    if not torch.isfinite(logprobs).all():
        at = int((~torch.isfinite(logprobs)).nonzero()[0, 0])
        row, token = batch.rows[int(batch.row[at])], int(batch.targets[at])
        reason = "its sampling settings suppress that id" if token in row.sampling.suppress else "the model's weights or inputs are damaged"
        raise FloatingPointError(f"the log-prob of a trained token (id {token}) is {logprobs[at].item()}: {reason}")
    return logprobs, entropy
