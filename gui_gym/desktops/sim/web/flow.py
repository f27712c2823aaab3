"""Where the parts of a page are, for a width. Coordinates are pixels from the page's upper left corner."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from gui_gym.desktops.sim.canvas import Rect
from gui_gym.desktops.sim.fonts import Font, font
from gui_gym.desktops.sim.look import Look
from gui_gym.desktops.sim.web.pages import Block, Spans, parse, plain
from gui_gym.desktops.sim.web.sites import sort_key

#: The sizes that fonts come in.
_FONT_SIZES = (8, 9, 10, 11, 12, 13, 14, 16, 17, 20)
_WORD = re.compile(r"\s+|[\u2e80-\u9fff\uff00-\uffef][、。，．：；？！」』）]*|[^\s\u2e80-\u9fff\uff00-\uffef]+")

Place = tuple[int, int]  #: a run, by number, and an index between its characters
Sort = tuple[int, int, bool]  #: a table, by number, its column, and whether it goes down


def larger(size: int, steps: int) -> int:
    """The size of letters so many steps above another one."""
    return _FONT_SIZES[min(bisect_left(_FONT_SIZES, size) + steps, len(_FONT_SIZES) - 1)]


@dataclass(frozen=True)
class Run:
    """Words in one line, of one look.

    Args:
        offset: where they are in the text ``block`` of :attr:`Flow.texts`.
        link: their link by number, or -1.
    """

    x: int
    y: int
    text: str
    face: Font
    block: int
    offset: int
    link: int = -1
    muted: bool = False

    @property
    def box(self) -> Rect:
        return self.x, self.y, self.face.width(self.text), self.face.height


@dataclass
class Flow:
    """A page that is laid out.

    Args:
        height: of all of it.
        runs: its words.
        texts: the words of each part, to be searched.
        links: where the links lead.
        panels: rectangles that are filled, and what with: "note", "warn", "head", "line", "edge".
        heads: where a click sorts: table, column and bounds.
        images: bounds and file.
        controls: bounds of the fields and buttons, by their ids.
    """

    height: int = 0
    runs: list[Run] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    panels: list[tuple[Rect, str]] = field(default_factory=list)
    heads: list[tuple[int, int, Rect]] = field(default_factory=list)
    images: list[tuple[Rect, str]] = field(default_factory=list)
    controls: dict[str, Rect] = field(default_factory=dict)

    def link_rects(self, number: int) -> list[Rect]:
        """Where a link is: one rectangle a line."""
        return [run.box for run in self.runs if run.link == number]

    def matches(self, wanted: str) -> list[list[Rect]]:
        """Where a text occurs, capitals apart: the rectangles of each place."""
        found: list[list[Rect]] = []
        for block, text in enumerate(self.texts):
            folded = text.lower() if len(text.lower()) == len(text) else text
            at = folded.find(wanted.lower())
            while wanted and at >= 0:
                end, rects = at + len(wanted), []
                for run in self.runs:
                    low, high = max(at, run.offset), min(end, run.offset + len(run.text))
                    if run.block == block and low < high:
                        left = run.face.width(run.text[: low - run.offset])
                        rects.append((run.x + left, run.y, run.face.width(run.text[low - run.offset : high - run.offset]), run.face.height))
                if rects:
                    found.append(rects)
                at = folded.find(wanted.lower(), end)
        return found

    def stops(self) -> list[tuple[Rect, str]]:
        """Where the keyboard can go, in its order: bounds, and "link 2" or a field's id."""
        stops = [(rects[0], f"link {i}") for i in range(len(self.links)) if (rects := self.link_rects(i))]
        stops += [(rect, name) for name, rect in self.controls.items()]
        return sorted(stops, key=lambda stop: (stop[0][1] + stop[0][3] // 2, stop[0][0]))

    # Selecting words

    def place_at(self, x: int, y: int) -> Place:
        """The place between characters nearest to a point: in the line it is in, or the nearest one above it."""
        best: tuple[int, int, int] | None = None
        for number, run in enumerate(self.runs):
            left, top, w, h = run.box
            above = 0 if top <= y < top + h else y - top - h + 1 if y >= top else (1 << 20) + top - y
            beside = 0 if left <= x < left + w else left - x if x < left else x - left - w + 1
            if best is None or (above, beside) < best[:2]:
                best = above, beside, number
        if best is None:
            return 0, 0
        run = self.runs[best[2]]
        return best[2], run.face.position(run.text, x - run.x)

    def word_at(self, place: Place) -> tuple[Place, Place]:
        """Where the word at a place starts and ends."""
        number, at = place
        text = self.runs[number].text if self.runs else ""
        start, end = text.rfind(" ", 0, at) + 1, text.find(" ", at)
        return (number, start), (number, end if end >= 0 else len(text))

    def between(self, one: Place, other: Place) -> list[tuple[Run, int, int]]:
        """The parts of runs between two places: run, and where in it they start and end."""
        (first, start), (last, end) = sorted((one, other))
        numbers = range(first, min(last + 1, len(self.runs)))
        return [(run, start if i == first else 0, end if i == last else len(run.text)) for i in numbers for run in [self.runs[i]]]

    def words(self, one: Place, other: Place) -> str:
        """The text between two places: a line for each part of the page."""
        text, before = "", None
        for run, start, end in self.between(one, other):
            if before is not None:
                gap = run.offset - before.offset - len(before.text)
                same = run.block == before.block and run.block >= 0
                text += " " * max(0, gap) if same else "\t" if before.y == run.y or before.block < 0 else "\n"
            text, before = text + run.text[start:end], run
        return text


def control_id(block: Block, option: int = -1) -> str:
    """The id of the widget of a field, or of one of its options."""
    return f"{block.form}:{block.name}" + (f":{option}" if option >= 0 else "")


@lru_cache(maxsize=64)
def lay_out(text: str, width: int, look: Look, sorts: tuple[Sort, ...] = (), pictures: tuple[tuple[str, int, int], ...] = ()) -> Flow:
    """Lay out a page ``width`` pixels wide. ``pictures``: the sizes of its pictures by file."""
    return _Setter(width, look, sorts, {name: (w, h) for name, w, h in pictures}).page(text)


class _Setter:
    """Puts the blocks of a page below each other."""

    def __init__(self, width: int, look: Look, sorts: Sequence[Sort], pictures: dict[str, tuple[int, int]]):
        self.look, self.size, self.sorts, self.pictures = look, look.size, sorts, pictures
        self.pad = look.size.pad
        self.width = max(4 * look.size.font, width - 2 * self.pad)
        self.flow = Flow()
        self.y = self.pad
        self.tables = 0

    def page(self, text: str) -> Flow:
        page, gap = parse(text), self.size.gap
        for i, block in enumerate(page.blocks):
            if block.kind == "table":
                self._table(block)
            elif block.is_field or block.kind == "button":
                wide = max((self.look.sans.width(_caption(other)) for other in page.fields(block.form) if other.kind != "check"), default=0)
                self._control(block, wide + 2 * gap)
            elif block.kind == "image":
                self._image(block)
            elif block.kind == "rule":
                self.flow.panels.append(((self.pad, self.y + gap // 2, self.width, 1), "line"))
                self.y += gap + 1
            else:
                self._words(block, page.blocks[i + 1].kind if i + 1 < len(page.blocks) else "")
        self.flow.height = self.y + self.pad
        return self.flow

    def _words(self, block: Block, after: str) -> None:
        """A heading, a paragraph, an item or a note."""
        look, gap, pad = self.look, self.size.gap, self.pad
        if block.kind in ("h1", "h2"):
            self.y += gap if block.kind == "h1" else gap // 2
            face = font("bold", larger(self.size.font, 2 if block.kind == "h1" else 1))
            self.y = self._set(block.spans, pad, self.y, self.width, face) + gap
        elif block.kind in ("note", "warn"):
            top = self.y
            at = len(self.flow.panels)
            end = self._set(block.spans, pad + gap, top + gap // 2 + 1, self.width - 2 * gap, look.sans)
            self.flow.panels.insert(at, ((pad, top, self.width, end - top + gap // 2 + 1), block.kind))
            self.y = end + gap // 2 + 1 + gap
        elif block.kind == "item":
            indent = look.sans.width("•  ")
            self.flow.runs.append(Run(pad, self.y, "•", look.sans, -1, 0))
            self.y = self._set(block.spans, pad + indent, self.y, self.width - indent, look.sans) + (2 if after == "item" else gap)
        else:
            self.y = self._set(block.spans, pad, self.y, self.width, look.sans) + gap

    def _set(self, spans: Spans, x: int, y: int, width: int, face: Font) -> int:
        """Set words in lines at most ``width`` pixels wide; the y below the last one."""
        block, at, pen = len(self.flow.texts), 0, 0
        self.flow.texts.append(plain(spans))
        line: list[Run] = []
        for span in spans:
            link = -1
            if span.link:
                link = len(self.flow.links)
                self.flow.links.append(span.link)
            for match in _WORD.finditer(span.text):
                for word in self._pieces(match[0], face, width):
                    wide = face.width(word)
                    if word.isspace():
                        if pen == 0:
                            at += len(word)
                            continue
                    elif pen + wide > width and pen:
                        self._end_line(line)
                        line, pen, y = [], 0, y + face.height
                    if line and line[-1].link == link and line[-1].offset + len(line[-1].text) == at:
                        last = line[-1]
                        line[-1] = Run(last.x, y, last.text + word, face, block, last.offset, link)
                    else:
                        line.append(Run(x + pen, y, word, face, block, at, link))
                    at += len(word)
                    pen += wide
        self._end_line(line)
        return y + face.height

    def _end_line(self, line: list[Run]) -> None:
        """Keep the runs of a line, without spaces at its end."""
        if line and (text := line[-1].text.rstrip()) != line[-1].text:
            last = line.pop()
            if text:
                line.append(Run(last.x, last.y, text, last.face, last.block, last.offset, last.link))
        self.flow.runs += line

    @staticmethod
    def _pieces(word: str, face: Font, width: int) -> list[str]:
        """A word, or parts of one that is wider than a line."""
        if face.width(word) <= width:
            return [word]
        pieces, used, start = [], 0, 0
        for i, advance in enumerate(face.advances(word)):
            if used + advance > width and i > start:
                pieces.append(word[start:i])
                used, start = 0, i
            used += advance
        return [*pieces, word[start:]]

    def _image(self, block: Block) -> None:
        wide, high = self.pictures.get(block.name, (0, 0))
        if not wide:
            return
        scale = 200 if self.size.font >= 13 and 2 * wide <= self.width else 100
        scale = min(scale, max(10, self.width * 100 // wide))
        rect = (self.pad, self.y, wide * scale // 100, high * scale // 100)
        self.flow.images.append((rect, block.name))
        self.y += rect[3] + self.size.gap

    def _table(self, block: Block) -> None:
        """A table: columns as wide as their widest cell if there is room, else in that proportion."""
        look, gap, number = self.look, self.size.gap, self.tables
        self.tables += 1
        head, *body = block.rows
        columns = max(len(row) for row in block.rows)
        order = next((sort for sort in self.sorts if sort[0] == number), None)
        if order and block.sortable:
            body.sort(key=lambda row: sort_key(plain(row[order[1]]) if order[1] < len(row) else ""), reverse=order[2])
        mark = look.bold.width(" ▼") if block.sortable else 0
        natural = [1] * columns
        for i, row in enumerate(block.rows):
            for j, cell in enumerate(row):
                natural[j] = max(natural[j], (look.sans if i else look.bold).width(plain(cell)) + (0 if i else mark) + 2 * gap + 1)
        total = sum(natural)
        least = 3 * self.size.font
        widths = natural if total <= self.width else _share(natural, self.width, least)
        top, wide = self.y, sum(widths)
        for i, row in enumerate([head, *body]):
            x, end, start = self.pad, self.y + look.sans.height, self.y
            at = len(self.flow.panels)
            for j, cell in enumerate(row):
                spans = cell
                if not i and order and block.sortable and order[1] == j:
                    spans = (*cell, type(cell[0])(" ▼" if order[2] else " ▲")) if cell else cell
                end = max(end, self._set(spans, x + gap, self.y + gap // 2, widths[j] - 2 * gap + 1, look.bold if not i else look.sans))
                x += widths[j]
            self.y = end + gap // 2 + 1
            if not i:
                self.flow.panels.insert(at, ((self.pad, start, wide, self.y - start), "head"))
            self.flow.panels.append(((self.pad, self.y - 1, wide, 1), "line"))
            if not i and block.sortable:
                lefts = [self.pad + sum(widths[:j]) for j in range(columns)]
                self.flow.heads += [(number, j, (lefts[j], start, widths[j], self.y - start)) for j in range(columns)]
        self.flow.panels.append(((self.pad, top, wide, self.y - top), "edge"))
        self.y += gap

    def _control(self, block: Block, wide: int) -> None:
        """A field with its label at its left, or above it where there is no room, or a button."""
        look, gap, pad, high = self.look, self.size.gap, self.pad, self.size.control
        if block.kind == "button":
            self.flow.controls[control_id(block)] = (pad, self.y, min(self.width, look.sans.width(block.label) + 3 * self.size.pad), high)
            self.y += high + gap
            return
        if block.kind == "check":
            self.flow.controls[control_id(block)] = (pad, self.y, min(self.width, self._box_width(block.label)), high)
            self.y += high + gap // 2
            return
        text = _caption(block)
        x, room = pad, self.width
        beside = wide <= self.width // 2
        face = look.sans
        lines = [text] if beside else face.wrap(text, self.width)
        for line in lines:
            self.flow.runs.append(Run(pad, self.y + ((high - face.height) // 2 if beside else 0), line, face, len(self.flow.texts), 0))
            self.flow.texts.append(line)
            self.y += 0 if beside else face.height
        if beside:
            x, room = pad + wide, self.width - wide
        if block.kind == "radio":
            left = x
            for i, option in enumerate(block.options):
                w = min(room, self._box_width(option))
                if left > x and left + w > x + room:
                    left, self.y = x, self.y + high
                self.flow.controls[control_id(block, i)] = (left, self.y, w, high)
                left += w + gap
            self.y += high + gap // 2
            return
        ems = {"number": 7, "date": 10, "area": 40, "choice": 18}.get(block.kind, 22)
        if block.kind == "choice":
            ems = 0
            w = max((face.width(option) for option in block.options), default=0) + face.width("▼") + 5 * gap
        else:
            w = ems * self.size.font
        h = high if block.kind != "area" else min(4 * look.mono.height + 2 * gap, 4 * high)
        self.flow.controls[control_id(block)] = (x, self.y, min(room, w), h)
        self.y += h + gap // 2 + 1

    def _box_width(self, text: str) -> int:
        return self.look.sans.width(text) + self.size.font + self.size.gap + 6


def _caption(block: Block) -> str:
    """A field's label, with a star if it must be filled in."""
    return block.label + (" *" if block.required else "")


def _share(natural: list[int], width: int, least: int) -> list[int]:
    """Widths that make up ``width``: narrow columns keep theirs, the others share what is left by their size."""
    widths = [min(each, least) for each in natural]
    spare, wanted = width - sum(widths), sum(natural) - sum(widths)
    return [each + max(0, spare) * (full - each) // max(1, wanted) for each, full in zip(widths, natural, strict=True)]
