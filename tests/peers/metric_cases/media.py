"""The cases of ``tests/gui_gym/verifiers/media_cases.py``, and where OSWorld's own verdict is wrong."""

from pathlib import Path
from typing import Any

from media_cases import ALIKE, GIMP_SETTINGS, MEDIA, PLAYING, REASONS, STATUS, TAG_RULES, VLC_SETTINGS, VLCRC


def cases(folder: Path) -> list[dict[str, Any]]:
    """All cases."""
    rows: list[dict[str, Any]] = []

    def add(metric: str, name: str, result: Any, expected: Any) -> None:
        reason = REASONS.get((metric, name)) or (REASONS.get((metric, "")) if metric == "check_play_and_exit" else None)
        rows.append({"name": name, "metric": metric, "result": result, "expected": expected, "reason": reason or ""})

    for metric, line, rules, _ in VLC_SETTINGS:
        add(metric, line, {"text": f"{VLCRC}\n{line}\n", "as": "vlcrc"}, rules)
    for text, rules, _ in GIMP_SETTINGS:
        add("check_config_status", text, {"text": text, "as": "gimprc"}, rules)
    for rules, _ in TAG_RULES:
        add("check_mp3_meta", str(rules), str(MEDIA / "beeps.mp3"), rules)
    for old, new, rules, _ in PLAYING:
        shown = new or rules.get("file_name", "")
        add("is_vlc_playing", shown, {"text": STATUS.read_text().replace(old, new), "as": "status.xml"}, rules)
    for metric, result, expected, *_ in ALIKE:
        add(metric, result, str(MEDIA / result), str(MEDIA / expected))
    for size in ({"width": 1920, "height": 1080}, {"width": 1920, "height": 1050}):
        add("is_vlc_fullscreen", str(size), {"width": 1920, "height": 1080}, size)
    return rows
