"""Quantisation as TensorFlow trains with it, and from and to integers."""

from __future__ import annotations

import numpy as np

from nnir.broadcast import axis_of
from nnir.errors import BadType, Unsupported
from nnir.model import Value
from nnir.ops import binary, compare, reduce, shape, unary
from nnir.recipes.quant import fake_quantize
from nnir.types import Precision

from ...table import Table
from . import integers

table = Table.merge([integers.table])
F32 = Precision.FLOAT32


@table.convert("FakeQuantWithMinMaxArgs")
def fake_quant_with_min_max_args(
    inputs: Value,
    *,
    min: float = -6.0,
    max: float = 6.0,
    num_bits: int = 8,
    narrow_range: bool = False,
) -> Value:
    return fake_quantize(inputs, np.array(min), np.array(max), num_bits, narrow_range)


@table.convert("FakeQuantWithMinMaxVars")
def fake_quant_with_min_max_vars(
    inputs: Value,
    min: float,
    max: float,
    *,
    num_bits: int = 8,
    narrow_range: bool = False,
) -> Value:
    return fake_quantize(inputs, np.array(min), np.array(max), num_bits, narrow_range)


@table.convert("FakeQuantWithMinMaxVarsPerChannel")
def fake_quant_with_min_max_vars_per_channel(
    inputs: Value,
    min: np.ndarray,
    max: np.ndarray,
    *,
    num_bits: int = 8,
    narrow_range: bool = False,
) -> Value:
    """One pair of bounds for each entry of the last axis."""
    low, high = np.reshape(min, -1), np.reshape(max, -1)
    return fake_quantize(inputs, low, high, num_bits, narrow_range)


def there_and_back(
    x: Value,
    low: Value,
    high: Value,
    num_bits: int,
    axis: int,
    *,
    signed_input: bool,
    range_given: bool,
    round_mode: str,
    narrow_range: bool,
) -> Value:
    """To integers of `num_bits` and back, with the scale that the wider side asks for."""
    if round_mode not in ("HALF_TO_EVEN", "HALF_UP"):
        raise Unsupported(f"QuantizeAndDequantize with round_mode={round_mode!r}")
    if not 1 <= num_bits <= 62:
        raise BadType(f"quantisation to num_bits={num_bits}")
    if num_bits == 1 and signed_input and narrow_range:
        raise BadType("quantisation to one bit with a sign, in a narrow range: there is no step")
    along = None if axis == -1 else axis_of(axis, x.rank)
    if not range_given:
        axes = [k for k in range(x.rank) if k != along]
        low = reduce.reduce_min(x, axes, keepdim=False) if axes or not x.rank else x
        high = reduce.reduce_max(x, axes, keepdim=False) if axes or not x.rank else x
    if along is not None and x.rank - along > 1:
        low, high = (shape.unsqueeze(v, list(range(1, x.rank - along))) for v in (low, high))
    half = 1 << (num_bits - 1)
    least = (narrow_range - half) if signed_input else 0
    most = half - 1 if signed_input else (1 << num_bits) - 1
    zero, huge = x.scalar(0), x.scalar(float(np.finfo(np.float32).max))
    below, above = x.scalar(least), x.scalar(most)
    scales = []
    for bound, end in ((below, low), (above, high)):
        good = bound * end > zero
        safe = compare.where(good, end, x.scalar(1))
        scales.append(compare.where(good, bound / safe, huge))
    lower = scales[0] < scales[1]
    scale = compare.where(lower, scales[0], scales[1])
    inverse = compare.where(lower, low / below if least else zero, high / above)
    inner = x
    if range_given:
        top = compare.where(lower, above * inverse, high)
        bottom = compare.where(lower, low, below * inverse)
        inner = binary.min_(binary.max_(x, bottom), top)
    steps = inner * scale
    if round_mode == "HALF_TO_EVEN":
        whole = unary.round_(steps)
    else:
        whole = unary.floor(steps + x.scalar(0.5))
    return whole * inverse


@table.convert("QuantizeAndDequantizeV2", "QuantizeAndDequantizeV4")
def quantize_and_dequantize(
    input: Value,
    input_min: Value,
    input_max: Value,
    *,
    signed_input: bool = True,
    num_bits: int = 8,
    range_given: bool = False,
    round_mode: str = "HALF_TO_EVEN",
    narrow_range: bool = False,
    axis: int = -1,
) -> Value:
    return there_and_back(
        input,
        input_min,
        input_max,
        num_bits,
        axis,
        signed_input=signed_input,
        range_given=range_given,
        round_mode=round_mode,
        narrow_range=narrow_range,
    )


@table.convert("QuantizeAndDequantizeV3")
def quantize_and_dequantize_v3(
    input: Value,
    input_min: Value,
    input_max: Value,
    num_bits: int,
    *,
    signed_input: bool = True,
    range_given: bool = True,
    narrow_range: bool = False,
    axis: int = -1,
) -> Value:
    return there_and_back(
        input,
        input_min,
        input_max,
        num_bits,
        axis,
        signed_input=signed_input,
        range_given=range_given,
        round_mode="HALF_TO_EVEN",
        narrow_range=narrow_range,
    )
