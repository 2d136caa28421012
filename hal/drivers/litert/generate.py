"""Tensors made from numbers and sizes."""

from __future__ import annotations

from nnir.dim import Expr
from nnir.errors import NoLowering
from nnir.ops import generate
from nnir.types import Precision

from ...lowering import Lowerings
from .emitter import Emitter, Plain, Ref, Taken, result_shape
from .shape import Sizes

table = Lowerings[Ref]()


@table.lower(generate.fill)
def fill(g: Emitter, shape: Sizes, value: Taken) -> Ref:
    return spread(g, value, g.reshape(shape, (len(result_shape(g)),)))


@table.lower(generate.fill_like)
def fill_like(g: Emitter, input: Plain, value: Taken) -> Ref:
    if not any(isinstance(d, Expr) for d in input.shape):
        return spread(g, value, g.sizes(input.shape))
    vector = (Precision.INT32, (input.rank,))
    return spread(g, value, g.one("SHAPE", [input], *vector, out_type=2))


def spread(g: Emitter, value: Ref, sizes: Ref) -> Ref:
    """A number everywhere."""
    single = g.reshape(value, ())
    if not result_shape(g):
        return single
    return g.one("FILL", [sizes, single], single.tensor.precision).seen_as(value.precision)


@table.lower(generate.range_)
def range_(g: Emitter, start: Taken, end: Taken, step: Taken) -> Ref:
    """A step away from the end is an error of the kernel."""
    kind = start.precision
    if kind.is_float or kind == Precision.UINT64:
        raise NoLowering(f"litert has ranges of integers up to INT64, not of {kind.name}")
    is_narrow = kind.dtype.itemsize <= 4 and kind.dtype.kind == "i"
    wide = Precision.INT32 if is_narrow else Precision.INT64
    first, last, by = (g.reshape(v, ()).cast(wide) for v in (start, end, step))
    highest, lowest = (g.elementwise(name, first, last) for name in ("MAXIMUM", "MINIMUM"))
    bounds = [first, g.where(by > 0, highest, lowest), by]
    return g.one("RANGE", bounds, wide).cast(kind)
