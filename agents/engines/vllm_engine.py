"""The engine apart: a vLLM server samples, tokens in and tokens out, and is given the learner's weights version by version."""

from __future__ import annotations

import threading
import uuid
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from safetensors import safe_open

from agents.config import EngineConfig
from agents.engines.base import Completion, EngineError, check_request
from agents.engines.probe import Learner, Probe
from agents.engines.vllm_client import NotFoundError, RequestFailed, VllmClient
from agents.engines.vllm_wire import Pictures, labels, probe_params, read_choice, read_completion, read_distribution, request, sampling_params
from agents.engines.weight_transfer import DiskTransfer, NcclTransfer, replace_weights
from agents.episodes import Sampling
from agents.models import base_model
from agents.prompts import Prompt
from agents.vision import VisionInputs

#: Requests in a row that fail before it is the server that fails.
_FAILURES = 8
#: How the names begin that engines give to adapters, and to weights that replace a server's own.
_OURS = "gui-gym-"
#: Seconds that a server has to answer an engine that only wants to leave.
_FAREWELL = 3.0


@dataclass(frozen=True)
class Served:
    """What a request is answered with.

    Args:
        version: policy version of the weights.
        name: the model or adapter to ask for.
        label: what the server calls the version of its own weights, which an adapter adds to; "" if it does not say.
        folder: where the weights came from; None for those that the server was started with.
    """

    version: int
    name: str
    label: str
    folder: Path | None = None


