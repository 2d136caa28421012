"""Tensors made from numbers and sizes."""

from __future__ import annotations

from nnir.ops import generate

from ...lowering import Lowerings
from .emitter import Emitter, Plain, Ref, Single, result_shape
from .kernels import compute_precision
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
    g.need(not kind.is_float, f"has ranges of integers, not of {kind.name}")
    wide = compute_precision("RANGE", kind)
    first, last, by = (v.cast(wide) for v in (start, end, step))
    highest, lowest = (g.elementwise(name, first, last) for name in ("MAXIMUM", "MINIMUM"))
    bounds = [first, g.where(by > 0, highest, lowest), by]
    return g.one("RANGE", bounds, wide).cast(kind)
