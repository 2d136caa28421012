"""The builtin device: runs the NumPy references. Always there, exact before fast."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from nnir.errors import DeviceError
from nnir.evaluate import Plan
from nnir.model import Model

from ..device import Cache, Callback, Device


class Builtin(Device):
    """Runs every operator, on one core where NumPy uses one."""

    name = "builtin"
    vendor = "NNAdapter"

    def create_context(self, properties: Mapping[str, str], callback: Callback | None) -> Any:
        return None

    def validate_program(self, context: Any, model: Model) -> list[bool]:
        return [True] * len(model.operations)

    def create_program(self, context: Any, model: Model | None, cache: Cache | None) -> Plan:
        if model is None:
            raise DeviceError("builtin restores no programs")
        return Plan(model)

    def execute_program(
        self,
        program: Plan,
        inputs: Sequence[np.ndarray],
        outputs: Sequence[np.ndarray | None] = (),
    ) -> list[np.ndarray]:
        try:
            return [_own(array) for array in program.run(inputs)]
        except MemoryError as error:
            raise DeviceError(f"the results do not fit in memory: {error}") from error


def _own(array: np.ndarray) -> np.ndarray:
    """Results belong to the caller: views into inputs or weights are copied."""
    flags = array.flags
    return array if flags.owndata and flags.writeable and flags.c_contiguous else array.copy()
