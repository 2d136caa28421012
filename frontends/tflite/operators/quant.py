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
    scale: np.ndarray | None = None,
    zero_point: np.ndarray | None = None,
    axis: int = 0,
    dtype: Precision = Precision.INT8,
) -> Value:
    """Scale and zero point are those of the result in the file."""
    if scale is None or zero_point is None:
        raise BadType("QUANTIZE to a tensor without a scale")
    model = input.model
    zeros = model.constant(zero_point.astype(dtype.dtype)) if zero_point.any() else None
    return quant.quantize_linear(input, model.constant(scale), zeros, axis=axis, dtype=dtype)


@table.convert("DEQUANTIZE")
def dequantize(
    input: Value,
    *,
    scale: np.ndarray | None = None,
    zero_point: np.ndarray | None = None,
    axis: int = 0,
) -> Value:
    """Scale and zero point are those of the operand in the file; float16 has none."""
    if scale is None or zero_point is None:
        return input.cast(Precision.FLOAT32)
    model = input.model
    zeros = model.constant(zero_point.astype(input.dtype)) if zero_point.any() else None
    return quant.dequantize_linear(input, model.constant(scale), zeros, axis=axis)


@table.convert("FAKE_QUANT")
def fake_quant(
    input: Value,
    *,
    min: float = 0.0,
    max: float = 0.0,
    num_bits: int = 0,
    narrow_range: bool = False,
) -> Value:
    return fake_quantize(input, np.array(min), np.array(max), num_bits, narrow_range)
