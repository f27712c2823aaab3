"""``gui-agents bench``: how fast the learner is here, beside the plain way to do the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tyro.conf import Positional

from gui_gym.cli.output import print_json, print_table


@dataclass
class Bench:
    """Measure this machine. Targets: ratio at least 4 at 8 turns and 12 at 32, growth at most 1.3.

    Args:
        part: what to measure: "learner" is an update on episodes of 4 to 32 turns, beside a loop that reads the whole history for each turn.
        quick: a model and episodes so small that it takes seconds; its ratios say nothing.
        device: "cpu" or "cuda".
        dtype: of the model's weights.
        threads: CPU threads torch uses; None is torch's own choice.
        json: print JSON instead of tables.
    """

    part: Positional[Literal["learner"]]
    quick: bool = False
    device: str = "cpu"
    dtype: Literal["float32", "bfloat16"] = "float32"
    threads: int | None = None
    json: bool = False

    def run(self) -> int:
        import torch

        from agents.bench.learner import QUICK, LearnerBench, Shape
        from agents.bench.vocabulary import vocabulary_memory

        if self.threads is not None:
            torch.set_num_threads(self.threads)
        bench = LearnerBench(QUICK if self.quick else Shape(), self.device, self.dtype)
        shape, records = bench.describe(), bench.run()
        vocabulary = vocabulary_memory(*(5000, 64) if self.quick else (50_000, 2048), device=self.device)
        if self.json:
            print_json({"shape": shape, "records": records, "vocabulary": vocabulary})
            return 0
        print_table([shape], tuple(shape))
        columns = (
            "name",
            "rows",
            "tokens",
            "tokens_per_s",
            "wall",
            "loop_wall",
            "ratio",
            "wall_ratio",
            "cold_ratio",
            "allowed",
            "growth",
            "difference",
        )
        print_table(records, columns, right=columns[1:])
        memory = ("name", "images", "distinct_images", "tensor_mb", "loop_tensor_mb", "process_mb", "loop_process_mb")
        print_table(records, memory, right=memory[1:])
        print_table([vocabulary], tuple(vocabulary), right=tuple(vocabulary))
        return 0
