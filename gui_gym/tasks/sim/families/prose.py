"""Texts of whole sentences, and pointing into them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gui_gym.actions import MAX_SCROLL, Action, Modifier
from gui_gym.desktops.sim.widgets.area import TextArea
from gui_gym.desktops.sim.widgets.scroll import NOTCH
from gui_gym.tasks.sim.brief import Brief
from gui_gym.tasks.sim.solver import Solver

_WHO = (
    "The gardener", "Our neighbour", "A young painter", "The old captain", "My cousin", "The librarian", "A tired courier", "The head cook",
    "Her brother", "The night guard", "A retired judge", "The violinist", "One visitor", "The beekeeper", "A careful driver", "The new trainee",
)  # fmt: skip
_DID = (
    "carried", "repaired", "sketched", "forgot", "found", "polished", "counted", "borrowed", "returned", "hid", "photographed", "weighed", "painted",
    "described", "wrapped", "labelled",
)  # fmt: skip
_WHAT = (
    "two lanterns", "a silver key", "the broken clock", "seven baskets", "a box of pears", "the green umbrella", "an empty suitcase",
    "a bundle of maps", "the wooden ladder", "three candles", "a jar of honey",
    "the heavy anchor", "a torn flag", "the brass telescope", "some blue ribbons",
    "a wet coat",
)  # fmt: skip
_WHERE = (
    "behind the station", "near the harbour", "in the attic", "under the bridge", "before breakfast", "on the terrace", "after the storm",
    "beside the fountain", "during the concert", "at the crossroads", "in the greenhouse", "along the river", "outside the museum", "at midnight",
    "in the workshop", "next to the bakery",
)  # fmt: skip


def sentences(brief: Brief, count: int) -> list[str]:
    """Up to 16 sentences of which no two share a subject, an object or a place, so that what is named in one is in no other."""
    parts = [brief.sample(words, count) for words in (_WHO, _DID, _WHAT, _WHERE)]
    return [" ".join(words) + "." for words in zip(*parts, strict=True)]


def paragraphs(brief: Brief, counts: Sequence[int]) -> list[str]:
    """Paragraphs of so many sentences each, all different."""
    pool = sentences(brief, sum(counts))
    return [" ".join(pool.pop() for _ in range(count)) for count in counts]


def words_of(text: str) -> list[str]:
    """The words of a text in order, as written."""
    return re.findall(r"\w+", text)


def find_word(text: str, word: str) -> int:
    """Where a word stands first in a text, not as a part of another one."""
    found = re.search(rf"\b{re.escape(word)}\b", text)
    if found is None:
        raise ValueError(f"the word {word!r} is not in the text {text!r}")
    return found.start()


def rare_words(text: str, least: int = 4) -> list[str]:
    """The words of at least so many letters that occur once in a text, whatever their case, in order."""
    every = [word.casefold() for word in words_of(text)]
    return [word for word in words_of(text) if len(word) >= least and every.count(word.casefold()) == 1]


def absent_words(text: str, least: int = 4) -> list[str]:
    """The words of at least so many letters that other texts have, and this one has not, as a word of its own or in another."""
    every = [word for part in (*_WHO, *_DID, *_WHAT, *_WHERE) for word in words_of(part) if len(word) >= least]
    return sorted({word for word in every if word.casefold() not in text.casefold()})


def select(solver: Solver, window_id: str, widget_id: str, start: int, end: int) -> None:
    """Select what lies between two indices of a text area: by a drag, or by two clicks, the second with SHIFT, if it has to be scrolled."""
    point = point_at(solver, window_id, widget_id, start)
    if solver.widget(window_id, widget_id).value and _in_view(solver, window_id, widget_id, end):
        solver.act(Action.drag(*point, *point_at(solver, window_id, widget_id, end)))
    else:
        solver.act(Action.click(*point))
        solver.act(Action.click(*point_at(solver, window_id, widget_id, end), modifiers=(Modifier.SHIFT,)))


def point_at(solver: Solver, window_id: str, widget_id: str, index: int) -> tuple[int, int]:
    """The pixel of the screen where an index of a text area is, once it has been scrolled into view."""
    window = solver.window(window_id)
    area = window.part(widget_id, TextArea)
    look = solver.session.look
    x, y, w, h = window.rect_of(area)
    while not _in_view(solver, window_id, widget_id, index):
        ahead = area.row_of(look, index) - area.top - area.rows_in_view(look) // 2
        notches = max(-MAX_SCROLL, min(MAX_SCROLL, ahead // NOTCH or (1 if ahead > 0 else -1)))
        solver.act(Action.scroll_by(*solver.reach(window, (x, y, w, h)), dy=notches))
    row = area.row_of(look, index)
    across = area.font(look).width(area.text[area.rows(look)[row] : index])
    height = area.font(look).height
    return solver.reach(window, (x + look.size.gap + across - area.left, y + look.size.gap + (row - area.top) * height, 1, height))


def _in_view(solver: Solver, window_id: str, widget_id: str, index: int) -> bool:
    area = solver.window(window_id).part(widget_id, TextArea)
    look = solver.session.look
    return area.top <= area.row_of(look, index) < area.top + area.rows_in_view(look)
