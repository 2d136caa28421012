"""ATen pooling at places that random numbers shift."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from nnir import build
from nnir.dim import Expr
from nnir.errors import BadType, Unsupported
from nnir.model import Value
from nnir.ops import index as ops
from nnir.ops import reduce, shape, unary
from nnir.types import Precision

from ...table import Table

table = Table()


def fractional(
    self: Value, kernel: Sequence[int], output: Sequence[int], random_samples: Value
) -> tuple[Value, Value]:
    """Windows at places that the samples shift; the elements of all of them are gathered."""
    rank = len(kernel)
    spatial = self.shape[-rank:]
    if any(isinstance(d, Expr) for d in self.shape):
        raise Unsupported(f"fractional_max_pool of {self.type}, whose sizes are not known")
    lead = [d for d in self.shape[: self.rank - rank] if not isinstance(d, Expr)]
    plane = math.prod(d for d in spatial if not isinstance(d, Expr))
    flat = build.reshape(self, [*lead, plane])
    where: Value | None = None
    for axis, (size, k, out) in enumerate(zip(spatial, kernel, output, strict=True)):
        column = axis if rank == 3 else 1 - axis  # two samples are for x and y, three for z, y, x
        starts = _starts(random_samples, column, int(size), k, out, len(lead))  # type: ignore[arg-type]
        steps = self.model.constant(np.arange(k, dtype=np.int64))
        taps = shape.unsqueeze(starts, [-1]) + steps  # [..., out, k]
        lay = [1] * (2 * rank)
        lay[axis], lay[rank + axis] = out, k
        at = build.reshape(taps, [*taps.sizes[:-2], *lay])
        if where is None:
            where = at
        else:
            scale = self.model.constant(np.int64(size))  # type: ignore[arg-type]
            where = where * scale + at
    if where is None:
        raise BadType("fractional_max_pool over no axes")
    count, taps_all = math.prod(output), math.prod(kernel)
    positions = build.reshape(_full(where, lead, output, kernel), [*lead, count * taps_all])
    values = build.reshape(
        ops.gather_elements(flat, positions, axis=len(lead)), [*lead, count, taps_all]
    )
    best = reduce.arg_max(values, axis=-1, keepdim=True, dtype=Precision.INT64)
    places = build.reshape(positions, [*lead, count, taps_all])
    results = [ops.gather_elements(x, best, axis=-1) for x in (values, places)]
    target = [*lead, *output]
    return build.reshape(results[0], target), build.reshape(results[1], target)


def _full(where: Value, lead: Sequence[int], output: Sequence[int], kernel: Sequence[int]) -> Value:
    target = [*lead, *output, *kernel]
    return where if list(where.shape) == target else shape.expand(where, target)


def _starts(samples: Value, column: int, size: int, kernel: int, out: int, lead: int) -> Value:
    """[N, C, out] first elements: floor((i + u) a) - floor(u a), the last one at the end."""
    u = shape.squeeze(ops.slice_(samples, [2], [column], [column + 1]), [2])
    if lead == 1:
        u = shape.squeeze(u, [0])
    last = np.int64(size - kernel)
    if out == 1:
        whole = u.model.constant(np.full(1, last))
        target = u.model.constant(np.array([*u.shape, 1], np.int64))
        return shape.expand(whole, target)
    alpha = u.model.constant(np.array((size - kernel) / (out - 1), u.dtype))
    column_ = shape.unsqueeze(u, [-1])
    places = u.model.constant(np.arange(out - 1).astype(u.dtype))
    moved = unary.cast((places + column_) * alpha, dtype=Precision.INT64)
    first = unary.cast(column_ * alpha, dtype=Precision.INT64)
    ends = shape.expand(
        u.model.constant(np.full(1, last)), u.model.constant(np.array([*u.shape, 1], np.int64))
    )
    return shape.concat(moved - first, ends, axis=-1)


@table.convert("aten.fractional_max_pool2d.default", "aten.fractional_max_pool3d.default")
def fractional_max_pool(
    self: Value,
    kernel_size: tuple[int, ...],
    output_size: tuple[int, ...],
    random_samples: Value,
) -> tuple[Value, Value]:
    return fractional(self, kernel_size, output_size, random_samples)
