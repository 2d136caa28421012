"""Ordering: the largest elements, unique elements."""

from __future__ import annotations

from nnir.broadcast import ints
from nnir.model import Value
from nnir.ops import sort

from ...operands import Axis
from .emitter import Emitter, Refs
from .forms import Table, single
from .integers import wrap
from .orders import sortable, tell

table = Table()


@table.lower(sort.top_k, implied=["sorted", "return_indices_dtype"])
def top_k(g: Emitter, input: Value, k: Value, *, axis: Axis, largest: bool) -> Refs:
    """NaN is ordered like infinity, which OpenVINO has an order of."""
    keys, count = sortable(g, input, highest=True), g.reshape(g.int64(k), [])
    is_some = ints(k) is not None or 0 in input.shape
    some = count if is_some else g.pair("Maximum", count, 1)  # TopK of none is refused
    _, places = g.ranked(keys, some, axis, "max" if largest else "min", stable=True)
    if not is_some:
        places = g.first(places, g.reshape(count, [1]), axis)
    return g.node("GatherElements", input, places, axis=axis), places


@table.lower(sort.unique)
def unique(g: Emitter, input: Value, *, axis: Axis | None, sorted: bool) -> Refs:
    # the kernel reads what is not there, which ends the process
    g.need(0 not in input.shape, f"has no UNIQUE of {input.type}")
    x = single(g, input) if input.is_float else tell(g, input)
    along = [] if axis is None else [g.scalar(axis)]
    values, *rest = g.node("Unique", x, *along, outputs=4, sorted=sorted)
    return wrap(g, values, input.precision), *rest
