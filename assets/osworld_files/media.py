"""Pictures and sound."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageOps

from osworld_files.registry import makes


def picture(seed: int, size: tuple[int, int] = (120, 80)) -> Image.Image:
    """A picture of overlapping discs: no two parts of it are alike."""
    rng = np.random.default_rng(seed)
    made = Image.new("RGB", size, tuple(int(c) for c in rng.integers(60, 200, 3)))
    draw = ImageDraw.Draw(made)
    for _ in range(14):
        (x, y), radius = rng.integers((0, 0), size), int(rng.integers(6, size[1] // 3))
        draw.ellipse((int(x) - radius, int(y) - radius, int(x) + radius, int(y) + radius), tuple(int(c) for c in rng.integers(0, 256, 3)))
    return made


@makes("gimp-scale")
def _scale(folder: Path) -> None:
    made = picture(11, (240, 160))
    made.save(folder / "mosaic.png")
    made.save(folder / "mosaic_same.png")
    made.resize((120, 80), Image.Resampling.BICUBIC).save(folder / "mosaic_gold.png")


@makes("gimp-mirror")
def _mirror(folder: Path) -> None:
    made = picture(12, (240, 160))
    made.save(folder / "stencil.png")
    made.save(folder / "stencil_start.png")
    ImageOps.mirror(made).save(folder / "stencil_gold.png")


@makes("gimp-invert")
def _invert(folder: Path) -> None:
    made = picture(13, (240, 160))
    made.save(folder / "tiles.png")
    ImageOps.invert(made).save(folder / "tiles_gold.png")


@makes("gimp-voice-note")
def _voice_note(folder: Path) -> None:
    picture(14, (240, 160)).save(folder / "note.png")


@makes("files-move-photos")
def _move_photos(folder: Path) -> None:
    for seed, name in enumerate(("beans.jpg", "shed.jpg", "tomatoes.jpg", "plan.png")):
        picture(seed).save(folder / name)


@makes("vlc-tags")
def _tags(folder: Path) -> None:
    sound = ["-f", "lavfi", "-i", "sine=frequency=330:duration=4", "-ac", "1", "-b:a", "16k"]
    tags = ["-id3v2_version", "3", "-metadata", "title=Track 7", "-metadata", "artist=Unknown"]
    subprocess.run(["ffmpeg", "-v", "error", *sound, *tags, str(folder / "take7.mp3")], check=True)
