"""Tensors made from numbers and sizes."""

from __future__ import annotations

from nnir.ops import generate
from nnir.types import Precision

from ...lowering import Lowerings
from .emitter import Emitter, Plain, Ref, Single, result_shape
from .shape import Sizes

table = Lowerings[Ref]()


@table.lower(generate.fill)
def fill(g: Emitter, shape: Sizes, value: Single) -> Ref:
    return spread(g, value, g.reshape(shape, (len(result_shape(g)),)))


@table.lower(generate.fill_like)
def fill_like(g: Emitter, input: Plain, value: Single) -> Ref:
    return spread(g, value, g.sizes_of(input))


def spread(g: Emitter, value: Ref, sizes: Ref) -> Ref:
    """A number everywhere."""
    if not result_shape(g):
        return value
    return g.one("FILL", [sizes, value], value.tensor.precision).seen_as(value.precision)


@table.lower(generate.range_)
def range_(g: Emitter, start: Single, end: Single, step: Single) -> Ref:
    """A step away from the end is an error of the kernel."""
    kind = start.precision
    is_held = not kind.is_float and kind != Precision.UINT64
    g.need(is_held, f"has ranges of integers up to INT64, not of {kind.name}")
    is_narrow = kind.dtype.itemsize <= 4 and kind.dtype.kind == "i"
    wide = Precision.INT32 if is_narrow else Precision.INT64
    first, last, by = (v.cast(wide) for v in (start, end, step))
    highest, lowest = (g.elementwise(name, first, last) for name in ("MAXIMUM", "MINIMUM"))
    bounds = [first, g.where(by > 0, highest, lowest), by]
    return g.one("RANGE", bounds, wide).cast(kind)
