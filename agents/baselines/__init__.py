"""Policies without a model, to compare others with."""

from __future__ import annotations

from agents.baselines.policy import BaselinePolicy, RandomPolicy, ScriptedPolicy, play

__all__ = ["BaselinePolicy", "RandomPolicy", "ScriptedPolicy", "play"]
