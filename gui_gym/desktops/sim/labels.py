"""What the labels of the desktop are in each language, from the files of ``assets/labels``.

Each file is a JSON object for one area: ``{"Save": {"de": "Speichern", "fr": ..., "es": ..., "ja": ..., "zh": ...}, ...}``. The English
label is the key; ``{}`` marks what the program fills in. All files make one vocabulary, so a label means the same everywhere.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

from gui_gym.assets_path import asset

LANGUAGES: tuple[str, ...] = ("en", "de", "fr", "es", "ja", "zh")

Entry = dict[str, str]  #: the translations of one label by language, without the English


def label(english: str, language: str) -> str:
    """The label in ``language``, one of :data:`LANGUAGES`.

    KeyError names the folder to add an unknown label to, in every language including English, so that no label is forgotten.
    """
    try:
        return labels_of(language)[english]
    except KeyError:
        known = "common.json for what all apps share, else the file of the app"
        raise KeyError(f"no label {english!r} in {language!r}: add it to a file of assets/labels ({known})") from None


@cache
def labels_of(language: str) -> Mapping[str, str]:
    """Every label in ``language`` by its English text; ValueError if it is none of :data:`LANGUAGES`."""
    if language not in LANGUAGES:
        raise ValueError(f"expected a language of {', '.join(LANGUAGES)}, got {language!r}")
    entries = _vocabulary()
    return MappingProxyType({english: entry[language] if language != "en" else english for english, entry in entries.items()})


def read_labels(path: Path) -> dict[str, Entry]:
    """The labels of one file; ValueError if one occurs twice in it or lacks a language."""
    try:
        entries: dict[str, Entry] = json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=_no_twins)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error
    expected = set(LANGUAGES) - {"en"}
    for english, entry in entries.items():
        if not isinstance(entry, dict) or set(entry) != expected or not all(isinstance(text, str) and text for text in entry.values()):
            raise ValueError(f"{path}: {english!r} needs a text in each of {', '.join(sorted(expected))}, got {entry!r}")
    return entries


def merge_labels(paths: Iterable[Path]) -> dict[str, Entry]:
    """The labels of several files together; ValueError names both files if they translate one differently."""
    merged: dict[str, Entry] = {}
    source: dict[str, Path] = {}
    for path in paths:
        for english, entry in read_labels(path).items():
            if english in merged and merged[english] != entry:
                raise ValueError(f"{source[english]} and {path} translate {english!r} differently: {merged[english]!r} and {entry!r}")
            merged[english] = entry
            source.setdefault(english, path)
    return merged


@cache
def _vocabulary() -> dict[str, Entry]:
    return merge_labels(sorted(asset("labels").glob("*.json")))


def _no_twins(pairs: list[tuple[str, object]]) -> dict[str, object]:
    result = dict(pairs)
    if len(result) != len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"these keys occur twice: {sorted({name for name in names if names.count(name) > 1})}")
    return result
