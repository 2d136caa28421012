"""Quantisation, by arithmetic on floats that rounds as the standard does.

The emitter notes which integers stand for which numbers: see `integers.py`.
"""

from __future__ import annotations

from dataclasses import replace

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
NARROW = frozenset({Precision.INT8, Precision.UINT8, Precision.INT16, Precision.UINT16})


def _along(g: Emitter, values: Value, input: Value, axis: int, block_size: int) -> Ref:
    """Scales or zero points in FLOAT32 that broadcast to the input."""
    if block_size:
        raise NoLowering("litert has no blocks of scales")
    real = g.cast(values, Precision.FLOAT32)
    if values.rank < 2 and all(d == 1 for d in values.shape):
        return g.reshape(real, ())
    after = input.rank - 1 - axis % input.rank
    return g.reshape(real, (values.shape[0], *(1,) * after))


@table.lower(quant.quantize_linear)
def quantize_linear(
    g: Emitter,
    input: Value,
    scale: Value,
    zero_point: Value | None,
    *,
    axis: int,
    block_size: int,
    dtype: Precision,
    precision: Precision | None,
) -> Ref:
    single = scale.precision == input.precision == Precision.FLOAT32
    if not single or precision not in (None, Precision.FLOAT32) or dtype not in NARROW:
        raise NoLowering(f"litert quantises no {input.type} by {scale.type} to {dtype.name}")
    whole = g.elementwise("ROUND", input_of(g, input) / _along(g, scale, input, axis, block_size))
    if zero_point is not None and (zero_point.constant is None or zero_point.constant.any()):
        whole = whole + _along(g, zero_point, input, axis, block_size)
    low, high = map(float, quant.integer_range(dtype))
    made = clip_between(g, whole, low, high).cast(dtype)
    if not block_size:
        _note(g.quantised, made, input_of(g, input), _known_affine(scale, zero_point, axis))
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
    if described is not None and alike:
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


def input_of(g: Emitter, input: Value) -> Ref:
    return g.take(input)


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
    known = [None if v is None else v.constant for v in (input, scale, zero_point)]
    described = None if block_size else _known_affine(scale, zero_point, axis)
    if known[0] is not None and known[1] is not None and (zero_point is None) == (known[2] is None):
        fields = {"axis": axis, "block_size": block_size, "dtype": dtype}
        real = quant.dequantize_linear.reference(*known, **fields)
        return _constant(g, input, real, described if dtype == Precision.FLOAT32 else None)
    exact = input.precision in NARROW or (input.precision == Precision.INT32 and zero_point is None)
    if not exact or dtype == Precision.FLOAT64:
        raise NoLowering(f"litert turns no {input.type} into {dtype.name}")
    steps = g.cast(input, Precision.FLOAT32)
    if zero_point is not None and (zero_point.constant is None or zero_point.constant.any()):
        steps = steps - _along(g, zero_point, input, axis, block_size)
    made = steps * _along(g, scale, input, axis, block_size)
    if dtype == Precision.FLOAT32:
        _note(g.dequantised, made, g.take(input), described)
    return made


@table.lower(quant.quantize)
def quantize(g: Emitter, input: Value, scale: Value, zero_point: Value | None, *, axis: int) -> Ref:
    zeros = np.zeros(1) if zero_point is None else zero_point.constant
    if scale.constant is None or zeros is None or input.precision != Precision.FLOAT32:
        raise NoLowering(f"litert quantises FLOAT32 by known scales, not {input.type}")
    whole = g.elementwise("ROUND", input_of(g, input) / _along(g, scale, input, axis, 0))
    symmetric = not zeros.any()
    if symmetric:
        made = clip_between(g, whole, -127, 127).cast(Precision.INT8)
    else:
        whole = whole + float(zeros.reshape(-1)[0])
        made = clip_between(g, whole, 0, 255).cast(Precision.UINT8)
    _note(g.quantised, made, input_of(g, input), _known_affine(scale, zero_point, axis))
    return made


@table.lower(quant.dequantize)
def dequantize(g: Emitter, input: Value) -> Ref:
    described = input.type.quantization
    if described is None or input.dtype.itemsize > 2:
        raise NoLowering(f"litert has no dequantize of {input.type}")
    if input.constant is not None:
        real = quant.dequantize.reference(input.constant, quantization=described)
        return _constant(g, input, real, described)
    steps = g.cast(input, Precision.FLOAT32)
    after = 0 if described.axis is None else input.rank - 1 - described.axis
    shape = () if len(described.scales) == 1 else (len(described.scales), *(1,) * after)
    if any(described.zero_points):
        zeros = np.array(described.zero_points)
        single = len(described.zero_points) == 1
        steps = steps - g.constant(zeros.reshape(() if single else shape), np.float32)
    made = steps * g.constant(np.reshape(described.scales, shape), np.float32)
    _note(g.dequantised, made, g.take(input), described)
    return made
