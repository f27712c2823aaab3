"""Sound and video that a real desktop's ffmpeg decodes."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("scipy")
pytest.importorskip("mutagen")

from media_cases import ALIKE, MEDIA

from gui_gym import Task
from gui_gym.tasks.setup import Stage
from gui_gym.verifiers.osworld.metrics import ON_DESKTOP, load_metric
from gui_gym.verifiers.osworld.safe_files import UnreadableFile


@pytest.fixture(scope="module")
def stage(require_x11: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    if shutil.which("ffmpeg") is None:
        pytest.skip("needs ffmpeg")
    from gui_gym.desktops.x11 import X11Desktop

    desktop, task = X11Desktop(640, 480, spares=0), Task("media", "test", "listen")
    try:
        desktop.reset(task, 0)
        yield Stage(task, desktop, tmp_path_factory.mktemp("stage"))
        assert desktop.run(["find", "/tmp", "-name", "media"]).stdout == b""
    finally:
        desktop.close()


@pytest.mark.parametrize(("name", "result", "expected", "least", "most"), ALIKE)
def test_what_is_alike(name: str, result: str, expected: str, least: float, most: float, stage: Stage) -> None:
    metric = load_metric(name)
    assert metric in ON_DESKTOP
    assert least <= metric(str(MEDIA / result), str(MEDIA / expected), stage=stage) <= most


def test_sound_is_no_video_and_video_no_sound(stage: Stage) -> None:
    beeps, clock = str(MEDIA / "beeps.mp3"), str(MEDIA / "clock.mp4")
    assert load_metric("compare_videos")(beeps, clock, stage=stage) == 0.0
    assert load_metric("compare_audios")(clock, beeps, stage=stage) == 0.0


@pytest.mark.parametrize(("name", "good"), [("compare_audios", "beeps.mp3"), ("compare_videos", "clock.mp4")])
def test_files_that_cannot_be_decoded(name: str, good: str, stage: Stage, tmp_path: Path) -> None:
    bad, fine = tmp_path / "bad", str(MEDIA / good)
    for content in (b"", b"nothing to see", (MEDIA / good).read_bytes()[:200], b"#EXTM3U\n#EXTINF:1\n/etc/passwd\n"):
        bad.write_bytes(content)
        assert load_metric(name)(str(bad), fine, stage=stage) == 0.0
    with pytest.raises(UnreadableFile, match="bad"):
        load_metric(name)(fine, str(bad), stage=stage)
