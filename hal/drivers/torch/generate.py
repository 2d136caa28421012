"""Tensors made from numbers and sizes."""

from __future__ import annotations

from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import generate
from nnir.types import Precision

from ...lowering import Lowerings
from . import borders, folds
from .dtypes import PLAIN
from .emitter import Emitter, Result

table = Lowerings[Result]()
LARGEST = 1 << 16


@table.lower(generate.fill)
def fill(g: Emitter, shape: Value, value: Value) -> Result:
    return g.raw(value).reshape([]).expand(g.sizes(shape))


@table.lower(generate.fill_like)
def fill_like(g: Emitter, input: Value, value: Value) -> Result:
    return g.raw(value).reshape([]).expand(g.shape(input))


@table.lower(generate.range_)
def range_(g: Emitter, start: Value, end: Value, step: Value) -> Result:
    bounds = (start, end, step)
    kind = start.precision
    known = [v.known for v in bounds]
    if all(k is not None for k in known):
        made = generate.range_.reference(*known)
        if made.size <= LARGEST:
            return g.constant(made)
    if start.is_integer:
        if kind == Precision.UINT64:
            raise NoLowering("torch counts no UINT64")
        first, last, by = (g.sizes(v)[0] for v in bounds)
        made = g.call(folds.count_up, first, last, by)
        return made.to(PLAIN[kind])
    wide = [g.of(v).reshape([]) for v in bounds]
    return g.back(g.call(borders.float_range, *wide), kind)
