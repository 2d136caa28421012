"""The builtin device: runs the NumPy references. Always there, exact before fast."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field

import numpy as np

from nnir import archive
from nnir.errors import BadFile, DeviceError, OutOfMemory
from nnir.evaluate import Plan
from nnir.model import Model, Operation
from nnir.records import dataclass

from ..device import PROFILE, Cache, Callback, Device, Timing
from ..properties import flag


@dataclass
class Program:
    """A plan, and the times of its last run where they are asked for."""

    plan: OwningPlan
    profiled: bool
    timings: list[Timing] = field(default_factory=list)


class Builtin(Device):
    """Runs every operator, on one core where NumPy uses one."""

    name = "builtin"
    vendor = "NNAdapter"
    packages = ("numpy",)
    takes_quantised = True

    def create_context(self, properties: Mapping[str, str], callback: Callback | None) -> bool:
        return flag(properties, PROFILE)

    def validate_program(self, context: bool, model: Model) -> list[bool]:
        return [True] * len(model.operations)

    def create_program(self, context: bool, model: Model | None, cache: Cache | None) -> Program:
        if model is None:
            model = restore(cache)
        elif cache is not None:
            cache.buffer = archive.dumps(model)
        return Program(OwningPlan(model), context)

    def execute_program(
        self,
        program: Program,
        inputs: Sequence[np.ndarray],
        outputs: Sequence[np.ndarray | None] = (),
    ) -> list[np.ndarray]:
        clock = Clock() if program.profiled else None
        try:
            results = program.plan.run(inputs, clock.tick if clock else None)
        except MemoryError as error:
            raise OutOfMemory(f"the results do not fit in memory: {error}") from error
        if clock is not None:
            program.timings = clock.timings
        return results

    def timings(self, program: Program) -> list[Timing]:
        return program.timings


class Clock:
    """Times of operations that run one after another."""

    def __init__(self) -> None:
        self.timings: list[Timing] = []
        self._begin = self._last = time.perf_counter()

    def tick(self, operation: Operation) -> None:
        """Note the end of an operation."""
        now = time.perf_counter()
        start, seconds = self._last - self._begin, now - self._last
        self.timings.append(Timing(operation.label, operation.operator.name, start, seconds))
        self._last = now


def restore(cache: Cache | None) -> Model:
    """The model in a cache; DeviceError for a buffer that holds none."""
    try:
        return archive.loads(b"" if cache is None else cache.view)
    except BadFile as error:
        raise DeviceError(f"a cache without a model: {error}") from None


class OwningPlan(Plan):
    """A plan whose results belong to the caller: views, inputs, constants and what was given
    before are copied."""

    def __init__(self, model: Model) -> None:
        super().__init__(model)
        self._constants = [id(v.constant) for v in model.values() if v.constant is not None]

    def run(
        self, arrays: Sequence[np.ndarray], watch: Callable[[Operation], None] | None = None
    ) -> list[np.ndarray]:
        taken = {*self._constants, *map(id, arrays)}
        found = []
        for array in super().run(arrays, watch):
            flags = array.flags
            is_own = flags.owndata and flags.writeable and flags.c_contiguous
            mine = array if is_own and id(array) not in taken else np.array(array, order="C")
            taken.add(id(mine))
            found.append(mine)
        return found
