"""How much memory a piece of work takes: tensors counted one by one, and what the process holds."""

from __future__ import annotations

import threading
from typing import Any

import psutil
import torch
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves


class TensorPeak(TorchDispatchMode):
    """While it lasts, counts the memory of all tensors that operations make, the saved ones of a backward pass among them.

    Attributes:
        peak: the most bytes that such tensors took at once.
        largest: the most numbers that one of them held.
    """

    def __init__(self) -> None:
        super().__init__()
        self.peak = self.largest = self._total = 0
        self._live: dict[int, tuple[StorageWeakRef, int]] = {}

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        out = func(*args, **(kwargs or {}))
        given = {leaf.untyped_storage()._cdata for leaf in tree_leaves((args, kwargs)) if isinstance(leaf, torch.Tensor)}
        for leaf in tree_leaves(out):
            if isinstance(leaf, torch.Tensor) and leaf.untyped_storage()._cdata not in given:
                self._note(leaf)
        return out

    def _note(self, tensor: torch.Tensor) -> None:
        storage = tensor.untyped_storage()
        if storage._cdata in self._live and not self._live[storage._cdata][0].expired():
            return
        self.largest = max(self.largest, tensor.numel())
        self._total += storage.nbytes() - self._live.get(storage._cdata, (None, 0))[1]
        self._live[storage._cdata] = StorageWeakRef(storage), storage.nbytes()
        if self._total > self.peak:  # an upper bound until those that are gone are taken away
            self._live = {key: held for key, held in self._live.items() if not held[0].expired()}
            self._total = sum(size for _, size in self._live.values())
            self.peak = max(self.peak, self._total)


class ProcessPeak:
    """While it lasts, how far the resident memory of this process rises above where it was: ``peak`` bytes, looked at every few milliseconds."""

    def __init__(self, every: float = 0.005):
        self.every, self.peak = every, 0

    def __enter__(self) -> ProcessPeak:
        self._process, self._over = psutil.Process(), threading.Event()
        self._start = self._process.memory_info().rss
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()
        self._look()

    def _look(self) -> None:
        self.peak = max(self.peak, self._process.memory_info().rss - self._start)

    def _watch(self) -> None:
        while not self._over.wait(self.every):
            self._look()
