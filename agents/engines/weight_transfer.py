"""All weights of a vLLM server replaced by those in a folder, while it is paused. Needs a server in development mode (docs/vllm.md).

Routes as in vLLM 0.32: https://docs.vllm.ai, "Reinforcement learning" and "Weight transfer".
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import torch
from safetensors import safe_open

from agents.engines.base import EngineError
from agents.engines.vllm_client import NotFoundError, VllmClient

#: Brings the weights in a folder to a paused server, which calls them by a label from then on.
Transfer = Callable[[Path, str], None]


def replace_weights(client: VllmClient, transfer: Transfer, folder: Path, label: str) -> None:
    """Give the server the weights in ``folder``. What is cached from the old ones goes.

    Raises :class:`~agents.engines.base.EngineError`; the server stays paused then, for it may hold half of each.
    """
    try:
        client.post("/pause", mode="wait")
        transfer(folder, label)
        # the workers have dropped their encoder's outputs; a scheduler that still counts on them dies ("Encoder cache miss")
        client.post("/reset_mm_cache")
        client.post("/reset_encoder_cache")
        if client.post("/reset_prefix_cache").get("success") is not True:
            raise EngineError("the server keeps prefixes computed with its old weights: it could not reset its prefix cache")
        client.post("/resume")
    except NotFoundError as error:
        raise EngineError(f"{error}. Replacing all weights needs a server started with VLLM_SERVER_DEV_MODE=1") from error


class DiskTransfer:
    """The server reads the folder itself, which it must see by the same path."""

    def __init__(self, client: VllmClient):
        self._client = client

    def __call__(self, folder: Path, label: str) -> None:
        self._client.post("/collective_rpc", {"method": "reload_weights", "kwargs": {"weights_path": str(folder)}})
        self._client.post("/update_weight_version", {"new_version": label})


class NcclTransfer:
    """Tensors go from a GPU here to those of the server, by the sender of vLLM, which must be installed here too.

    The server was started with ``--weight-transfer-config '{"backend": "nccl"}'``. The connection is opened with the first weights.
    """

    def __init__(self, client: VllmClient):
        self._sync, self._source = SyncClient(client), FolderSource()
        self._sender: Any = None

    def __call__(self, folder: Path, label: str) -> None:
        self._sync.label, self._source.folder = label, folder
        try:
            if self._sender is None:
                self._sender = open_sender(self._sync, self._source)
            self._sender.send_weights()
        except RuntimeError as error:  # of torch and NCCL
            raise error if isinstance(error, EngineError) else EngineError(f"the broadcast of weights failed: {error}") from error


def open_sender(sync: SyncClient, source: FolderSource) -> Any:
    """vLLM's sender, connected to all GPUs of the server."""
    try:
        from vllm.distributed.weight_transfer.nccl_engine import NCCLTrainerInitInfo, NCCLTrainerWeightTransferEngine
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(f'engine.transfer "nccl" needs {error.name}: pip install "gui-gym[vllm]"', name=error.name) from error
    address, port = _own_address(sync.host)
    info = NCCLTrainerInitInfo(master_address=address, master_port=port, world_size=sync.world_size() + 1, rank=0)
    return NCCLTrainerWeightTransferEngine.trainer_init(info, client=sync, source=source)


def _own_address(server: str) -> tuple[str, int]:
    """The address by which ``server`` reaches this machine, and a free port."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect((server, 9))  # sends nothing
        address = probe.getsockname()[0]
    with socket.socket() as free:
        free.bind((address, 0))
        return address, free.getsockname()[1]


class SyncClient:
    """What vLLM's senders ask of a server (its ``VLLMWeightSyncClient``), through our client with its key and its errors."""

    def __init__(self, client: VllmClient):
        self._client, self.label = client, ""

    @property
    def host(self) -> str:
        return str(urlsplit(self._client.url).hostname)

    def world_size(self) -> int:
        """Processes that hold a part of the server's model."""
        return int(self._client.get("/get_world_size")["world_size"])

    def init_weight_transfer_engine(self, init_info: dict[str, Any]) -> None:
        self._client.post("/init_weight_transfer_engine", {"init_info": init_info})

    def shutdown_weight_transfer_engine(self) -> None:
        self._client.post("/shutdown_weight_transfer_engine")

    def start_weight_update(self) -> None:
        self._client.post("/start_weight_update")

    def update_weights(self, update_info: dict[str, Any]) -> None:
        self._client.post("/update_weights", {"update_info": update_info})

    def finish_weight_update(self, weight_version: str | None = None) -> None:
        self._client.post("/finish_weight_update", {"weight_version": weight_version or self.label})


class Meta(NamedTuple):
    """What is told of a tensor before it is sent."""

    name: str
    dtype: torch.dtype
    shape: tuple[int, ...]


class FolderSource:
    """The tensors in the safetensors files of :attr:`folder`, always in the same order (vLLM's ``WeightSource``)."""

    def __init__(self, device: str = "cuda"):
        self.folder, self.device = Path(), device

    def metadata(self) -> list[Meta]:
        return [Meta(name, tensor.dtype, tuple(tensor.shape)) for name, tensor in self._tensors("cpu")]

    def __iter__(self) -> Iterator[tuple[str, torch.Tensor]]:
        return self._tensors(self.device)

    def _tensors(self, device: str) -> Iterator[tuple[str, torch.Tensor]]:
        for path in sorted(self.folder.glob("model*.safetensors")):
            with safe_open(path, framework="pt", device=device) as file:
                for name in sorted(file.keys()):
                    yield name, file.get_tensor(name)
