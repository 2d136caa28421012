"""Tensors made from numbers and sizes."""

from __future__ import annotations

from typing import Any

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
    """A step away from the end is an error of the kernel."""
    if start.is_float or start.precision == Precision.UINT64:
        raise NoLowering(f"litert has ranges of integers up to INT64, not of {start.type}")
    is_narrow = start.dtype.itemsize <= 4 and start.dtype.kind == "i"
    wide = Precision.INT32 if is_narrow else Precision.INT64
    first, last, by = (g.reshape(v, ()).cast(wide) for v in (start, end, step))
    highest, lowest = (g.elementwise(name, first, last) for name in ("MAXIMUM", "MINIMUM"))
    bounds = [first, g.where(by > 0, highest, lowest), by]
    return g.one("RANGE", bounds, wide, result_shape(g)).cast(start.precision)
