"""Gymnasium wrappers and vector wrappers for GUI Gym. Import each from its module; :mod:`wrappers.sb3` needs Stable-Baselines3."""
