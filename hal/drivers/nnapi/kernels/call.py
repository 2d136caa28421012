"""What a kernel is called with: an operation, its operands and their values."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from nnir.errors import BadInput
from nnir.formats.nnapi.binding import Bound
from nnir.formats.nnapi.structures import FusedActivation, Operand
from nnir.records import dataclass

from . import fixed

Results = list[np.ndarray]


@dataclass(frozen=True)
class Call:
    """An operation whose operands all have values."""

    bound: Bound

    def __contains__(self, name: str) -> bool:
        return name in self.bound

    def array(self, name: str = "input") -> np.ndarray:
        """The value of an argument as it is stored."""
        found = self.bound.value(name)
        if found is None:
            raise BadInput(f"{self.bound.type.name} without a value for {name}")
        return found

    def arrays(self, name: str) -> Results:
        """The values of a variadic argument."""
        return [self.bound.values[k] for k in self.bound.inputs[name]]

    def optional(self, name: str) -> np.ndarray | None:
        return self.array(name) if name in self.bound else None

    def integer(self, name: str, default: int = 0) -> int:
        """A scalar, which is an integer."""
        return int(self.bound.number(name, default))

    def real(self, name: str) -> np.float32:
        return np.float32(self.bound.number(name))

    @property
    def activation(self) -> int:
        """The activation of the result; an optional one is NONE."""
        return self.integer("fuse_code", FusedActivation.NONE)

    def operand(self, name: str = "input") -> Operand:
        return self.bound.operand(name)

    @property
    def output(self) -> Operand:
        return self.bound.output()

    @property
    def is_quantized(self) -> bool:
        """Whether the first result is of integers that stand for real numbers."""
        return fixed.is_quantized(self.output)


Kernel = Callable[[Call], Results]
Kernels = Mapping[str, Kernel]


def moves(call: Call, array: np.ndarray) -> Results:
    """What was moved: as it is, or in steps of the result's scale where that is another one."""
    given, wanted = call.operand(), call.output
    same = (given.scale, given.zero_point) == (wanted.scale, wanted.zero_point)
    if not call.is_quantized or same:
        return [array]
    return [fixed.rescale(fixed.centre(array, given), given.scale / wanted.scale, wanted)]
