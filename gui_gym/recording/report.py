"""One self-contained HTML page of a run: tables, charts, episodes. Opens offline, holds no script, escapes every text."""

from __future__ import annotations

import io
import math
import os
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from gui_gym.recording.draw import draw_action, enlarge, label
from gui_gym.recording.episode import RecordedEpisode
from gui_gym.recording.page import webp_uri, write_page

MAX_IMAGE_WIDTH = 960  #: pixels; larger screens are scaled down in the page

_INK, _FAINT = "#010203", "#040506"  # stand-ins that become colours of the page's theme
_SERIES = ["#0a0101", "#0a0202", "#0a0303", "#0a0404", "#0a0505", "#0a0606"]


@dataclass(frozen=True)
class Table:
    """Rows under column names; cells are shown with ``str``, floats with three digits, None as a dash."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    note: str = ""


@dataclass(frozen=True)
class Series:
    """One line of a chart, with a confidence band from ``low`` to ``high`` if both are given."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float] | None = None
    high: Sequence[float] | None = None

    def __post_init__(self) -> None:
        lengths = {len(v) for v in (self.x, self.y, self.low, self.high) if v is not None}
        if len(lengths) != 1 or (self.low is None) != (self.high is None):
            raise ValueError(
                f"series {self.name!r}: expected x, y and both or neither of low and high, all of one length, got lengths {sorted(lengths)}"
            )


@dataclass(frozen=True)
class Chart:
    """Lines over ``x``; ``marks`` are labelled vertical lines."""

    title: str
    x_label: str
    y_label: str
    series: Sequence[Series]
    marks: Sequence[tuple[float, str]] = field(default_factory=list)


def write_report(
    path: str | os.PathLike[str],
    *,
    title: str,
    intro: str = "",
    tables: Sequence[Table] = (),
    charts: Sequence[Chart] = (),
    episodes: Sequence[RecordedEpisode] = (),
) -> Path:
    """Write the page to ``path``, whole or not at all.

    Args:
        title: heading of the page.
        intro: plain text; an empty line begins a paragraph.
        tables: shown first.
        charts: shown next, each with its figures in a table that folds out.
        episodes: shown last, each with its screens and the actions drawn on them.

    Raises:
        ModuleNotFoundError: without Jinja2 or matplotlib, naming the extra.
    """
    try:
        import matplotlib  # noqa: F401
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(f'a report needs {error.name}: pip install "gui-gym[train]"', name=error.name) from error
    return write_page(
        path,
        "report.html.j2",
        {"cell": _cell},
        title=title,
        paragraphs=[p.strip() for p in re.split(r"\n\s*\n", intro) if p.strip()],
        tables=[(table, [_is_numeric(table.rows, i) for i in range(len(table.columns))]) for table in tables],
        charts=[(chart, _svg(chart, number), _chart_rows(chart)) for number, chart in enumerate(charts)],
        episodes=[_episode(episode) for episode in episodes],
    )


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, (float, np.floating)):
        return f"{value:.3g}" if math.isfinite(value) else "–"
    return str(value)


def _is_numeric(rows: Sequence[Sequence[Any]], column: int) -> bool:
    cells = [text for text in (_cell(row[column]) for row in rows) if text != "–"]
    return bool(cells) and all(re.match(r"[-+−]?[0-9]", text) for text in cells)


def _chart_rows(chart: Chart) -> list[tuple[str, float, float, str]]:
    rows = []
    for s in chart.series:
        for i, (x, y) in enumerate(zip(s.x, s.y, strict=True)):
            band = f"{_cell(float(s.low[i]))} – {_cell(float(s.high[i]))}" if s.low is not None and s.high is not None else ""
            rows.append((s.name, float(x), float(y), band))
    return rows


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:39] + "…"


