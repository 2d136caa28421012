"""Quantisation by the types of operands, and known integers of 4 bits; other quantisation that ONNX
has is decomposed."""

from __future__ import annotations

import math

import numpy as np
import torch

from nnir.broadcast import axis_of
from nnir.errors import NoLowering
from nnir.formats.bits import pack
from nnir.model import Value
from nnir.ops import quant
from nnir.types import Precision, precision_of

from ... import quantised
from ...lowering import Lowerings
from .emitter import Emitter, Result

table = Lowerings[Result]()
FOUR_BITS = frozenset({Precision.INT4, Precision.UINT4})


@table.lower(quant.quantize, implied=["scale", "zero_point", "axis"])
def quantize(g: Emitter, input: Value) -> Result:
    return quantised.quantize(g, input)


@table.lower(quant.dequantize)
def dequantize(g: Emitter, input: Value) -> Result:
    return quantised.dequantize(g, input)


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
) -> Result:
    whole, scales = input.constant, scale.constant
    zeros = None if zero_point is None else zero_point.constant
    is_known = whole is not None and scales is not None and (zeros is None) == (zero_point is None)
    if whole is None or scales is None or not is_known or input.precision not in FOUR_BITS:
        raise NoLowering(f"torch packs known integers of 4 bits, not {input.type}")
    if not (whole.size and scale.precision == dtype == Precision.FLOAT32):
        raise NoLowering(f"torch unpacks no {input.type} by {scale.type} to {dtype.name}")
    real = _unpack(g, whole).to(torch.float32)
    if zeros is not None and zeros.astype(np.int32).any():
        near = g.constant(zeros.astype(np.int8)).to(torch.float32)
        real = real - _spread(near, whole.shape, zeros.shape, axis, block_size)
    return real * _spread(g.constant(scales), whole.shape, scales.shape, axis, block_size)


def _unpack(g: Emitter, whole: np.ndarray) -> Result:
    """Integers of 4 bits as INT8, from a buffer that has two in each byte."""
    stored = g.constant(pack(whole))
    halves = [torch.bitwise_and(stored, 15), torch.bitwise_right_shift(stored, 4)]
    codes = torch.stack(halves, 1).reshape(-1)[: whole.size].to(torch.int8)
    if precision_of(whole.dtype) == Precision.INT4:
        codes = torch.bitwise_xor(codes, 8) - 8
    return codes.reshape(list(whole.shape))


def _spread(
    each: Result, shape: tuple[int, ...], sizes: tuple[int, ...], axis: int, block_size: int
) -> Result:
    """One for all, one for each entry of an axis, or one for each block of it."""
    if len(sizes) < 2 and math.prod(sizes) == 1:
        return each.reshape([])
    along = axis_of(axis, len(shape))
    if not block_size:
        return each.reshape([-1, *[1] * (len(shape) - 1 - along)])
    return torch.repeat_interleave(each, block_size, along).narrow(along, 0, shape[along])
