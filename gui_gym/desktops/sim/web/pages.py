"""The text of a page, taken apart. Nothing is an error: a line that means nothing is a paragraph."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

FIELDS = ("text", "email", "password", "number", "area", "choice", "radio", "check", "date")
FORMS = ("send", "order", "ask", "next", "cart", "enter", "keep")
MAX_TEXT = 200_000  #: characters of a page that are looked at
_LINK = re.compile(r"\[([^\[\]]+)\]\(([^()\s]*)\)")
_FIELD = re.compile(r"field (\w+) (\w+)(\*?)(?: \|(.*))?")
_FORM = re.compile(r"form (\w+) (\S+) (\S+)")


@dataclass(frozen=True)
class Span:
    """Words, and where they lead ("" nowhere)."""

    text: str
    link: str = ""


Spans = tuple[Span, ...]


@dataclass(frozen=True)
class Block:
    """A part of a page.

    Args:
        kind: "h1", "h2", "p" (a paragraph), "item", "note", "warn", "rule", "image", "table", "button", or one of :data:`FIELDS`.
        spans: its words.
        rows: of a table.
        sortable: whether a click on the head of a table sorts it.
        form: the number of the form it is in, or -1.
        name: a field's id, or an image's file.
        label, options, value, required: of a field.
    """

    kind: str
    spans: Spans = ()
    rows: tuple[tuple[Spans, ...], ...] = ()
    sortable: bool = False
    form: int = -1
    name: str = ""
    label: str = ""
    options: tuple[str, ...] = ()
    value: str = ""
    required: bool = False

    @property
    def is_field(self) -> bool:
        """Whether it holds a value."""
        return self.kind in FIELDS


@dataclass(frozen=True)
class FormHead:
    """What a form is for: one of :data:`FORMS`, its name, the page it leads to, and fields that are not seen."""

    kind: str
    name: str
    target: str
    hidden: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Page:
    """A page."""

    title: str
    blocks: tuple[Block, ...]
    forms: tuple[FormHead, ...] = ()

    def fields(self, form: int) -> list[Block]:
        """The fields of a form."""
        return [block for block in self.blocks if block.form == form and block.is_field]


def is_page(text: str) -> bool:
    """Whether the text of a file is a page."""
    return text.startswith("title ")


def spans_of(text: str) -> Spans:
    """A text and its links."""
    found, at = [], 0
    for match in _LINK.finditer(text):
        if match.start() > at:
            found.append(Span(text[at : match.start()]))
        found.append(Span(match[1], match[2]))
        at = match.end()
    if at < len(text):
        found.append(Span(text[at:]))
    return tuple(found)


def plain(spans: Spans) -> str:
    """The words alone."""
    return "".join(span.text for span in spans)


def cells_of(line: str) -> list[str]:
    """The cells of a row such as ``| a | b |``."""
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


@lru_cache(maxsize=128)
def parse(text: str) -> Page:
    """The page of a text."""
    title, blocks = "", list[Block]()
    forms: list[FormHead] = []
    hidden: list[tuple[str, str]] = []
    names: set[tuple[int, str]] = set()
    form, sortable = -1, False
    rows: list[tuple[Spans, ...]] = []
    for line in [*text[:MAX_TEXT].splitlines(), ""]:
        line = line.strip()
        if rows and not line.startswith("|"):
            blocks.append(Block("table", rows=tuple(rows), sortable=sortable, form=form))
            rows, sortable = [], False
        if not line:
            continue
        if line.startswith("title ") and not title:
            title = line[6:].strip()
        elif line.startswith("|"):
            rows.append(tuple(spans_of(cell) for cell in cells_of(line)))
        elif line == "sortable":
            sortable = True
        elif (head := _FORM.fullmatch(line)) and head[1] in FORMS:
            form, hidden = len(forms), []
            forms.append(FormHead(head[1], head[2], head[3]))
        elif form >= 0 and line == "end":
            forms[form] = FormHead(forms[form].kind, forms[form].name, forms[form].target, tuple(hidden))
            form = -1
        elif form >= 0 and line.startswith("hidden "):
            name, _, value = line[7:].partition("|")
            hidden.append((name.strip(), value.strip()))
        elif form >= 0 and (match := _FIELD.fullmatch(line)) and match[1] in FIELDS and (form, match[2]) not in names:
            names.add((form, match[2]))
            label, options, value = (*(part.strip() for part in (match[4] or "").split("|", 2)), "", "", "")[:3]
            choices = tuple(option.strip() for option in options.split(";") if option.strip())
            blocks.append(Block(match[1], form=form, name=match[2], label=label or match[2], options=choices, value=value, required=bool(match[3])))
        elif form >= 0 and line.startswith("button ") and (form, "button") not in names:
            names.add((form, "button"))
            blocks.append(Block("button", form=form, name="button", label=line[7:].strip()))
        else:
            blocks.append(_block(line, form))
    for i, unfinished in enumerate(forms):
        if i == form:
            forms[i] = FormHead(unfinished.kind, unfinished.name, unfinished.target, tuple(hidden))
    return Page(title, tuple(blocks), tuple(forms))


def _block(line: str, form: int) -> Block:
    """A line that is neither part of a table nor a field."""
    if line == "---":
        return Block("rule", form=form)
    if line.startswith("image "):
        return Block("image", form=form, name=line[6:].strip())
    for start, kind in (("## ", "h2"), ("# ", "h1"), ("- ", "item"), ("! ", "note"), ("!! ", "warn")):
        if line.startswith(start):
            return Block(kind, spans_of(line[len(start) :].strip()), form=form)
    return Block("p", spans_of(line), form=form)
