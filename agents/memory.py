"""Running out of memory: told apart from other errors, and answered by doing the same work in smaller parts."""

from __future__ import annotations

import gc
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import torch

from agents.logprobs import micro_batches
from agents.rows import Row

#: How torch tells of it on the CPU, where it has no error of its own.
_CPU = ("DefaultCPUAllocator", "not enough memory", "can't allocate memory")


@contextmanager
def memory_errors() -> Iterator[None]:
    """Raise torch.OutOfMemoryError for whatever tells that memory has run out within the block, on a GPU or the CPU."""
    try:
        yield
    except torch.OutOfMemoryError:
        raise
    except (MemoryError, RuntimeError) as error:
        if isinstance(error, MemoryError) or any(text in str(error) for text in _CPU):
            raise torch.OutOfMemoryError(str(error)) from error
        raise


def smaller_parts(rows: Sequence[Row], micro_tokens: int, problem: str) -> int:
    """The ``micro_tokens`` to go on with where ``rows``, cut by ``micro_tokens``, did not fit; with a warning. Frees what nothing refers to.

    To be called outside of the ``except`` block, whose error refers to much. torch.OutOfMemoryError where each part was a single row.
    """
    sizes = [(len(part), max(len(row.ids) for row in part)) for part in micro_batches(rows, micro_tokens)]
    if all(number == 1 for number, _ in sizes):
        longest = max(length for _, length in sizes)
        raise torch.OutOfMemoryError(
            f"memory does not suffice for a single row of up to {longest} tokens ({problem}): set gradient_checkpointing, lower model.max_pixels, "
            "policy.n or policy.max_turns, or train fewer weights (adapter.train lora, a smaller adapter.rank)"
        )
    _free()
    smaller = max(min(micro_tokens, max(number * length for number, length in sizes)) // 2, 1)
    warnings.warn(f"memory ran out ({problem}): going on with micro_tokens {smaller}, which changes no result", stacklevel=3)
    return smaller


def smaller_batch(prompts: int, problem: str) -> int:
    """The ``batch_size`` to go on with where that many ``prompts`` did not fit; as :func:`smaller_parts`."""
    if prompts == 1:
        raise torch.OutOfMemoryError(f"memory does not suffice to answer a single prompt ({problem}): lower model.max_pixels or policy.n")
    _free()
    warnings.warn(f"memory ran out ({problem}): going on with batch_size {prompts // 2}, which changes no result", stacklevel=3)
    return prompts // 2


def _free() -> None:
    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
