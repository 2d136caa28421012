"""ONNX's conversions between element types, of which Cast, CastLike and quantisation are made."""

from __future__ import annotations

from nnir.errors import Unsupported
from nnir.model import Value
from nnir.ops import activation, compare, logic, quant, unary
from nnir.types import Precision

SATURATING = frozenset(
    {
        Precision.FLOAT8E4M3FN,
        Precision.FLOAT8E4M3FNUZ,
        Precision.FLOAT8E5M2,
        Precision.FLOAT8E5M2FNUZ,
    }
)
HOLDS_FLOAT8 = frozenset(
    {Precision.FLOAT16, Precision.BFLOAT16, Precision.FLOAT32, Precision.FLOAT64}
)
"""Types with room for the largest 8-bit float, so that values can be clipped to it."""


def cast_to(input: Value, *, to: Precision, saturate: bool = True, round_mode: str = "up") -> Value:
    """`input` with another element type; `saturate` and `round_mode` concern 8-bit floats only."""
    if round_mode not in ("up", "down", "nearest"):
        raise Unsupported(f"Cast with round_mode={round_mode!r}")
    if to == input.precision:
        return unary.assign(input)
    if to == Precision.FLOAT8E8M0FNU:
        return power_of_two(input, saturate=saturate, round_mode=round_mode)
    if to in SATURATING and saturate:
        limit = quant.largest(to)
        held = input if input.precision in HOLDS_FLOAT8 else input.cast(Precision.FLOAT32)
        bounds = [input.model.constant(b, held.dtype) for b in (-limit, limit)]
        input = activation.clip(held, *bounds)
    return unary.cast(input, dtype=to)


def power_of_two(x: Value, *, saturate: bool, round_mode: str) -> Value:
    """The exponent of each element as a FLOAT8E8M0FNU, which has neither sign nor fraction.

    ONNX defines the rounding on the bits of float32: `numpy_helper.to_float8e8m0`.
    """

    bits = unary.bit_cast(unary.cast(x, dtype=Precision.FLOAT32), dtype=Precision.UINT32)
    exponent = logic.bit_shift(bits, 23, left=False) & 0xFF
    fraction = bits & 0x7FFFFF
    half = 0x400000
    match round_mode:
        case "up":
            above = fraction > 0
        case "nearest":  # a half goes up too, but for numbers without a leading one
            tie = compare.equal(fraction, half) & (exponent > 0)
            above = (fraction > half) | tie
        case _:
            above = fraction < 0
    above = above & (exponent < (0xFE if saturate else 0xFF))
    rounded = exponent + unary.cast(above, dtype=Precision.UINT32)
    return unary.bit_cast(unary.cast(rounded, dtype=Precision.UINT8), dtype=Precision.FLOAT8E8M0FNU)
