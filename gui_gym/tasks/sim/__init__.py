"""The suite of the simulated desktop: families of generated tasks."""

from gui_gym.tasks.sim.family import Family
from gui_gym.tasks.sim.solver import Solver
from gui_gym.tasks.sim.suite import FAMILIES, SimSuite

__all__ = ["FAMILIES", "Family", "SimSuite", "Solver"]
