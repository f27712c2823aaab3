"""How commands print figures: a table for people, JSON for programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text


def print_json(value: Any) -> None:
    """``value`` as JSON, and nothing else, on standard output."""
    print(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False))


def print_table(records: Sequence[Mapping[str, Any]], columns: Sequence[str], right: Sequence[str] = ()) -> None:
    """``records`` as a table of ``columns``; those in ``right`` are aligned right."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(column.replace("_", " "), justify="right" if column in right else "left", overflow="fold")
    for record in records:
        table.add_row(*(_cell(record.get(column)) for column in columns))
    Console(width=None if sys.stdout.isatty() else 200).print(table)


def _cell(value: Any) -> Text:
    # Text, not str: what is in brackets, as in gui-gym[x11], is no markup
    if value is None:
        return Text("-")
    if isinstance(value, bool):
        return Text("yes" if value else "no")
    if isinstance(value, float):
        return Text(f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}")
    return Text(str(value))
