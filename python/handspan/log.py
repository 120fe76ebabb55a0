"""Logs as arrays and tables."""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _handspan
from ._handspan import ChannelInfo, Episode, InputError, LoggedEvent

if TYPE_CHECKING:
    import pandas as pd


class Channel:
    """A channel of a log, as it was recorded: ``time, values = log["left.arm.q"]``.

    Between two rows the first one holds: what does not change is written once a second.
    """

    name: str
    type: str  # number, vector, pose, twist, wrench, integer, boolean, choice
    unit: str
    columns: list[str]  # of the values' second dimension
    choices: list[str]  # the words of a choice
    time: NDArray[np.float64]  # (n) since the run's beginning [s]
    stamp: NDArray[np.float64]  # (n) when the values were true [s]
    values: NDArray[Any]  # (n) of what is one number, else (n, columns)

    def __init__(self, series: _handspan.Series, base_period: float) -> None:
        self.name, self.type, self.unit = series.name, series.type, series.unit
        self.columns, self.choices = series.columns, series.choices
        self.ticks = series.ticks
        self.time = self.ticks * base_period
        self.stamp = series.stamps * 1e-9
        self.values = series.values
        if self.type == "boolean":
            self.values = self.values > 0.5
        elif self.type in ("integer", "choice"):
            self.values = self.values.astype(np.int64)

    @property
    def words(self) -> NDArray[np.str_]:
        """(n) of a choice: its words."""
        if self.type != "choice":
            raise InputError(f"{self.name} is of type {self.type} and has no words; read its values")
        return np.array(self.choices)[self.values]

    def rows_at(self, ticks: NDArray[np.int64]) -> NDArray[np.int64]:
        """Of each tick the index of the row that holds then; -1 before the first one."""
        return np.searchsorted(self.ticks, ticks, side="right") - 1

    def at(self, time: ArrayLike) -> NDArray[Any]:
        """The values that hold at times [s]. Raises InputError for one before the first row."""
        times = np.asarray(time, float)
        if not np.isfinite(times).all():
            raise InputError(f"{self.name}: a time is not finite")
        rows = np.searchsorted(self.time, times + 1e-10, side="right") - 1
        if (rows < 0).any():
            raise InputError(f"{self.name}: there is no value at {times.min()} s; its first is at {self.time[0]} s")
        return self.values[rows]

    def __iter__(self) -> Iterator[NDArray[Any]]:
        return iter((self.time, self.values))

    def __len__(self) -> int:
        return len(self.ticks)

    def __repr__(self) -> str:
        return f"<{self.name}: {len(self)} rows of type {self.type}{f' [{self.unit}]' if self.unit else ''}>"


class Log:
    """A log of a session (.mcap). Opening reads its index only; damage to the rest is an InputError
    where it is read. ``handspan.check_log(file)`` reads all of it and says what is lost.

    Raises InputError: it cannot be read, is no log of handspan, or of another version.
    """

    def __init__(self, file: str | os.PathLike[str]) -> None:
        self.file = Path(file)
        self._log = _handspan.LogFile(self.file)

    @cached_property
    def about(self) -> dict[str, str]:
        """App, seed, build, versions: what the log says of its run."""
        return dict(self._log.about)

    @property
    def base_period(self) -> float:
        """Of a tick [s]."""
        return self._log.base_period * 1e-9

    @property
    def first_tick(self) -> int:
        return self._log.first_tick

    @cached_property
    def ticks(self) -> int:
        """The tick after the last one that it tells everything of."""
        return self._log.ticks

    @property
    def duration(self) -> float:
        """[s]"""
        return (self.ticks - self.first_tick) * self.base_period

    @property
    def damage(self) -> str:
        """What was found wrong with it when it was opened, a line each; empty: nothing."""
        return self._log.damage

    @cached_property
    def episodes(self) -> list[Episode]:
        return self._log.episodes()

    @cached_property
    def events(self) -> list[LoggedEvent]:
        return self._log.events()

    @cached_property
    def channels(self) -> dict[str, ChannelInfo]:
        """What has values in it, by name."""
        return {info.name: info for info in self._log.channels()}

    def __contains__(self, channel: str) -> bool:
        return channel in self.channels

    def __getitem__(self, channel: str) -> Channel:
        """One channel. To read several, read() is quicker: each call goes through the whole file."""
        return Channel(self._log.read([channel])[0], self.base_period)

    def read(self, channels: str | Iterable[str] | None = None) -> dict[str, Channel]:
        """Channels by name or pattern ("left.*"), in one pass; None: all. The lock is let go meanwhile."""
        if isinstance(channels, str):
            channels = [channels]
        names: list[str] = []
        for one in channels or ():
            found = fnmatch.filter(self.channels, one) if set(one) & set("*?[") else [one]
            if not found:
                raise InputError(f"{self.file}: no channel matches '{_handspan.shown(one)}'; Log.channels has their names")
            names += found
        if channels is not None and not names:
            return {}
        return {series.name: Channel(series, self.base_period) for series in self._log.read(names)}

    def dataframe(
        self, channels: str | Iterable[str] | None = None, *, rate: float | None = None, episode: int | None = None
    ) -> pd.DataFrame:
        """A table on one time base: in each row what held then; NaN, or nothing, before a channel's first value.

        channels: names or patterns; None: all.
        rate: of rows [Hz]; None: a row whenever a channel has one.
        episode: only of that one, counted from 1.
        The index is the time [s]; the column of a vector's element is CHANNEL.ELEMENT. Needs pandas.
        """
        import pandas as pd

        read = list(self.read(channels).values())
        first, last = self.first_tick, self.ticks - 1
        if episode is not None:
            if not 1 <= episode <= len(self.episodes):
                raise InputError(f"{self.file}: there is no episode {episode}; it has {len(self.episodes)}")
            first, last = self.episodes[episode - 1].start, self.episodes[episode - 1].end
        if rate is None:
            ticks = np.unique(np.concatenate([c.ticks for c in read])) if read else np.zeros(0, np.int64)
            ticks = ticks[(ticks >= first) & (ticks <= last)] if episode is not None else ticks
        else:
            if not 0 < rate <= 1 / self.base_period * (1 + 1e-9):
                raise InputError(f"rate is {rate} Hz; it must be above 0, and at most the loop's {1 / self.base_period:g} Hz")
            count = int((last - first) * self.base_period * rate + 1e-9) + 1
            ticks = first + np.round(np.arange(count) / (rate * self.base_period)).astype(np.int64)
        table: dict[str, Any] = {}
        for channel in read:
            rows = channel.rows_at(ticks)
            if channel.type == "choice":
                table[channel.name] = pd.Categorical.from_codes(
                    np.where(rows < 0, -1, channel.values[rows]), categories=channel.choices
                )
                continue
            values = np.asarray(channel.values, float).reshape(len(channel), -1)[rows]
            values[rows < 0] = np.nan
            for column, name in enumerate(channel.columns):
                scalar = channel.values.ndim == 1
                table[channel.name if scalar else f"{channel.name}.{name}"] = values[:, column]
        return pd.DataFrame(table, index=pd.Index(ticks * self.base_period, name="time [s]"))

    def __repr__(self) -> str:
        return f"<log {self.file.name} of {self.about.get('app', '?')}, {self.duration:.3f} s>"
