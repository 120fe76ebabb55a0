"""Apps, and sessions of them: the loop, stepped from Python."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _handspan
from ._handspan import ChannelInfo, InputError
from .poses import pose_rows

# a stream that Python moves is not lost while Python thinks: the loop stands meanwhile
_STREAM = "{type: pose_stream, timeout: 60 s}"


def _found(file: str | os.PathLike[str]) -> Path:
    """The file as it is named, or else that of the app that handspan came with."""
    path = Path(file)
    shipped = _handspan.data_folder() / path
    return shipped if not path.exists() and shipped.is_file() else path


class App:
    """An app, loaded: what ``handspan run`` would run.

    file: from the present folder, or one that handspan came with ("apps/grab.yaml").
    seed: of everything random, in place of the app's.
    parameters: other values of keys of its files, by path, as ``--param`` has them:
        {"scene.objects.box.mass": 0.6, "duration": "5 s"}. A text is YAML.
    streams: sources of the app that Python moves instead: each becomes a pose_stream, which
        Session.set_reference() feeds.
    Raises InputError or ConfigError with the place, the cause and a hint.
    """

    def __init__(
        self,
        file: str | os.PathLike[str],
        *,
        seed: int | None = None,
        parameters: Mapping[str, Any] | None = None,
        streams: Iterable[str] = (),
    ) -> None:
        self.streams = [streams] if isinstance(streams, str) else list(streams)
        self.parameters = dict(parameters or {})
        if seed is not None and not 0 <= seed < 2**64:
            raise InputError(f"seed is {seed}; it must be from 0 to 2^64 - 1")
        texts = [(key, one if isinstance(one, str) else json.dumps(one)) for key, one in self.parameters.items()]
        for name in self.streams:
            # one that is not there is found by the first, and all of it replaced by the second
            texts += [(f"sources.{name}.type", "pose_stream"), (f"sources.{name}", _STREAM)]
        self._path = _found(file)
        self._app = _handspan.App(self._path, texts, seed)

    @property
    def name(self) -> str:
        return self._app.name

    @property
    def duration(self) -> float:
        """How long it runs by itself [s]."""
        return self._app.duration

    @property
    def seed(self) -> int:
        return self._app.seed

    def with_seed(self, seed: int) -> App:
        """The same app, loaded anew with another seed."""
        return App(self._path, seed=seed, parameters=self.parameters, streams=self.streams)

    def session(
        self,
        *,
        devices: bool | None = None,
        parameters: Mapping[str, float] | None = None,
        record: str | os.PathLike[str] | None = None,
        full: bool = False,
    ) -> Session:
        """A run of the app, before its first tick.

        devices: whether its devices act, a scripted person among them. None: unless the app has
            streams, which then nobody else disturbs.
        parameters: live parameters, from the first tick on: {"task.left_hand.stiffness": 300}.
        record: a log of it is written there; close() ends it.
        full: every channel at every tick.
        """
        return Session(self, devices, parameters, record, full)

    def __repr__(self) -> str:
        return f"<app {self.name}>"


class Session:
    """One run of an app, on a clock of its own: time goes on when tick() is called.

    What Python sets (references, parameters, events) is an input of the next tick. It is recorded, so
    that ``handspan replay --verify`` runs the log again without Python. While ticks run, other threads
    of Python do too; only the thread that ticks may use the session meanwhile.
    """

    def __init__(
        self,
        app: App,
        devices: bool | None,
        parameters: Mapping[str, float] | None,
        record: str | os.PathLike[str] | None,
        full: bool,
    ) -> None:
        self.app = app
        live = [(name, float(value)) for name, value in (parameters or {}).items()]
        acts = not app.streams if devices is None else devices
        self._s = _handspan.Session(app._app, acts, live, None if record is None else Path(record), full)
        self.channels: dict[str, ChannelInfo] = {info.name: info for info in self._s.channels}

    # ---- time -------------------------------------------------------------------------------------------------

    @property
    def ticks(self) -> int:
        """Ticks done so far."""
        return self._s.ticks

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self._s.now * 1e-9

    @property
    def base_period(self) -> float:
        """Of a tick [s]."""
        return self._s.base_period * 1e-9

    @property
    def ended(self) -> bool:
        """Whether every machine of the app is in a final state; never without machines."""
        return self._s.ended

    def tick(self, n: int = 1) -> None:
        """n ticks. Ctrl-C ends it between two of them, as KeyboardInterrupt.

        Raises RuntimeError when the simulation diverges.
        """
        self._s.tick(n)

    def run(self, seconds: float) -> None:
        """As many ticks as make `seconds` [s] of simulated time, to the nearest."""
        if not (math.isfinite(seconds) and seconds >= 0):
            raise InputError(f"run({seconds}): a time is not negative, and finite")
        self.tick(round(seconds / self.base_period))

    # ---- reading ----------------------------------------------------------------------------------------------

    def __getitem__(self, channel: str) -> Any:
        """The channel's present value: a number, a word of a choice, or a copy as an array (size).

        Zero until it is first written. Raises InputError with the nearest name.
        """
        return self._s.value(channel)

    def view(self, channel: str) -> NDArray[np.float64]:
        """The channel's numbers (size) where the loop has them, without a copy: they change with ticks."""
        return self._s.view(channel)

    def stamp(self, channel: str) -> float:
        """When the channel's value was true [s]."""
        return self._s.stamp(channel) * 1e-9

    def stack(self, channels: Iterable[str]) -> NDArray[np.float64]:
        """Several channels one after another in one new array; choices are the index of their word."""
        return self._s.stack([self._s.find(name) for name in channels])

    @property
    def holds(self) -> dict[str, str | None]:
        """Of each reference why it holds, or None while somebody moves it."""
        return {name: why for name, _, why in self._s.references}

    @property
    def parameters(self) -> dict[str, float]:
        """The live parameters as they are now."""
        return self._s.parameters

    # ---- inputs -----------------------------------------------------------------------------------------------

    def set_reference(self, name: str, pose: ArrayLike, *, source: str | None = None) -> None:
        """Where a reference should go, from the next tick on; it stays within its limits.

        pose: of the task's frame in the world: (7) x y z [m] and the quaternion x y z w, whose length
            does not matter; (4, 4) a homogeneous matrix; or (n, 8) poses ahead, each after its time
            from the next tick on [s], up to 32 rows whose times rise. Between them the hand goes
            straight.
        source: which pose_stream, where several may move the reference.
        Raises InputError: no such reference, none that a pose_stream moves, an array of another shape,
        with a NaN, a quaternion of length zero, or times that do not rise.
        """
        rows = pose_rows(name, pose)
        self._s.post("sample", self._stream(name, source), "", rows.ravel().tolist())

    def _stream(self, name: str, source: str | None) -> str:
        kinds = {reference: kind for reference, kind, _ in self._s.references}
        if name not in kinds:
            hint = _handspan.did_you_mean(name, list(kinds), "there are")
            raise InputError(f"there is no reference '{_handspan.shown(name)}'; {hint}")
        streams = [s for reference, s in self._s.streams if reference == name]
        if source is not None and source not in streams:
            hint = _handspan.did_you_mean(source, streams, "there are")
            raise InputError(f"no pose_stream '{_handspan.shown(source)}' may move {name}; {hint}")
        if source is None and len(streams) > 1:
            raise InputError(f"several pose_streams may move {name}; say source=, one of {', '.join(streams)}")
        if not streams:
            raise InputError(
                f"no pose_stream may move the reference {name} (of kind {kinds[name]}); make one of a source that "
                "may: handspan.App(..., streams=[NAME])"
            )
        return source or streams[0]

    def set_parameter(self, name: str, value: float) -> None:
        """Another value of a live parameter, from the next tick on."""
        self._s.set_parameter(name, value)

    def event(self, name: str) -> None:
        """An event, as conditions of type event wait for it."""
        self._s.post("event", name)

    def episode(self, mark: str, text: str = "") -> None:
        """Begins or ends an episode of the log: start, success, failure or discard; the task in words."""
        marks = ["start", "success", "failure", "discard"]
        if mark not in marks:
            raise InputError(f"episode('{_handspan.shown(mark)}'): it is one of {', '.join(marks)}")
        self._s.post("episode", mark, text)

    def stop(self, why: str = "stopped by Python") -> None:
        """All references brake to rest and stay until resume()."""
        self._s.post("stop", "", why)

    def resume(self) -> None:
        self._s.post("resume")

    # ---- snapshots and pictures -------------------------------------------------------------------------------

    def snapshot(self) -> bytes:
        """All that a run changes. restore() of it, in this build and app, goes on to the same bits."""
        return self._s.snapshot()

    def restore(self, snapshot: bytes) -> None:
        self._s.restore(snapshot)

    def picture(self, file: str | os.PathLike[str], *, view: str = "", size: tuple[int, int] | None = None) -> None:
        """Draws the scene as it is now into a PNG; no display is needed."""
        self._s.picture(Path(file), view, size)

    def close(self) -> None:
        """Ends the run and its log. Raises InputError when the recording ended early."""
        self._s.close()

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<session of {self.app.name} at {self.time:.3f} s>"
