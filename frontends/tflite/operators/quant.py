"""TFLite's quantisation."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadType
from nnir.model import Value
from nnir.ops import quant
from nnir.recipes.quant import fake_quantize
from nnir.types import Precision

from ...table import Table

table = Table()


@table.convert("QUANTIZE")
def quantize(
    input: Value,
    *,
    scale: np.ndarray,
    zero_point: np.ndarray,
    axis: int,
    dtype: Precision,
) -> Value:
    """Scale and zero point are those of the result in the file."""
    model = input.model
    zeros = model.constant(zero_point.astype(dtype.dtype)) if zero_point.any() else None
    return quant.quantize_linear(input, model.constant(scale), zeros, axis=axis, dtype=dtype)


@table.convert("DEQUANTIZE")
def dequantize(
    input: Value,
    *,
    scale: np.ndarray,
    zero_point: np.ndarray,
    axis: int,
    block_size: int,
) -> Value:
    """Scale and zero point are those of the operand in the file."""
    model = input.model
    whole = zero_point.astype(input.dtype)
    if (whole != zero_point).any():
        raise BadType(f"DEQUANTIZE of {input.type} with zero points that it does not hold")
    zeros = model.constant(whole) if zero_point.any() else None
    how = {"axis": axis, "block_size": block_size}
    return quant.dequantize_linear(input, model.constant(scale), zeros, **how)


@table.convert("FAKE_QUANT")
def fake_quant(
    input: Value,
    *,
    min: float,
    max: float,
    num_bits: int,
    narrow_range: bool,
) -> Value:
    return fake_quantize(input, np.array(min), np.array(max), num_bits, narrow_range)
