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


#: Charts of a training run besides success: title, what is on the vertical axis, and figures by the names of their lines.
CHARTS: tuple[tuple[str, str, dict[str, str]], ...] = (
    (
        "What goes wrong in training episodes", "share",
        {
            "answers that could not be read": "parse_error_rate", "answers cut at max_new_tokens": "cut_rate",
            "episodes cut at their limit": "truncated_rate", "called done, and not": "false_completion_rate",
            "with side effects": "side_effect_rate",
        },
    ),
    ("Entropy, and divergence from the policy as training began", "nats a token", {"entropy": "entropy", "KL": "kl"}),
    ("Tokens the clip cut", "share", {"below": "clipped_low", "above": "clipped_high"}),
    ("Importance ratio", "ratio", {"mean": "ratio", "largest": "ratio_max"}),
    ("Norm of the gradient, before it is cut to max_grad_norm", "norm", {"gradient": "grad_norm"}),
    ("Length of an episode", "number", {"turns": "turns", "rows": "rows_per_episode"}),
    ("Age of the policy that sampled what is learned", "updates", {"mean": "staleness", "largest": "staleness_max"}),
    ("Speed", "tokens a second", {"sampled": "speed_sampled", "learned": "speed_learned"}),
)  # fmt: skip
#: Phases of a run, by the part of it they are in; the last of each is what is left of the whole.
PHASES = {
    "collect": ("env", "engine", "prompts", "judge"),
    "learn": ("reference", "forward", "backward", "optimiser"),
    "between": ("publish", "save", "eval"),
}


def reward_chart(trains: Sequence[Mapping[str, Any]]) -> Chart:
    """Mean reward of training episodes and each of its components."""
    names = [name for name in dict.fromkeys(key for record in trains for key in record) if name == "reward" or name.startswith("reward_")]
    return Chart(f"Reward of training episodes, mean of {WINDOW} steps", "step", "reward", _lines(trains, {_reward(name): name for name in names}))


def _reward(name: str) -> str:
    return "all of it" if name == "reward" else name.removeprefix("reward_")


def _lines(records: Sequence[Mapping[str, Any]], figures: Mapping[str, str]) -> list[Series]:
    """A line for each figure that the records have, averaged over the steps before."""
    lines = []
    for title, name in figures.items():
        known = [record for record in records if record.get(name) is not None]
        if known:
            lines.append(Series(title, [r["step"] for r in known], smooth([float(r[name]) for r in known])))
    return lines


def training_charts(folder: Path) -> list[Chart]:
    """All charts of the GRPO run in ``folder``: success first; those without anything to show are left out."""
    trains = read_log(folder, "train")
    rest = [Chart(f"{title}, mean of {WINDOW} steps", "step", unit, _lines(trains, figures)) for title, unit, figures in CHARTS]
    still = {"staleness", "staleness_max"}  # 0 throughout where rollouts and updates take turns
    moved = any(record.get(name) for record in trains for name in still)
    charts = [training_chart(folder), reward_chart(trains), *(c for c in rest if moved or not c.title.startswith("Age of"))]
    return [chart for chart in charts if chart.series]


def time_table(folder: Path) -> Table | None:
    """Where the time of the run in ``folder`` went; None where it is not known."""
    records = [*read_log(folder, "train"), *read_log(folder, "eval")]
    spent: dict[str, float] = {}
    for record in records:
        for name, value in record.items():
            if name.startswith("time_") and isinstance(value, (int, float)):
                spent[name.removeprefix("time_")] = spent.get(name.removeprefix("time_"), 0.0) + value
    rows: list[list[Any]] = []
    for part, phases in PHASES.items():
        known = {phase: spent[phase] for phase in phases if phase in spent}
        if part in spent:  # phases of several threads may add up to more
            known["other"] = max(0.0, spent[part] - sum(known.values()))
        rows += [[part, phase, seconds] for phase, seconds in known.items()]
    whole = sum(seconds for _, _, seconds in rows)
    if not whole:
        return None
    cells = [[part, phase, f"{seconds:.1f}", f"{100 * seconds / whole:.0f} %"] for part, phase, seconds in rows if seconds > 0.0005 * whole]
    return Table("Where the time went", ("part", "phase", "seconds", "share"), cells, "All steps and measurements together.")


def warning_table(folder: Path) -> Table | None:
    """The warnings that the run in ``folder`` gave; None for none."""
    given = read_log(folder, "warning")
    rows = [[record["step"], record["text"]] for record in given]
    return Table("Warnings", ("step", "what was seen, and what to do"), rows, "Each is told once while it lasts.") if rows else None


def warmup_chart(folder: Path) -> Chart:
    """Held-out success over the steps of the warm-up in ``folder``."""
    records = read_log(folder, "warmup")
    measured = {name: [r for r in records if r.get(name) is not None] for name in ("sampled", "greedy")}  # null: nothing was scored
    series = [Series(name, [r["step"] for r in kept], [r[name] for r in kept]) for name, kept in measured.items()]
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
    charts = training_charts(folder) if "train" in kinds else [warmup_chart(folder)] if "warmup" in kinds else []
    if not charts:
        raise ValueError(f"{folder} holds no steps of a training or warm-up run yet")
    episodes = [load_episode(path) for path in sorted((folder / "episodes").glob("*")) if path.is_dir()]
    return write_report(
        out or folder / "report.html",
        title=title or f"Run {folder.resolve().name}",
        intro=about(folder),
        tables=[*run_tables(folder), *(table for table in (warning_table(folder), time_table(folder)) if table is not None)],
        charts=charts,
        episodes=episodes,
    )
