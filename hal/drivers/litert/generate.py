"""Tensors made from numbers and sizes."""

from __future__ import annotations

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
    return spread(g, value, int32(g, g.reshape(shape, (len(result_shape(g)),))))


@table.lower(generate.fill_like)
def fill_like(g: Emitter, input: Value, value: Value) -> Ref:
    if input.is_static:
        return spread(g, value, g.sizes(input.shape))
    vector = (Precision.INT32, (input.rank,))
    return spread(g, value, g.one("SHAPE", [g.plain(input)], *vector, out_type=2))


def spread(g: Emitter, value: Value, sizes: Ref) -> Ref:
    """A number everywhere."""
    single = g.reshape(value, ())
    if not result_shape(g):
        return single
    return g.one("FILL", [sizes, single], single.tensor.precision).seen_as(value.precision)


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
    return g.one("RANGE", bounds, wide).cast(start.precision)
