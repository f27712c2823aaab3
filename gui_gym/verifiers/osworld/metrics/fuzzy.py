"""Metrics that need rapidfuzz."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rapidfuzz import fuzz


def fuzzy_match(result: Any, rules: Mapping[str, str]) -> float:
    """How alike two texts are: :func:`rapidfuzz.fuzz.ratio` / 100."""
    return float(fuzz.ratio(result, rules["expected"]) / 100) if isinstance(result, str) else 0.0
