"""Tables as text: comma separated files, and tab separated text of the clipboard."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def read_csv(text: str) -> list[tuple[str, ...]]:
    """The rows of a comma separated file (RFC 4180: fields with commas, quotes or line ends are quoted), without what is empty at the ends."""
    rows: list[list[str]] = [[]]
    at, text = 0, text.replace("\r\n", "\n")
    while at < len(text):
        if text[at] == '"':
            field, at = _quoted(text, at + 1)
        else:
            field = ""
        end = min((i for i in (text.find(",", at), text.find("\n", at)) if i >= 0), default=len(text))
        rows[-1].append(field + text[at:end])
        if end < len(text) and text[end] == "\n":
            rows.append([])
        elif end == len(text) - 1:  # a comma at the very end
            rows[-1].append("")
        at = end + 1
    return trimmed(rows)


def _quoted(text: str, at: int) -> tuple[str, int]:
    """The field whose quote has been opened before ``at``, and where it ends."""
    parts: list[str] = []
    while True:
        end = text.find('"', at)
        if end < 0:
            return "".join([*parts, text[at:]]), len(text)
        parts.append(text[at:end])
        if text[end + 1 : end + 2] != '"':
            return "".join(parts), end + 1
        parts.append('"')
        at = end + 2


def trimmed(rows: Iterable[Sequence[str]]) -> list[tuple[str, ...]]:
    """Rows without empty cells at their ends, and without empty rows at the end."""
    result = []
    for row in rows:
        width = len(row)
        while width and not row[width - 1]:
            width -= 1
        result.append(tuple(row[:width]))
    while result and not result[-1]:
        result.pop()
    return result


def write_csv(rows: Sequence[Sequence[str]]) -> str:
    """Rows as a comma separated file, all as long as the longest one; each ends in a line feed."""
    width = max(map(len, rows), default=0)
    return "".join(",".join(_field(row[i] if i < len(row) else "") for i in range(width)) + "\n" for row in rows)


def _field(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if any(c in text for c in ',"\n\r') else text


def to_tabs(rows: Sequence[Sequence[str]]) -> str:
    """Rows as the clipboard holds them: cells parted by tabs, rows by line feeds."""
    return "\n".join("\t".join(cell.replace("\t", " ").replace("\n", " ") for cell in row) for row in rows)


def from_tabs(text: str) -> list[list[str]]:
    """The opposite of :func:`to_tabs`; a line feed at the end begins no row."""
    return [line.split("\t") for line in text.replace("\r\n", "\n").removesuffix("\n").split("\n")]
