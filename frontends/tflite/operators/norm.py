"""TFLite's normalisations."""

from __future__ import annotations

from nnir.model import Value
from nnir.ops import binary, reduce, unary
from nnir.recipes.norm import normalize_across_channels

from ...table import Table
from .fused import activate

table = Table()
LEAST = 1e-6


@table.convert("L2_NORMALIZATION")
def l2_normalization(input: Value, *, fused_activation_function: str) -> Value:
    """Over the last axis; a norm below 1e-6 counts as 1e-6."""
    total = reduce.reduce_sum(unary.square(input), [-1], keepdim=True)
    length = binary.max_(unary.sqrt(total), LEAST)
    return activate(input / length, fused_activation_function)


@table.convert("LOCAL_RESPONSE_NORMALIZATION")
def local_response_normalization(
    input: Value, *, radius: int, bias: float, alpha: float, beta: float
) -> Value:
    return normalize_across_channels(input, depth_radius=radius, bias=bias, alpha=alpha, beta=beta)
