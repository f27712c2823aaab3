"""The words tasks are made of."""

from __future__ import annotations

from gui_gym.desktops.sim.canvas import Color

BUTTONS = (
    "OK", "Cancel", "Apply", "Save", "Send", "Next", "Back", "Retry", "Skip", "Help", "Open", "Close", "Print", "Share", "Reload",
    "Accept", "Decline", "Continue", "Finish", "Add", "Remove", "Copy", "Move", "Search", "Reset", "Submit", "Details", "Yes", "No",
)  # fmt: skip
COLORS: dict[str, Color] = {
    "red": (214, 48, 49), "green": (38, 158, 72), "blue": (36, 92, 214), "yellow": (246, 206, 44), "orange": (240, 128, 24),
    "purple": (132, 58, 178), "pink": (244, 128, 178), "grey": (128, 132, 140),
}  # fmt: skip
