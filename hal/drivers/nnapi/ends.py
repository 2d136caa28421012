"""Between the arrays of a program's callers and the operands of a model."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nnir.errors import BadInput, Unsupported
from nnir.formats.nnapi.structures import Operand, OperandType
from nnir.records import dataclass
from nnir.types import Precision, TensorType

from .kernels.fixed import dequantize
from .sizes import numbers

SIGN = np.uint8(0x80)
"""INT8 and TENSOR_QUANT8_ASYMM differ in the highest bit."""
KINDS = {
    Precision.FLOAT32: {OperandType.TENSOR_FLOAT32, OperandType.TENSOR_QUANT8_ASYMM},
    Precision.UINT8: {OperandType.TENSOR_QUANT8_ASYMM, OperandType.TENSOR_FLOAT32},
    Precision.INT8: {OperandType.TENSOR_QUANT8_ASYMM, OperandType.TENSOR_FLOAT32},
    Precision.INT32: {OperandType.TENSOR_INT32},
    Precision.INT64: {OperandType.TENSOR_INT32},
}
"""The operands that hold values of a precision: integers of 8 bits may be numbers in FLOAT32, and
real numbers that are rounded anyhow integers."""


def quantize(array: np.ndarray, operand: Operand) -> np.ndarray:
    """Real numbers as QUANTIZE_LINEAR rounds them: a quotient in float32, half to even."""
    with np.errstate(invalid="ignore", over="ignore"):
        steps = np.rint(array / np.float32(operand.scale)) + operand.zero_point
    return np.nan_to_num(np.clip(steps, 0, 255)).astype(np.uint8)


@dataclass(frozen=True)
class End:
    """An input or an output of a program, and the operand that it is."""

    type: TensorType
    operand: Operand

    @property
    def is_signed(self) -> bool:
        """Whether the highest bit is turned over."""
        is_stored = self.operand.type == OperandType.TENSOR_QUANT8_ASYMM
        return self.type.precision == Precision.INT8 and is_stored

    def enter(self, array: np.ndarray) -> np.ndarray:
        """An array of the caller as the operand has it."""
        wanted = self.operand.type.dtype
        given = np.ascontiguousarray(array)
        if given.dtype.kind == "f" and wanted == np.uint8:
            given = quantize(given, self.operand)
        if self.is_signed:
            given = given.view(np.uint8) ^ SIGN
        stored = given.astype(wanted, copy=False)
        if given.dtype == np.int64 and not np.array_equal(stored, given):
            raise BadInput("nnapi has INT32 alone: an input goes beyond it")
        return stored.reshape(self.operand.dimensions)

    def leave(self, array: np.ndarray) -> np.ndarray:
        """The value of an operand as the caller has it."""
        if array.dtype == np.uint8 and self.type.precision == Precision.FLOAT32:
            array = dequantize(array, self.operand)
        if self.is_signed:
            array = (array ^ SIGN).view(np.int8)
        return array.astype(self.type.dtype).reshape(numbers(self.type.shape))


def make_ends(types: Sequence[TensorType], operands: Sequence[Operand]) -> list[End]:
    """Ends whose operands hold what is asked for; Unsupported where one does not."""
    found = []
    for type, operand in zip(types, operands, strict=True):
        if operand.type not in KINDS.get(type.precision, ()):
            raise Unsupported(f"an operand of {operand.type.name} for {type}")
        if np.prod(numbers(type.shape), dtype=int) != np.prod(operand.dimensions, dtype=int):
            raise Unsupported(f"an operand of {list(operand.dimensions)} for {type}")
        found.append(End(type, operand))
    return found
