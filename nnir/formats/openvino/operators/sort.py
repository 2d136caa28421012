"""Ordering."""

from __future__ import annotations

from ....errors import NoLowering
from ..elements import TYPES, Type
from ..graph import End, Output
from ..operands import Count, Place
from ..schema import Table
from ..shapes import OPEN, Dimension, PartialShape, span
from .shape import axes_in, axis_of

table = Table()
I32, I64 = TYPES["i32"], TYPES["i64"]


@table.kind("TopK", since=11)
def top_k(
    data: Output,
    k: Count,
    *,
    axis: int,
    mode: str,
    sort: str,
    index_element_type: Type = I32,
    stable: bool = False,
) -> list[End]:
    place = axis_of(axis, len(data.shape), "TopK")
    known = k.sizes()
    size = data.shape[place].up_to()
    if known is not None:
        asked = known[0] if isinstance(known[0], Dimension) else Dimension(known[0])
        size = asked if asked.is_static else span(asked.low, min(asked.high, size.high))
    shape = PartialShape(size if n == place else d for n, d in enumerate(data.shape))
    return [(data.type, shape), (index_element_type, shape)]


@table.kind("Unique", since=10)
def unique(
    data: Output,
    axis: Place | None = None,
    *,
    sorted: bool = True,
    index_element_type: Type = I64,
    count_element_type: Type = I64,
) -> list[End]:
    whole, shape = data.shape.count(), list(data.shape)
    first = PartialShape([_some(whole)])
    if axis is None:
        shape = list(first)
    else:
        places = axes_in(axis, len(shape), "Unique")
        if places is None:
            raise NoLowering("openvino: Unique along an axis that is only known while running")
        whole = shape[places[0]]
        shape[places[0]] = _some(whole)
    inverse = PartialShape([whole])
    index, count = index_element_type, count_element_type
    return [(data.type, PartialShape(shape)), (index, first), (index, inverse), (count, first)]


def _some(whole: Dimension) -> Dimension:
    """At least one of so many, where there is one."""
    return span(min(whole.low, 1), whole.high) if whole.high else OPEN
