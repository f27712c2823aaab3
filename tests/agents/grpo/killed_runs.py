"""Runs of ``gui-agents train`` for tests that kill them, and all that they leave."""

from __future__ import annotations

import json
import re
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
import torch
from kill_points import NO_NAMESPACE
from zygote import Zygote

from agents.grpo import checkpoint as checkpoints
from agents.grpo.figures import lasting
from agents.logs import read_log
from agents.tiny_vlm import build_tiny_vlm

#: Ways to train that keep their state in different places.
WAYS = {
    "lora": "--adapter.rank 4 --adapter.targets all --learner.minibatches 2 --resample 1 --logs",
    "full": "--adapter.train full --learner.loss.kl 0.05 --learner.optimiser.schedule cosine --learner.optimiser.warmup-steps 2 --credit step --logs",
    "board": "--adapter.rank 4 --learner.loss.kl 0.05 --learner.optimiser.schedule linear --env.workers async --logs tensorboard",
}


class Runs:
    """Makes the model that all of them train, and knows what an uninterrupted run of each way leaves."""

    def __init__(self, folder: Path, steps: int = 3):
        self.folder, self.steps, self.zygote = folder, steps, Zygote()
        self._straight: dict[str, tuple[dict[str, Any], list[str]]] = {}
        build_tiny_vlm(folder / "model", image_size=56, hidden=32, layers=1)

    def close(self) -> None:
        self.zygote.close()

    def train(self, out: Path, way: str = "lora") -> list[str]:
        """Arguments of a new run."""
        env = "--env.task press-the-button --env.width 112 --env.height 112 --env.max-steps 2 --env.auto-verify"
        run = f"--rewards brevity --steps {self.steps} --groups 2 --group-size 3 --eval-every 2 --eval-episodes 3 --save-every 1 --keep 2 --record 1"
        model = f"--model.name {self.folder}/model --model.threads 1 --out {out} --policy.frame grid:10 --policy.max-new-tokens 6"
        return [*f"train {model} {env} {run} {WAYS[way]} --json".split(), "--policy.system", ""]

    def resume(self, out: Path) -> list[str]:
        return ["train", "--resume", str(out), "--json"]

    def go_on(self, out: Path, way: str) -> list[str]:
        """Arguments to resume a run, or to begin it where it died before its first checkpoint."""
        return self.resume(out) if checkpoints.steps(out / "checkpoints") else self.train(out, way)

    def straight(self, way: str) -> tuple[dict[str, Any], list[str]]:
        """What an uninterrupted run leaves, and the calls it made (see :mod:`kill_points`)."""
        if way not in self._straight:
            out, counts = self.folder / way, self.folder / f"{way}.json"
            status, text = self.zygote.run(self.train(out, way), counts=str(counts))
            assert status == 0, text
            self._straight[way] = left(out), json.loads(counts.read_text())
        return self._straight[way]

    def check(self, out: Path, way: str, status_and_text: tuple[int, str]) -> None:
        """The run in ``out`` ended well, and left what an uninterrupted one does."""
        status, text = status_and_text
        assert status == 0, text
        assert left(out) == self.straight(way)[0]

    def fill_the_disk(self, folder: Path, part: float, way: str = "lora") -> None:
        """A run on a disk that holds ``part`` of what it leaves: it says so and stops. With more room it goes on."""
        (disk := folder / "disk").mkdir()
        self.straight(way)
        needed = sum(path.stat().st_blocks // 2 for path in (self.folder / way).rglob("*"))
        kilobytes = max(int(part * needed), 4)
        status, text = self.zygote.run(
            self.train(disk / "run", way), disk=str(disk), kilobytes=kilobytes, again=self.resume(disk / "run"), copy=str(folder / "copy")
        )
        if status == NO_NAMESPACE:
            pytest.skip("a process may not have a disk of its own here")
        assert re.search("first: [12]", text), text  # not 70, which is an error that gui-agents does not expect
        assert re.search("No space left on device|could not be written", text), text
        self.check(folder / "copy", way, (status, text))


def left(out: Path) -> dict[str, Any]:
    """All that a run leaves, but times: log, weights, episodes, and the state in each of its checkpoints."""
    found: dict[str, Any] = {"log": [lasting(record) for record in read_log(out)]}
    for path in sorted(out.rglob("*")):
        if path.suffix in (".safetensors", ".png") or path.name in ("episode.json", "base.json"):
            found[str(path.relative_to(out))] = sha256(path.read_bytes()).hexdigest()
    for step in checkpoints.steps(out / "checkpoints"):
        folder = checkpoints.find(out / "checkpoints", str(step))
        about = json.loads((folder / "run.json").read_text())
        cursor = {name: value for name, value in about["cursor"].items() if name != "log"}  # whose lines hold times
        found[folder.name] = plain(torch.load(folder / "state.pt")), about["python_rng"], cursor
    assert not list(out.rglob(".partial*")) and (out / "weights").is_dir()
    return found


def plain(value: Any) -> Any:
    """Tensors as bytes, so that they can be compared."""
    if isinstance(value, torch.Tensor):
        return value.dtype, value.shape, value.numpy().tobytes()
    if isinstance(value, dict):
        return {name: plain(each) for name, each in value.items()}
    return [plain(each) for each in value] if isinstance(value, (list, tuple)) else value
