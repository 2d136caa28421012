"""ATen's embedding_bag: sums, means or maxima over runs of rows."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from nnir import build
from nnir.dim import Expr
from nnir.errors import NotConstant, Unsupported
from nnir.model import Value
from nnir.ops import binary, compare, generate, index, reduce, shape, unary
from nnir.types import Precision

from ...table import Table, Withheld
from .distance import vector_norm

table = Table()
Bags: TypeAlias = tuple[Value, Withheld, Withheld, Withheld]
GRADIENT = Withheld("what embedding_bag gives beside the bags, for the gradient")
SUM, MEAN, MAX = 0, 1, 2


@table.convert("aten.embedding_renorm.default")
def embedding_renorm(self: Value, indices: Value, max_norm: float, norm_type: float) -> Value:
    """The rows that are looked up become shorter where they are longer than `max_norm`."""
    flat = shape.reshape(indices, [-1])
    rows = index.gather(self, flat, axis=0)
    norms = vector_norm(rows, norm_type, (1,), True)
    most, little = (self.model.constant(n, self.dtype) for n in (max_norm, 1e-7))
    shorter = rows * (most / (norms + little))
    kept = compare.where(norms > most, shorter, rows)
    return index.scatter_nd(self, shape.unsqueeze(flat, [1]), kept)


@table.convert("aten.embedding_bag.padding_idx")
def embedding_bag_padding(
    weight: Value,
    indices: Value,
    offsets: Value,
    scale_grad_by_freq: bool,
    mode: int,
    sparse: bool,
    per_sample_weights: Value | None,
    include_last_offset: bool,
    padding_idx: int | None,
) -> Bags:
    rows = weight.shape[0]
    skipped = padding_idx
    if padding_idx is not None and padding_idx < 0:
        if isinstance(rows, Expr):
            raise NotConstant(f"embedding_bag with padding_idx={padding_idx} of {weight.type}")
        skipped = padding_idx + rows
    return bags(weight, indices, offsets, mode, per_sample_weights, include_last_offset, skipped)


@table.convert("aten.embedding_bag.default")
def embedding_bag(
    weight: Value,
    indices: Value,
    offsets: Value,
    scale_grad_by_freq: bool = False,
    mode: int = 0,
    sparse: bool = False,
    per_sample_weights: Value | None = None,
    include_last_offset: bool = False,
) -> Bags:
    return bags(weight, indices, offsets, mode, per_sample_weights, include_last_offset, None)


@table.convert("aten._embedding_bag.default", "aten._embedding_bag_forward_only.default")
def embedding_bag_inner(
    weight: Value,
    indices: Value,
    offsets: Value,
    scale_grad_by_freq: bool = False,
    mode: int = 0,
    sparse: bool = False,
    per_sample_weights: Value | None = None,
    include_last_offset: bool = False,
    padding_idx: int = -1,
) -> Bags:
    skipped = padding_idx if padding_idx >= 0 else None
    return bags(weight, indices, offsets, mode, per_sample_weights, include_last_offset, skipped)


def bags(
    weight: Value,
    indices: Value,
    offsets: Value,
    mode: int,
    scales: Value | None,
    include_last_offset: bool,
    skipped: int | None,
) -> Bags:
    """The bags, and three results that only the gradient needs, which may not be read."""
    if mode not in (SUM, MEAN, MAX):
        raise Unsupported(f"embedding_bag with mode={mode!r}")
    starts = index.slice_(offsets, [0], [0], [-1]) if include_last_offset else offsets
    rows = index.gather(weight, indices, axis=0)
    if scales is not None:
        rows = rows * shape.unsqueeze(scales, [1])
    kept = None
    if skipped is not None:
        kept = compare.not_equal(indices, skipped)
    found = _equal_bags(rows, starts, mode) if kept is None else None
    if found is None:
        found = _any_bags(rows, starts, mode, kept)
    return found, GRADIENT, GRADIENT, GRADIENT


def _equal_bags(rows: Value, starts: Value, mode: int) -> Value | None:
    """Bags of one known length are an axis of their own."""
    known, total = starts.known, rows.shape[0]
    if known is None or isinstance(total, Expr) or not known.size or total % known.size:
        return None
    length = total // known.size
    if not length or not np.array_equal(known, np.arange(known.size) * length):
        return None
    cut = build.reshape(rows, [known.size, length, build.size_of(rows, 1)])
    operator = {SUM: reduce.reduce_sum, MEAN: reduce.reduce_mean, MAX: reduce.reduce_max}[mode]
    return operator(cut, [1], keepdim=False)


def _any_bags(rows: Value, starts: Value, mode: int, kept: Value | None) -> Value:
    """Add every row to its bag: the last one that begins at it or before."""
    model = rows.model
    size = build.vector(model, [build.size_of(rows, 0)])
    steps = generate.range_([0], size, [1]).cast(starts.precision)
    begun = starts <= shape.unsqueeze(steps, [1])
    counted = reduce.reduce_sum(unary.cast(begun, dtype=Precision.INT64), [1], keepdim=True)
    bag = counted - 1
    many, width = build.size_of(starts, 0), build.size_of(rows, 1)
    zero = model.constant(0, rows.dtype)
    first, reduction = zero, "add"
    if mode == MAX:
        first, reduction = model.constant(-np.inf, rows.dtype), "max"
    if kept is not None:
        rows = compare.where(shape.unsqueeze(kept, [1]), rows, first)
    empty = generate.fill(build.vector(model, [many, width]), first)
    total = index.scatter_nd(empty, bag, rows, reduction=reduction)
    if mode == SUM:
        return total
    one = generate.fill(size, model.constant(1, rows.dtype))
    if kept is not None:
        one = unary.cast(kept, dtype=rows.precision)
    none = generate.fill(build.vector(model, [many]), zero)
    count = shape.unsqueeze(index.scatter_nd(none, bag, one, reduction="add"), [1])
    if mode == MAX:
        return compare.where(compare.equal(count, zero), zero, total)
    return total / binary.max_(count, 1)
