"""Quantisation, by arithmetic on floats that rounds as the standard does.

The emitter notes which integers stand for which numbers: see `integers.py`.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from nnir.evaluate import run_operation
from nnir.model import Value
from nnir.ops import quant
from nnir.types import Precision, Quantization

from ... import quantised
from ...lowering import Lowerings
from .emitter import Emitter, Notes, Ref

table = Lowerings[Ref]()
FOUR_BITS = {Precision.INT4: 0, Precision.UINT4: 8}
"""Integers that LiteRT computes with as INT8 only, and their middle."""
MOST_BYTES = 4
"""Elements of more bytes do not stand for each other."""


@table.lower(quant.quantize_linear, implied=["dtype", "saturate", "precision"])
def quantize_linear(
    g: Emitter, input: Value, scale: Value, zero_point: Value | None, *, axis: int, block_size: int
) -> Ref:
    (made,) = g.decomposed()
    if input.precision == scale.precision == Precision.FLOAT32 and not block_size:
        _note(g.quantised, made, g.take(input), quantised.known_affine(scale, zero_point, axis))
    return made


def _note(notes: Notes, made: Ref, source: Ref, described: Quantization | None) -> None:
    """Remember of what a tensor is made, where both are stored alike."""
    is_alike = made.order == source.order and made.tensor.shape == source.tensor.shape
    bytes_each = max(r.tensor.precision.dtype.itemsize for r in (made, source))
    if described is not None and is_alike and bytes_each <= MOST_BYTES:
        notes[made.tensor] = source.tensor, described


def _fold(g: Emitter) -> Ref | None:
    """The result of an operation on constants."""
    arrays = [v.constant for v in g.operation.inputs if v is not None]
    is_known = all(a is not None for a in arrays)
    return g.constant(run_operation(g.operation, arrays)[0]) if is_known else None


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
    made = _fold(g) or g.compose(way, input, scale, zero_point)[0]
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
    made = _fold(g) or quantised.dequantize(g, input)
    return _stand_for(g, input, made, input.type.quantization)
