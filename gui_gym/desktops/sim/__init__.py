"""The simulated desktop."""

from gui_gym.desktops.sim.desktop import SimDesktop
from gui_gym.desktops.sim.session import Session
from gui_gym.desktops.sim.state import State, Window

__all__ = ["Session", "SimDesktop", "State", "Window"]
