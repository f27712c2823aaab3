"""An episode as an animated GIF, or as one PNG of all its screens."""

from __future__ import annotations

import math
import os
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from gui_gym.recording.draw import draw_action, enlarge, font
from gui_gym.recording.episode import RecordedEpisode

MAX_WIDTH = 960  #: pixels; larger screens are scaled down

_INK, _PAPER = (28, 32, 36), (250, 250, 248)


def _fit(text: str, letters: ImageFont.FreeTypeFont | ImageFont.ImageFont, width: float) -> str:
    while len(text) > 1 and letters.getlength(text) > width:
        text = text[:-2].rstrip("…") + "…"
    return text


def episode_images(episode: RecordedEpisode, max_width: int = MAX_WIDTH) -> list[Image.Image]:
    """A picture of each step and of the last screen, all of one size: the screen, and above it the instruction and where it stands."""
    frames = [draw_action(frame, step.action, step.error) for frame, step in zip(episode.frames, episode.steps, strict=False)]
    frames.append(np.asarray(enlarge(episode.frames[-1])[0]))
    value = episode.score.value
    end = "unscored" if value is None else f"score {value:g}"
    images = []
    for number, frame in enumerate(frames, 1):
        screen = Image.fromarray(frame)
        if screen.width > max_width:
            screen = screen.resize((max_width, round(screen.height * max_width / screen.width)), Image.Resampling.LANCZOS)
        size = max(13, screen.width // 52)
        letters = font(size)
        image = Image.new("RGB", (screen.width, screen.height + 2 * size), _PAPER)
        image.paste(screen, (0, 2 * size))
        pen = ImageDraw.Draw(image)
        state = end if number == len(frames) else f"{number}/{len(episode.steps)}"
        pen.text((image.width - size / 2, size), state, _INK, letters, anchor="rm")
        room = image.width - letters.getlength(state) - 2 * size
        pen.text((size / 2, size), _fit(" ".join(episode.instruction.split())[:400], letters, room), _INK, letters, anchor="lm")
        images.append(image)
    return images


def write_gif(path: str | os.PathLike[str], episode: RecordedEpisode, seconds: float = 1.2, max_width: int = MAX_WIDTH) -> Path:
    """Write an animated GIF that shows each step for ``seconds`` and the last screen twice as long; it repeats forever."""
    images = [image.quantize(256, Image.Quantize.MAXCOVERAGE) for image in episode_images(episode, max_width)]
    times = [round(seconds * 1000)] * (len(images) - 1) + [round(seconds * 2000)]
    images[0].save(path, "GIF", save_all=True, append_images=images[1:], duration=times, loop=0)
    return Path(path)


def write_strip(path: str | os.PathLike[str], episode: RecordedEpisode, columns: int = 3, max_width: int = 640) -> Path:
    """Write one PNG with all pictures of the episode, ``columns`` side by side."""
    images = episode_images(episode, max_width)
    columns = max(1, min(columns, len(images)))
    gap, (width, height) = 8, images[0].size
    rows = math.ceil(len(images) / columns)
    sheet = Image.new("RGB", (columns * (width + gap) + gap, rows * (height + gap) + gap), (205, 208, 212))
    for i, image in enumerate(images):
        sheet.paste(image, (gap + i % columns * (width + gap), gap + i // columns * (height + gap)))
    sheet.save(path, "PNG")
    return Path(path)
