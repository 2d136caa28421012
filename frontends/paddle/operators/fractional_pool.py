"""Paddle's pools over bins of uneven sizes."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from nnir import build
from nnir.dim import Expr
from nnir.errors import BadType, NotConstant, Unsupported
from nnir.model import Value
from nnir.ops import index, reduce, shape
from nnir.types import Precision

from ...table import Ints, Pair, Table

table = Table()


def taps(size: int, out: int, kernel: int, u: float) -> np.ndarray:
    """The elements [out, longest] of every bin; the last one stands in for those that are short.

    The arithmetic is Paddle's, in float32 (phi/kernels/funcs/pooling.h).
    """
    share, alpha = np.float32(u), np.float32((size - kernel) / (out - (1 if kernel else 0)))
    if kernel <= 0:
        base = size // out
        alpha = np.float32(size) / np.float32(out)
        first = np.float32(base + 2) / alpha - np.float32(1)
        second = np.float32(size + 1 - base) / alpha - np.float32(out - 1)
        share = share * min(first, second)
    offset = int(share * alpha)
    places = [int((np.float32(k) + share) * alpha) - offset for k in range(out + 1)]
    starts = [max(p, 0) for p in places[:-1]]
    ends = [min(p, size) for p in places[1:]]
    if kernel > 0:
        ends = [min(s + kernel, size) for s in starts]
    longest = max(e - s for s, e in zip(starts, ends, strict=True))
    return np.array(
        [[min(s + t, e - 1) for t in range(longest)] for s, e in zip(starts, ends, strict=True)]
    )


def fractional(x: Value, output: Sequence[int], kernel: Sequence[int], u: float) -> Pair:
    """The maximum of every bin, and where in its plane it is."""
    spatial = x.shape[2:]
    if any(isinstance(d, Expr) for d in spatial):
        raise NotConstant(f"a fractional pool of {x.type}")
    if not u:
        raise Unsupported("a fractional pool with random_u=0: bins at random places")
    where = np.zeros((), np.int64)
    rank = len(output)
    if any(o > n for o, n in zip(output, spatial, strict=True)):  # type: ignore[operator]
        raise BadType(f"a fractional pool of {x.type} into {tuple(output)}: bins would be empty")
    for k, (size, out, length) in enumerate(zip(spatial, output, kernel, strict=True)):
        found = taps(int(size), int(size) if out < 0 else out, length, u)  # type: ignore[arg-type]
        lay = [1] * (2 * rank)
        lay[k], lay[rank + k] = found.shape
        where = where * int(size) + found.reshape(lay)  # type: ignore[arg-type]
    count = math.prod(where.shape[:rank])
    places = x.model.constant(where.reshape(count, -1))
    lead = build.sizes_of(x)[:2]
    values = index.gather(shape.flatten(x, start_axis=2, end_axis=-1), places, axis=2)
    best = reduce.reduce_max(values, [3], keepdim=False)
    chosen = reduce.arg_max(values, axis=3, keepdim=True, dtype=Precision.INT64)
    both = build.vector(x.model, [*lead, *where.reshape(count, -1).shape])
    at = index.gather_elements(shape.expand(places, both), chosen, axis=3)
    target = [*lead, *where.shape[:rank]]
    return build.reshape(best, target), build.reshape(at, target).cast(Precision.INT32)


@table.convert("fractional_max_pool2d")
def fractional_max_pool2d(
    x: Value,
    output_size: Ints,
    kernel_size: Ints,
    random_u: float,
    return_mask: bool,
) -> Pair:
    return fractional(x, output_size, kernel_size, random_u)


@table.convert("fractional_max_pool3d")
def fractional_max_pool3d(
    x: Value,
    output_size: Ints,
    kernel_size: Ints,
    random_u: float,
    return_mask: bool,
) -> Pair:
    return fractional(x, output_size, kernel_size, random_u)
