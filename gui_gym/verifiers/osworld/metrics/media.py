"""Metrics on sound and video, and on what VLC plays.

Sound and pictures are decoded by the desktop's own ffmpeg: a decoder of the agent's files belongs into its sandbox.
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import numpy as np
from mutagen import MutagenError
from mutagen.easyid3 import EasyID3
from scipy.fft import dct

from gui_gym.desktops.base import Desktop
from gui_gym.tasks.setup import Stage
from gui_gym.verifiers.osworld.inside import new_folder_inside, run_inside
from gui_gym.verifiers.osworld.metrics import on_desktop
from gui_gym.verifiers.osworld.metrics.records import matches
from gui_gym.verifiers.osworld.metrics.sound import RATE, likeness
from gui_gym.verifiers.osworld.safe_files import UnreadableFile, open_file, parse_xml, read_bytes, reading, zero_if_unreadable

AUDIO_SECONDS = 600  #: sound is compared up to here
FRAMES = 100  #: pictures of a video that are compared
HASH_SIDE = 32  #: side of the grey picture that a hash is made of, pixels
HASH_WAVES = 8  #: lowest frequencies on each axis that make a hash of 64 bits
BITS = 5  #: most bits by which the hashes of like pictures differ
UNLIKE = 5  #: most pictures of like videos that are not
DECODE_SECONDS = 60  #: longest run of ffmpeg


@on_desktop
@zero_if_unreadable
def compare_audios(result: str, expected: str, *, stage: Stage) -> float:
    """How alike two recordings sound, in [0, 1]: :func:`~gui_gym.verifiers.osworld.metrics.sound.likeness` of their first ten minutes."""
    if read_bytes(result) == read_bytes(expected):
        return 1.0
    return likeness(*(_sound(stage.desktop, path) for path in (expected, result)))


def _sound(desktop: Desktop, path: str) -> np.ndarray:
    arguments = ["-t", str(AUDIO_SECONDS), "-i", "FILE", "-map", "0:a:0", "-ac", "1", "-ar", str(RATE), "-f", "f32le", "-"]
    samples = np.frombuffer(_decode(desktop, path, arguments), "<f4")
    if not samples.size:
        raise UnreadableFile(path, "expected sound")
    return samples


@on_desktop
@zero_if_unreadable
def compare_videos(result: str, expected: str, *, stage: Stage) -> float:
    """1 if the first 100 pictures of two videos, or all, are as many and alike but for five.

    Alike: their perceptual hashes, the signs about the median of the 64 lowest frequencies of the grey picture, differ in at most 5 bits.
    """
    gold, hashes = (_hashes(stage.desktop, path) for path in (expected, result))
    if len(hashes) != len(gold):
        return 0.0
    return float(np.count_nonzero(np.count_nonzero(hashes != gold, axis=1) > BITS) <= UNLIKE)


def _hashes(desktop: Desktop, path: str) -> np.ndarray:
    """Hashes of the first pictures of a video, ``(pictures, 64)`` bool."""
    shrink = f"scale={HASH_SIDE}:{HASH_SIDE}:flags=lanczos,format=gray"
    arguments = ["-i", "FILE", "-map", "0:v:0", "-vsync", "passthrough", "-vf", shrink, "-frames:v", str(FRAMES), "-f", "rawvideo", "-"]
    pictures = np.frombuffer(_decode(desktop, path, arguments), np.uint8)
    pictures = pictures[: pictures.size // HASH_SIDE**2 * HASH_SIDE**2].reshape(-1, HASH_SIDE, HASH_SIDE)
    if not len(pictures):
        raise UnreadableFile(path, "expected a video")
    waves = dct(dct(pictures.astype(np.float64), axis=1), axis=2)[:, :HASH_WAVES, :HASH_WAVES].reshape(len(pictures), -1)
    return waves > np.median(waves, axis=1, keepdims=True)


def _decode(desktop: Desktop, path: str, arguments: Sequence[str]) -> bytes:
    """What the desktop's ffmpeg writes to its standard output; ``arguments`` have FILE where the file goes.

    Raises:
        UnreadableFile: ffmpeg could not make anything of the file.
        DesktopError: the desktop has no ffmpeg.
    """
    data = read_bytes(path)
    with new_folder_inside(desktop) as folder:
        desktop.write_file(f"{folder}/media", data)
        command = [f"{folder}/media" if argument == "FILE" else argument for argument in arguments]
        done = run_inside(desktop, ["ffmpeg", "-nostdin", "-v", "error", "-threads", "1", *command], DECODE_SECONDS)
    if done is None:
        raise UnreadableFile(path, f"is not decoded within {DECODE_SECONDS} s")
    if not done.stdout:
        raise UnreadableFile(path, f"cannot be decoded ({done.stderr.decode(errors='replace').strip()[-200:] or f'status {done.returncode}'})")
    return done.stdout


@zero_if_unreadable
def check_mp3_meta(result: str, rules: Mapping[str, Mapping[str, Any]]) -> float:
    """1 if each ID3 tag of ``rules``, by the names of mutagen's EasyID3 such as "title", matches its rule.

    A rule is one of :func:`~gui_gym.verifiers.osworld.metrics.records.matches`; several values of a tag are joined by commas, one that is
    not there is "". A file without tags is 0.
    """
    with open_file(result) as file, reading(result, MutagenError):
        tags = dict(EasyID3(file))
    return float(all(matches(",".join(tags.get(name, [])), rule) for name, rule in rules.items()))


@zero_if_unreadable
def is_vlc_playing(result: str, rules: Mapping[str, str]) -> float:
    """1 if VLC, whose ``status.xml`` is ``result``, plays what ``rules`` say.

    ``rules["type"]`` is "file_name", then the file's name is ``rules["file_name"]``, or "url", then VLC shows the address
    ``rules["url"]``, a longer one that holds it, or the name of its file. Other types are a ValueError.
    """
    if rules["type"] not in ("file_name", "url"):
        raise ValueError(f"is_vlc_playing: type: expected 'file_name' or 'url', got {rules['type']!r:.80}")
    status = parse_xml(Path(result))
    if status.findtext("state") != "playing":
        return 0.0
    infos = status.iterfind("information/category[@name='meta']/info")
    meta = {info.get("name", "").lower(): info.text for info in infos if info.text}
    shown = [meta[name] for name in _SHOWN if name in meta]
    wanted = rules[rules["type"]]
    if rules["type"] == "file_name":
        return float(bool(shown) and _name(shown[0]) == wanted)
    return float(any(wanted in text or text == _name(wanted) for text in shown))


_SHOWN = ("filename", "title", "uri", "url", "location", "name")  # the first that is there names the file


def _name(text: str) -> str:
    """The last part of a path or an address, as it is written or decoded."""
    return unquote(posixpath.basename(urlsplit(text).path)) if "://" in text else posixpath.basename(text)


def is_vlc_fullscreen(result: Mapping[str, int], expected: Mapping[str, int]) -> float:
    """1 if the screen ``result`` and the window ``expected`` have one size."""
    return float(all(result[side] == expected[side] for side in ("width", "height")))