def _svg(chart: Chart, number: int) -> str:
    """The chart as SVG in the colours of the page's theme."""
    import matplotlib
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    style: dict[str, object] = {
        "svg.fonttype": "none",
        "svg.hashsalt": str(number),
        "text.parse_math": False,
        "font.family": "sans-serif",
        "font.size": 11,
        "text.color": _INK,
        "axes.labelcolor": _INK,
        "xtick.color": _INK,
        "ytick.color": _INK,
        "axes.edgecolor": _FAINT,
        "grid.color": _FAINT,
    }
    with matplotlib.rc_context(style):  # type: ignore[arg-type]  # matplotlib types the keys as literals
        figure = Figure(figsize=(8.6, 3.9), layout="constrained")
        figure.patch.set_alpha(0)
        axes = figure.add_subplot()
        axes.patch.set_alpha(0)
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(axis="y", linewidth=0.7)
        axes.set_axisbelow(True)
        values: list[float] = []
        for i, s in enumerate(chart.series):
            colour = _SERIES[i % len(_SERIES)]
            marker = "osD^vX"[i % 6] if len(s.x) <= 60 else None
            axes.plot(
                s.x, s.y, color=colour, linewidth=2.2, marker=marker, markersize=5, label=_short(s.name), linestyle=["-", "--", "-.", ":"][i // 6 % 4]
            )
            if s.low is not None and s.high is not None:
                axes.fill_between(s.x, s.low, s.high, color=colour, alpha=0.18, linewidth=0)
            values += [float(v) for part in (s.y, s.low or (), s.high or ()) for v in part if math.isfinite(v)]
        if values and min(values) >= 0 and max(values) <= 1:  # shares; small ones, such as 0.003, would lie flat on a whole scale
            top = max(values) if 0 < max(values) < 0.2 else 1.0
            axes.set_ylim(-0.02 * top, 1.02 * top)
        for x, text in chart.marks:
            axes.axvline(x, color=_INK, linewidth=1, linestyle=(0, (4, 3)))
            axes.annotate(
                _short(text),
                (x, 1),
                xycoords=("data", "axes fraction"),
                xytext=(4, -2),
                textcoords="offset points",
                va="top",
                rotation=90,
                fontsize=9,
            )
        if all(float(x).is_integer() for series in chart.series for x in series.x):  # steps: half of one is never reached
            axes.xaxis.set_major_locator(MaxNLocator("auto", integer=True))
        axes.set_xlabel(_short(chart.x_label))
        axes.set_ylabel(_short(chart.y_label))
        if len(chart.series) > 1:
            axes.legend(frameon=False, loc="best")
        buffer = io.StringIO()
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Glyph .* missing from font")  # the reader's browser has the font
            figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    svg = buffer.getvalue()
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'\b(id="|xlink:href="#|href="#|url\(#)', rf"\g<1>c{number}-", svg)  # ids are the page's, not the picture's
    svg = re.sub(r'width="[0-9.]+pt" height="[0-9.]+pt"', "", svg, count=1)
    for stand_in, colour in [(_INK, "var(--ink)"), (_FAINT, "var(--line)"), *((s, f"var(--series-{i})") for i, s in enumerate(_SERIES))]:
        svg = svg.replace(stand_in, colour)
    return svg


def _data_uri(pixels: np.ndarray) -> str:
    image = Image.fromarray(pixels)
    if image.width > MAX_IMAGE_WIDTH:
        image = image.resize((MAX_IMAGE_WIDTH, round(image.height * MAX_IMAGE_WIDTH / image.width)), Image.Resampling.LANCZOS)
    return webp_uri([image])


def badge(episode: RecordedEpisode) -> tuple[str, str]:
    """``(kind, words)``: kind is "good", "bad", "part" or "none" (unscored)."""
    value = episode.score.value
    if value is None:
        return "none", f"unscored: {episode.score.reason}"
    if value == 1.0:
        return "good", "solved"
    return ("part", f"score {value:.2f}") if value > 0 else ("bad", "not solved")


def _episode(episode: RecordedEpisode) -> dict[str, Any]:
    steps = [
        {
            "image": _data_uri(draw_action(frame, step.action, step.error)),
            "label": label(step.action, step.error),
            "text": step.text,
            "error": step.error,
        }
        for frame, step in zip(episode.frames, episode.steps, strict=False)
    ]
    kind, words = badge(episode)
    last = _data_uri(np.asarray(enlarge(episode.frames[-1])[0]))
    return {"episode": episode, "kind": kind, "words": words, "steps": steps, "last": last}
