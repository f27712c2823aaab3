"""The cases of ``tests/gui_gym/verifiers/document_cases.py``, and where OSWorld's own verdict is wrong."""

from pathlib import Path
from typing import Any

from document_cases import CASES, sides

_STYLE = "only what is set on the paragraph or run itself is looked at; what a style sets looks the same"
_CRASH = "it crashes on a document that an agent may well make"

REASONS = {
    "spacing by the style": _STYLE,
    "a number that is typed": "a digit that is typed is no page number",
    "the number of pages": "the number of pages is no page number",
    "font of the style": _STYLE,
    "font of a character style": _STYLE,
    "no text has a font": "a document emptied of its text passes without any font",
    "no section": "a document without a page passes without any footer",
    "a picture has no font": "a run without text has no font that could be seen",
    "no italics left": "italic text that was made upright is not italic text of 14 points",
    "runs split otherwise": "where a program splits runs cannot be seen",
    "an empty paragraph after it": "an empty last paragraph passes without any text struck through",
    "struck twice": "a double line strikes text through",
    "no color": _CRASH,
    "two words in a run": "the second word of a run is not looked at",
    "centered by the style": _STYLE,
    "nothing to center": _CRASH,
    "no tab": _CRASH,
    "tab stops far away": "a score below 0",
    "not highlighted": "only .odt files can be read, and the text of .docx files was compared just before",
    "highlighted": "only .odt files can be read, and the text of .docx files was compared just before",
}


def cases(folder: Path) -> list[dict[str, Any]]:
    """Each with documents in ``folder``."""
    found = []
    for index, (name, metric, result, expected, options, _) in enumerate(CASES):
        arguments = dict(zip(("result", "expected"), sides(folder, index, result, expected), strict=False))
        found.append({"name": name, "metric": metric, **arguments, "options": options, "reason": REASONS.get(name, "")})
    assert not set(REASONS) - {case["name"] for case in found}
    return found
