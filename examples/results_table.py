"""Turn runs of train_families.py and ablate.py into the tables and the chart of docs/results.md.

python examples/results_table.py runs/families
python examples/results_table.py runs/ablation --chart docs/ablation.png
"""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import tyro

from agents.evaluation import wilson
from agents.logs import read_log

#: Factor and value of the ablation's run that the others differ from.
COMMON = "common", "groups of 8, no KL, short warm-up"


@dataclass(frozen=True)
class Tables:
    """Print the tables of runs as Markdown.

    Args:
        folder: of the runs.
        chart: PNG file for the curves of an ablation; None draws none.
    """

    folder: Annotated[Path, tyro.conf.Positional]
    chart: Path | None = None


def rate(figures: dict[str, float], name: str = "success") -> str:
    """A rate with its 95 % interval, in percent."""
    low, high = (100 * figures[f"{name}_{end}"] for end in ("low", "high"))
    return f"{100 * figures[name]:.1f} ({low:.1f} to {high:.1f})"


def family_rows(folder: Path) -> list[list[str]]:
    """A row for each family's run: success before and after, what went wrong besides, steps and minutes."""
    rows = []
    for path in sorted(folder.glob("*/figures.json")):
        run = json.loads(path.read_text())
        if "after" not in run:
            continue
        before, after = run["before"], run["after"]
        minutes = {name: run["time"].get(name, {"minutes": 0.0, "cpu_minutes": 0.0}) for name in ("warm-up", "GRPO")}
        rows.append(
            [
                f"`{run['family']}`",
                rate(before["sampled"]),
                f"{100 * before['greedy']['success']:.1f}",
                rate(after["sampled"]),
                f"{100 * after['greedy']['success']:.1f}",
                f"{100 * after['sampled']['false_completion_rate']:.1f}",
                f"{100 * after['sampled'].get('side_effect_rate', 0.0):.1f}",
                str(run["steps"]),
                " + ".join(f"{each['minutes']:.1f} ({each['cpu_minutes']:.1f})" for each in minutes.values() if each["minutes"]),
                str(run["config"]["seed"]),
            ]
        )
    return rows


FAMILY_COLUMNS = (
    "family", "before, sampled % (95 %)", "greedy %", "after, sampled % (95 %)", "greedy %", "false completion %", "side effects %",
    "GRPO steps", "minutes (CPU)", "seed",
)  # fmt: skip


def ablation(folder: Path) -> dict[tuple[str, str], list[list[dict[str, Any]]]]:
    """The measurements of each run in ``folder/FACTOR/VALUE/seed-N/*/train``, by factor and value."""
    found = defaultdict(list)
    for path in sorted(folder.glob("*/*/seed-*/*/train/metrics.jsonl")):
        factor, value = path.relative_to(folder).parts[:2]
        found[factor, value].append(read_log(path.parent, "eval"))
    return dict(found)


def ablation_rows(found: dict[tuple[str, str], list[list[dict[str, Any]]]]) -> list[list[str]]:
    """A row for each value of each factor, its seeds pooled: success at the start, at the end, and the highest in between."""
    rows = []
    for (factor, value), runs in found.items():
        first, last = (pooled([run[i] for run in runs]) for i in (0, -1))
        best = max(max(record["success"] for record in run) for run in runs)
        ends = ", ".join(f"{100 * run[-1]['success']:.0f}" for run in runs)
        rows.append([factor, value, str(len(runs)), first, last, ends, f"{100 * best:.0f}"])
    return rows


ABLATION_COLUMNS = ("factor", "value", "seeds", "start, sampled % (95 %)", "end, sampled % (95 %)", "end by seed", "highest measured")


def pooled(records: list[dict[str, Any]]) -> str:
    """The success rate over the episodes of several measurements."""
    scored = sum(int(record["scored"]) for record in records)
    successes = sum(round(record["success"] * record["scored"]) for record in records)
    low, high = wilson(successes, scored)
    return rate({"success": successes / scored, "success_low": low, "success_high": high})


def draw(found: dict[tuple[str, str], list[list[dict[str, Any]]]], path: Path) -> None:
    """One panel for each factor: success over episodes collected, a line for each value, the mean over its seeds."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    factors = [factor for factor in dict.fromkeys(factor for factor, _ in found) if factor != COMMON[0]]
    figure, axes = pyplot.subplots(1, len(factors), figsize=(4.2 * len(factors), 3.2), sharey=True, squeeze=False)
    for axis, factor in zip(axes[0], factors, strict=True):
        for (name, value), runs in found.items():
            if name in (factor, COMMON[0]):
                steps = [record["step"] for record in runs[0]]
                means = [sum(run[i]["success"] for run in runs if len(run) > i) / sum(len(run) > i for run in runs) for i in range(len(steps))]
                look: dict[str, Any] = {"color": "black", "linestyle": "--"} if name == COMMON[0] else {}
                axis.plot([step / max(1, steps[-1]) for step in steps], means, marker="o", markersize=3, label=value, **look)
        axis.set(title=factor, xlabel="share of training", ylim=(0, 1))
        axis.legend(fontsize=7)
        axis.grid(alpha=0.3)
    axes[0][0].set_ylabel("held-out success, sampled")
    figure.tight_layout()
    figure.savefig(path, dpi=90)


def markdown(columns: tuple[str, ...], rows: list[list[str]]) -> str:
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def main(tables: Tables) -> None:
    families = family_rows(tables.folder)
    if families:
        print(markdown(FAMILY_COLUMNS, families))
    found = ablation(tables.folder)
    if found:
        print(markdown(ABLATION_COLUMNS, ablation_rows(found)))
        if tables.chart:
            draw(found, tables.chart)
    if not families and not found:
        raise SystemExit(f"{tables.folder} holds no finished run of train_families.py or ablate.py")


if __name__ == "__main__":
    main(tyro.cli(Tables, prog="results_table.py"))
