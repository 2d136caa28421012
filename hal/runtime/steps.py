"""Programs of several devices that run one after another."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from nnir.errors import BadInput
from nnir.records import dataclass
from nnir.types import TensorType

from ..device import Device, Residence
from .profile import Profile, Row

Offers = Sequence[np.ndarray | None]


@dataclass(frozen=True)
class Step:
    """A program, and where the arrays of its ends are (see `partition.Part`)."""

    device: Device
    program: Any
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]


class Plan:
    """Programs in order of execution; several threads may run a plan at once.

    Every array between two programs is dropped when its last reader has run. With `profiled`,
    `profile` has the times of the last run.
    """

    def __init__(
        self,
        steps: Sequence[Step],
        results: Sequence[int],
        constants: Mapping[int, np.ndarray],
        slots: int,
        *,
        profiled: bool = False,
    ) -> None:
        self.steps = list(steps)
        self.results = tuple(results)
        self.constants = dict(constants)
        self.slots = slots
        self.profiled = profiled
        self.profile = Profile()
        last = {slot: k for k, step in enumerate(self.steps) for slot in step.inputs if slot >= 0}
        self.dead: list[list[int]] = [[] for _ in self.steps]
        for slot, k in last.items():
            if slot not in self.results:
                self.dead[k].append(slot)
        whole = self.steps[0] if len(self.steps) == 1 else None
        ends = (whole.inputs, whole.outputs) if whole else ((), ())
        is_plain = whole is not None and not profiled
        is_plain &= ends[0] == tuple(-(k + 1) for k in range(len(ends[0])))
        is_plain &= ends[1] == self.results
        self._only = whole if is_plain else None

    def run(
        self, arrays: Sequence[np.ndarray], outputs: Offers = (), spare: Offers = ()
    ) -> list[np.ndarray]:
        """The outputs for one array per input, in order; in `outputs` where those are given.

        `spare` is memory that nobody reads or keeps, which the last outputs may be written to.
        BadInput for an offered array whose precision or shape the result does not have.
        """
        offers = _apart(outputs, arrays) if outputs else ()
        if any(array is not None for array in spare):
            count = len(self.results) - len(spare)
            offers = [*(offers[:count] or [None] * count), *spare]
        if self._only is not None:
            read = arrays[: len(self._only.inputs)]  # those behind them nobody reads
            results = self._only.device.execute_program(self._only.program, read, offers)
        else:
            results = self._through(arrays, offers)
        return place_results(results, outputs)

    def keep_states(self, inputs: int, types: Sequence[TensorType]) -> Residence | None:
        """How the states, the last of so many inputs, stay in the memory of the device that runs
        all of the model by itself; None where none does, or it has no memory of its own."""
        only = self._only
        if only is None or len(only.inputs) != inputs:
            return None
        return only.device.keep_states(only.program, types)

    def _through(self, arrays: Sequence[np.ndarray], outputs: Offers) -> list[np.ndarray]:
        memory: list[Any] = [None] * self.slots
        for slot, array in self.constants.items():
            memory[slot] = array
        rows: list[Row] = []
        passed = 0.0
        for step, dead in zip(self.steps, self.dead, strict=True):
            inputs = [arrays[-i - 1] if i < 0 else memory[i] for i in step.inputs]
            offers = [self._offer(slot, outputs) for slot in step.outputs] if outputs else ()
            started = time.perf_counter()
            made = step.device.execute_program(step.program, inputs, offers)
            if self.profiled:
                made_rows = Row.of(step.device, step.program, passed, time.perf_counter() - started)
                rows += made_rows
                passed = max(row.start + row.seconds for row in made_rows)
            for slot, array in zip(step.outputs, made, strict=True):
                memory[slot] = array
            for slot in dead:
                memory[slot] = None
        if self.profiled:
            self.profile = Profile(rows, passed)
        return self._results(arrays, memory)

    def _offer(self, slot: int, outputs: Offers) -> np.ndarray | None:
        """The array that the caller offers for a slot that is one output."""
        if self.results.count(slot) != 1:
            return None
        place = self.results.index(slot)
        return outputs[place] if place < len(outputs) else None

    def _results(self, arrays: Sequence[np.ndarray], memory: Sequence[Any]) -> list[np.ndarray]:
        """The outputs; each an array of its own, which is the caller's."""
        results: list[np.ndarray] = []
        seen: set[int] = set(self.constants)
        for place in self.results:
            if place < 0:
                results.append(np.array(arrays[-place - 1]))
            elif place in seen:
                results.append(np.array(memory[place]))
            else:
                results.append(memory[place])
                seen.add(place)
        return results


def _apart(outputs: Offers, arrays: Sequence[np.ndarray]) -> Offers:
    """Offers that a device may write to while it still reads inputs; the others are copied to."""
    known = list(arrays)
    found: list[np.ndarray | None] = []
    for offered in outputs:
        alone = offered is not None and not any(np.may_share_memory(offered, a) for a in known)
        found.append(offered if alone else None)
        if offered is not None:
            known.append(offered)
    return found


def place_results(results: list[np.ndarray], outputs: Offers) -> list[np.ndarray]:
    """The results, those for which memory is offered in it; BadInput for memory that does not
    fit."""
    for place, offered in enumerate(outputs):
        if offered is not None and results[place] is not offered:
            _copy(results[place], offered, place)
            results[place] = offered
    return results


def _copy(result: np.ndarray, offered: np.ndarray, place: int) -> None:
    if result.dtype != offered.dtype or result.shape != offered.shape:
        raise BadInput(
            f"output {place} is {result.dtype}{list(result.shape)}, "
            f"the array for it {offered.dtype}{list(offered.shape)}"
        )
    np.copyto(offered, result)
