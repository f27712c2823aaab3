"""Choose the kanji and hanzi of the glyph atlases, into ``assets/fonts/han.txt``.

Those are the COMMON most frequent ones of Chinese and of Japanese by the word lists of the package wordfreq 3 (a character counts as often as
the words it is in), and every one that occurs at least twice in the Chinese or Japanese translations of GTK 3 and Mousepad, which is the
vocabulary of desktops. Needs ``pip install wordfreq`` and Debian's libgtk-3-common and mousepad. ``make_font_atlas.py`` adds the characters
that our own files use, so this need not be run again for a new label.
"""

from __future__ import annotations

import gettext
from collections import Counter
from pathlib import Path

from wordfreq import get_frequency_dict  # type: ignore[import-not-found]

COMMON = {"zh": 3000, "ja": 2000}
CATALOGUES = ("gtk30", "mousepad")


def is_han(c: str) -> bool:
    """Whether it is in the block of unified ideographs."""
    return "\u4e00" <= c <= "\u9fff"


def frequent(language: str) -> list[str]:
    """The most frequent characters of a language."""
    weights: Counter[str] = Counter()
    for word, frequency in get_frequency_dict(language, "best").items():
        for c in filter(is_han, word):
            weights[c] += frequency
    return [c for c, _ in weights.most_common(COMMON[language])]


def of_desktops() -> list[str]:
    """Characters that occur at least twice in the translations of desktop programs."""
    counts: Counter[str] = Counter()
    for language in ("zh_CN", "ja"):
        for name in CATALOGUES:
            path = Path(f"/usr/share/locale/{language}/LC_MESSAGES/{name}.mo")
            with path.open("rb") as file:
                texts = gettext.GNUTranslations(file)._catalog.values()  # type: ignore[attr-defined]
            counts.update(c for text in texts for c in text if is_han(c))
    return [c for c, n in counts.items() if n >= 2]


def main() -> None:
    chosen = sorted({*frequent("zh"), *frequent("ja"), *of_desktops()})
    rows = ["".join(chosen[i : i + 64]) for i in range(0, len(chosen), 64)]
    (Path(__file__).parent / "fonts" / "han.txt").write_text("\n".join(rows) + "\n", encoding="utf-8")
    print(f"{len(chosen)} characters")


if __name__ == "__main__":
    main()
