"""Settings of VLC and GIMP, what VLC plays, tags of sound, and what metrics say of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

MEDIA = Path(__file__).with_name("files") / "media"
STATUS = MEDIA / "vlc_status.xml"  # what VLC 3.0.24 says while it plays "A film (1).mp4"

VLCRC = """###
###  vlc 3.0.24
###

[qt] # Qt interface

# Maximum Volume displayed (integer)
#qt-max-volume=125

# Start in minimal view (without menus) (boolean)
#qt-minimal-view=0

# Display background cone or art (boolean)
#qt-bgcone=1

[core] # core program

# Record directory (string)
#input-record-path=

# Play/Pause (string)
#global-key-play-pause=

# Use only one instance when started from file manager (boolean)
#one-instance-when-started-from-file=1
"""
DARK, BRIGHT = ";".join(["10", "20", "99"] * 4), "153;210;153;20;210;20;255;199;15;245;39;29"

VLC_SETTINGS: list[tuple[str, str, dict[str, Any], float]] = [
    ("is_vlc_recordings_folder", "input-record-path=/home/user/Desktop", {"recording_file_path": "/home/user/Desktop"}, 1),
    ("is_vlc_recordings_folder", "input-record-path=/home/user", {"recording_file_path": "/home/user/Desktop"}, 0),
    ("is_vlc_recordings_folder", "", {"recording_file_path": "/home/user/Desktop"}, 0),
    ("check_qt_bgcone", "qt-bgcone=0", {"expected_qt_bgcone": 0}, 1),
    ("check_qt_bgcone", "", {"expected_qt_bgcone": 0}, 0),
    ("check_qt_bgcone", "", {"expected_qt_bgcone": 1}, 1),
    ("check_qt_max_volume", "qt-max-volume=200", {"expected_qt_max_volume": 200}, 1),
    ("check_qt_max_volume", "", {"expected_qt_max_volume": 200}, 0),
    ("check_qt_max_volume", "#qt-max-volume=200", {"expected_qt_max_volume": 200}, 0),
    ("check_qt_minimal_view", "qt-minimal-view=1", {"expected_qt_minimal_view": 1}, 1),
    ("check_qt_minimal_view", "", {"expected_qt_minimal_view": "1"}, 0),
    ("check_one_instance_when_started_from_file", "one-instance-when-started-from-file=0", {"expected_one_instance_when_started_from_file": 0}, 1),
    ("check_one_instance_when_started_from_file", "", {"expected_one_instance_when_started_from_file": 0}, 0),
    ("check_play_and_exit", "play-and-exit=1", {"expected_play_and_exit": 0}, 0),
    ("check_play_and_exit", "play-and-exit=1\nplay-and-exit=0", {"expected_play_and_exit": 0}, 1),
    ("check_play_and_exit", "", {"expected_play_and_exit": 0}, 1),
    ("check_global_key_play_pause", "global-key-play-pause=Ctrl+Space", {"expected_global_key_play_pause": 1}, 1),
    ("check_global_key_play_pause", "", {"expected_global_key_play_pause": 1}, 0),
    ("check_global_key_play_pause", "global-key-play-pause=", {"expected_global_key_play_pause": 0}, 1),
    ("check_qt_slider_colours", f"qt-slider-colours={DARK}", {"type": "blackish"}, 1),
    ("check_qt_slider_colours", f"qt-slider-colours={BRIGHT}", {"type": "blackish"}, 0),
    ("check_qt_slider_colours", "", {"type": "match", "expected_qt_slider_colours": BRIGHT}, 1),
    ("check_qt_slider_colours", f"qt-slider-colours={DARK}", {"type": "match", "expected_qt_slider_colours": BRIGHT}, 0),
]

THEME, UNDO = {"type:": "key-value", "key": "theme", "value": '"Light"'}, {"key": "undo-levels", "value": "100"}
GIMP_SETTINGS: list[tuple[str, dict[str, Any], float]] = [
    ('# GIMP gimprc\n\n(undo-levels 100)\n(theme "Light")\n', THEME, 1),
    ("(undo-levels 100)", UNDO, 1),
    ("(undo-levels 10)", UNDO, 0),
    ("# (undo-levels 100)", UNDO, 0),
    ('(theme "Dark")', THEME, 0),
    ("(hide-docks yes)", {"key": "hide-docks", "value": "yes"}, 1),
    ('(layer-new-name "My (big) layer")', {"key": "layer-new-name", "value": '"My (big) layer"'}, 1),
    ("(color-management (mode none))", {"key": ["color-management", "mode"], "value": "none"}, 1),
    ("(color-management (mode print))", {"key": ["color-management", "mode"], "value": "none"}, 0),
    ("(100)\n()\n\n100", {"key": "100", "value": "100"}, 0),
]

TAGS = {"title": {"method": "eq", "ref": "Missing You"}, "artist": {"method": "eq", "ref": "Cheng Xiang"}}
#: Rules for the tags of ``beeps.mp3``.
TAG_RULES: list[tuple[dict[str, Any], float]] = [
    (TAGS, 1),
    ({**TAGS, "artist": {"method": "eq", "ref": "Zhou Xuan"}}, 0),
    ({"title": {"method": "re", "ref": "^Missing"}}, 1),
    ({"album": {"method": "eq", "ref": ""}}, 1),
    ({"album": {"method": "eq", "ref": "x"}}, 0),
]

FILM = {"type": "file_name", "file_name": "A film (1).mp4"}
STREAM = {"type": "url", "url": "https://example.org/a/master.m3u8"}
#: What of :data:`STATUS` is replaced by what, rules, score.
PLAYING: list[tuple[str, str, dict[str, Any], float]] = [
    ("", "", FILM, 1),
    ("", "", {**FILM, "file_name": "film (1).mp4"}, 0),
    ("", "", {**FILM, "file_name": "another.mp4"}, 0),
    (">playing<", ">paused<", FILM, 0),
    (">playing<", ">stopped<", FILM, 0),
    ("A film (1).mp4", "/home/user/A film (1).mp4", FILM, 1),
    ("A film (1).mp4", "file:///home/user/A%20film%20(1).mp4", FILM, 1),
    ("'filename'>A film (1).mp4", "'title'>A film (1).mp4", FILM, 1),
    ("A film (1).mp4", "master.m3u8", STREAM, 1),
    ("A film (1).mp4", "https://example.org/a/master.m3u8?x=1", STREAM, 1),
    ("A film (1).mp4", "other.m3u8", STREAM, 0),
]

#: Metric, result, expected: what sounds and looks alike, and how much, as ``(least, most)``.
ALIKE: list[tuple[str, str, str, float, float]] = [
    ("compare_audios", "beeps.mp3", "beeps.mp3", 1.0, 1.0),
    ("compare_audios", "beeps.ogg", "beeps.mp3", 0.9, 1.0),
    ("compare_audios", "noise.ogg", "beeps.mp3", 0.0, 0.75),
    ("compare_videos", "clock.mp4", "clock.mp4", 1.0, 1.0),
    ("compare_videos", "clock_again.avi", "clock.mp4", 1.0, 1.0),
    ("compare_videos", "clock_mirrored.mp4", "clock.mp4", 0.0, 0.0),
    ("compare_videos", "clock_short.mp4", "clock.mp4", 0.0, 0.0),
]

#: Why OSWorld's own metric says otherwise, by metric and result (or its line, or what is replaced).
REASONS = {
    ("check_qt_max_volume", "#qt-max-volume=200"): "a comment is read as if it set the option",
    ("check_play_and_exit", ""): "the published client does not have it yet",
    ("is_vlc_playing", "film (1).mp4"): "any end of the file's name will do",
    ("is_vlc_playing", "file:///home/user/A%20film%20(1).mp4"): "the name in an address is not decoded",
    ("check_config_status", '(layer-new-name "My (big) layer")'): "a text in quotes is split at its blanks",
    ("check_config_status", "(color-management (mode none))"): "a bracket is taken for a part of the word after it",
    ("check_config_status", "(100)\n()\n\n100"): "the only word of a line is taken for key and value at once",
}
