"""Text files, and what is made of them."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
from pathlib import Path

from osworld_files.office import document
from osworld_files.registry import makes


@makes("append-line")
def _append_line(folder: Path) -> None:
    (folder / "shopping_gold.txt").write_text("bread\neggs\napples\noat milk\n")


@makes("fix-typo")
def _fix_typo(folder: Path) -> None:
    lines = "I did not {} the parcel that you posted on Monday.\nCould you tell me its number, please?"
    for name, word in (("letter.txt", "recieve"), ("letter_gold.txt", "receive")):
        (folder / name).write_text(f"Dear Ms Okafor,\n\n{lines.format(word)}\n\nYours,\nÉlodie\n")


@makes("json-setting")
def _json_setting(folder: Path) -> None:
    (folder / "settings.json").write_text(json.dumps({"theme": "light", "font_size": 11, "autosave": False}, indent=2) + "\n")


@makes("new-note")
def _new_note(folder: Path) -> None:
    (folder / "ideas_gold.txt").write_text("Tune the drums\nCall Zoë: 5 < 6 & 7 > 6\n")


@makes("save-copy")
def _save_copy(folder: Path) -> None:
    report = "Rainfall report\n\nMarch: 41 mm\nApril: 37 mm\n"
    (folder / "report.txt").write_text(report)
    (folder / "report_gold.txt").write_text(f"Status: final\n{report}")


SPEECH = ("Dear members,", "The boat house has a new roof.", "Thanks to all who carried tiles in April!", "The old roof lasted sixty years.")


@makes("notes-to-letter")
def _notes_to_letter(folder: Path) -> None:
    (folder / "speech.txt").write_text("".join(f"{line}\n" for line in SPEECH))
    document(*SPEECH).save(folder / "speech_gold.docx")


@makes("terminal-pack")
def _pack(folder: Path) -> None:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for month, decision in (("april", "A new hose is bought."), ("may", "The shed is painted green."), ("june", "The gate stays open.")):
            text = f"Minutes of {month.title()}\n\n{decision}\n".encode()
            (folder / f"{month}.txt").write_bytes(text)
            entry = tarfile.TarInfo(f"minutes/{month}.txt")
            entry.size = len(text)
            archive.addfile(entry, io.BytesIO(text))
    (folder / "minutes_gold.tar.gz").write_bytes(gzip.compress(packed.getvalue(), mtime=0))


@makes("terminal-count-errors")
def _count_errors(folder: Path) -> None:
    kinds = ["INFO pressure ok", "WARNING pressure low", "ERROR valve stuck", "INFO no ERRORS today"]
    lines = [f"2026-04-{1 + n // 8:02} {n % 24:02}:15 {kinds[2 if n % 9 == 4 else n % 2 if n % 5 else 3]}" for n in range(120)]
    (folder / "pump.log").write_text("".join(f"{line}\n" for line in lines))
