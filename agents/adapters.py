"""What of a model is trained (a LoRA adapter, or all of it), and the policy as it was when RL began."""

from __future__ import annotations

import copy
import hashlib
import json
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import nn

from agents.distributed import Processes, whole
from agents.durable import whole_folder
from agents.models import is_quantized, linear_layers

ADAPTER, REFERENCE = "default", "reference"
REFERENCE_FILE, _BASE_FILE = "reference.safetensors", "base.json"


@dataclass(frozen=True)
class AdapterConfig:
    """What of the model is trained.

    Args:
        train: "lora" trains a low-rank adapter and leaves the model's weights alone; "full" trains every weight, for tiny models.
        rank: rank of the LoRA adapter. A vLLM server takes those up to its --max-lora-rank: 16 unless set, 512 at most.
        alpha: scale of the LoRA adapter; the update is multiplied by alpha / rank.
        targets: which layers get an adapter. "text": the linear layers of the text tower, which every server can load. "all": those of the vision
            tower and the output layer too. Otherwise a regular expression on module names, such as ".*text_model.*_proj".
    """

    train: Literal["lora", "full"] = "lora"
    rank: int = 16
    alpha: int = 32
    targets: str = "text"

    def __post_init__(self) -> None:
        if self.train not in ("lora", "full"):
            raise ValueError(f"train is {self.train!r}: expected 'lora' or 'full'")
        if self.rank < 1 or self.alpha <= 0:
            raise ValueError(f"rank {self.rank}, alpha {self.alpha}: expected rank >= 1 and alpha > 0")


