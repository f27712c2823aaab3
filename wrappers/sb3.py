"""Gymnasium's vector envs for Stable-Baselines3."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv

from wrappers.groups import members

try:
    from stable_baselines3.common.env_util import is_wrapped
    from stable_baselines3.common.vec_env import VecEnv
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(f'wrappers.sb3 needs {error.name}: pip install "gui-gym[sb3]"', name=error.name) from error


class GymVecEnv(VecEnv):
    """A Gymnasium vector env as an SB3 ``VecEnv``::

        venv = gym.make_vec("GuiDesktop-v0", 4, vectorization_mode="async", wrappers=[FlattenAction, ResizeScreenshot],
                            vector_kwargs={"autoreset_mode": "SameStep"})
        PPO("CnnPolicy", GymVecEnv(venv))

    At an episode's end the info holds the last step's own entries, ``terminal_observation`` and
    ``TimeLimit.truncated``, and where the episode was scored ``is_success``. An unscored end (``scored`` False, the
    reason in ``unscored``) is a truncation, so that no learner takes its reward of 0 for the value of that state.

    Args:
        vector: a vector env with ``autoreset_mode`` SAME_STEP.
    """

    def __init__(self, vector: VectorEnv[Any, Any, Any]):
        if not isinstance(vector, VectorEnv):
            raise TypeError(f"expected a vector env, as gym.make_vec makes it, got {vector}")
        mode = vector.metadata.get("autoreset_mode")
        if mode is not AutoresetMode.SAME_STEP:
            raise ValueError(f"the vector env's autoreset mode is {mode}: make it with autoreset_mode='SameStep'")
        self.vector: Any = vector
        self._actions: np.ndarray | None = None
        super().__init__(vector.num_envs, vector.single_observation_space, vector.single_action_space)

    def reset(self) -> Any:
        if any(self._options):
            raise ValueError("options for single envs are not supported: give the env its task as an argument")
        observations, infos = self.vector.reset(seed=list(self._seeds))
        self.reset_infos = members(infos, self.num_envs)
        self._reset_seeds()
        self._reset_options()
        return _own(observations)

    def step_async(self, actions: np.ndarray) -> None:
        self._actions = actions

    def step_wait(self) -> tuple[Any, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        observations, rewards, terminations, truncations, infos = self.vector.step(self._actions)
        each = members(infos, self.num_envs)
        dones = terminations | truncations
        for i in np.flatnonzero(dones):
            final, last = each[i].pop("final_info"), each[i].pop("final_obs")
            self.reset_infos[i] = each[i]
            each[i] = {**final, "terminal_observation": last, "TimeLimit.truncated": bool(truncations[i] and not terminations[i])}
            if final.get("scored"):
                each[i]["is_success"] = final["score"] == 1.0
        return _own(observations), rewards.astype(np.float32), dones, each

    def close(self) -> None:
        self.vector.close()

    def get_images(self) -> Sequence[np.ndarray | None]:
        return list(self.vector.call("render"))

    def get_attr(self, attr_name: str, indices: None | int | Iterable[int] = None) -> list[Any]:
        values = self.vector.get_attr(attr_name)
        return [values[i] for i in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: None | int | Iterable[int] = None) -> None:
        chosen = list(self._get_indices(indices))
        if len(set(chosen)) == self.num_envs:
            self.vector.set_attr(attr_name, [value] * self.num_envs)
        else:
            values = list(self.vector.get_attr(attr_name))
            for i in chosen:
                values[i] = value
            self.vector.set_attr(attr_name, values)

    def env_method(self, method_name: str, *method_args: Any, indices: None | int | Iterable[int] = None, **method_kwargs: Any) -> list[Any]:
        chosen = list(self._get_indices(indices))
        if hasattr(self.vector, "envs"):
            return [self.vector.envs[i].get_wrapper_attr(method_name)(*method_args, **method_kwargs) for i in chosen]
        if len(set(chosen)) != self.num_envs:
            raise NotImplementedError("Gymnasium's AsyncVectorEnv calls a method of all its envs or of none: pass no indices")
        return list(self.vector.call(method_name, *method_args, **method_kwargs))

    def env_is_wrapped(self, wrapper_class: Any, indices: None | int | Iterable[int] = None) -> list[bool]:
        chosen = list(self._get_indices(indices))
        if hasattr(self.vector, "envs"):
            return [is_wrapped(self.vector.envs[i], wrapper_class) for i in chosen]
        specs = self.vector.get_attr("spec")
        name = f"{wrapper_class.__module__}:{wrapper_class.__name__}"
        return [any(wrapper.entry_point == name for wrapper in specs[i].additional_wrappers) for i in chosen]


def _own(observations: Any) -> Any:
    """Observations that may be written into, as SB3 has them of its own vector envs: PyTorch warns of tensors on read-only arrays."""
    read_only = isinstance(observations, np.ndarray) and not observations.flags.writeable
    return observations.copy() if read_only else observations
