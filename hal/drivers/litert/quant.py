"""Quantisation, by arithmetic on floats that rounds as the standard does.

The emitter notes which integers stand for which numbers: see `integers.py`.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import quant
from nnir.types import Precision, Quantization

from ...lowering import Lowerings
from .binary import clip_between
from .emitter import Emitter, Ref
from .writer import Tensor

table = Lowerings[Ref]()
INTEGERS = frozenset({"int4", "uint4", "int8", "uint8", "int32"})
FOUR_BITS = {Precision.INT4: 0, Precision.UINT4: 8}
"""Integers that LiteRT computes with as INT8 only, and their middle."""
NOTED = frozenset({Precision.FLOAT32, Precision.INT8, Precision.UINT8, Precision.INT16}) | {
    *(Precision.UINT16, Precision.INT32),
}
"""Precisions of tensors that stand for each other."""


@table.lower(quant.quantize_linear, implied=["dtype", "saturate", "precision"])
def quantize_linear(
    g: Emitter,
    input: Value,
    scale: Value,
    zero_point: Value | None,
    *,
    axis: int,
    block_size: int,
) -> Ref:
    (made,) = g.decomposed()
    if input.precision == scale.precision == Precision.FLOAT32 and not block_size:
        _note(g.quantised, made, g.take(input), _known_affine(scale, zero_point, axis))
    return made


def _known_affine(scale: Value, zero_point: Value | None, axis: int) -> Quantization | None:
    """Scales and zero points that are known, as types have them."""
    zeros = np.zeros(1, np.int64) if zero_point is None else zero_point.constant
    if scale.constant is None or zeros is None or scale.rank > 1:
        return None
    scales = tuple(map(float, scale.constant.reshape(-1)))
    single = len(scales) == 1
    whole = np.broadcast_to(zeros.reshape(-1).astype(np.int64), len(scales))
    return Quantization(scales, tuple(whole.tolist()), None if single else axis)


def _note(
    notes: dict[Tensor, tuple[Tensor, Quantization]],
    made: Ref,
    source: Ref,
    described: Quantization | None,
) -> None:
    """Remember of what a tensor is made, where both are stored alike."""
    alike = made.order == source.order and made.tensor.shape == source.tensor.shape
    kinds = {made.tensor.precision, source.tensor.precision}
    if described is not None and alike and kinds <= NOTED:
        notes[made.tensor] = source.tensor, described


def _constant(g: Emitter, input: Value, real: np.ndarray, described: Quantization | None) -> Ref:
    """Known numbers, and the integers that they are; 4 bits are INT8 until they are written."""
    made = g.constant(real)
    if described is None or input.dtype.name not in INTEGERS or input.constant is None:
        return made
    if described.axis is not None:
        described = replace(described, axis=described.axis % input.rank)
    source = g.take(input) if input.precision not in FOUR_BITS else None
    if source is None:
        middle = FOUR_BITS[input.precision]
        source = g.constant((input.constant.astype(np.int16) - middle).astype(np.int8))
        zeros = tuple(z - middle for z in described.zero_points)
        described = replace(described, zero_points=zeros)
    _note(g.dequantised, made, source, described)
    return made


@table.lower(quant.dequantize_linear)
def dequantize_linear(
    g: Emitter,
    input: Value,
    scale: Value,
    zero_point: Value | None,
    *,
    axis: int,
    block_size: int,
    dtype: Precision,
) -> Ref:
    described = None
    if dtype == Precision.FLOAT32 and not block_size:
        described = _known_affine(scale, zero_point, axis)
    if input.constant is None:
        recipe = partial(quant.dequantize_narrow, **g.operation.attributes)
        (made,) = g.compose(recipe, input, scale, zero_point)
        _note(g.dequantised, made, g.take(input), described)
        return made
    known = [None if v is None else v.constant for v in (input, scale, zero_point)]
    if known[1] is None or (zero_point is None) != (known[2] is None):
        raise NoLowering("litert dequantises constants by known scales")
    fields = {"axis": axis, "block_size": block_size, "dtype": dtype}
    real = quant.dequantize_linear.reference(*known, **fields)
    return _constant(g, input, real, described)


@table.lower(quant.quantize)
def quantize(g: Emitter, input: Value, scale: Value, zero_point: Value | None, *, axis: int) -> Ref:
    described = g.operation.outputs[0].type.quantization
    if described is None or input.precision != Precision.FLOAT32:
        raise NoLowering(f"litert quantises FLOAT32 by known scales, not {input.type}")
    scales, zeros = _columns(g, described, input.rank)
    whole = g.elementwise("ROUND", g.take(input) / scales)
    if zeros is None:
        made = clip_between(g, whole, -127, 127).cast(Precision.INT8)
    else:
        made = clip_between(g, whole + zeros, 0, 255).cast(Precision.UINT8)
    _note(g.quantised, made, g.take(input), described)
    return made


@table.lower(quant.dequantize)
def dequantize(g: Emitter, input: Value) -> Ref:
    described = input.type.quantization
    if described is None or input.dtype.itemsize > 2:
        raise NoLowering(f"litert has no dequantize of {input.type}")
    if input.constant is not None:
        real = quant.dequantize.reference(input.constant, quantization=described)
        return _constant(g, input, real, described)
    scales, zeros = _columns(g, described, input.rank)
    steps = g.cast(input, Precision.FLOAT32)
    made = (steps if zeros is None else steps - zeros) * scales
    _note(g.dequantised, made, g.take(input), described)
    return made


def _columns(g: Emitter, described: Quantization, rank: int) -> tuple[Ref, Ref | None]:
    """Scales, and zero points other than 0, as FLOAT32 that broadcasts to a tensor of a rank."""
    after = () if described.axis is None else (-1, *(1,) * (rank - 1 - described.axis))
    both = described.scales, described.zero_points
    scales, zeros = (np.reshape(n, after) if after else np.asarray(n[0]) for n in both)
    return g.constant(scales, np.float32), g.constant(zeros, np.float32) if np.any(zeros) else None
