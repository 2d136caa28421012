"""NNAPI's normalisations."""

from __future__ import annotations

from nnir.model import Value
from nnir.ops import reduce, unary
from nnir.recipes.norm import normalize_across_channels

from ...table import Table

table = Table()


@table.convert("L2_NORMALIZATION")
def l2_normalization(input: Value) -> Value:
    """Over the last axis; zeros alone give NaN."""
    return input / unary.sqrt(reduce.reduce_sum(unary.square(input), [-1], keepdim=True))


@table.convert("LOCAL_RESPONSE_NORMALIZATION")
def local_response_normalization(
    input: Value, *, radius: int, bias: float, alpha: float, beta: float
) -> Value:
    return normalize_across_channels(input, depth_radius=radius, bias=bias, alpha=alpha, beta=beta)
