import ast
import json
import re
from collections import defaultdict
from pathlib import Path

import pytest

import gui_gym
from gui_gym.assets_path import asset
from gui_gym.desktops.sim.fonts import font
from gui_gym.desktops.sim.labels import LANGUAGES, label, labels_of, merge_labels, read_labels
from gui_gym.tasks.sim import words

FILES = sorted(asset("labels").glob("*.json"))
OTHERS = [language for language in LANGUAGES if language != "en"]
GROUPS = {
    "buttons": words.BUTTONS, "options": words.OPTIONS, "titles": words.TITLES, "menus": tuple(words.MENUS), "sliders": words.SLIDERS,
    "plans": words.PLANS, "colours": tuple(words.COLORS), **{f"menu {title}": items for title, items in words.MENUS.items()},
}  # fmt: skip

#: Labels that are one word in a language on real desktops too; they never stand side by side.
SAME = {("de", "Insert", "Paste"), ("fr", "Cancel", "Undo"), ("ja", "Find", "Search")}


def pairs_of_equals(labels):
    by_text = defaultdict(list)
    for english, text in labels:
        by_text[text.casefold()].append(english)
    return [tuple(sorted(group)) for group in by_text.values() if len(group) > 1]


def test_labels_are_read():
    assert [label("Save", language) for language in LANGUAGES] == ["Save", "Speichern", "Enregistrer", "Guardar", "保存", "保存"]
    assert labels_of("de")["Cancel"] == "Abbrechen"
    assert all(set(labels_of(language)) == set(labels_of("en")) for language in LANGUAGES)


def test_unknown_labels_are_errors_in_every_language():
    for language in LANGUAGES:
        with pytest.raises(KeyError, match="Flibbertigibbet.*assets/labels"):
            label("Flibbertigibbet", language)
    with pytest.raises(ValueError, match="expected a language"):
        label("Save", "xx")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_labels_of_a_file_are_complete_and_distinct(path):
    entries = read_labels(path)
    for english, entry in entries.items():
        for text in (english, *entry.values()):
            assert text == text.strip() and text.isprintable(), (path.name, text)
            assert re.findall(r"{[^}]*}", text) == re.findall(r"{[^}]*}", english), (path.name, english, text)
    for language in OTHERS:
        equal = {(language, *pair) for pair in pairs_of_equals((english, entry[language]) for english, entry in entries.items())}
        assert equal <= SAME, f"{path.name} has one text for several labels"


def test_every_label_is_used_and_in_one_file():
    texts = set()
    for path in Path(gui_gym.__file__).parent.rglob("*.py"):
        texts |= {node.value for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Constant)}
    labels = [label for path in FILES for label in read_labels(path)]
    assert not [label for label in labels if label not in texts], "no program and no task shows these labels"
    assert len(labels) == len(set(labels)), "labels that several areas share are in common.json alone"


@pytest.mark.parametrize("size", [8, 9, 10, 11, 12, 13, 14, 16, 17, 20])
def test_every_character_of_a_label_has_a_glyph(size):
    for face in ("sans", "bold", "mono"):
        letters = font(face, size)
        box = letters.render("\u1200").mask.tobytes()
        used = {c for language in LANGUAGES for text in labels_of(language).values() for c in text}
        missing = [c for c in sorted(used) if letters.render(c).mask.tobytes() == box]
        assert not missing, f"run assets/make_font_atlas.py: {face}-{size} has no glyph for {missing}"


@pytest.mark.parametrize("name", GROUPS)
def test_words_of_tasks_are_known_and_distinct(name):
    for language in LANGUAGES:
        assert not pairs_of_equals((english, label(english, language)) for english in GROUPS[name]), language


def entry(**changes):
    return {language: "x" for language in OTHERS} | changes


def test_files_that_disagree_are_named(tmp_path):
    one, two = tmp_path / "one.json", tmp_path / "two.json"
    one.write_text(json.dumps({"Go": entry(), "Stop": entry(de="y")}))
    two.write_text(json.dumps({"Go": entry()}))
    assert merge_labels([one, two]) == {"Go": entry(), "Stop": entry(de="y")}
    two.write_text(json.dumps({"Go": entry(fr="z")}))
    with pytest.raises(ValueError, match="one.json and .*two.json translate 'Go' differently"):
        merge_labels([one, two])


@pytest.mark.parametrize(
    "text, expected",
    [
        ('{"Go": {"de": "x"}}', "'Go' needs a text in each of de, es, fr, ja, zh"),
        (json.dumps({"Go": entry(de="")}), "'Go' needs a text"),
        (json.dumps({"Go": "x"}), "'Go' needs a text"),
        ('{"Go": {}, "Go": {}}', "occur twice: .'Go'"),
        ("{", "one.json"),
    ],
)
def test_bad_files_are_errors(tmp_path, text, expected):
    path = tmp_path / "one.json"
    path.write_text(text)
    with pytest.raises(ValueError, match=expected):
        read_labels(path)
