"""Metrics on sound, tags and what VLC plays, which need no desktop; decoding is in ``test_osworld_x11_media.py``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("scipy")
pytest.importorskip("mutagen")

import numpy as np
from media_cases import MEDIA, PLAYING, STATUS, TAG_RULES, TAGS

from gui_gym.verifiers.osworld.metrics import load_metric
from gui_gym.verifiers.osworld.metrics.sound import RATE, cepstra, likeness


def _sine(hertz: float, seconds: float = 1.0) -> np.ndarray:
    return np.sin(2 * np.pi * hertz * np.arange(int(RATE * seconds)) / RATE).astype(np.float32)


def test_cepstra_are_those_of_librosa() -> None:
    coefficients = cepstra(_sine(440.0))
    assert coefficients.shape == (44, 20)
    # librosa 0.11.0: feature.mfcc(y=_sine(440.0), sr=22050)[:6, 20]
    assert coefficients[20, :6] == pytest.approx([-413.911, 37.885, 28.295, 14.142, -2.174, -17.907], abs=1e-2)


def test_likeness() -> None:
    tone, noise = _sine(440.0), np.random.default_rng(0).normal(size=RATE).astype(np.float32)
    assert likeness(tone, tone) == 1.0
    assert likeness(tone, tone * 0.5) > 0.9
    assert likeness(tone, noise) < 0.75
    assert likeness(np.zeros(RATE, np.float32), np.zeros(RATE, np.float32)) == 1.0
    assert 0.0 <= likeness(np.zeros(1, np.float32), noise) < 1.0
    for odd in (np.nan, np.inf, -np.inf, 3e38):
        assert 0.0 <= likeness(np.where(np.arange(RATE) % 3, noise, np.float32(odd)).astype(np.float32), tone) < 1.0


def test_a_pause_in_between_is_aligned_away() -> None:
    first, second = _sine(300.0), _sine(900.0)
    longer = np.concatenate([first, first, second])
    assert likeness(np.concatenate([first, second]), longer) > likeness(np.concatenate([second, first]), longer)


@pytest.mark.parametrize(("rules", "score"), TAG_RULES)
def test_tags_of_an_mp3_file(rules: dict[str, Any], score: float) -> None:
    assert load_metric("check_mp3_meta")(str(MEDIA / "beeps.mp3"), rules) == score


@pytest.mark.parametrize("content", [b"", b"ID3\x04\x00\x00\x7f\x7f\x7f\x7f", b"no tags"])
def test_a_file_without_tags_is_0(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.mp3").write_bytes(content)
    assert load_metric("check_mp3_meta")(str(tmp_path / "a.mp3"), TAGS) == 0.0


@pytest.mark.parametrize(("old", "new", "rules", "score"), PLAYING)
def test_what_vlc_plays(old: str, new: str, rules: dict[str, Any], score: float, tmp_path: Path) -> None:
    (tmp_path / "status.xml").write_text(STATUS.read_text().replace(old, new))
    assert load_metric("is_vlc_playing")(str(tmp_path / "status.xml"), rules) == score


def test_an_unknown_kind_of_what_is_played_is_an_error() -> None:
    with pytest.raises(ValueError, match="type: expected 'file_name' or 'url', got 'album'"):
        load_metric("is_vlc_playing")(str(STATUS), {"type": "album"})


@pytest.mark.parametrize("content", ["", "<root", '<!DOCTYPE r [<!ENTITY a "b">]><root><state>&a;</state></root>', "<root/>"])
def test_a_status_that_is_none_is_0(content: str, tmp_path: Path) -> None:
    (tmp_path / "status.xml").write_text(content)
    assert load_metric("is_vlc_playing")(str(tmp_path / "status.xml"), {"type": "file_name", "file_name": "a"}) == 0.0


def test_full_screen() -> None:
    full = load_metric("is_vlc_fullscreen")
    assert full({"width": 1920, "height": 1080}, {"width": 1920, "height": 1080}) == 1.0
    assert full({"width": 1920, "height": 1080}, {"width": 1920, "height": 1050}) == 0.0
