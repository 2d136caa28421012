"""Quantisation, by arithmetic on floats that rounds as the standard does.

The emitter notes which integers stand for which numbers: see `integers.py`.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from nnir.model import Value
from nnir.ops import quant
from nnir.types import Precision, Quantization

from ... import quantised
from ...lowering import Lowerings
from .emitter import Emitter, Ref
from .writer import Tensor

table = Lowerings[Ref]()
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
        _note(g.quantised, made, g.take(input), quantised.known_affine(scale, zero_point, axis))
    return made


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


def _stand_for(g: Emitter, input: Value, made: Ref, described: Quantization | None) -> Ref:
    """Note which integers numbers are; known ones of 4 bits are INT8 until they are written."""
    if described is None:
        return made
    known, middle = input.constant, FOUR_BITS.get(input.precision)
    if known is None or middle is None:
        source = g.take(input)
    else:
        source = g.constant((known.astype(np.int16) - middle).astype(np.int8))
        zeros = tuple(z - middle for z in described.zero_points)
        described = replace(described, zero_points=zeros)
    axis = None if described.axis is None else described.axis % input.rank
    _note(g.dequantised, made, source, replace(described, axis=axis))
    return made


@table.lower(quant.dequantize_linear, implied=["dtype"])
def dequantize_linear(
    g: Emitter, input: Value, scale: Value, zero_point: Value | None, *, axis: int, block_size: int
) -> Ref:
    way = partial(quant.dequantize_narrow, **g.operation.attributes)
    known = [v.constant for v in (input, scale, zero_point) if v is not None]
    if any(k is None for k in known):
        (made,) = g.compose(way, input, scale, zero_point)
    else:
        made = g.constant(quant.dequantize_linear.reference(*known, **way.keywords))
    is_plain = g.operation.outputs[0].precision == Precision.FLOAT32 and not block_size
    described = quantised.known_affine(scale, zero_point, axis) if is_plain else None
    return _stand_for(g, input, made, described)


@table.lower(quant.quantize, implied=["scale", "zero_point", "axis"])
def quantize(g: Emitter, input: Value) -> Ref:
    made = quantised.quantize(g, input)
    _note(g.quantised, made, g.take(input), g.operation.outputs[0].type.quantization)
    return made


@table.lower(quant.dequantize)
def dequantize(g: Emitter, input: Value) -> Ref:
    known, described = input.constant, input.type.quantization
    if known is None or described is None:
        made = quantised.dequantize(g, input)
    else:
        made = g.constant(quant.dequantize.reference(known, quantization=described))
    return _stand_for(g, input, made, described)
