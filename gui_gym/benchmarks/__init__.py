"""What ``gui-gym bench`` measures. A part is a module with ``run() -> list[Record]``; it takes under a minute on two cores.

:mod:`gui_gym.benchmarks.peers` measures other software beside ours, where that is installed.

A part that cannot run on this machine raises :class:`~gui_gym.desktops.DesktopError` or ImportError, which says why.
"""

from __future__ import annotations

from typing import TypedDict

__all__ = ["PARTS", "Record"]

#: Parts and the modules that measure them.
PARTS: dict[str, str] = {"sim": "gui_gym.benchmarks.sim", "x11": "gui_gym.benchmarks.x11"}


class Record(TypedDict):
    """One figure: ``value`` in ``unit``, the ``reference`` (a limit) and the ``peer`` (other software), in the same unit and measured
    in the same run, and the ratio of the value to each: the higher the better, 1 where they are equal, None where there is none."""

    name: str
    value: float
    unit: str
    reference: float | None
    ratio: float | None
    peer: float | None
    peer_ratio: float | None