class VllmEngine:
    """Samples from a vLLM server (:class:`~agents.config.EngineConfig`), several requests at once.

    Every reply is checked: the server expanded the prompt to exactly our ids, with one placeholder for each image; ids and log-probs
    come in pairs, finite, none of a suppressed id; and the weights were those asked for. What fails a check raises
    :class:`~agents.engines.base.EngineError`: it is never trained on. A request that gets no answer from a server that is there gives
    a failed :class:`~agents.engines.base.Completion`; a server that is gone is waited for, and raises EngineError after a while.

    Args:
        config: where the server is.
        vision: the model's adapter; the server gets the pictures it makes.
        probe: what server and learner are asked at the start and after each update.
        learner: its answer; None checks what the server alone can show.
        awaits: what :meth:`update_weights` will bring before anything is sampled: a "lora" adapter or "full" weights; "" is nothing.

    Raises:
        EngineError: for a server that is gone, holds another model, or gives log-probs of another distribution than the one it samples from.
        ValueError: for a key that is not there.
    """

    apart = True

    def __init__(
        self, config: EngineConfig, vision: VisionInputs, probe: Probe, learner: Learner | None = None, awaits: Literal["", "lora", "full"] = ""
    ):
        self.config, self.vision, self.probe, self.learner = config, vision, probe, learner
        self.client = VllmClient(config)
        self._transfer = (DiskTransfer if config.transfer == "disk" else NcclTransfer)(self.client)
        self._run = uuid.uuid4().hex[:8]
        self._pictures = Pictures(vision)
        self._width = max(len(vision.tokenizer), max(vision.tokens.suppress, default=0) + 1)
        self._pool = ThreadPoolExecutor(config.concurrency, thread_name_prefix="vllm")
        self._gate = threading.Condition()
        self._updating, self._restoring = threading.Lock(), threading.Lock()
        self._in_flight: Counter[Served] = Counter()
        self._closed_because = "the server has not been given the learner's weights: call update_weights() first" if awaits else ""
        self._wait_at_gate = False
        self._folders: set[Path] = set()
        self._failures = 0
        try:
            self.client.wait()
            name, self.max_length = self.client.find_model()
            self._base = self._served = self._check_mode(Served(0, name, ""))
            if awaits != "full" and self._base.label.startswith(_OURS):
                raise EngineError(f"the server has weights that another run gave it ({self._base.label}), not those of its model: start it again")
            self._known = Pair(*self._ask_both(self._base, bare=True)) if awaits != "full" else None
            if self._known is not None:
                self._check_same(self._known, None)
        except BaseException:  # whatever stopped it, no connection or thread may stay
            self.client.close()
            self._pool.shutdown(wait=False)
            raise

    @property
    def policy_version(self) -> int:
        return self._served.version

    def close(self) -> None:
        """Unload this engine's adapter, if the server is there, and let requests under way fail."""
        with self._gate:  # first, so that nothing loads the adapter again
            self._closed_because = "the engine was closed"
            self._gate.notify_all()
        served, self._served = self._served, self._base
        if served.name != self._base.name and not self.client.closed and not self.client.problem(_FAREWELL):
            self._unload(served, _FAREWELL)
        self.client.close()
        self._pool.shutdown(wait=False, cancel_futures=True)

    def generate(self, prompts: Sequence[Prompt], sampling: Sampling, seeds: Sequence[int]) -> list[Completion]:
        """See :meth:`agents.engines.base.Engine.generate`. Safe to call from several threads, and while weights are updated."""
        check_request(prompts, sampling, seeds, self.vision.image_token_id, self.max_length)
        settings = sampling_params(sampling, self.vision.tokens.stop, self._width)
        if self.client.closed:
            raise EngineError("the engine was closed")
        futures = [self._pool.submit(self._answer, prompt, sampling, settings | {"seed": int(s)}) for prompt, s in zip(prompts, seeds, strict=True)]
        try:
            return [future.result() for future in futures]
        except BaseException:  # whatever stopped the wait, nobody wants the other answers
            for future in futures:
                future.cancel()
            raise

    def update_weights(self, policy_version: int, weights: Path | None = None) -> None:
        """See :meth:`agents.engines.base.Engine.update_weights`.

        An adapter is loaded beside the last one, under a name and from a path of its own, so that neither weights nor cached
        prefixes can be mixed up; requests under way end with the one they began with, which is unloaded then. Full weights
        replace the server's own: requests under way end first, others wait.
        """
        if weights is None:
            raise ValueError("a server has weights of its own: expected the folder that the learner's were saved to")
        folder = weights.resolve()
        with self._updating:
            self.client.wait()
            if folder in self._folders:
                raise ValueError(f"{folder} was given before: expected a new folder each time, for a server keeps what it has read by its path")
            if (folder / "adapter_config.json").is_file():
                self._update_adapter(policy_version, folder)
            elif (folder / "config.json").is_file():
                self._update_all(policy_version, folder)
            else:
                raise FileNotFoundError(f"{folder} holds no weights: expected an adapter_config.json (LoRA) or a config.json (all weights)")
            self._folders.add(folder)

    # one request

    @contextmanager
    def _admitted(self) -> Iterator[Served]:
        """What is served now, counted as in flight."""
        with self._gate:
            self._gate.wait_for(lambda: not self._wait_at_gate or bool(self._closed_because))
            if self._closed_because:
                raise EngineError(self._closed_because)
            served = self._served
            self._in_flight[served] += 1
        try:
            yield served
        finally:
            with self._gate:
                self._in_flight[served] -= 1
                self._gate.notify_all()

    def _answer(self, prompt: Prompt, sampling: Sampling, settings: dict[str, Any]) -> Completion:
        with self._admitted() as served:
            try:
                choice = self._ask(served, prompt, settings)
            except RequestFailed as error:
                self._failures += 1
                if self._failures >= _FAILURES:
                    raise EngineError(f"{self._failures} requests in a row had no answer, the last one: {error}") from error
                return Completion((), (), "failed", served.version, str(error))
            self._failures = 0
            return read_completion(choice, sampling, self.vision.tokens.stop, served.version)

    def _ask(self, served: Served, prompt: Prompt, settings: dict[str, Any]) -> dict[str, Any]:
        """The choice the server gives for ``prompt``."""
        body = request(served.name, prompt, self._pictures, settings)
        try:
            reply = self.client.generate(body)
        except NotFoundError:
            if served.folder is None or served.label != self._base.label:
                raise
            self._restore(served)
            reply = self.client.generate(body)
        return read_choice(reply, prompt, served.label)

    # checks of server against learner

    def _check_mode(self, base: Served) -> Served:
        """``base`` with the label the server has for it, once its log-probs are found to be those of the distribution it samples from."""
        try:
            one, label = self._distribution(base)
            scaled, _ = self._distribution(base, 0.7)
        except NotFoundError as error:
            raise EngineError(f"{error}. Tokens in and out need vLLM 0.32 or newer, started with --enable-scale-out") from error
        expected = one / 0.7 - np.logaddexp.reduce(one / 0.7)
        normal = np.allclose([np.logaddexp.reduce(one), np.logaddexp.reduce(scaled)], 0.0, atol=1e-2)
        if not normal or np.abs(scaled - expected).mean() > np.abs(one - expected).mean() / 2:
            raise EngineError(
                "the server's log-probs are not those of the distribution it samples from: temperature, or what is left out, is not in them. "
                "Start it with --logprobs-mode processed_logprobs"
            )
        return replace(base, label=label)

    def _distribution(self, served: Served, temperature: float = 1.0) -> tuple[np.ndarray, str]:
        """The server's answer to the probe, and what it calls the weights that gave it."""
        ids = self.probe.ids
        try:
            choice = self._ask(served, self.probe.prompt, probe_params(ids, temperature))
        except RequestFailed as error:
            raise EngineError(f"the server does not answer: {error}") from error
        return read_distribution(choice, ids), "".join(sorted(labels(choice))[:1])

    def _ask_both(self, served: Served, bare: bool = False) -> tuple[np.ndarray, np.ndarray | None]:
        return self._distribution(served)[0], None if self.learner is None else self.learner(bare)

    def _check_same(self, now: Pair, before: Pair | None) -> None:
        """Server and learner compute the same policy, and from ``before`` to ``now`` moved by the same."""
        if now.learner is None:
            if before is not None and np.abs(now.server - before.server).max() < 1e-6:
                warnings.warn("the weights given to the server change nothing of its answer: they are as they began, or ignored", stacklevel=2)
            return
        if before is not None and before.learner is not None:
            self._check_moved(now, before, now.learner - before.learner)
        gap = now.gap
        if not gap <= self.config.tolerance:
            raise EngineError(
                f"the log-probs of server and learner differ by {gap:.3g} nats in the mean, more than engine.tolerance {self.config.tolerance:g}: "
                "do both have the same model, weights and precision?"
            )

    def _check_moved(self, now: Pair, before: Pair, moved: np.ndarray) -> None:
        noise, way = max(before.gap, 1e-5), float(np.abs(moved).mean())
        lacking = float(np.abs(now.server - before.server - moved).mean())
        still = np.abs(now.server - before.server).max() < 1e-6  # not even rounding differs
        if lacking > 8 * noise + way / 10 or (still and way > noise):
            raise EngineError(
                f"the new weights do not act on the server, or not all of them: the learner's log-probs moved by {way:.3g} nats "
                f"in the mean, the server's by {np.abs(now.server - before.server).mean():.3g}. Adapters of vision tower and head need "
                "a server started with --enable-tower-connector-lora, or take adapter.targets 'text'"
            )

    # new weights

    def _update_adapter(self, version: int, folder: Path) -> None:
        new = Served(version, f"{_OURS}{self._run}-{version}-{len(self._folders)}", self._base.label, folder)
        self._load(new)
        try:
            now = Pair(*self._ask_both(new))
            self._check_same(now, self._known)
        except BaseException:  # whatever stopped it, the server must not keep what is not used
            self._unload(new)
            raise
        old = self._switch(new)
        if old.name != self._base.name:
            self._drain(old)
            self._unload(old)

    def _update_all(self, version: int, folder: Path) -> None:
        label = f"{_OURS}{self._run}-{version}-{len(self._folders)}"
        with self._gate:
            self._wait_at_gate = True
        try:
            self._drain(self._served)
            replace_weights(self.client, self._transfer, folder, label)
            new = Served(version, self._base.name, label, folder)
            now = Pair(*self._ask_both(new))
            self._check_same(now, self._known)
        except BaseException as error:
            with self._gate:  # whatever the server has now, nothing is sampled from it
                self._closed_because = f"the server's weights could not be replaced: {error}"
                self._gate.notify_all()
            raise
        self._known = now
        self._switch(new)

    def _switch(self, new: Served) -> Served:
        """Answer with ``new`` from now on. Returns what was served until then."""
        with self._gate:
            old, self._served = self._served, new
            self._wait_at_gate, self._closed_because = False, ""
            self._gate.notify_all()
        return old

    def _drain(self, served: Served) -> None:
        """Wait until no request is answered with ``served`` any more."""
        with self._gate:
            self._gate.wait_for(lambda: self._in_flight[served] == 0)
            del self._in_flight[served]

    def _load(self, served: Served) -> None:
        try:
            self.client.post("/v1/load_lora_adapter", {"lora_name": served.name, "lora_path": str(served.folder)})
        except NotFoundError as error:
            raise EngineError(
                f"{error}. Adapters need a server that sees {served.folder}, started with --enable-lora and VLLM_ALLOW_RUNTIME_LORA_UPDATING=True"
            ) from error

    def _unload(self, served: Served, timeout: float | None = None) -> None:
        try:
            self.client.post("/v1/unload_lora_adapter", {"lora_name": served.name}, timeout)
        except NotFoundError:
            pass  # a server started anew does not know it
        except EngineError as error:  # it only takes room there
            warnings.warn(f"the adapter {served.name} stays loaded: {error}", stacklevel=2)

    def _restore(self, served: Served) -> None:
        """Load the adapter again into a server that was started anew and has forgotten it."""
        with self._restoring:
            if self._closed_because:
                raise EngineError(self._closed_because)
            if served.name not in self.client.cards():
                self._check_mode(self._base)
                assert self._known is not None  # an adapter adds to what the server began with
                gap = float(np.abs(self._distribution(self._base)[0] - self._known.server).mean())
                if not gap <= self.config.tolerance:
                    raise EngineError(
                        f"the server was started anew with another model, weights or precision: its log-probs differ by {gap:.3g} nats in the mean "
                        f"from those it began with, more than engine.tolerance {self.config.tolerance:g}"
                    )
                self._load(served)


@dataclass(frozen=True, eq=False)
class Pair:
    """Answers to the probe: the server's, and the learner's at the same weights (None: not known)."""

    server: np.ndarray
    learner: np.ndarray | None

    @property
    def gap(self) -> float:
        """Mean absolute difference in nats."""
        return 0.0 if self.learner is None else float(np.abs(self.server - self.learner).mean())


def adapted_outside_text(model: Any, weights: Path | None = None) -> list[str]:
    """Names of the layers outside the text tower (vision tower, connector, head) of a peft model's adapter, or the one saved in ``weights``."""
    base = base_model(model)
    modules, text = dict(base.named_modules()), set(base.get_decoder().modules())
    if weights is None:
        adapted = [name for name, module in modules.items() if hasattr(module, "lora_A")]
    else:
        with safe_open(weights / "adapter_model.safetensors", "pt") as file:
            adapted = sorted({key.removeprefix("base_model.model.").rpartition(".lora_")[0] for key in file.keys()})
    return [name for name in adapted if modules.get(name) not in text]
