"""All weights of a vLLM server replaced by those in a folder, while it is paused. Needs a server in development mode."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from agents.engines.base import EngineError
from agents.engines.vllm_client import NotFoundError, VllmClient


def replace_weights(client: VllmClient, transfer: Literal["disk", "nccl"], folder: Path, label: str) -> None:
    """Give the server the weights in ``folder`` and let it call them ``label``. What is cached from the old ones goes.

    Raises :class:`~agents.engines.base.EngineError`; the server stays paused then, for it may hold half of each.
    """
    try:
        client.post("/pause", mode="wait")
        if transfer == "disk":
            client.post("/collective_rpc", {"method": "reload_weights", "kwargs": {"weights_path": str(folder)}})
            client.post("/update_weight_version", {"new_version": label})
        else:
            _broadcast(client, folder, label)
        client.post("/reset_mm_cache")
        client.post("/reset_encoder_cache")
        if client.post("/reset_prefix_cache").get("success") is not True:
            raise EngineError("the server keeps prefixes computed with its old weights: it could not reset its prefix cache")
        client.post("/resume")
    except NotFoundError as error:
        raise EngineError(f"{error}. Replacing all weights needs a server started with VLLM_SERVER_DEV_MODE=1") from error


def _broadcast(client: VllmClient, folder: Path, label: str) -> None:
    raise NotImplementedError