class Trainable:
    """A model with its trained part: :attr:`model` is what engine and learner share.

    Args:
        base: a transformers model. With LoRA its layers are extended in place, so it computes with the adapter too.
        config: what is trained.
        start: folder of weights (:meth:`save`) that training begins from; None begins from the model as it is.
        resume: folder of weights that training had come to when it was cut off, after it had begun from ``start``.

    Attributes:
        base: :func:`fingerprint` of the model before it was extended.
        processes: those over which the model may be split; all of them put it together to save it.
    """

    def __init__(self, base: nn.Module, config: AdapterConfig, start: Path | None = None, resume: Path | None = None):
        if config.train == "full" and is_quantized(base):
            raise ValueError("train is 'full', and the weights of a quantised model get no gradients: expected 'lora', or model.quantize 'none'")
        self.config = config
        self.model: Any = base
        self.processes = Processes()
        self._reference: Any = None
        self._bare = start is None
        self.base = fingerprint(base)
        if config.train == "lora":
            self.model = _with_lora(base, config)
        else:
            base.requires_grad_(True)
        weights = resume or start
        if weights is not None:
            self.load(weights)
        if resume is not None and (resume / REFERENCE_FILE).is_file():
            self._copy_reference()
            _assign(self._reference_state(), load_file(resume / REFERENCE_FILE), resume / REFERENCE_FILE)

    def parameters(self) -> list[nn.Parameter]:
        return [p for p in self.model.parameters() if p.requires_grad]

    @property
    def file(self) -> str:
        """Name of the weights file in a saved folder."""
        return "adapter_model.safetensors" if self.config.train == "lora" else "model.safetensors"

    def save(self, folder: Path, reference: bool = True) -> None:
        """Write what peft (LoRA) or transformers (full) loads from a folder, and with ``reference`` that too if it is a copy.

        FloatingPointError for weights that are no numbers.
        """
        try:
            self._write(folder, reference)
        except SafetensorError as error:  # a full disk, in its words
            raise OSError(f"{folder}: {error}") from error

    def _write(self, folder: Path, reference: bool) -> None:
        if self.processes.sharded:
            self.processes.order("weights")
        weights, reference_weights = self.whole()
        self.processes.done()
        if damaged := [name for name, value in weights.items() if not bool(torch.isfinite(value).all())]:
            raise FloatingPointError(f"weights that are no numbers are not saved ({damaged[0]}): go on from the last checkpoint")
        if self.config.train == "lora":
            self.model.save_pretrained(folder, selected_adapters=[ADAPTER], save_embedding_layers=False, state_dict=weights)
            (folder / _BASE_FILE).write_text(json.dumps(self.base))
        else:
            self.model.save_pretrained(folder, state_dict=weights)
        if reference and self._reference is not None:
            save_file(reference_weights, folder / REFERENCE_FILE)

    def models(self) -> list[Any]:
        """The model, and the reference if it is another one."""
        return [self.model] if self._reference is None or self.config.train == "lora" else [self.model, self._reference]

    def whole(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """The model's weights (with LoRA the adapter's alone) by their full names, and those of the reference if it is a copy.

        Where the model is split over processes all of them must call it, and process 0 gets them.
        """
        held = self.model.state_dict()
        if self.config.train == "lora":
            held = {name: value for name, value in held.items() if f".{ADAPTER}." in name}
        reference = {} if self._reference is None else self._reference_state()
        return {name: whole(value) for name, value in held.items()}, {name: whole(value) for name, value in reference.items()}

    def export(self, folder: Path, processor: Any) -> None:
        """Write weights and processor to ``folder`` whole: what was there before goes once all of it is written."""
        with whole_folder(folder) as partial:
            self.save(partial, reference=False)
            processor.save_pretrained(partial)

    def load(self, folder: Path) -> None:
        """Take the weights :meth:`save` wrote. FileNotFoundError or ValueError where they are missing or do not fit."""
        path = folder / self.file
        if not path.is_file():
            raise FileNotFoundError(f"{path} does not exist: expected the weights of a run with train={self.config.train!r}")
        if self.config.train == "full":
            saved = {name: p.data for name, p in type(self.model).from_pretrained(folder, dtype=self.model.dtype).named_parameters()}
        else:
            _check_base(folder, self.base)
            about = json.loads((folder / "adapter_config.json").read_text())
            if about["lora_alpha"] != self.config.alpha:  # the tensors alone would fit, and be scaled to another policy
                raise ValueError(f"{folder} was trained with alpha {about['lora_alpha']}, not {self.config.alpha}: expected the same adapter.alpha")
            saved = load_file(path)
        _assign(self._state(), saved, path)

    def freeze_reference(self) -> None:
        """Keep the policy as it is now as the KL reference. Free where LoRA starts from the bare model."""
        if self._reference is None and not (self._bare and self.config.train == "lora"):
            self._copy_reference()

    def _copy_reference(self) -> None:
        if self.config.train == "full":
            self._reference = copy.deepcopy(self.model).requires_grad_(False).eval()
            return
        self.model.add_adapter(REFERENCE, self.model.peft_config[ADAPTER])
        self._reference = REFERENCE
        state = self._state()
        _assign(self._reference_state(), {name: value.clone() for name, value in state.items()}, Path(REFERENCE))
        self.model.set_adapter(ADAPTER)

    @contextmanager
    def reference(self) -> Iterator[Any]:
        """A model that computes as the policy did when RL began, while the context lasts."""
        if self.config.train == "full":
            if self._reference is None:
                raise ValueError("call freeze_reference() when RL begins")
            yield self._reference
        elif self._reference is None:
            with self.model.disable_adapter():
                yield self.model
        else:
            self.model.set_adapter(REFERENCE)
            try:
                yield self.model
            finally:
                self.model.set_adapter(ADAPTER)

    def _state(self, adapter: str = ADAPTER) -> dict[str, Any]:
        """Live tensors of the trained part (not copies), by the name they have without the adapter's."""
        if self.config.train == "full":
            return {name: p.data for name, p in self.model.named_parameters()}
        mark = f".{adapter}."
        return {name.replace(mark, "."): p.data for name, p in self.model.named_parameters() if mark in name and "lora_" in name}

    def _reference_state(self) -> dict[str, Any]:
        if self.config.train == "full":
            return {name: p.data for name, p in self._reference.named_parameters()}
        return self._state(REFERENCE)


def fingerprint(base: nn.Module) -> dict[str, str]:
    """What tells these weights from others of the same shapes: their dtype, and a hash of some numbers of each."""
    digest, parameters = hashlib.blake2b(digest_size=16), dict(base.named_parameters())
    for name in sorted(parameters):
        digest.update(f"{name} {tuple(parameters[name].shape)}".encode())
        digest.update(parameters[name].detach().flatten()[:: max(1, parameters[name].numel() // 16)].float().cpu().numpy().tobytes())
    return {"dtype": " ".join(sorted({str(p.dtype) for p in parameters.values()})), "hash": digest.hexdigest()}


def _check_base(folder: Path, base: dict[str, str]) -> None:
    """ValueError where the adapter in ``folder`` was trained on other weights than ``base``; one of elsewhere may not say."""
    path = folder / _BASE_FILE
    trained = json.loads(path.read_text()) if path.is_file() else base
    if trained["dtype"] == base["dtype"] and trained["hash"] != base["hash"]:
        raise ValueError(f"the adapter {folder} does not fit the model, it was trained on another: expected the model.name of that run")


@contextmanager
def _quiet() -> Iterator[None]:
    """Without warnings that are not for people: peft asks transformers by an old name whether gradients are checkpointed, and
    lists keys that an adapter lacks, which is an error here.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Found missing adapter keys", UserWarning)
        warnings.filterwarnings("ignore", ".*is_gradient_checkpointing.*", FutureWarning)
        yield


def lora_targets(base: Any, config: AdapterConfig) -> str | list[str]:
    """Names of the layers of ``base`` that get an adapter, or a regular expression for them."""
    if config.targets not in ("text", "all"):
        return config.targets
    targets = linear_layers(base, vision=config.targets == "all")
    if config.targets == "all":
        head = base.get_output_embeddings()
        targets += [name for name, module in base.named_modules() if module is head]
    return targets


def _with_lora(base: nn.Module, config: AdapterConfig) -> Any:
    try:
        from peft import LoraConfig, get_peft_model
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(f'LoRA needs {error.name}: pip install "gui-gym[train]"', name=error.name) from error
    lora = LoraConfig(r=config.rank, lora_alpha=config.alpha, target_modules=lora_targets(base, config), bias="none")
    try:
        with _quiet():
            return get_peft_model(base, lora, adapter_name=ADAPTER)  # type: ignore[arg-type]
    except ValueError as error:
        raise ValueError(f"no LoRA adapter fits the targets {config.targets!r}: {error}") from error


def _assign(into: dict[str, Any], state: dict[str, Any], source: Path) -> None:
    missing, unexpected = sorted(into.keys() - state.keys()), sorted(state.keys() - into.keys())
    if missing or unexpected:
        found = f"missing {missing[:3]}, unexpected {unexpected[:3]}"
        raise ValueError(f"{source} does not fit the model: {found}; expected the same model, rank and targets")
    for name, value in state.items():
        if value.shape != into[name].shape:
            raise ValueError(f"{source}: {name} is {tuple(value.shape)}, expected {tuple(into[name].shape)}; expected the same model and rank")
        into[name].copy_(value)


def weights_folder(path: Path, name: str = "latest") -> Path:
    """Where the weights are: ``path`` itself, or in a run, a checkpoint, or a folder of checkpoints (the one called ``name``, see
    :func:`agents.grpo.checkpoint.find`).
    """
    from agents.grpo.checkpoint import find

    run = (path / "checkpoints").is_dir()  # its checkpoints may be newer than its final weights, when it goes on
    for folder in (path,) if run else (path, path / "weights"):
        if (folder / "adapter_config.json").is_file() or (folder / "config.json").is_file():
            return folder
    return find(path / "checkpoints" if run else path, name) / "weights"


def attach(base: nn.Module, weights: Path) -> Any:
    """``base`` with the weights of a run: as a LoRA adapter, or in place of its own where all of it was trained."""
    if not (weights / "adapter_config.json").is_file():
        trainable = Trainable(base, AdapterConfig(train="full"), weights)
        return trainable.model.requires_grad_(False)
    from peft import PeftModel, get_peft_model_state_dict

    _check_base(weights, fingerprint(base))
    try:
        with _quiet():
            model = PeftModel.from_pretrained(base, str(weights), adapter_name=ADAPTER)
    except (RuntimeError, ValueError) as error:
        raise ValueError(f"the adapter {weights} does not fit the model, it was trained on another: {str(error)[:200]}") from error
    held = get_peft_model_state_dict(model, adapter_name=ADAPTER, save_embedding_layers=False)
    saved = load_file(weights / "adapter_model.safetensors")
    if held.keys() != saved.keys():  # peft says so in a warning at most, and acts by what is left
        odd = sorted(held.keys() ^ saved.keys())[:3]
        raise ValueError(f"the adapter {weights} does not fit the model, it was trained on another: {odd} are on one side only")
    return model
