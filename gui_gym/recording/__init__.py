"""Episodes on disk, pictures of them, and the HTML report (:mod:`gui_gym.recording.report`)."""

from __future__ import annotations

from gui_gym.recording.draw import draw_action
from gui_gym.recording.episode import RecordedEpisode, RecordedStep, RecordingError, load_episode, save_episode
from gui_gym.recording.gif import write_gif, write_strip

__all__ = ["RecordedEpisode", "RecordedStep", "RecordingError", "draw_action", "load_episode", "save_episode", "write_gif", "write_strip"]
