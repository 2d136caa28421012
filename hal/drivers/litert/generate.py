"""Tensors made from numbers and sizes."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.dim import Expr
from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import generate
from nnir.types import Precision

from ...lowering import Lowerings
from .emitter import Emitter, Ref, result_shape
from .shape import int32

table = Lowerings[Ref]()


@table.lower(generate.fill)
def fill(g: Emitter, shape: Value, value: Value) -> Ref:
    target = result_shape(g)
    return _fill(g, value, target, int32(g, g.reshape(shape, (len(target),))))


def _fill(g: Emitter, value: Value, target: tuple[Any, ...], sizes: Ref) -> Ref:
    single = g.reshape(value, ())
    if not target:
        return single
    kind = single.tensor.precision
    return g.one("FILL", [sizes, single], kind, target).seen_as(value.precision)


@table.lower(generate.fill_like)
def fill_like(g: Emitter, input: Value, value: Value) -> Ref:
    ref = g.plain(input)
    rank = input.rank
    if not rank or input.is_static:
        return _fill(g, value, input.shape, g.sizes(input.shape))
    sizes = g.one("SHAPE", [ref], Precision.INT32, (rank,), out_type=2)
    return _fill(g, value, input.shape, sizes)


@table.lower(generate.range_)
def range_(g: Emitter, start: Value, end: Value, step: Value) -> Ref:
    """Floats are start + i * step of a known count; the kernel adds up the rounding errors."""
    target = result_shape(g)
    first, last, by = (g.reshape(v, ()) for v in (start, end, step))
    if start.is_float:
        if isinstance(target[0], Expr) or first.tensor.precision != Precision.FLOAT32:
            raise NoLowering("litert has ranges of integers and of a known number of floats only")
        line = g.constant(np.arange(target[0], dtype=np.float32))
        return line * by + first
    if start.precision == Precision.UINT64:
        raise NoLowering("litert has no ranges of UINT64")
    wide = (
        Precision.INT64 if start.dtype.itemsize > 4 or start.dtype.kind == "u" else Precision.INT32
    )
    first, last, by = (v.cast(wide) for v in (first, last, by))
    rises = by > 0
    highest = g.elementwise("MAXIMUM", first, last)  # a step away from the end is an error else
    last = g.where(rises, highest, g.elementwise("MINIMUM", first, last))
    bounds = [first, last, by]
    return g.one("RANGE", bounds, wide, target).cast(start.precision)
