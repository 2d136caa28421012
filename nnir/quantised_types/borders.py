"""Borders between real numbers and integers, as explicit models have them and as types say them.

An explicit model keeps plain integers beside their scale and zero point: QUANTIZE_LINEAR and
DEQUANTIZE_LINEAR. Types of the standard hold the same where they can. Their symmetric integers
leave the lowest one out, which QUANTIZE_LINEAR does not: so what is computed is asymmetric and
unsigned, and signed integers are moved up by half their range. Constants stay as they are.
"""

from __future__ import annotations

import numpy as np

from ..broadcast import axis_of
from ..model import Model, Operation, Value
from ..ops import quant
from ..records import dataclass
from ..types import Precision, Quantization, TensorType

P = Precision
UNSIGNED = {
    P.UINT8: (P.QUANT_UINT8_ASYMM_PER_LAYER, 0),
    P.INT8: (P.QUANT_UINT8_ASYMM_PER_LAYER, 128),
    P.UINT16: (P.QUANT_UINT16_ASYMM_PER_LAYER, 0),
    P.INT16: (P.QUANT_UINT16_ASYMM_PER_LAYER, 1 << 15),
}
"""The asymmetric type of plain integers, and what is added to them in it."""

SYMMETRIC = {
    P.INT8: (P.QUANT_INT8_SYMM_PER_LAYER, P.QUANT_INT8_SYMM_PER_CHANNEL),
    P.INT16: (P.QUANT_INT16_SYMM_PER_LAYER, P.QUANT_INT16_SYMM_PER_CHANNEL),
    P.INT32: (P.QUANT_INT32_SYMM_PER_LAYER, P.QUANT_INT32_SYMM_PER_CHANNEL),
}
"""The symmetric types of plain integers: with one scale, and with one for each entry of an axis."""


LARGEST_SCALE = 1e30
"""Above it the numbers behind integers may be infinite, and do not become these integers again."""


@dataclass(frozen=True)
class Border:
    """How plain integers of a precision stand for real numbers."""

    precision: Precision
    scales: tuple[float, ...]
    zero_points: tuple[int, ...]
    axis: int | None

    @property
    def is_single(self) -> bool:
        """Whether there is one scale for all."""
        return self.axis is None

    def quantize(self, model: Model, real: Value) -> Value:
        """Append the QUANTIZE_LINEAR of real numbers."""
        scale, zero = self._constants(model)
        return quant.quantize_linear(
            real, scale, zero, axis=1 if self.axis is None else self.axis, dtype=self.precision
        )

    def dequantize(self, model: Model, whole: Value) -> Value:
        """Append the DEQUANTIZE_LINEAR of integers, with the constants that they were made with."""
        maker = whole.producer
        is_back = maker is not None and border_of(maker) == self
        scale, zero = maker.inputs[1:3] if maker and is_back else self._constants(model)
        axis = 1 if self.axis is None else self.axis
        return quant.dequantize_linear(whole, scale, zero, axis=axis)

    def _constants(self, model: Model) -> tuple[Value, Value]:
        shape = () if self.axis is None else (-1,)
        scale = np.asarray(self.scales, np.float32).reshape(shape)
        zero = np.asarray(self.zero_points).astype(self.precision.dtype).reshape(shape)
        return model.constant(scale), model.constant(zero)


def border_of(operation: Operation | None) -> Border | None:
    """The border that a QUANTIZE_LINEAR or a DEQUANTIZE_LINEAR is; None for what no type can say:
    scales that are computed, blocks, floats of 8 bits, other precisions than FLOAT32."""
    if operation is None:
        return None
    attributes = operation.attributes
    if operation.operator is quant.quantize_linear:
        plain, real = attributes["dtype"], operation.inputs[0]
        if attributes["precision"] not in (None, Precision.FLOAT32):
            return None
    elif operation.operator is quant.dequantize_linear:
        plain, real = precision_of_first(operation), operation.outputs[0]
    else:
        return None
    if plain not in UNSIGNED and plain not in SYMMETRIC and plain != Precision.INT64:
        return None
    if real is None or real.precision != Precision.FLOAT32 or attributes["block_size"]:
        return None
    return _read(operation, plain, real.rank)


