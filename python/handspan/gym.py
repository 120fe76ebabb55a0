"""An app as an environment of Gymnasium (the package `gymnasium`, which handspan does not need otherwise)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from .app import App, Session
from ._handspan import InputError
from .poses import turned

_FARTHEST = 5.0  # of a pose from the world's origin [m]


class Env(gymnasium.Env[NDArray[np.float64], NDArray[np.float64]]):
    """An app whose references an agent moves.

    app: with the streams that move them: App("apps/grab.yaml", streams=["left_person", "right_person"]).
    observations: channels, one after another in one array; choices are the index of their word.
    actions: references. Of each an action has six numbers from -1 to 1: how far it goes in the world in one
        step, in multiples of `step`, and how far it turns about the world's axes, in multiples of `turn`. With
        absolute=True it has seven instead: a pose, as Session.set_reference() takes it.
    rate: of steps [Hz]. A step is a whole number of ticks.
    duration: when an episode is truncated [s after its start]; None: the app's.
    start: what is done with a new session before the agent has it, such as to tick until the arms stand ready.
    reward, terminated: of the session after a step; left out 0, and whether the app's machines have ended.

    reset(seed=...) makes a run with that seed. Without a seed the same start comes again, from a snapshot.
    """

    metadata = {"render_modes": []}

    def __init__(
        self,
        app: App,
        *,
        observations: Sequence[str],
        actions: Sequence[str],
        rate: float = 20.0,
        duration: float | None = None,
        step: float = 0.02,
        turn: float = 0.1,
        absolute: bool = False,
        start: Callable[[Session], None] | None = None,
        reward: Callable[[Session], float] | None = None,
        terminated: Callable[[Session], bool] | None = None,
    ) -> None:
        if not actions:
            raise InputError("actions: there is no reference; name at least one")
        self.observations, self.actions = list(observations), list(actions)
        self.absolute, self.step_length, self.step_turn = absolute, step, turn
        self._app, self._start = app, start
        self._reward, self._terminated = reward or (lambda _: 0.0), terminated or (lambda s: s.ended)
        self._begin(app)
        ticks = 1.0 / (rate * self.session.base_period) if rate > 0 else 0.0
        self.ticks = round(ticks)
        if self.ticks < 1 or abs(ticks - self.ticks) > 1e-6 * ticks:
            raise InputError(f"rate is {rate} Hz; a step must be a whole number of ticks of {self.session.base_period} s")
        for name in self.actions:
            self.session._stream(name, None)
        self.duration = app.duration if duration is None else duration
        size = self.session.stack(self.observations).size
        self.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (size,), np.float64)
        if absolute:
            high = np.tile([_FARTHEST] * 3 + [1.0] * 4, len(self.actions))
            self.action_space = gymnasium.spaces.Box(-high, high, dtype=np.float64)
        else:
            self.action_space = gymnasium.spaces.Box(-1.0, 1.0, (6 * len(self.actions),), np.float64)

    def _begin(self, app: App) -> None:
        self.session = app.session()
        if self._start is not None:
            self._start(self.session)
        self._snapshot = self.session.snapshot()
        self._began = self.session.time

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float64], dict[str, Any]]:
        super().reset(seed=seed)
        if seed is not None and seed != self.session.app.seed:
            self.session.close()
            self._begin(self._app.with_seed(seed))
        else:
            self.session.restore(self._snapshot)
        self._wanted = [self.session[f"reference.{name}.pose"] for name in self.actions]
        return self.session.stack(self.observations), self._info()

    def step(
        self, action: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], float, bool, bool, dict[str, Any]]:
        given = np.asarray(action, float)
        if given.shape != self.action_space.shape:
            raise InputError(f"action has the shape {given.shape}; it must be {self.action_space.shape}")
        for index in np.flatnonzero(~np.isfinite(given)):
            raise InputError(f"action[{index}] is {given[index]}; it must be finite")
        for i, (name, part) in enumerate(zip(self.actions, np.split(given, len(self.actions)))):
            if not self.absolute:
                pose = self._wanted[i]
                part = np.append(pose[:3] + self.step_length * part[:3], turned(pose[3:], self.step_turn * part[3:]))
            self._wanted[i] = part
            self.session.set_reference(name, part)
        self.session.tick(self.ticks)
        truncated = self.session.time - self._began >= self.duration - 1e-9
        observation = self.session.stack(self.observations)
        return observation, self._reward(self.session), self._terminated(self.session), truncated, self._info()

    def _info(self) -> dict[str, Any]:
        return {"time": self.session.time, "holds": self.session.holds}

    def close(self) -> None:
        self.session.close()
