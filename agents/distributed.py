"""Several processes that learn as one, started by ``accelerate launch`` or ``torchrun``, one for each GPU.

Process 0 leads: desktops, engine, logs and checkpoints are its own. The others follow its orders. All see the same rows, each
computes its share of the micro-batches, and gradients are *summed*: a token's weight in the loss is that in the whole update.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, TypeVar

import torch
import torch.distributed as dist
from torch import Tensor, nn

T = TypeVar("T")

#: Gradients are summed in parts of about this many numbers, which bounds the memory of their copy.
BUCKET = 2**25
#: The followers wait this long for an order: a collection on real desktops takes hours, and one whose process ended is noticed at once.
_PATIENCE = timedelta(days=7)


def launched() -> int:
    """How many processes ``accelerate launch`` or ``torchrun`` started, told by their environment variables; 1 without them."""
    return int(os.environ.get("WORLD_SIZE", "1"))


class ProcessError(RuntimeError):
    """Another process of the run failed or is gone, or it holds another model. Says which, and what it was doing."""


class Processes:
    """This process and the others of its run. Alone, as ``Processes()``, it does everything itself and every method is trivial.

    Args:
        rank: number of this process; 0 leads.
        size: how many there are.
        talk: torch.distributed group over which they exchange results while they learn.
        wait: group over which the leader gives orders, with a longer timeout.
    """

    def __init__(self, rank: int = 0, size: int = 1, talk: Any = None, wait: Any = None):
        self.rank, self.size = rank, size
        self.sharded = False  #: each holds a part of the model (:meth:`shard`), so that all must call it equally often
        self._waiting = True  # outside of an order the followers wait for the next one
        self._talk, self._wait = talk, wait

    @classmethod
    def join(cls, device: str = "cpu", timeout: float = 30.0) -> Processes:
        """The processes of ``accelerate launch`` or ``torchrun``, told by their environment variables; without them this one alone.

        Each takes the GPU of its local rank where ``device`` is "cuda". ValueError where there are fewer of them than processes.
        ``timeout`` is how many minutes each waits for the others within an update.
        """
        size = launched()
        if size == 1:
            return cls()
        local, backend = int(os.environ.get("LOCAL_RANK", "0")), "gloo"
        if torch.device(device).type == "cuda":
            if local >= torch.cuda.device_count():
                raise ValueError(f"process {local} of this machine has no GPU: expected at most {torch.cuda.device_count()} processes, one for each")
            torch.cuda.set_device(local)
            backend = "cpu:gloo,cuda:nccl"
        if not dist.is_initialized():
            with _contact(f"process {os.environ.get('RANK')} of {size}", "joining"):
                dist.init_process_group(backend, timeout=timedelta(minutes=timeout))
        groups = (dist.new_group(backend="gloo", timeout=limit) for limit in (timedelta(minutes=timeout), _PATIENCE))
        return cls(dist.get_rank(), size, *groups)

    @property
    def main(self) -> bool:
        """Whether this is the process that leads."""
        return self.rank == 0

    def __str__(self) -> str:
        return f"process {self.rank} of {self.size}"

    # orders of the leader to its followers

    def order(self, name: str, *arguments: Any) -> None:
        """From process 0: the others do ``name`` too, in step. Elsewhere, and alone, nothing: an order is carried out, not passed on."""
        if self.main and self.size > 1:
            self._waiting = False
            self._broadcast((name, arguments))

    def done(self) -> None:
        """The last order was carried out: the followers wait for the next one."""
        self._waiting = True

    def orders(self) -> Iterator[tuple[str, tuple[Any, ...]]]:
        """Of a follower: the leader's orders, until it says that the run is over. ProcessError where it ended otherwise."""
        while True:
            name, arguments = self._broadcast(None)
            if name == "stop":
                return
            yield name, arguments

    def stop(self) -> None:
        """From process 0: there are no more orders. Where it broke off amid one, the others notice that this process ends."""
        if self.main and self.size > 1 and self._waiting:
            self._broadcast(("stop", ()))

    def leave(self) -> None:
        """Give up the connections to the others, once all have come to the end of the run."""
        if self.size > 1:
            dist.destroy_process_group()

    def _broadcast(self, value: Any) -> Any:
        box = [value]
        with _contact(str(self), "waiting for what is next"):
            dist.broadcast_object_list(box, src=0, group=self._wait)
        return box[0]

    # what the processes do in step

    def gather(self, value: T, doing: str = "exchanging results") -> list[T]:
        """Every process's ``value`` (picklable), by rank."""
        if self.size == 1:
            return [value]
        values: list[Any] = [None] * self.size
        with _contact(str(self), doing):
            dist.all_gather_object(values, value, group=self._talk)
        return values

    def agree(self, work: Callable[[], T]) -> list[T]:
        """The result (picklable) of every process's own ``work()``, by rank. An error in one is raised in all: none waits for one that gave up.

        torch.OutOfMemoryError where any ran out of memory; else its own error in a process that has one, and :class:`ProcessError` in the others.
        """
        if self.size == 1:
            return [work()]
        result: Any = None
        error: Exception | None = None
        try:
            result = work()
        except Exception as caught:  # whatever it is: the others must hear of it
            error = caught
        told = self.gather((result, error and f"{type(error).__name__}: {error}", isinstance(error, torch.OutOfMemoryError)), "learning")
        failed = [(rank, text, memory) for rank, (_, text, memory) in enumerate(told) if text is not None]
        if not failed:
            return [value for value, _, _ in told]
        if any(memory for _, _, memory in failed):
            raise torch.OutOfMemoryError(next(f"process {rank}: {text}" for rank, text, memory in failed if memory)) from error
        if error is not None:
            raise error
        raise ProcessError(f"process {failed[0][0]} of {self.size} failed: {failed[0][1]}")

    def share(self, parts: Sequence[T], cost: Callable[[T], float]) -> list[tuple[T, bool]]:
        """This process's parts of the work, with True; the others have the rest, so that all have about the same cost.

        Where the model is sharded every process gets equally many: what fills up has False, must be computed and must not count.
        """
        if self.size == 1:
            return [(part, True) for part in parts]
        loads, mine = [0.0] * self.size, [[] for _ in range(self.size)]  # type: list[float], list[list[T]]
        for part in sorted(parts, key=cost, reverse=True):  # the costliest first, each to the process that has least to do
            to = min(range(self.size), key=lambda rank: (loads[rank], len(mine[rank])))
            loads[to] += cost(part)
            mine[to].append(part)
        own = [(part, True) for part in mine[self.rank]]
        if self.sharded:
            own += [(min(parts, key=cost), False)] * (max(map(len, mine)) - len(own))
        return own

    def sum_gradients(self, parameters: Iterable[nn.Parameter]) -> None:
        """Add up the gradients of all processes, in place. One that no process has stays None. Nothing to do where the model is sharded."""
        if self.size == 1 or self.sharded:
            return
        parameters = list(parameters)
        with _contact(str(self), "summing gradients"):
            known = torch.tensor([p.grad is not None for p in parameters], dtype=torch.int32, device=parameters[0].device)
            dist.all_reduce(known)
            for bucket in _buckets([p for p, count in zip(parameters, known.tolist(), strict=True) if count]):
                flat = torch.cat([torch.zeros_like(p).flatten() if p.grad is None else p.grad.flatten() for p in bucket])
                dist.all_reduce(flat)
                for p, total in zip(bucket, flat.split([p.numel() for p in bucket]), strict=True):
                    p.grad = total.view_as(p).clone()

    def same_start(self, fingerprint: Any, parameters: Iterable[nn.Parameter]) -> None:
        """Give all processes the leader's trained ``parameters``. :class:`ProcessError` where they have loaded different models."""
        if len(set(map(repr, self.gather(fingerprint, "comparing models")))) > 1:
            raise ProcessError("the processes have loaded different models: expected the same model.name, and the same files, on every machine")
        if self.size > 1:
            with _contact(str(self), "beginning from the same weights"):
                for p in parameters:
                    dist.broadcast(p.data, src=0)

    def shard(self, model: nn.Module, device: str | torch.device = "cpu") -> None:
        """Split the layers of ``model``'s text tower over the processes (FSDP2, ``torch.distributed.fsdp.fully_shard``), in place, and move it.

        Each layer is put together for the time it is used. What else there is (embeddings, vision tower, output layer) is put together for the
        whole of a forward and backward pass: so it does not matter how often a process calls the vision tower. Gradients are summed, not averaged.
        """
        from torch.distributed.device_mesh import init_device_mesh
        from torch.distributed.fsdp import FSDPModule, fully_shard

        from agents.models import base_model

        base = base_model(model)
        mesh = init_device_mesh(torch.device(device).type, (self.size,))
        names = {name for module in base.modules() for name in getattr(module, "_no_split_modules", None) or ()}
        layers = [module for module in base.get_decoder().modules() if type(module).__name__ in names]
        if not layers:
            raise ValueError(f"{type(base).__name__} does not say which of its layers stay whole (_no_split_modules): it cannot be sharded")
        for module in [*layers, model]:
            sharded: Any = fully_shard(module, mesh=mesh)
            assert isinstance(sharded, FSDPModule)
            sharded.set_gradient_divide_factor(1.0)
            sharded.set_force_sum_reduction_for_comms(True)
        self.sharded = True


