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

from ... import quantised
from ...lowering import Lowerings
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
    g: Emitter, input: Value, scale: Value, zero_point: Value | None, *, axis: int, block_size: int
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


def _constant(g: Emitter, input: Value, described: Quantization | None, real: np.ndarray) -> Ref:
    """Known numbers, and the integers that they are; 4 bits are INT8 until they are written."""
    made = g.constant(real)
    if described is None or input.dtype.name not in INTEGERS or input.constant is None:
        return made
    middle = FOUR_BITS.get(input.precision)
    if middle is None:
        source = g.take(input)
    else:
        source = g.constant((input.constant.astype(np.int16) - middle).astype(np.int8))
    zeros = tuple(z - (middle or 0) for z in described.zero_points)
    axis = None if described.axis is None else described.axis % input.rank
    _note(g.dequantised, made, source, replace(described, zero_points=zeros, axis=axis))
    return made


@table.lower(quant.dequantize_linear, implied=["dtype"])
def dequantize_linear(
    g: Emitter, input: Value, scale: Value, zero_point: Value | None, *, axis: int, block_size: int
) -> Ref:
    given, described = g.operation.attributes, None
    if g.operation.outputs[0].precision == Precision.FLOAT32 and not block_size:
        described = _known_affine(scale, zero_point, axis)
    if input.constant is None:
        recipe = partial(quant.dequantize_narrow, **given)
        (made,) = g.compose(recipe, input, scale, zero_point)
        _note(g.dequantised, made, g.take(input), described)
        return made
    known = [v.constant for v in (input, scale, zero_point) if v is not None]
    if any(k is None for k in known):
        raise NoLowering("litert dequantises constants by known scales")
    return _constant(g, input, described, quant.dequantize_linear.reference(*known, **given))


@table.lower(quant.quantize, implied=["scale", "zero_point", "axis"])
def quantize(g: Emitter, input: Value) -> Ref:
    made = quantised.quantize(g, input)
    _note(g.quantised, made, g.take(input), g.operation.outputs[0].type.quantization)
    return made


@table.lower(quant.dequantize)
def dequantize(g: Emitter, input: Value) -> Ref:
    described = input.type.quantization
    if input.constant is not None and described is not None:
        real = quant.dequantize.reference(input.constant, quantization=described)
        return _constant(g, input, described, real)
    made = quantised.dequantize(g, input)
    _note(g.dequantised, made, g.take(input), described)
    return made
