"""Devices that are tried on a model: proved against the references, measured, ranked."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, field, replace
from typing import TYPE_CHECKING, Any

from hal.runtime import manager
from hal.runtime.program import Program, names_of
from nnir.errors import (
    DeviceError,
    NNAdapterError,
    NoDevice,
    NoLowering,
    Unsupported,
    summary,
)
from nnir.model import Model
from nnir.progress import follow, note, stage
from nnir.records import dataclass

from .checking import problem_of

if TYPE_CHECKING:
    from conformance.verifying.trials import Trial

HOST = "builtin"
FINALISTS = 1.5
"""Devices that take at most so many times as long as the best are measured again, in turns."""

ROUNDS = 5
"""So many turns of each; the median of all runs counts."""

MOST_ROUNDS = 15
MOST_SECONDS = 10.0
CLOSE = 1.05
"""Those that take less than so many times as long as the best have more turns, up to so many, which
begin in so many seconds: medians of a few differ by as much."""

SECONDS = 1.0
"""How long each device is measured."""

LEAST_RUNS = 3
"""So many runs at a time even where these take longer than their share of the seconds."""

Make = Callable[[Sequence[str]], Program]


@dataclass(frozen=True)
class DeviceTime:
    """One device, or several with commas between that share the model.

    `milliseconds` is the median of a run, `first_milliseconds` the first one, and
    `compile_milliseconds` the time before that. `left_out`: why the device takes no part, or
    nothing; what was not measured is None.
    """

    device: str
    milliseconds: float | None = None
    first_milliseconds: float | None = None
    compile_milliseconds: float | None = None
    left_out: str = ""


@dataclass(frozen=True)
class Ranking:
    """The devices, the fastest first and those left out last; `sizes` were the open sizes."""

    model: str
    rows: list[DeviceTime] = field(default_factory=list)
    sizes: Mapping[str, int] = field(default_factory=dict)

    @property
    def fastest(self) -> str:
        """The name of the fastest device, as `compile` takes it.

        Raises NoDevice, with why each was left out, where none gives what the references give.
        """
        if self.rows and not self.rows[0].left_out:
            return self.rows[0].device
        reasons = "; ".join(f"{r.device}: {r.left_out}" for r in self.rows)
        raise NoDevice(f"no device runs {self.model} as the references do: {reasons}")

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


def list_candidates(devices: str | Sequence[str] = ()) -> list[str]:
    """The devices to try; NoDevice for a name that is not installed."""
    if asked := names_of(devices):
        return [manager.find(name).name for name in asked]
    return [name for name, kind in manager.classes().items() if not kind.emulates]


class Race:
    """Devices that are compiled for, proved and measured one after the other, the best in turns.

    A context manager, which closes all programs but that of the `winner`.
    """

    def __init__(
        self,
        model: Model,
        trial: Trial,
        seconds: float = SECONDS,
        tolerance: float | None = None,
    ) -> None:
        self._model = model
        self._trial = trial
        self._seconds = seconds
        self._tolerance = tolerance
        self._rows: dict[str, DeviceTime] = {}
        self._programs: dict[str, Program] = {}

    def __enter__(self) -> Race:
        return self

    def __exit__(self, *_: object) -> None:
        for program in self._programs.values():
            program.close()

    @property
    def ranking(self) -> Ranking:
        """What is known so far."""
        rows = sorted(self._rows.values(), key=_by_time)
        return Ranking(self._model.name, rows, self._trial.sizes)

    def winner(self) -> Program:
        """The program of the fastest device, from now on the caller's to close; NoDevice where
        there is none."""
        return self._programs.pop(self.ranking.fastest)

    def run(self, devices: Sequence[str], make: Make) -> None:
        """Try each; `make` compiles for devices."""
        queue = list(devices)
        with stage("trying devices"):
            for name in queue:
                row, error = self._try(name, make)
                self._rows[name] = row
                if isinstance(error, NoLowering) and HOST not in names_of(name):
                    queue.append(f"{name},{HOST}")
                note(f"{name}: {row.left_out or f'{row.milliseconds:.3g} ms'}")
                self._close_slow()
            if len(self._programs) > 1:
                self._measure_in_turns()

    def _try(self, name: str, make: Make) -> tuple[DeviceTime, NNAdapterError | None]:
        """The row of devices, and what they refuse to compile with; the program of those that are
        right is kept."""
        with stage(f"trying {name}"):
            started = time.perf_counter()
            try:
                program = make(names_of(name))
            except (Unsupported, NoDevice, DeviceError) as error:
                return DeviceTime(name, left_out=summary(error)), error
            row = self._measure(name, program, time.perf_counter() - started)
        if row.left_out:
            program.close()
        else:
            self._programs[name] = program
        return row, None

    def _measure(self, name: str, program: Program, compiled: float) -> DeviceTime:
        """The row of a program, whose first run is its proof."""
        started = time.perf_counter()
        try:
            got = program.call_tensors(*self._trial.arrays)
            first = time.perf_counter() - started
            problem = problem_of(self._model, got, self._trial, self._tolerance)
            if problem is not None:
                return DeviceTime(name, left_out=f"does not agree with the references: {problem}")
            times = self._time(program, self._seconds / ROUNDS)
        except DeviceError as error:
            return DeviceTime(name, left_out=summary(error))
        finally:
            program.reset()
        from statistics import median  # which brings exact numbers along

        return DeviceTime(name, median(times) * 1e3, first * 1e3, compiled * 1e3)

    def _time(self, program: Program, seconds: float) -> list[float]:
        """Seconds of runs, in so many seconds."""
        arrays = self._trial.arrays
        times: list[float] = []
        finish = time.perf_counter() + seconds
        while len(times) < LEAST_RUNS or time.perf_counter() < finish:
            started = time.perf_counter()
            program.call_tensors(*arrays)
            times.append(time.perf_counter() - started)
        return times

    def _close_slow(self) -> None:
        """Give back what those hold that are far behind the best."""
        times = {name: self._rows[name].milliseconds or 0.0 for name in self._programs}
        for name, milliseconds in times.items():
            if milliseconds > FINALISTS * min(times.values()):
                self._programs.pop(name).close()

    def _measure_in_turns(self) -> None:
        """Measure those that are left again, so that what disturbs the machine hits each alike."""
        from statistics import median

        times: dict[str, list[float]] = {name: [] for name in self._programs}
        found: dict[str, float] = {}
        left, finish = list(times), time.perf_counter() + MOST_SECONDS
        for turn in follow(range(MOST_ROUNDS), "measuring the best in turns"):
            for name in left:
                program = self._programs[name]
                program.call_tensors(*self._trial.arrays)  # its threads wake up
                times[name] += self._time(program, self._seconds / ROUNDS)
                found[name] = median(times[name])
            if turn + 1 >= ROUNDS:
                left = [name for name in left if found[name] < CLOSE * min(found.values())]
                if len(left) < 2 or time.perf_counter() > finish:
                    break
        for name, seconds in found.items():
            self._programs[name].reset()
            self._rows[name] = replace(self._rows[name], milliseconds=seconds * 1e3)


def _by_time(row: DeviceTime) -> tuple[bool, float]:
    return bool(row.left_out), row.milliseconds or 0.0
