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
    operation = g.operation
    arrays = [None if v is None else v.constant for v in operation.inputs]
    real = g.constant(operation.operator.reference(*arrays, **operation.attributes))
    integers = np.asarray(input.constant).reshape(real.tensor.dims)
    if input.precision in BYTES:
        grid = grid_of(scale, zero_point, input.precision)
        if grid is not None:
            stored = (integers.astype(np.int16) + SHIFT[input.precision]).astype(np.uint8)
            g.twins[real.tensor] = Tensor(QUANT, real.tensor.dims, stored, *grid)
    elif input.precision == Precision.INT32 and _is_symmetric(scale, zero_point):
        step = float(np.asarray(scale.constant).reshape(-1)[0])
        g.twins[real.tensor] = Tensor(INT, real.tensor.dims, integers, step)
    return real


def _is_symmetric(scale: Value, zero_point: Value | None) -> bool:
    """Whether there is one scale, and 0 stands for 0."""
    single = scale.constant is not None and scale.constant.size == 1
    return single and (zero_point is None or not np.any(zero_point.constant))


def grid_of(
    scale: Value, zero_point: Value | None, precision: Precision
) -> tuple[float, int] | None:
    """Scale and zero point of what is stored, where there is one of each."""
    if scale.constant is None or scale.constant.size != 1 or precision not in BYTES:
        return None
    step = float(np.float32(scale.constant.reshape(-1)[0]))
    zero = 0
    if zero_point is not None:
        if zero_point.constant is None:
            return None
        zero = int(zero_point.constant.reshape(-1)[0])
    if not 0 < step < np.inf:
        return None
    return step, zero + SHIFT[precision]


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
    if scale.constant is None or (zero_point is not None and zero_point.constant is None):
        raise NoLowering("nnapi has constant scales and zero points alone")
    shape = [1] * rank
    if scale.constant.size != 1:
        shape[axis % rank] = scale.constant.size
    steps = scale.constant.astype(np.float32).reshape(shape)
    zeros = np.zeros(1) if zero_point is None else zero_point.constant
    whole = np.asarray(zeros, np.float32)
    return steps, np.broadcast_to(whole.reshape(-1), steps.size).reshape(shape)


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
    if dtype not in BYTES:
        raise NoLowering(f"nnapi has integers of 8 bits with a scale, not {Precision(dtype).name}")
    kind = Precision(dtype)
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
