"""A smaller picture of the screen; actions stay in pixels of the screen."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.utils import RecordConstructorArgs
from PIL import Image


class ResizeScreenshot(gym.ObservationWrapper[np.ndarray, Any, np.ndarray], RecordConstructorArgs):
    """The observation scaled to ``width`` x ``height``.

    Only the observation changes. A point that was chosen in the small picture must be mapped with :meth:`to_screen`
    before it is acted on; nothing does so by itself.

    Args:
        env: an env whose observation is ``(H, W, 3)`` uint8.
        width: pixels of the new picture.
        height: pixels of the new picture.
        keep_aspect: scale both axes alike and fill what is left over with black, below or to the right.
        grayscale: one channel (luma of ITU-R BT.601) instead of three.
    """

    def __init__(self, env: gym.Env[np.ndarray, Any], width: int = 84, height: int = 84, keep_aspect: bool = False, grayscale: bool = False):
        RecordConstructorArgs.__init__(self, width=width, height=height, keep_aspect=keep_aspect, grayscale=grayscale)
        gym.ObservationWrapper.__init__(self, env)
        shape = env.observation_space.shape
        if shape is None or len(shape) != 3 or shape[2] != 3 or env.observation_space.dtype != np.uint8:
            raise ValueError(f"expected an observation space of (H, W, 3) uint8, got {env.observation_space}")
        if width < 1 or height < 1:
            raise ValueError(f"expected at least 1x1 pixels, got {width}x{height}")
        self.screen = (shape[1], shape[0])  #: (width, height) of the screen in pixels
        self.size = (width, height)
        factor = min(width / shape[1], height / shape[0])
        self.inner = (max(1, round(shape[1] * factor)), max(1, round(shape[0] * factor))) if keep_aspect else self.size  #: what the screen fills
        self._grayscale = grayscale
        self.observation_space = spaces.Box(0, 255, (height, width, 1 if grayscale else 3), np.uint8)

    def observation(self, observation: np.ndarray) -> np.ndarray:
        """A new ``(height, width, 3)`` or ``(height, width, 1)`` uint8 array."""
        image = Image.fromarray(observation)
        if self._grayscale:
            image = image.convert("L")
        small = np.asarray(image.resize(self.inner, Image.Resampling.BILINEAR))  # Pillow averages over all source pixels
        out = np.zeros((self.size[1], self.size[0], 1 if self._grayscale else 3), np.uint8)
        out[: self.inner[1], : self.inner[0]] = small.reshape(*small.shape[:2], -1)
        return out

    def to_screen(self, x: int, y: int) -> tuple[int, int]:
        """The screen's pixel under the centre of pixel ``(x, y)`` of the small picture. ValueError beside the screen's picture."""
        if not (0 <= x < self.inner[0] and 0 <= y < self.inner[1]):
            raise ValueError(f"{(x, y)} shows nothing of the screen: expected 0 <= x < {self.inner[0]} and 0 <= y < {self.inner[1]}")
        return tuple((2 * p + 1) * s // (2 * n) for p, s, n in zip((x, y), self.screen, self.inner, strict=True))  # type: ignore[return-value]

    def from_screen(self, x: int, y: int) -> tuple[int, int]:
        """The pixel of the small picture that shows the centre of the screen's pixel ``(x, y)``."""
        if not (0 <= x < self.screen[0] and 0 <= y < self.screen[1]):
            raise ValueError(f"{(x, y)} is outside the screen of {self.screen[0]}x{self.screen[1]} pixels")
        return tuple((2 * p + 1) * n // (2 * s) for p, s, n in zip((x, y), self.screen, self.inner, strict=True))  # type: ignore[return-value]
