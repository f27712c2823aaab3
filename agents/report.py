"""The page of a run: its learning curves, what was measured, and episodes with their actions drawn on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from agents.episodes import Episode
from agents.grpo import checkpoint as checkpoints
from agents.grpo.checkpoint import CheckpointError
from agents.logs import read_log
from gui_gym.recording.episode import RecordedEpisode, RecordedStep, load_episode
from gui_gym.recording.report import Chart, Series, Table, write_report

#: Steps over which the success of training episodes is averaged in a chart.
WINDOW = 10


def recorded(episode: Episode, **extra: Any) -> RecordedEpisode:
    """``episode`` as the recorder keeps it; a turn's text stands with the first action it led to."""
    texts: list[str] = []
    for turn in episode.turns:
        planned = 1 if turn.parse_error else len(turn.actions)
        for i in range(planned):
            at = len(texts)
            if at == len(episode.actions):
                break
            texts.append(turn.text if i == 0 else "")
            if episode.errors[at]:  # what was to follow was not done
                break
    steps = [RecordedStep(*step) for step in zip(episode.actions, texts, episode.errors, strict=True)]
    return RecordedEpisode(
        episode.task_id,
        episode.instruction,
        [frame.pixels for frame in episode.frames],
        steps,
        episode.score,
        episode.end,
        episode.answer,
        suite=episode.suite,
        feasible=episode.feasible,
        reward=episode.reward,
        extra=extra | ({"asked no more": episode.overflow} if episode.overflow else {}),
    )


def smooth(values: Sequence[float], window: int = WINDOW) -> list[float]:
    """The mean of each value and the ``window - 1`` before it."""
    return [sum(values[max(0, i + 1 - window) : i + 1]) / min(i + 1, window) for i in range(len(values))]


def training_chart(folder: Path) -> Chart:
    """Success over the steps of the GRPO run in ``folder``, held out (with 95 % intervals) and in training."""
    evals, trains = read_log(folder, "eval"), [r for r in read_log(folder, "train") if "success" in r]
    series = [_held_out("held out, sampled", evals, "success"), _held_out("held out, greedy", evals, "greedy_success")]
    steps, rates = [r["step"] for r in trains], [r["success"] for r in trains]
    series.append(Series(f"training episodes, mean of {WINDOW} steps", steps, smooth(rates)))
    return Chart("GRPO: success over training", "step", "success rate", [s for s in series if len(s.x)])


def _held_out(name: str, evals: list[dict[str, Any]], key: str) -> Series:
    known = [r for r in evals if key in r]
    return Series(name, *([r[k] for r in known] for k in ("step", key, f"{key}_low", f"{key}_high")))


def warmup_chart(folder: Path) -> Chart:
    """Held-out success over the steps of the warm-up in ``folder``."""
    records = [r for r in read_log(folder, "warmup") if "greedy" in r]
    steps = [r["step"] for r in records]
    series = [Series(name, steps, [r[name] for r in records]) for name in ("sampled", "greedy")]
    return Chart("Warm-up: held-out success over imitation", "step", "success rate", series)


def success_row(name: str, figures: Mapping[str, Any], prefix: str = "") -> list[Any]:
    """A row for a table with the columns :data:`SUCCESS_COLUMNS`, of an evaluation's figures."""
    scored = int(figures[f"{prefix}scored"])
    if f"{prefix}success" not in figures:
        return [name, None, None, None, scored, int(figures[f"{prefix}unscored"])]
    rate, low, high = (f"{100 * figures[f'{prefix}{key}']:.1f} %" for key in ("success", "success_low", "success_high"))
    return [name, rate, low, high, scored, int(figures[f"{prefix}unscored"])]


SUCCESS_COLUMNS = ("policy", "success", "95 % interval from", "to", "episodes", "unscored")


def run_tables(folder: Path) -> list[Table]:
    """What the run in ``folder`` measured first and last."""
    evals = read_log(folder, "eval")
    if not evals:
        return []
    rows = [
        success_row(f"step {record['step']}, {name}", record, prefix)
        for record in (evals[0], evals[-1])
        for name, prefix in (("sampled", ""), ("greedy", "greedy_"))
        if f"{prefix}scored" in record
    ]
    return [Table("Held-out success", SUCCESS_COLUMNS, rows, "Instances never trained on; Wilson score intervals.")]


def about(folder: Path) -> str:
    """What was trained on what, of a run that has a checkpoint; "" of others."""
    try:
        newest = checkpoints.read(checkpoints.find(folder / "checkpoints"))
    except CheckpointError:
        return ""
    config = newest.config
    if "groups" not in config:  # of a warm-up
        return ""
    env, learned = config["env"], "a LoRA adapter" if config["adapter"]["train"] == "lora" else "every weight"
    task = env["task"] or f"all tasks{' of ' + env['suite'] if env['suite'] else ''}"
    best = "" if newest.best is None else f" and was best at step {newest.best}"
    return (
        f"GRPO on {task} in {env['id']}: {config['groups']} groups of {config['group_size']} episodes a step, "
        f"rewarded by {' + '.join(config['rewards'])}, train {learned} of {config['model']['name']}. "
        f'Held-out success is measured on the split "{config["eval_split"]}"{best}. Seed {config["seed"]}.'
    )


def report_run(folder: Path, out: Path | None = None, title: str = "") -> Path:
    """Write the page of a warm-up or training run to ``out`` (None: ``folder/report.html``), with the episodes in ``folder/episodes``."""
    kinds = {record["kind"] for record in read_log(folder)}
    charts = [make(folder) for kind, make in (("train", training_chart), ("warmup", warmup_chart)) if kind in kinds]
    if not charts:
        raise ValueError(f"{folder} holds no steps of a training or warm-up run yet")
    episodes = [load_episode(path) for path in sorted((folder / "episodes").glob("*")) if path.is_dir()]
    return write_report(
        out or folder / "report.html",
        title=title or f"Run {folder.resolve().name}",
        intro=about(folder),
        tables=run_tables(folder),
        charts=charts,
        episodes=episodes,
    )
