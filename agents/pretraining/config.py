"""The configuration of a pretraining run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from agents.config import PolicyConfig


@dataclass(frozen=True)
class PretrainConfig:
    """Teach a model to see simulated screens, before any task is trained.

    Each sample is a screen with many short turns: where is this, what is there, what would answer this task. Besides, every image token is asked
    what lies in it, so that the vision tower learns before the text tower can use it. Some screens are met on
    the way through a task of several steps.

    Args:
        model: folder of the model to start from.
        out: folder of the run: metrics.jsonl, state.pt to resume from, and the weights.
        width: of the screen, in pixels.
        height: of the screen, in pixels.
        frame: how points are written, as in policy.frame.
        families: families of tasks whose screens are shown most.
        demonstrated: families of several steps, whose screens are shown with part of the steps done.
        demonstrated_difficulty: of their instances.
        difficulty: of the instances: easy, medium, hard or mixed.
        others: share of screens that are drawn from all families that fit the screen, 0 to 1.
        demonstrations: share of screens that are of those, 0 to 1; what comes next is one of the questions.
        questions: most questions about one screen.
        written: share of the texts on the screens of ``families`` that are asked about, 0 to 1; to read takes longer to learn than to see.
        naming: weight of the loss by which image tokens name what lies in them.
        pointing: weight of the loss by which attention heads learn to look at what is asked for.
        batch: samples of one step.
        steps: of the optimiser.
        seeing: first steps, which train the vision tower alone, on twice as many screens: a small model looks at many before it can point.
        cooldown: last steps, during which the learning rate falls to 0.
        lr: learning rate of AdamW before that, which trains embeddings, head and norms.
        muon_lr: learning rate of Muon before that, which trains the matrices of the towers.
        warmup: first steps, during which the learning rate rises from 0.
        save_every: steps from one saved state to the next.
        bfloat16: multiply in bfloat16 where torch's autocast does so.
        processes: that share each step's samples; on a busy machine several with a thread each wait less for one another than threads do.
        threads: CPU threads of each process; None is torch's own choice.
        seed: of screens, questions and their order.
    """

    model: Path
    out: Path = Path("runs/pretrain")
    width: int = 320
    height: int = 192
    frame: str = "grid:32"
    families: tuple[str, ...] = ("press-the-button", "click-colour", "click-shade", "click-icon", "draw-circle", "drag-shape-to-area")
    demonstrated: tuple[str, ...] = ("enter-text", "enter-password", "fill-form", "edit-and-save")
    demonstrated_difficulty: str = "easy"
    difficulty: str = "mixed"
    others: float = 0.0
    demonstrations: float = 0.3
    questions: int = 10
    written: float = 0.15
    naming: float = 1.0
    pointing: float = 1.0
    batch: int = 16
    steps: int = 4000
    seeing: int = 600
    cooldown: int = 500
    lr: float = 2e-3
    muon_lr: float = 0.015
    warmup: int = 30
    save_every: int = 25
    bfloat16: bool = True
    processes: int = 1
    threads: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("questions", "batch", "steps", "save_every", "processes"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}: expected at least 1")
        for name in ("others", "demonstrations", "written"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} is {getattr(self, name)}: expected a share, 0 to 1")
        if not (self.lr > 0 and self.muon_lr > 0 and self.naming >= 0 and self.pointing >= 0 and self.warmup >= 0 and self.cooldown >= 0):
            raise ValueError(f"lr {self.lr}, naming {self.naming}, warmup {self.warmup}, cooldown {self.cooldown}: expected lr > 0, others >= 0")

    @property
    def policy(self) -> PolicyConfig:
        """How the model is prompted: as in the training that follows."""
        return PolicyConfig(codec="dsl", frame=self.frame, system="", max_new_tokens=48)
