"""The report is one page that needs nothing else, and no text of a task or a model can become markup in it."""

from __future__ import annotations

import base64
import builtins
import io
import os
import re
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

from gui_gym.actions import Action
from gui_gym.recording import RecordedEpisode, RecordedStep
from gui_gym.recording.report import Chart, Series, Table, write_report
from gui_gym.verifiers import EndReason, Score

pytest.importorskip("jinja2")
pytest.importorskip("matplotlib")
pytestmark = pytest.mark.filterwarnings("error")

EVIL = "<script>alert('x')</script> \"><img src=x onerror=alert(1)> {{ 7*7 }} & </pre> $\\frac{$ 漢"


class Page(HTMLParser):
    def __init__(self, text: str):
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def episode(score: Score, text: str = EVIL) -> RecordedEpisode:
    frames = [np.full((48, 64, 3), 20 * i, np.uint8) for i in range(3)]
    steps = [RecordedStep(Action.type_text(text), text), RecordedStep(None, text, text)]
    return RecordedEpisode(text, text, frames, steps, score, EndReason.TRUNCATED, answer=text)


def write(tmp_path: Path) -> str:
    rows = [[EVIL, 0.123456, None, 5], ["b", float("nan"), 1.0, 6]]
    charts = [
        Chart(
            EVIL, EVIL, EVIL, [Series(EVIL, [0, 1, 2], [0.1, 0.5, 0.9], [0, 0.4, 0.8], [0.2, 0.6, 1]), Series("b", [0], [float("nan")])], [(1, EVIL)]
        ),
        Chart("loss", "step", "nats", [Series("a", list(range(200)), [float(i) for i in range(200)])]),
        Chart("empty", "step", "nats", []),
    ]
    episodes = [episode(Score.of(1.0)), episode(Score.of(0.0)), episode(Score.of(0.25)), episode(Score.missing(EVIL))]
    path = write_report(
        tmp_path / "new" / "r.html",
        title=EVIL,
        intro=f"{EVIL}\n\nsecond",
        tables=[Table(EVIL, [EVIL, "b", "c", "d"], rows, EVIL)],
        charts=charts,
        episodes=episodes,
    )
    assert os.listdir(path.parent) == ["r.html"]
    return path.read_text(encoding="utf-8")


def test_no_text_becomes_markup_and_nothing_is_fetched(tmp_path: Path) -> None:
    text = write(tmp_path)
    page = Page(text)
    assert not [tag for tag, _ in page.tags if tag in ("script", "link", "iframe", "object", "a")]
    for tag, attributes in page.tags:
        assert not [name for name in attributes if name.startswith("on")]
        for name in ("src", "href", "xlink:href"):
            value = attributes.get(name) or "#"
            assert value.startswith(("data:image/webp;base64,", "#")), (tag, value[:60])
    assert "".join(page.words).count("<script>alert('x')</script>") >= 20  # shown as text, everywhere it was given
    assert "default-src 'none'" in text


def test_ids_are_unique_and_references_hold(tmp_path: Path) -> None:
    text = write(tmp_path)
    ids = re.findall(r'\bid="([^"]+)"', text)
    assert len(ids) == len(set(ids))
    references = set(re.findall(r'xlink:href="#([^"]+)"', text)) | set(re.findall(r"url\(#([^)]+)\)", text))
    assert references and references <= set(ids)


def test_charts_are_svg_in_the_page_theme(tmp_path: Path) -> None:
    charts = re.findall(r"<svg.*?</svg>", write(tmp_path), re.DOTALL)
    assert len(charts) == 3
    for chart in charts:
        ElementTree.fromstring(chart)
        assert "var(--ink)" in chart and "#0102" not in chart
    assert "var(--series-0)" in charts[0] and "var(--series-1)" in charts[0]


def test_badges_tell_unscored_from_failed(tmp_path: Path) -> None:
    text = write(tmp_path)
    badges = re.findall(r'class="badge (\w+)">([^<]{0,20})', text)
    assert [kind for kind, _ in badges] == ["good", "bad", "part", "none"]
    assert [words for _, words in badges][:3] == ["solved", "not solved", "score 0.25"]
    assert badges[3][1].startswith("unscored: ")


def test_every_step_has_its_picture_with_words_for_it(tmp_path: Path) -> None:
    images = [attributes for tag, attributes in Page(write(tmp_path)).tags if tag == "img"]
    assert len(images) == 4 * 3
    for attributes in images:
        assert attributes["alt"]
        data = base64.b64decode((attributes["src"] or "").split(",")[1])
        assert Image.open(io.BytesIO(data)).size == (512, 384)


def test_table_cells(tmp_path: Path) -> None:
    text = write(tmp_path)
    assert '<td class="number">0.123</td>' in text and '<td class="number">–</td>' in text


def test_an_empty_report_is_a_page(tmp_path: Path) -> None:
    assert "<h1>t</h1>" in write_report(tmp_path / "r.html", title="t").read_text()


def test_a_failure_keeps_the_old_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_report(tmp_path / "r.html", title="old")

    def fail(*args: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="no space"):
        write_report(path, title="new")
    assert "old" in path.read_text() and os.listdir(tmp_path) == ["r.html"]


def test_series_of_unequal_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="one length"):
        Series("s", [1, 2], [1])
    with pytest.raises(ValueError, match="low and high"):
        Series("s", [1], [1], low=[1])


def test_a_missing_library_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *args: object, **kwargs: object) -> object:
        if name == "jinja2":
            raise ModuleNotFoundError("No module named 'jinja2'", name="jinja2")
        return real(name, *args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ModuleNotFoundError, match=r'jinja2: pip install "gui-gym\[cli\]"'):
        write_report(tmp_path / "r.html", title="t")


@pytest.mark.parametrize(("most", "whole"), [(0.0, True), (0.004, False), (0.6, True)])
def test_small_shares_are_seen(most: float, whole: bool, tmp_path: Path) -> None:
    """A share of up to 0.004 is drawn over the height of its chart; nothing at all, and large ones, on the scale from 0 to 1."""
    chart = Chart("Tokens the clip cut", "step", "share", [Series("below", [1, 2, 3], [0.0, most, most / 2])])
    page = write_report(tmp_path / "report.html", title="t", charts=[chart]).read_text(encoding="utf-8")
    ticks = re.findall(r"<text [^>]*>([0-9.]+)</text>", page)
    assert max(float(tick) for tick in ticks if "." in tick) == (1.0 if whole else 0.004)
