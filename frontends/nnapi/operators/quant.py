"""From integers to real numbers and back; NNAPI 1.0 quantises inside of its operations."""

from __future__ import annotations

import numpy as np

from nnir.model import Value
from nnir.ops import quant
from nnir.types import Precision

from ...table import Table

table = Table()


@table.convert("DEQUANTIZE")
def dequantize(input: Value, *, scale: float, zero_point: int) -> Value:
    """Of integers of 8 bits, or of the 32 bits of a bias."""
    model = input.model
    zeros = model.constant(zero_point, input.dtype) if zero_point else None
    return quant.dequantize_linear(input, model.constant(np.float32(scale)), zeros)


@table.convert("QUANTIZE")
def quantize(input: Value, *, scale: float, zero_point: int) -> Value:
    """What an operation of integers does with its result."""
    model = input.model
    zeros = model.constant(zero_point, np.uint8)
    step = model.constant(np.float32(scale))
    return quant.quantize_linear(input, step, zeros, dtype=Precision.UINT8)