def precision_of_first(operation: Operation) -> Precision | None:
    """The precision of the first operand."""
    first = operation.inputs[0]
    return None if first is None else first.precision


def _read(operation: Operation, plain: Precision, rank: int) -> Border | None:
    scale, zero = operation.inputs[1:3]
    if scale is None or scale.constant is None or scale.precision != Precision.FLOAT32:
        return None
    scales = scale.constant.reshape(-1)
    if not ((scales > 0) & (scales <= LARGEST_SCALE)).all() or not scales.size:
        return None
    if zero is not None and zero.constant is None:
        return None
    held = np.zeros(1, np.int64) if zero is None else zero.constant
    zeros = np.broadcast_to(held.astype(np.int64).reshape(-1), scales.shape)  # type: ignore[union-attr]
    if scales.size == 1:
        return Border(plain, (float(scales[0]),), (int(zeros[0]),), None)
    axis = axis_of(operation.attributes["axis"], rank)
    return Border(plain, tuple(map(float, scales)), tuple(map(int, zeros)), axis)


# Types


def type_of_computed(border: Border, type: TensorType) -> TensorType | None:
    """The type of the standard for integers that are only known while running."""
    if not border.is_single or border.precision not in UNSIGNED:
        return None
    kind, shift = UNSIGNED[border.precision]
    stored = border.precision if shift else None
    zeros = (border.zero_points[0] + shift,)
    return TensorType(
        kind,
        type.shape,
        layout=type.layout,
        quantization=Quantization(border.scales, zeros, stored=stored),
    )


def type_of_constant(border: Border, constant: Value) -> TensorType | None:
    """The type of the standard for integers that are known; INT64 is INT32 where that holds it."""
    type, plain, stored = constant.type, border.precision, None
    if any(border.zero_points) or plain not in (*SYMMETRIC, Precision.INT64):
        return type_of_computed(border, type)
    if plain == Precision.INT64:
        array = constant.constant
        most = np.iinfo(np.int32).max
        if array is None or not ((array >= -most) & (array <= most)).all():
            return None
        plain, stored = Precision.INT32, Precision.INT64
    kind = SYMMETRIC[plain][not border.is_single]
    how = Quantization(border.scales, (0,), border.axis, stored=stored)
    return TensorType(kind, type.shape, layout=type.layout, quantization=how)


def border_of_type(type: TensorType, *, is_end: bool) -> Border:
    """The border that a quantised type stands for; the ends of a model keep the integers of their
    type whatever it is stored as."""
    how = type.quantization
    if how is None:
        raise ValueError(f"{type} has no scale")
    plain = Precision[type.precision.name.split("_")[1]]
    shift = 0
    if how.stored is not None and not is_end:
        plain = how.stored
        shift = shift_of(plain)
    zeros = tuple(z - shift for z in how.zero_points)
    zeros = zeros * len(how.scales) if len(zeros) == 1 else zeros
    return Border(plain, how.scales, zeros, how.axis)


def shift_of(stored: Precision) -> int:
    """What is added to plain integers in the type that holds them."""
    return UNSIGNED[stored][1] if stored in UNSIGNED else 0


def as_typed(array: np.ndarray, type: TensorType) -> np.ndarray:
    """Plain integers as those of their quantised type; on the same memory where they are."""
    stored = None if type.quantization is None else type.quantization.stored
    if stored is None:
        return array
    return (array.astype(np.int64) + shift_of(stored)).astype(type.dtype)


def as_plain(array: np.ndarray, type: TensorType) -> np.ndarray:
    """The inverse of `as_typed`."""
    stored = None if type.quantization is None else type.quantization.stored
    if stored is None:
        return array
    return (array.astype(np.int64) - shift_of(stored)).astype(stored.dtype)
