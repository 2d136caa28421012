"""Which element types LiteRT's kernels take, and what to compute in instead.

`kernels.json` is made by `probe.py`.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from nnir.errors import NoLowering
from nnir.types import Precision

STORED = (
    *(Precision.BOOL8, Precision.FLOAT16, Precision.BFLOAT16, Precision.FLOAT32),
    *(Precision.FLOAT64, Precision.INT8, Precision.UINT8, Precision.INT16, Precision.UINT16),
    *(Precision.INT32, Precision.UINT32, Precision.INT64, Precision.UINT64),
    *(Precision.COMPLEX64, Precision.COMPLEX128),
)
"""Element types that tensors have."""

HALVES = frozenset({Precision.FLOAT16, Precision.BFLOAT16})
"""Kept in FLOAT32, which holds each of them, and rounded after every operation."""
WIDER = {
    Precision.BOOL8: (Precision.UINT8, Precision.INT32),
    Precision.INT8: (Precision.INT32, Precision.INT64, Precision.FLOAT32),
    Precision.UINT8: (Precision.INT32, Precision.INT64, Precision.FLOAT32),
    Precision.INT16: (Precision.INT32, Precision.INT64, Precision.FLOAT32),
    Precision.UINT16: (Precision.INT32, Precision.INT64, Precision.FLOAT32),
    Precision.UINT32: (Precision.INT64,),
}
"""Precisions that hold every value, the nearest first; results wrap back as the origin's do."""
SAME_BITS = {
    Precision.BOOL8: Precision.UINT8,
    Precision.UINT8: Precision.INT8,
    Precision.UINT16: Precision.INT16,
    Precision.UINT32: Precision.INT32,
    Precision.UINT64: Precision.INT64,
    Precision.FLOAT64: Precision.INT64,
}
"""What is moved as another type of the same width."""
WITHOUT_SCALE = frozenset({Precision.INT8, Precision.UINT8, Precision.INT16})
"""Types whose kernels of arithmetic want a scale, which plain integers have not."""
ARITHMETIC = frozenset({"ADD", "SUB", "MUL", "MAXIMUM", "MINIMUM", "SUM", "MEAN", "ABS", "NEG"}) | {
    *("EQUAL", "NOT_EQUAL", "LESS", "LESS_EQUAL", "GREATER", "GREATER_EQUAL", "REDUCE_PROD"),
    *("REDUCE_MAX", "REDUCE_MIN", "RELU", "RELU6"),
}
FUSED = "fused_activation_function"
RECTIFIERS = {"RELU": 1, "RELU6": 3}
"""Activations that kernels apply to their result, and the numbers that the field has for them."""
FUSING = frozenset({"ADD", "SUB", "MUL", "DIV", "FULLY_CONNECTED", "CONV_2D"}) | {
    *("DEPTHWISE_CONV_2D", "AVERAGE_POOL_2D", "MAX_POOL_2D"),
}
"""Kernels that may apply an activation to their result."""
VERSIONS = {"BROADCAST_TO": 2}
"""The oldest version of an operator that LiteRT knows, where that is not 1."""


@cache
def table() -> dict[str, frozenset[Precision]]:
    """The precisions by operator; one that is absent takes FLOAT32 only."""
    data = json.loads(Path(__file__).with_name("kernels.json").read_text())
    return {n: frozenset(Precision[p] for p in row) for n, row in data["kernels"].items()}


def has_kernel(name: str, precision: Precision) -> bool:
    """Whether an operator computes with elements of a precision."""
    if name in ARITHMETIC and precision in WITHOUT_SCALE:
        return False
    known = table().get(name)
    return precision == Precision.FLOAT32 if known is None else precision in known


def compute_precision(name: str, given: Precision) -> Precision:
    """The precision to run an operator in: `given`, or the nearest wider one that has a kernel.

    NoLowering when there is neither.
    """
    if has_kernel(name, given):
        return given
    for wide in WIDER.get(given, ()):
        if has_kernel(name, wide):
            return wide
    raise NoLowering(f"litert has no kernel of {name} for {given.name}")


def carrier(precision: Precision) -> Precision:
    """The precision in which elements are stored between operations."""
    return Precision.FLOAT32 if precision in HALVES else precision
