"""The metric on text in an image, read by the program Tesseract on the host: it gets pixels that Pillow has decoded, never the agent's file."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
from collections.abc import Mapping

from PIL import Image, ImageOps, ImageStat

from gui_gym.verifiers.osworld.safe_files import open_image, zero_if_unreadable

TESSERACT = shutil.which("tesseract")
if TESSERACT is None:
    raise ImportError("text in images is read by the program tesseract (Debian's package tesseract-ocr), which is not on PATH")

MAX_PIXELS = 16_000_000  #: an image is scaled to fewer pixels before it is read
LETTERS = 3  #: times an image is enlarged first: Tesseract is made for print, whose letters have more pixels than a screen's
READ_SECONDS = 120.0


@zero_if_unreadable
def compare_image_text(result: str, rules: Mapping[str, str]) -> float:
    """1 if the text ``rules["text"]`` is in the image; ``rules["type"]`` is "text", another is a ValueError."""
    if rules["type"] != "text":
        raise ValueError(f"compare_image_text: type: expected 'text', got {rules['type']!r:.80}")
    return float(rules["text"] in read_words(open_image(result)))


def read_words(image: Image.Image) -> str:
    """The words of an image, scattered text included, with a space between.

    Raises:
        RuntimeError: Tesseract failed or did not end in time.
    """
    grey = image.convert("RGB").convert("L")
    if ImageStat.Stat(grey).mean[0] < 128.0:
        grey = ImageOps.invert(grey)
    scale = min(float(LETTERS), (MAX_PIXELS / (grey.width * grey.height)) ** 0.5)
    grey = grey.resize((max(1, int(grey.width * scale)), max(1, int(grey.height * scale))), Image.Resampling.LANCZOS)
    page = io.BytesIO()
    grey.save(page, "PNG", compress_level=1)
    command = [str(TESSERACT), "stdin", "stdout", "-l", "eng", "--psm", "11"]
    environment = {**os.environ, "OMP_THREAD_LIMIT": "1"}
    try:
        done = subprocess.run(command, input=page.getvalue(), capture_output=True, timeout=READ_SECONDS, env=environment, check=False)
    except subprocess.TimeoutExpired as error:
        raise RuntimeError(f"tesseract did not end within {READ_SECONDS:g} s") from error
    if done.returncode:
        raise RuntimeError(f"tesseract ended with status {done.returncode}: {done.stderr.decode(errors='replace').strip()[-300:]}")
    return " ".join(done.stdout.decode(errors="replace").split())
