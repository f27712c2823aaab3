"""Getters of what a spreadsheet holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gui_gym.tasks.fields import PATH, Field
from gui_gym.tasks.setup import Stage
from gui_gym.verifiers.osworld.getters import Getter
from gui_gym.verifiers.osworld.getters.files import new_folder, read_output


def _content_from_vm_file(stage: Stage, spec: Mapping[str, Any]) -> list[str] | None:
    """The saved values of the first sheet's last row below its header, as texts ("" where empty); None if there is none."""
    from gui_gym.verifiers.osworld.metrics.tables.books import Book
    from gui_gym.verifiers.osworld.safe_files import UnreadableFile

    path = new_folder(stage) / "book.xlsx"
    data = read_output(stage.desktop, spec["path"])
    if data is None:
        return None
    path.write_bytes(data)
    try:
        book = Book(str(path))
        values = book.sheet(next(iter(book.names), "")).values
    except UnreadableFile:  # the agent made no workbook
        return None
    last = max((row for row, _ in values), default=1)
    if last < 2:
        return None
    width = max(column for _, column in values)
    found = [values.get((last, column), "") for column in range(1, width + 1)]
    return [str(int(value)) if isinstance(value, float) and value.is_integer() else str(value) for value in found]


content_from_vm_file = Getter(
    _content_from_vm_file,
    {
        "path": PATH,
        "file_type": Field("'xlsx'", lambda value: value == "xlsx"),
        "file_content": Field("'last_row'", lambda value: value == "last_row"),
    },
    needs=("openpyxl", "rapidfuzz", "lxml"),
)
