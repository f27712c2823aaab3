"""The gallery's page."""

import re

import pytest

pytest.importorskip("jinja2")

from gui_gym.recording.gallery import write_gallery
from gui_gym.tasks import TaskError


def test_a_card_for_each_family(tmp_path):
    page = write_gallery(tmp_path / "new" / "g.html", families=["click-button", "enter-text"], seed=2, size=(320, 200))
    text = page.read_text(encoding="utf-8")
    assert text.count("<article") == 2 and 'id="click-button"' in text and 'id="enter-text"' in text
    assert text.count("data:image/webp;base64,") == 2 * 4  # an animation and its still, and a still of each other difficulty
    assert "2 task families" in text and re.search(r"enter-text#\d+ · \d+ steps: click, .*done", text)
    assert "<script" not in text and "http" not in text.replace("http-equiv", "")
    assert [p.name for p in page.parent.iterdir()] == ["g.html"]


def test_texts_are_escaped(tmp_path):
    page = write_gallery(tmp_path / "g.html", families=["enter-text"], seed=0, size=(320, 200)).read_text(encoding="utf-8")
    assert not re.search(
        r"<(?!/?(?:html|head|meta|title|style|body|main|h\d|p|nav|a|section|div|article|picture|source|img|figure|figcaption|strong|ul|li|!doctype)\b)",
        page,
    )


def test_a_family_that_does_not_fit_says_so(tmp_path):
    with pytest.raises(TaskError, match="at least"):
        write_gallery(tmp_path / "g.html", families=["rename-file"], size=(128, 96))
    assert not list(tmp_path.iterdir())
