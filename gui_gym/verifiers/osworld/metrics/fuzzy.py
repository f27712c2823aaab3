"""Metrics that need rapidfuzz."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

try:
    from rapidfuzz import fuzz
except ImportError as error:
    raise ImportError('fuzzy metrics need rapidfuzz: pip install "gui-gym[osworld]"') from error


def fuzzy_match(result: Any, rules: Mapping[str, str]) -> float:
    """How alike two texts are: :func:`rapidfuzz.fuzz.ratio` / 100."""
    return float(fuzz.ratio(result, rules["expected"]) / 100) if isinstance(result, str) else 0.0
