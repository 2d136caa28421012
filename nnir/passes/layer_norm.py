"""Numbers less their mean, over the root of their variance, as one operation."""

from __future__ import annotations

from ..model import Value
from ..ops import binary, norm, reduce, unary
from .matching import Number, Variable, node, rule
from .rewrite import number
from .rms import PRECISIONS, first_of_last

x = Variable("x", where=lambda value: value.precision in PRECISIONS)
KEPT = {"keepdim": True}
CENTRED = node(
    binary.sub, x, node(reduce.reduce_mean, x, Variable("axes"), attributes=KEPT), name="centred"
)
SQUARE = node(unary.square, CENTRED) | node(binary.pow_, CENTRED, Number(2, 0)) | CENTRED * CENTRED
POWER = node(reduce.reduce_mean, SQUARE, Variable("places"), attributes=KEPT) + Variable(
    "epsilon", where=lambda value: number(value) is not None
)
ROOT = node(unary.sqrt, POWER)
INVERSE = (
    node(unary.rsqrt, POWER) | node(unary.reciprocal, ROOT) | node(binary.div, Number(1), ROOT)
)
gain, shift = Variable("gain"), Variable("shift")


def _is_one(x: Value, axes: Value, places: Value, gain: Value, shift: Value) -> bool:
    """Whether mean and variance are those of the last axes, which gain and shift have."""
    first = first_of_last(x, axes)
    if first is None or first != first_of_last(x, places):
        return False
    sizes = x.shape[first:]
    return all(v.shape == sizes and v.precision == x.precision for v in (gain, shift))


@rule(
    CENTRED / ROOT * gain + shift
    | CENTRED * INVERSE * gain + shift
    | CENTRED * (INVERSE * gain) + shift,
    where=_is_one,
)
def fuse_layer_norm(x: Value, axes: Value, gain: Value, shift: Value, epsilon: Value) -> Value:
    """Write (x - mean(x)) / sqrt(variance(x) + epsilon) * gain + shift as LAYER_NORMALIZATION."""
    first = first_of_last(x, axes) or 0
    least = number(epsilon) or 0.0
    return norm.layer_normalization(x, gain, shift, begin_norm_axis=first - x.rank, epsilon=least)
