"""Tensors of one number."""

from __future__ import annotations

from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import generate

from ...lowering import Lowerings
from .emitter import Emitter, Ref, result_shape

table = Lowerings[Ref]()


@table.lower(generate.fill, implied=["shape"])
def fill(g: Emitter, value: Value) -> Ref:
    return spread(g, value)


@table.lower(generate.fill_like, implied=["input"])
def fill_like(g: Emitter, value: Value) -> Ref:
    return spread(g, value)


def spread(g: Emitter, value: Value) -> Ref:
    """A number everywhere."""
    target = result_shape(g)
    if not target:
        raise NoLowering("nnrt fills one axis at least")
    return g.one("FILL", [g.reshape(value, ()), g.ints(*target)], target)
