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
from nnir.types import Precision

from ...lowering import Lowerings
from .emitter import BYTES, SHIFT, Emitter, Ref
from .graph import FLOAT, INT, QUANT, Tensor
from .integers import round_to

table = Lowerings[Ref]()
MOVES = frozenset({shape.transpose, shape.reshape, shape.squeeze, shape.unsqueeze})
MAGIC = float(3 << 22)
"""A FLOAT32 this large has no fraction: adding it rounds half to even."""


@table.lower(quant.dequantize_linear)
def dequantize_linear(
    g: Emitter, input: Value, scale: Value, zero_point: Value | None, *, axis: int
) -> Ref:
    factors, zeros = _spread(scale, zero_point, axis, input.rank)
    if input.constant is not None:
        return _stand_for(g, input, scale, zero_point)
    ref = g.take(input)
    grid = grid_of(scale, zero_point, ref.precision)
    if grid and ref.tensor.type == QUANT and g.settle(ref.tensor, grid):
        return g.hold(g.dequantized(g.whole(ref)), ref.shape, ref.order)
    whole = replace(as_numbers(g, ref), precision=Precision.FLOAT32)
    return (whole + g.constant(-zeros)) * g.constant(factors)


def _stand_for(g: Emitter, input: Value, scale: Value, zero_point: Value | None) -> Ref:
    """A constant, and the integers that it was."""
    arrays = [None if v is None else v.constant for v in g.operation.inputs]
    real = g.constant(quant.dequantize_linear.reference(*arrays, **g.operation.attributes))
    integers = np.asarray(input.constant).reshape(real.tensor.dims)
    grid, known = grid_of(scale, zero_point, input.precision), _constant_scales(scale, zero_point)
    if grid is not None:
        stored = (integers.astype(np.int16) + SHIFT[input.precision]).astype(np.uint8)
        g.twins[real.tensor] = Tensor(QUANT, real.tensor.dims, stored, *grid)
    elif input.precision == Precision.INT32 and known and _is_symmetric(*known):
        g.twins[real.tensor] = Tensor(INT, real.tensor.dims, integers, float(known[0][0]))
    return real


def _is_symmetric(scales: np.ndarray, zeros: np.ndarray) -> bool:
    """Whether there is one scale, and 0 stands for 0."""
    return scales.size == 1 and not zeros.any()


def _constant_scales(
    scale: Value, zero_point: Value | None
) -> tuple[np.ndarray, np.ndarray] | None:
    """Scales and zero points, where they are constants."""
    zeros = np.zeros(1) if zero_point is None else zero_point.constant
    if scale.constant is None or zeros is None:
        return None
    steps, whole = (np.asarray(v, np.float32).reshape(-1) for v in (scale.constant, zeros))
    return steps, whole


def grid_of(
    scale: Value, zero_point: Value | None, precision: Precision
) -> tuple[float, int] | None:
    """Scale and zero point of what is stored, where there is one of each."""
    known = _constant_scales(scale, zero_point)
    if known is None or known[0].size != 1 or precision not in BYTES:
        return None
    step, zero = (float(k[0]) for k in known)
    return (step, int(zero) + SHIFT[precision]) if 0 < step < np.inf else None


def grid_of_readers(value: Value) -> tuple[float, int] | None:
    """The one grid that a real value is rounded to by all that read it, moved about or not."""
    grids = set()
    for operation in value.uses:
        if operation.operator in MOVES:
            grids.add(grid_of_readers(operation.outputs[0]))
        elif operation.operator is quant.quantize_linear and operation.inputs[0] is value:
            scale, zero_point = operation.inputs[1:]
            kind = operation.outputs[0].precision
            grids.add(None if scale is None else grid_of(scale, zero_point, kind))
        else:
            return None
    return grids.pop() if len(grids) == 1 and value not in value.model.outputs else None


def _spread(
    scale: Value, zero_point: Value | None, axis: int, rank: int
) -> tuple[np.ndarray, np.ndarray]:
    """Scales and zero points that broadcast to the tensor."""
    known = _constant_scales(scale, zero_point)
    if known is None:
        raise NoLowering("nnapi has constant scales and zero points alone")
    steps, zeros = known
    shape = [1] * rank
    if steps.size != 1:
        shape[axis % rank] = steps.size
    return steps.reshape(shape), np.broadcast_to(zeros, steps.size).reshape(shape)


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
    g: Emitter, input: Value, scale: Value, zero_point: Value | None, *, axis: int, dtype: Precision
) -> Ref:
    kind = Precision(dtype)
    if kind not in BYTES:
        raise NoLowering(f"nnapi has integers of 8 bits with a scale, not {kind.name}")
    ref = g.real(input)
    grid = grid_of(scale, zero_point, kind)
    if grid is not None:
        integers = round_to(g, g.whole(ref), grid)
        if integers is not None:
            return g.hold(integers, ref.shape, ref.order, kind)
    return _quantize_numbers(g, ref, _spread(scale, zero_point, axis, input.rank), kind)


def _quantize_numbers(
    g: Emitter, ref: Ref, grid: tuple[np.ndarray, np.ndarray], kind: Precision
) -> Ref:
    """x / scale, rounded and kept within the integers by RELU, which is exact on whole numbers."""
    steps, zeros = grid
    with np.errstate(divide="ignore"):
        factors = np.float32(1) / steps
    low, high = integer_range(kind)
    whole = round_numbers(ref * g.constant(factors)) + g.constant(zeros)
    above = g.rectify(whole + float(-low))
    below = g.rectify(above * -1 + float(high - low))
    found = below * -1 + float(high)
    return replace(g.lay(found, found.shape, found.order), precision=kind)
