"""16-bit floats as PyTorch's kernels treat them: computed in float32 and rounded once."""

from __future__ import annotations

from collections.abc import Callable

from nnir.model import Value
from nnir.types import Precision

from .promotion import HALVES


def once_rounded(body: Callable[..., Value], *operands: Value) -> Value:
    """`body(*operands)`, whose 16-bit floats are float32 until the end."""
    precision = operands[0].precision
    if precision not in HALVES:
        return body(*operands)
    return body(*map(widened, operands)).cast(precision)


def widened(x: Value) -> Value:
    """A tensor of 16-bit floats as float32; others as they are."""
    return x.cast(Precision.FLOAT32) if x.precision in HALVES else x
