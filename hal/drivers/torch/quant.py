"""Quantisation by the types of operands; that of ONNX is decomposed."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from nnir.broadcast import axis_of
from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import quant
from nnir.types import Precision

from ...lowering import Lowerings
from .dtypes import dtype_of
from .emitter import Emitter, Result

table = Lowerings[Result]()


def _along(g: Emitter, values: Any, dtype: Any, axis: int, rank: int) -> Result:
    """One value, or one for each entry of an axis, shaped to broadcast."""
    array = np.asarray(values, dtype).reshape(-1)
    shape = () if array.size == 1 else (-1, *(1,) * (rank - 1 - axis))
    return g.constant(array.reshape(shape))


@table.lower(quant.quantize)
def quantize(
    g: Emitter, input: Value, scale: Value, zero_point: Value | None, *, axis: int
) -> Result:
    scales, zeros = scale.known, None if zero_point is None else zero_point.known
    if scales is None or (zero_point is not None and zeros is None):
        raise NoLowering("torch quantises with constant scales")
    kind = quant.quantize.infer((input, scale, zero_point), {"axis": axis})[0].precision
    along = axis_of(axis, input.rank) if scales.size > 1 else 0
    steps = torch.round(
        g.raw(input).to(torch.float32) / _along(g, scales, np.float32, along, input.rank)
    )
    offsets = np.zeros(1) if zeros is None else zeros
    low, high = (0, 255) if kind == Precision.QUANT_UINT8_ASYMM_PER_LAYER else (-127, 127)
    moved = steps + _along(g, offsets, np.float32, along, input.rank)
    return torch.clamp(moved, low, high).to(dtype_of(kind))


@table.lower(quant.dequantize)
def dequantize(g: Emitter, input: Value) -> Result:
    how = input.type.quantization
    if how is None:
        raise NoLowering(f"{input.type} without scales")
    along = (how.axis or 0) % max(input.rank, 1)
    zeros = _along(g, how.zero_points, np.int64, along, input.rank)
    scales = _along(g, how.scales, np.float32, along, input.rank)
    return (g.raw(input).to(torch.int64) - zeros).to(torch.float32) * scales