def _buckets(parameters: Sequence[nn.Parameter]) -> Iterator[list[nn.Parameter]]:
    """``parameters`` in parts of one dtype and about :data:`BUCKET` numbers."""
    bucket: list[nn.Parameter] = []
    for p in sorted(parameters, key=lambda p: str(p.dtype)):
        if bucket and (p.dtype != bucket[0].dtype or sum(q.numel() for q in bucket) + p.numel() > BUCKET):
            yield bucket
            bucket = []
        bucket.append(p)
    if bucket:
        yield bucket


def whole(tensor: Tensor) -> Tensor:
    """``tensor``, put together from all processes if it is sharded: all must ask, in the same order, and process 0 gets it, on the CPU."""
    if not hasattr(tensor, "full_tensor"):
        return tensor
    full = tensor.full_tensor()
    return full.cpu() if dist.get_rank() == 0 else full.new_empty(0)


def split_like(parameter: Any, value: Any) -> Any:
    """A whole tensor of ``parameter``'s shape, as this process holds it: its part, if the parameter is split; anything else as it is."""
    if not hasattr(parameter, "full_tensor") or not isinstance(value, Tensor) or hasattr(value, "full_tensor") or value.shape != parameter.shape:
        return value
    from torch.distributed.tensor import distribute_tensor

    return distribute_tensor(value.to(parameter.device), parameter.device_mesh, parameter.placements)


@contextmanager
def _contact(who: str, doing: str) -> Iterator[None]:
    """Say what was going on where another process is gone or too late: torch's own message names a socket."""
    try:
        yield
    except RuntimeError as error:
        text = str(error).splitlines()[0].split(" This is typically")[0][-160:]
        raise ProcessError(
            f"{who} lost the others while {doing}: one of them failed (its own message says why) or took longer than the timeout ({text})"
        ) from error
