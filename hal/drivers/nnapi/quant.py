"""Integers that stand for real numbers.

Integers with one scale are tensors of TENSOR_QUANT8_ASYMM; `integers` finds the operations on them
that give what is rounded. What these cannot do is computed in FLOAT32, which holds the same
numbers: NNAPI 1.0 has DEQUANTIZE, and nothing that quantises.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import quant, shape
from nnir.ops.quant import integer_range
from nnir.types import Precision, Quantization

from ...lowering import Lowerings
from ...quantised import known_affine
from .emitter import BYTES, SHIFT, Emitter, Real, Ref
from .graph import FLOAT, INT, QUANT, Tensor
from .integers import Grid, round_to

table = Lowerings[Ref]()
MOVES = frozenset({shape.transpose, shape.reshape, shape.squeeze, shape.unsqueeze})
MAGIC = float(3 << 22)
"""A FLOAT32 this large has no fraction: adding it rounds half to even."""


@table.lower(quant.dequantize_linear)
def dequantize_linear(
    g: Emitter, input: Value, scale: Value, zero_point: Value | None, *, axis: int
) -> Ref:
    how, kind = require_affine(scale, zero_point, axis), input.precision
    ref, grid = g.take(input), grid_of(how, kind)
    if input.constant is not None:
        return _stand_for(g, ref, how, grid)
    if ref.tensor.type == INT:
        raise NoLowering(f"nnapi makes no real numbers of {input.precision.name}")
    if grid and ref.tensor.type == QUANT and g.settle(ref.tensor, grid):
        return g.hold(g.dequantized(g.whole(ref)), ref.shape, ref.order)
    factors, zeros = _spread(how, input.rank)
    whole = replace(as_numbers(g, ref), precision=Precision.FLOAT32)
    return (whole + g.constant(-zeros)) * g.constant(factors)


def _stand_for(g: Emitter, integers: Ref, how: Quantization, grid: Grid | None) -> Ref:
    """A constant, and the integers that it was."""
    arrays = [None if v is None else v.constant for v in g.operation.inputs]
    real = g.constant(quant.dequantize_linear.reference(*arrays, **g.operation.attributes))
    if integers.precision == Precision.INT32 and len(how.scales) == 1 and not any(how.zero_points):
        grid = how.scales[0], 0
    if grid is not None:
        scale, zero = grid
        g.twins[real.tensor] = replace(integers.tensor, scale=scale, zero=zero)
    return real


def require_affine(scale: Value, zero_point: Value | None, axis: int) -> Quantization:
    """Scales and zero points; NoLowering where they are only known while running."""
    found = known_affine(scale, zero_point, axis)
    if found is None:
        raise NoLowering("nnapi has constant scales and zero points alone")
    return found


def grid_of(how: Quantization | None, precision: Precision) -> Grid | None:
    """Scale and zero point of what is stored, where there is one of each."""
    if how is None or len(how.scales) != 1 or precision not in BYTES:
        return None
    (step,), (zero,) = how.scales, how.zero_points
    return (step, zero + SHIFT[precision]) if 0 < step < np.inf else None


def grid_of_readers(value: Value) -> Grid | None:
    """The one grid that a real value is rounded to by all that read it, moved about or not."""
    grids = set()
    for operation in value.uses:
        (made,) = operation.outputs[:1]
        if operation.operator in MOVES:
            grids.add(grid_of_readers(made))
        elif operation.operator is quant.quantize_linear and operation.inputs[0] is value:
            scale, zero_point = operation.inputs[1:]
            grids.add(grid_of(known_affine(scale, zero_point, 0), made.precision))
        else:
            return None
    return grids.pop() if len(grids) == 1 and value not in value.model.outputs else None


def _spread(how: Quantization, rank: int) -> tuple[np.ndarray, np.ndarray]:
    """Scales and zero points that broadcast to the tensor."""
    shape = [1] * rank
    if how.axis is not None:
        shape[how.axis % rank] = len(how.scales)
    steps, zeros = (np.array(v, np.float32) for v in (how.scales, how.zero_points))
    return steps.reshape(shape), zeros.reshape(shape)


def as_numbers(g: Emitter, ref: Ref) -> Ref:
    """Integers of 8 bits as the same numbers in FLOAT32."""
    tensor = ref.tensor
    if tensor.type != QUANT:
        return ref
    shift = SHIFT[ref.precision]
    if tensor.data is not None:
        data = tensor.data.astype(np.float32) - shift
        return replace(ref, tensor=Tensor(FLOAT, tensor.dims, data))
    g.settle(tensor, (1.0, shift))
    real = g.hold(g.dequantized(g.whole(ref)), ref.shape, ref.order)
    if tensor.grid != (1.0, shift):
        real = round_numbers(real * float(np.float32(1) / np.float32(tensor.scale)))
        real = real + float(tensor.zero - shift)
    return replace(real, precision=ref.precision)


def round_numbers(ref: Ref) -> Ref:
    """Half to even, exactly for what is below 2^22; larger numbers stay large."""
    return ref + MAGIC + -MAGIC


@table.lower(quant.quantize_linear)
def quantize_linear(
    g: Emitter, input: Real, scale: Value, zero_point: Value | None, *, axis: int, dtype: Precision
) -> Ref:
    how, kind = require_affine(scale, zero_point, axis), Precision(dtype)
    if kind not in BYTES:
        raise NoLowering(f"nnapi has integers of 8 bits with a scale, not {kind.name}")
    grid = grid_of(how, kind)
    integers = None if grid is None else round_to(g, g.whole(input), grid)
    if integers is not None:
        return g.hold(integers, input.shape, input.order, kind)
    return _quantize_numbers(g, input, how, kind)


def _quantize_numbers(g: Emitter, x: Ref, how: Quantization, kind: Precision) -> Ref:
    """x / scale, rounded and kept within the integers by RELU, which is exact on whole numbers."""
    steps, zeros = _spread(how, x.rank)
    with np.errstate(divide="ignore"):
        factors = np.float32(1) / steps
    low, high = integer_range(kind)
    whole = round_numbers(x * g.constant(factors)) + g.constant(zeros)
    above = g.rectify(whole + float(-low))
    below = g.rectify(above * -1 + float(high - low))
    return replace(below * -1 + float(high), precision=kind)
