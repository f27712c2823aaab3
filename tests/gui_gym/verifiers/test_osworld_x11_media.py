"""Sound and video that a real desktop's ffmpeg decodes."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("scipy")
pytest.importorskip("mutagen")

from gui_gym import Task
from gui_gym.tasks.setup import Stage
from gui_gym.verifiers.osworld.metrics import ON_DESKTOP, load_metric
from gui_gym.verifiers.osworld.safe_files import UnreadableFile

FILES = Path(__file__).with_name("files") / "media"


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


def test_recordings_that_sound_alike(stage: Stage) -> None:
    alike = load_metric("compare_audios")
    assert alike in ON_DESKTOP
    beeps = str(FILES / "beeps.mp3")
    assert alike(beeps, beeps, stage=stage) == 1.0
    assert alike(str(FILES / "beeps.ogg"), beeps, stage=stage) > 0.9
    assert alike(str(FILES / "noise.ogg"), beeps, stage=stage) < 0.75
    assert alike(str(FILES / "clock.mp4"), beeps, stage=stage) == 0.0


def test_videos_that_show_the_same(stage: Stage) -> None:
    same, clock = load_metric("compare_videos"), str(FILES / "clock.mp4")
    scores = {"clock.mp4": 1.0, "clock_again.avi": 1.0, "clock_mirrored.mp4": 0.0, "clock_short.mp4": 0.0, "beeps.mp3": 0.0}
    assert {name: same(str(FILES / name), clock, stage=stage) for name in scores} == scores


@pytest.mark.parametrize(("name", "good"), [("compare_audios", "beeps.mp3"), ("compare_videos", "clock.mp4")])
def test_files_that_cannot_be_decoded(name: str, good: str, stage: Stage, tmp_path: Path) -> None:
    bad, fine = tmp_path / "bad", str(FILES / good)
    for content in (b"", b"nothing to see", (FILES / good).read_bytes()[:200], b"#EXTM3U\n#EXTINF:1\n/etc/passwd\n"):
        bad.write_bytes(content)
        assert load_metric(name)(str(bad), fine, stage=stage) == 0.0
    with pytest.raises(UnreadableFile, match="bad"):
        load_metric(name)(fine, str(bad), stage=stage)
