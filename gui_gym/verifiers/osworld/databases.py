"""Reading SQLite databases that a program on the desktop wrote, and that an agent may have replaced by anything."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

from gui_gym.verifiers.osworld.safe_files import UnreadableFile, open_file

MAX_ROWS = 100_000  #: most rows of an answer
MAX_VALUE = 16 << 20  #: most bytes of one value
_STEPS = 1000  #: instructions of SQLite's machine between two looks at ...
_MAX_LOOKS = 200_000  #: ... this budget, some seconds


def read_rows(path: str | Path, query: str) -> list[tuple[Any, ...]]:
    """The rows that ``query`` gives in the database ``path``, which is not changed. Text that is not UTF-8 has U+FFFD in it.

    It is opened for reading alone, and its views and indices may use no function with side effects.

    Raises:
        UnreadableFile: it is no database, has no such table, or the answer takes too long or is too large.
        sqlite3.Error, sqlite3.Warning: ``query`` is no SQL, or more than one statement.
    """
    looks = 0

    def look() -> bool:
        nonlocal looks
        looks += 1
        return looks > _MAX_LOOKS  # true ends the query: a view can hold an endless one

    with open_file(path):
        pass
    try:
        connection = sqlite3.connect(f"{Path(path).absolute().as_uri()}?mode=ro&immutable=1", uri=True)
        try:
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_VALUE)
            connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
            connection.execute("PRAGMA trusted_schema = OFF")
            connection.text_factory = lambda value: value.decode(errors="replace")
            connection.set_progress_handler(look, _STEPS)
            rows = connection.execute(query).fetchmany(MAX_ROWS + 1)
        finally:
            connection.close()
    except (sqlite3.Error, sqlite3.Warning, OverflowError, MemoryError) as error:
        if isinstance(error, (sqlite3.Warning, sqlite3.ProgrammingError)) or str(error).startswith("near ") or "incomplete input" in str(error):
            raise  # the fault is the query's
        raise UnreadableFile(path, f"expected a SQLite database that answers {query!r:.120} ({error})") from error
    if len(rows) > MAX_ROWS:
        raise UnreadableFile(path, f"expected at most {MAX_ROWS} rows")
    return rows
