"""Metrics on VLC's settings file, ``vlcrc``.

VLC writes an option at its default as a comment, ``#name=value``: only ``name=value`` sets one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gui_gym.verifiers.osworld.safe_files import read_text, zero_if_unreadable

#: Values of options that are not set.
DEFAULTS = {
    "input-record-path": "",
    "qt-bgcone": "1",
    "qt-max-volume": "125",
    "qt-minimal-view": "0",
    "qt-slider-colours": "153;210;153;20;210;20;255;199;15;245;39;29",
    "global-key-play-pause": "",
    "one-instance-when-started-from-file": "1",
    "play-and-exit": "0",
}
BLACKISH = 100  #: red, green and blue of a blackish colour are below


def option(path: str, name: str) -> str:
    """The value of an option of :data:`DEFAULTS`."""
    value = DEFAULTS[name]
    for line in read_text(path).split("\n"):
        key, equals, rest = line.partition("=")
        if equals and key.strip() == name:
            value = rest.strip()
    return value


@zero_if_unreadable
def is_vlc_recordings_folder(result: str, rules: Mapping[str, Any]) -> float:
    """1 if recordings go to the folder ``rules["recording_file_path"]``."""
    return float(option(result, "input-record-path") == rules["recording_file_path"])


@zero_if_unreadable
def check_qt_bgcone(result: str, rules: Mapping[str, Any]) -> float:
    """1 if the cone in the empty window is on (1) or off (0) as ``rules["expected_qt_bgcone"]`` says."""
    return float(option(result, "qt-bgcone") == str(rules["expected_qt_bgcone"]))


@zero_if_unreadable
def check_qt_max_volume(result: str, rules: Mapping[str, Any]) -> float:
    """1 if the largest volume, per cent, is ``rules["expected_qt_max_volume"]``."""
    return float(option(result, "qt-max-volume") == str(rules["expected_qt_max_volume"]))


@zero_if_unreadable
def check_qt_minimal_view(result: str, rules: Mapping[str, Any]) -> float:
    """1 if VLC starts with (1) or without (0) its minimal interface as ``rules["expected_qt_minimal_view"]`` says."""
    return float(option(result, "qt-minimal-view") == str(rules["expected_qt_minimal_view"]))


@zero_if_unreadable
def check_one_instance_when_started_from_file(result: str, rules: Mapping[str, Any]) -> float:
    """1 if files open in the running instance (1) or in a new one (0) as ``rules["expected_one_instance_when_started_from_file"]`` says."""
    return float(option(result, "one-instance-when-started-from-file") == str(rules["expected_one_instance_when_started_from_file"]))


@zero_if_unreadable
def check_play_and_exit(result: str, rules: Mapping[str, Any]) -> float:
    """1 if VLC ends (1) or stays (0) after the last file as ``rules["expected_play_and_exit"]`` says."""
    return float(option(result, "play-and-exit") == str(rules["expected_play_and_exit"]))


@zero_if_unreadable
def check_global_key_play_pause(result: str, rules: Mapping[str, Any]) -> float:
    """1 if there is (1) or is not (0) a global key for play and pause as ``rules["expected_global_key_play_pause"]`` says."""
    return float(str(int(option(result, "global-key-play-pause") != "")) == str(rules["expected_global_key_play_pause"]))


@zero_if_unreadable
def check_qt_slider_colours(result: str, rules: Mapping[str, Any]) -> float:
    """1 if the colours of the volume slider are as asked.

    ``rules["type"]`` is "match", then they are ``rules["expected_qt_slider_colours"]``, or "blackish", then red, green and
    blue of each are below 100. Other types are a ValueError.
    """
    colours = option(result, "qt-slider-colours")
    if rules["type"] == "match":
        return float(colours == rules["expected_qt_slider_colours"])
    if rules["type"] != "blackish":
        raise ValueError(f"check_qt_slider_colours: type: expected 'match' or 'blackish', got {rules['type']!r:.80}")
    values = colours.split(";")
    return float(len(values) >= 3 and all(value.isdecimal() and int(value) < BLACKISH for value in values))
