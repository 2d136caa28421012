"""What is written otherwise for kernels of CUDA."""

from __future__ import annotations

import numpy as np

from nnir.model import Value
from nnir.types import Precision

from .emitter import Emitter, Operand, Ref


def restore_infinity(g: Emitter, name: str, input: Value, axes: Operand, found: Ref) -> Ref:
    """The largest or smallest of numbers where CUDA, which begins with the lowest finite number,
    met infinity alone."""
    about = np.finfo(np.float32 if input.precision == Precision.BFLOAT16 else input.dtype)
    bound, beyond = (about.min, -np.inf) if name == "ReduceMax" else (about.max, np.inf)
    keepdims = g.operation.attributes["keepdim"]
    is_bound = g.node("Equal", input, g.number(float(bound), input)).cast(Precision.INT32)
    is_there = g.node("ReduceMax", is_bound, axes, keepdims=keepdims).cast(Precision.BOOL8)
    is_missed = g.node("Equal", found, g.number(float(bound), found)) & ~is_there
    return g.node("Where", is_missed, g.number(beyond, found), found)


def shift_by_largest(g: Emitter, input: Value, axis: int) -> Ref:
    """Numbers without the largest of them, which CUDA's LogSoftmax adds to a logarithm that is
    rounded by it."""
    return g.node("Sub", input, g.node("ReduceMax", input, g.ints(axis), keepdims=1))
