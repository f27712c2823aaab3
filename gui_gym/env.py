"""``GuiDesktop-v0``: a desktop as a Gymnasium environment."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import gymnasium as gym
import numpy as np

from gui_gym.actions import TERMINAL, Action, ActionError, ActionType
from gui_gym.desktops import DesktopError, make_desktop
from gui_gym.spaces import action_space, observation_space, to_action, to_element
from gui_gym.tasks import Task, load_suite, split_range
from gui_gym.verifiers import EndReason, Outcome, Score, verify

_OPTIONS = ("task",)
_EPISODE = ("task", "_step", "_end", "_answer", "_score", "_action_error")  # what a snapshot holds besides the desktop
_LAST = tuple(sorted(TERMINAL))  # a search among three is faster than hashing an enum's member
_WHOLE = int | np.integer
_ARGUMENTS: dict[str, Any] = {
    "suite": str, "task": str | None, "desktop": str | None, "split": str, "difficulty": str | None, "tasks": str | None,
    "assets": str | None, "revert": str | None, "width": _WHOLE | None, "height": _WHOLE | None, "max_steps": _WHOLE | None,
    "spares": _WHOLE | None,
}  # fmt: skip


@dataclass(frozen=True)
class EpisodeSnapshot:
    """An episode at one moment, desktop, limits and random numbers included: picklable, and nothing changes it later."""

    desktop: Any  #: what :meth:`~gui_gym.desktops.Desktop.snapshot` gave
    episode: dict[str, Any]
    generator: Mapping[str, Any]  #: state of the env's random numbers
    seconds: float  #: of wall-clock time that it has run


class GuiDesktopEnv(gym.Env[np.ndarray, dict[str, Any]]):
    """See a screen, act on it with mouse and keyboard, be scored at the end.

    ## Observation
    ``Box(0, 255, (height, width, 3), uint8)``: the screen in RGB with the pointer drawn in it, as it is once the last
    action has taken effect. A new array each time.

    ## Action
    A ``Dict`` of integers and one text (:func:`gui_gym.spaces.action_space`); ``type`` chooses what is done and the
    fields a type does not use are ignored (:data:`gui_gym.actions.FIELDS`). DONE, FAIL and ANSWER end the episode. An
    action that cannot be done changes nothing, costs a step and is explained in ``info["action_error"]``.

    ## Reward
    The score at the end, 0.0 before it and for an unscored end.

    ## End
    ``terminated``: the agent said DONE, FAIL or ANSWER, or the task is solved and ``auto_verify`` is on.
    ``truncated``: a limit was reached, or the desktop failed.

    ## Info, from ``reset`` on
    ``instruction`` (str), ``task_id`` (str), ``suite`` (str), ``feasible`` (bool), ``cursor`` (int64 ``(x, y)``),
    ``step`` (int), ``action_error`` (str, "" if none), ``end`` (str: "", "done", "fail", "truncated",
    "infrastructure"), ``answer`` (str), ``scored`` (bool), ``score`` (float, means something only where ``scored``), ``unscored`` (str, the reason
    or ""), ``false_completion`` (bool: the agent said DONE or ANSWER, and the score is below 1), ``side_effects`` (int: how many things
    changed that the task did not ask for, -1 before the end and where nobody can tell), with ``progress`` also
    ``progress`` (float, :meth:`Suite.progress <gui_gym.tasks.Suite.progress>` at the end, -1.0 before it and where nothing is scored), with ``a11y``
    ``accessibility_tree`` (JSON text), and on a real desktop wall-clock figures ``time_*`` in seconds, such as ``time_settle``: how long
    the screen was waited for until nothing was drawn for ``time_quiet``, at most ``time_settle_limit``. ``time_settled`` is 1.0 if it came to
    rest, 0.0 if it is shown as it was at that limit.

    ## Options of reset
    ``options={"task": id}`` chooses the task; ids are those of ``info["task_id"]`` and of ``gui-gym tasks``.

    Args:
        suite: name of the suite of tasks.
        task: id of one task or family of the suite; None draws from all of them at each reset.
        desktop: kind of desktop, or the address of a guest's server ("http://host:5000"); None takes the suite's own.
        width: pixels; None takes the desktop's own: 1280, or what a guest's screen has.
        height: pixels; None takes the desktop's own: 720, or what a guest's screen has.
        max_steps: steps after which an episode is truncated; None takes the task's own limit. (The ``max_episode_steps`` of
            ``gym.make`` is a wrapper outside the env, which cuts an episode off unscored.)
        max_seconds: wall-clock limit of an episode on a real desktop; None is no limit.
        split: "train", "validation" or "test": which instances are drawn.
        infeasible_rate: how often an instance that cannot be done is drawn, 0 to 1.
        difficulty: for suites whose tasks are graded: "easy", "medium", "hard", "mixed", or None for the suite's usual one.
        auto_verify: verify after every step and end the episode once the task is solved.
        a11y: put the accessibility tree into ``info``.
        progress: tell at the end how much of the task was done, which takes a scripted solution or two.
        tasks: folder of task files, for suites that read them.
        assets: folder of the files that such tasks download (``gui-gym assets`` fills it).
        spares: desktops kept ready for the next resets, on desktops that take time to start (``x11``); None is the desktop's own number.
        revert: command of this machine that brings a guest back to its clean state before each episode.
        unsafe_no_sandbox: run a task's commands even where no sandbox works.
        render_mode: None or "rgb_array".
    """

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": 4}

    def __init__(
        self,
        suite: str = "sim",
        task: str | None = None,
        desktop: str | None = None,
        width: int | None = None,
        height: int | None = None,
        max_steps: int | None = None,
        max_seconds: float | None = None,
        split: str = "train",
        infeasible_rate: float = 0.0,
        difficulty: str | None = None,
        auto_verify: bool = False,
        a11y: bool = False,
        progress: bool = False,
        tasks: str | None = None,
        assets: str | None = None,
        spares: int | None = None,
        revert: str | None = None,
        unsafe_no_sandbox: bool = False,
        render_mode: str | None = None,
    ):
        given = locals()
        for name, kind in _ARGUMENTS.items():
            if not isinstance(given[name], kind):
                raise ValueError(f"{name} is {given[name]!r}: expected {getattr(kind, '__name__', kind)}")
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise ValueError(f"render_mode is {render_mode!r}: expected None or one of {self.metadata['render_modes']}")
        if max_steps is not None and max_steps < 1:
            raise ValueError(f"max_steps is {max_steps}: expected at least 1, or None for the task's own limit")
        if not 0.0 <= infeasible_rate <= 1.0:
            raise ValueError(f"infeasible_rate is {infeasible_rate}: expected 0 to 1")
        split_range(split)
        folders = {name: value for name, value in (("tasks", tasks), ("assets", assets)) if value is not None}
        self.suite = load_suite(suite, **folders)
        if auto_verify and not self.suite.pure_verifier:
            raise ValueError(f"auto_verify needs a verifier that changes nothing; the one of suite {suite!r} acts on the desktop")
        self._desktop_kind = desktop or self.suite.desktop
        options = {"unsafe_no_sandbox": unsafe_no_sandbox or None, "spares": spares, "revert": revert}
        self._desktop_options = {name: value for name, value in options.items() if value is not None}
        self.desktop = make_desktop(self._desktop_kind, width, height, **self._desktop_options)
        self.width, self.height = self.desktop.width, self.desktop.height
        self.suite.screen, self.suite.network = (self.width, self.height), self.desktop.network
        self.suite.has_program = self.desktop.has_program
        try:
            if task is not None:
                self.suite.get(task)
            if difficulty is not None:
                self.suite.draw(np.random.default_rng(0), task, split, 0.0, difficulty)  # says what is wrong with it
        except Exception:  # whatever is wrong with the arguments, the desktop must not leak
            self.desktop.close()
            raise
        self.task_id, self.split, self.infeasible_rate, self.difficulty = task, split, infeasible_rate, difficulty
        self.max_steps, self.max_seconds, self.auto_verify, self.a11y = max_steps, max_seconds, auto_verify, a11y
        self.progress = progress
        self.render_mode = render_mode
        self.observation_space = observation_space(self.width, self.height)
        self.action_space = action_space(self.width, self.height)
        #: Task of the next reset only; what vector envs set through ``set_attr`` to give each member its own.
        self.next_task: str | None = None
        #: Step limit of ``gym.make_vec``, besides ``max_steps`` or the task's own: the smaller counts.
        self.max_episode_steps: int | None = None
        #: While True, a step does nothing, counts nothing and reports no end: how a group env waits for a member.
        self.hold = False
        self._changed: list[tuple[int, int, int, int]] | None = None
        self.task: Task | None = None
        self._frame: np.ndarray | None = None
        self._cursor, self._tree = (0, 0), "null"
        self._came_up = False
        self._start()

    def _start(self) -> None:
        self._step, self._end, self._answer, self._score = 0, EndReason.RUNNING, "", Score.missing("the episode is not over")
        self._action_error, self._started = "", time.monotonic()

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict[str, Any]]:
        """Start an episode.

        Raises :class:`~gui_gym.desktops.DesktopError` if no desktop could be brought up since the env was made. After
        that, an episode that cannot be started is over at once: ``end`` is "infrastructure", the next step truncates.
        """
        super().reset(seed=seed)
        return self.reset_into(None, options)

    def reset_into(self, out: np.ndarray | None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict[str, Any]]:
        """:meth:`reset` without seeding. If given, ``out`` is the frame, an array that this env alone writes, the same at each call;
        :meth:`take_changed` tells which parts of it changed. For :class:`~gui_gym.vector_env.GuiDesktopVectorEnv`."""
        unexpected = set(options or {}) - set(_OPTIONS)
        if unexpected:
            raise ValueError(f"unknown reset options {sorted(unexpected)}: expected {', '.join(_OPTIONS)}")
        wanted = (options or {}).get("task") or self.next_task or self.task_id
        self.next_task = None
        self.task = self.suite.draw(self.np_random, wanted, self.split, self.infeasible_rate, self.difficulty)
        seed = int(self.np_random.integers(2**31))
        self._start()
        try:
            self._bring_up(self.task, seed)
            return self._observe(out), self._info()
        except DesktopError as error:
            if not self._came_up:
                self.task = None  # there is no episode to step
                raise
            self._finish(EndReason.INFRASTRUCTURE, f"infrastructure: {error}")
            return self._observe(out), self._info()

    def _bring_up(self, task: Task, seed: int) -> None:
        try:
            self.desktop.reset(task, seed)
        except DesktopError:  # once more on a new desktop: a dead one must not end a long run
            self.desktop.close()
            self.desktop = make_desktop(self._desktop_kind, self.width, self.height, **self._desktop_options)
            self.desktop.reset(task, seed)
        self._started = time.monotonic()

    def step(self, action: Mapping[str, Any]) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Do one action. After the end of an episode it changes nothing and says so in ``info["action_error"]``."""
        return self.step_into(action, None)

    def step_into(self, action: Mapping[str, Any] | Action, out: np.ndarray | None) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """:meth:`step` with ``out`` as in :meth:`reset_into`; takes an :class:`Action` as well."""
        if self.task is None:
            raise gym.error.ResetNeeded("call reset() before step()")
        if self.hold:
            return self._observe(out), 0.0, False, False, self._info()
        self._action_error = ""
        if self._end:
            self._action_error = "the episode is over: call reset()"
        else:
            self._step += 1
            try:
                self._act(action)
            except ActionError as error:
                self._action_error = str(error)
            except DesktopError as error:
                self._finish(EndReason.INFRASTRUCTURE, f"infrastructure: {error}")
            self._check_limits()
        frame = self._observe(out)
        if not self._end:
            return frame, 0.0, False, False, self._info()
        terminated = self._end in (EndReason.DONE, EndReason.FAIL) and self._score.scored
        return frame, float(self._score.value or 0.0), terminated, not terminated, self._info()

    def _act(self, action: Mapping[str, Any] | Action) -> None:
        act = action.check(self.width, self.height) if isinstance(action, Action) else to_action(action, self.width, self.height)
        if act.type not in _LAST:
            self.desktop.perform(act)
        elif act.type is ActionType.FAIL:
            self._finish(EndReason.FAIL)
        else:
            self._answer = act.text if act.type is ActionType.ANSWER else ""
            self._finish(EndReason.DONE, answer=act.text if act.type is ActionType.ANSWER else None)

    def _finish(self, end: EndReason, infrastructure: str = "", answer: str | None = None) -> None:
        assert self.task is not None
        self._end = end
        self._score = Score.missing(infrastructure) if infrastructure else verify(self.task, self.desktop, Outcome(end, answer))

    def _check_limits(self) -> None:
        assert self.task is not None
        if self._end:
            return
        if self.auto_verify and self.task.feasible:
            score = verify(self.task, self.desktop, Outcome(EndReason.DONE))
            if score.value == 1.0:
                self._end, self._score = EndReason.DONE, score
                return
        late = self.max_seconds is not None and self.desktop.real and time.monotonic() - self._started > self.max_seconds
        if late or self._step >= (self.max_steps or self.task.max_steps) or 0 < (self.max_episode_steps or 0) <= self._step:
            self._finish(EndReason.TRUNCATED)

    def _observe(self, out: np.ndarray | None) -> np.ndarray:
        if self._end is not EndReason.INFRASTRUCTURE:
            try:
                if out is None:
                    self._frame = self.desktop.screenshot()
                else:
                    changed, self._frame = self.desktop.refresh(out), out
                    self._changed = None if changed is None or self._changed is None else self._changed + changed
                self._cursor = self.desktop.cursor
                if self.a11y:
                    self._tree = json.dumps(self.desktop.accessibility_tree(), ensure_ascii=False)
                self._came_up = True
                return self._frame
            except DesktopError as error:
                if not self._came_up:
                    raise
                self._finish(EndReason.INFRASTRUCTURE, f"infrastructure: {error}")
        frame = np.zeros((self.height, self.width, 3), np.uint8) if out is None else out
        np.copyto(frame, 0)  # a desktop that failed shows nothing; the last frame must not pass for a new one
        self._frame, self._changed = frame, None
        return frame

    def take_changed(self) -> list[tuple[int, int, int, int]] | None:
        """The rectangles ``(x, y, width, height)`` of the frame that :meth:`step_into` and :meth:`reset_into` changed since the last call;
        None if that may be all of it."""
        changed, self._changed = self._changed, []
        return changed

    def _info(self) -> dict[str, Any]:
        assert self.task is not None
        info: dict[str, Any] = {
            "instruction": self.task.instruction,
            "task_id": self.task.id,
            "suite": self.task.suite,
            "feasible": self.task.feasible,
            "cursor": np.array(self._cursor, np.int64),
            "step": self._step,
            "action_error": self._action_error,
            "end": "",
            "answer": self._answer,
            "scored": False,
            "score": 0.0,
            "unscored": "",
            "false_completion": False,
            "side_effects": -1,
        }
        if self._end:
            score = self._score
            info["end"], info["scored"], info["score"], info["unscored"] = str(self._end), score.scored, float(score.value or 0.0), score.reason
            info["false_completion"] = self._end is EndReason.DONE and score.value is not None and score.value < 1.0
            info["side_effects"] = -1 if score.side_effects is None else len(score.side_effects)
        if self.progress:
            info["progress"] = self.suite.progress(self.task, self.desktop, self._score) if self._score.scored else -1.0
        if self.a11y:
            info["accessibility_tree"] = self._tree
        if self.desktop.real:
            info.update({f"time_{name}": float(seconds) for name, seconds in self.desktop.timing().items()})
        return info

    def snapshot(self) -> EpisodeSnapshot:
        """The episode as it is now. NotImplementedError if the desktop cannot be copied; the simulated one can, in well under a millisecond."""
        if self.task is None:
            raise gym.error.ResetNeeded("call reset() before snapshot()")
        episode = {name: getattr(self, name) for name in _EPISODE}
        return EpisodeSnapshot(self.desktop.snapshot(), episode, self.np_random.bit_generator.state, time.monotonic() - self._started)

    def restore(self, snapshot: EpisodeSnapshot) -> tuple[np.ndarray, dict[str, Any]]:
        """Go on from a :meth:`snapshot` of an env made alike, this one or another, as often as wanted.

        Returns what :meth:`reset` does. Later actions give the frames, rewards and ends that they would have given there.
        """
        return self.restore_into(snapshot, None)

    def restore_into(self, snapshot: EpisodeSnapshot, out: np.ndarray | None) -> tuple[np.ndarray, dict[str, Any]]:
        """:meth:`restore` with ``out`` as in :meth:`reset_into`."""
        if not isinstance(snapshot, EpisodeSnapshot):
            raise ValueError(f"expected what snapshot() gave, got {type(snapshot).__name__}")
        self.desktop.restore(snapshot.desktop)
        for name, value in snapshot.episode.items():
            setattr(self, name, value)
        self.np_random.bit_generator.state = snapshot.generator
        self._started = time.monotonic() - snapshot.seconds
        return self._observe(out), self._info()

    def solution(self) -> list[dict[str, Any]]:
        """Elements of the action space that solve the current episode from its present state, closing DONE or ANSWER included.

        Raises :class:`~gui_gym.tasks.TaskError` where the suite has no scripted solution.
        """
        if self.task is None:
            raise gym.error.ResetNeeded("call reset() before solution()")
        return [to_element(action) for action in self.suite.solution(self.task, self.desktop)]

    def render(self) -> np.ndarray | None:
        """The last frame, as a new array, if ``render_mode`` is "rgb_array"."""
        if self.render_mode is None:
            gym.logger.warn("render() was called without a render_mode: pass render_mode='rgb_array' to gym.make")
            return None
        if self._frame is None:
            raise gym.error.ResetNeeded("call reset() before render()")
        return self._frame.copy()

    def close(self) -> None:
        """Close the desktop. May be called twice."""
        self.desktop.close()
