"""Ordering: the largest elements, unique elements."""

from __future__ import annotations

import torch

from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import sort
from nnir.types import Precision

from ...lowering import Lowerings
from .dtypes import PLAIN
from .emitter import Emitter, Result, Results
from .uniques import unique_elements, unique_slices

table = Lowerings[Result]()


@table.lower(sort.top_k, implied=["sorted"])
def top_k(
    g: Emitter,
    input: Value,
    k: Value,
    *,
    axis: int,
    largest: bool,
    return_indices_dtype: Precision,
) -> Results:
    """A stable sort: of equal elements the first comes first, which topk does not promise."""
    x, count = g.ordered(input), g.sizes(k)[0]
    both = g.call(torch.sort, x, dim=axis, descending=largest, stable=True)
    values, places = (both[n].narrow(axis, 0, count) for n in range(2))
    return g.disordered(values, input.precision), places.to(PLAIN[return_indices_dtype])


@table.lower(sort.unique)
def unique(g: Emitter, input: Value, *, axis: int | None, sorted: bool) -> Results:
    if input.dtype.kind == "c":
        raise NoLowering(f"torch does not order {input.type}")
    x = g.ordered(input)
    if axis is None:
        made = g.call(unique_elements, x.reshape(-1), sorted)
    else:
        made = g.call(unique_slices, x, axis, sorted)
    return g.disordered(made[0], input.precision), made[1], made[2], made[3]
