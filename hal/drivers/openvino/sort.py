"""Ordering: the largest elements, unique elements."""

from __future__ import annotations

from nnir.broadcast import axis_of, ints
from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import sort
from nnir.types import Precision

from ...lowering import Lowerings
from .emitter import Emitter, Ref, Refs
from .integers import wide, wrap
from .reduce import sortable

table = Lowerings[Ref]()


@table.lower(sort.top_k, implied=["sorted"])
def top_k(
    g: Emitter,
    input: Value,
    k: Value,
    *,
    axis: int,
    largest: bool,
    return_indices_dtype: Precision,
) -> Refs:
    """NaN is ordered like infinity, which OpenVINO has an order of."""
    place = axis_of(axis, input.rank)
    keys = sortable(g, input, highest=True)
    count, mode = g.reshape(g.int64(k), []), "max" if largest else "min"
    is_some = ints(k) is not None or 0 in input.shape
    some = count if is_some else g.pair("Maximum", count, 1)  # TopK of none is refused
    _, places = g.ranked(keys, some, place, mode, stable=True)
    if not is_some:
        cut = [g.ints(0), g.reshape(count, [1]), g.ints(1), g.ints(place)]
        places = g.node("Slice", places, *cut)
    values = g.node("GatherElements", input, places, axis=place)
    return values, places.cast(return_indices_dtype)


@table.lower(sort.unique)
def unique(g: Emitter, input: Value, *, axis: int | None, sorted: bool) -> Refs:
    if input.precision == Precision.BOOL8:
        raise NoLowering("openvino: unique of truth values")
    if 0 in input.shape:  # the kernel reads what is not there, which ends the process
        raise NoLowering(f"openvino: unique of {input.type}")
    x = g.cast(input, Precision.FLOAT32) if input.is_float else wide(g, input)
    operands = [x] if axis is None else [x, g.scalar(axis_of(axis, input.rank))]
    values, *rest = g.node(
        "Unique",
        *operands,
        outputs=4,
        sorted=sorted,
    )
    return wrap(g, values, input.precision), *rest
