"""``gui-gym assets``: the files that OSWorld's tasks download, fetched ahead."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass
from typing import Annotated

import tyro

from gui_gym.cli.output import print_json
from gui_gym.cli.tasks import open_suite


@dataclass
class Assets:
    """Fill the content cache: download what the tasks' setup and evaluators name, so that they run without a network. Exit status 1 if
    anything failed."""

    task: Annotated[tuple[str, ...], tyro.conf.Positional] = ()
    """Ids of tasks; by default all."""
    suite: str = "osworld"
    """Name of the suite."""
    tasks: str | None = None
    """Folder of task files, or a list file such as test_small.json."""
    assets: str | None = None
    """Folder to fill; by default cache in the folder of tasks."""
    max_mb: int = 1024
    """A larger file is given up, in MB."""
    list: bool = False
    """Only say what would be fetched."""
    json: bool = False
    """Print a JSON list of {url, state, bytes, reason}."""

    def run(self) -> int:
        from gui_gym.tasks.fetch import Fetched, fetch, wanted

        suite = open_suite(self.suite, self.tasks, self.assets)
        addresses = wanted(suite.get(task_id) for task_id in self.task or suite.ids())
        if self.list:
            found = [Fetched(url, "there" if all(path.is_file() for path in paths) else "missing") for url, paths in addresses.items()]
        else:
            found = []
            for one in fetch(addresses, self.max_mb << 20):
                found.append(one)
                print(f"[{len(found)}/{len(addresses)}] {one.state} {one.url} {one.reason}".rstrip(), file=sys.stderr)
        if self.json:
            print_json([one.as_dict() for one in found])
        else:
            for one in found if self.list else []:
                print(f"{one.state:8} {one.url}")
            states = Counter(one.state for one in found)
            print(f"{len(found)} addresses: {', '.join(f'{n} {state}' for state, n in states.items()) or 'none'}.")
        return 1 if any(one.state == "failed" for one in found) else 0
