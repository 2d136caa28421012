"""Shapes."""

from __future__ import annotations

import numpy as np

from .. import build
from ..broadcast import axis_of, contents
from ..dim import Dim, Expr
from ..errors import Unsupported
from ..model import Value
from ..ops.generate import meshgrid
from ..ops.shape import expand, flatten, reshape, reshape_exact, split, squeeze, unsqueeze, unstack


@reshape_exact.decomposes()
def _reshape_exact(input: Value, shape: Value) -> Value:
    """RESHAPE, for which a size of 0 is that of the input at the same place."""
    target = contents(shape)
    if target is None:
        raise Unsupported(f"{input.type} in a shape that the model computes")
    if 0 in target and -1 not in target and not any(isinstance(d, Expr) for d in target):
        return input.model.constant(np.empty(target, input.dtype))
    at_risk = [k for k, d in enumerate(target) if _may_go_wrong(d, k, input.shape)]
    if not at_risk:
        return reshape(input, shape)
    others = [d for k, d in enumerate(target) if k not in at_risk]
    if len(at_risk) > 1 or any(isinstance(d, Expr) or d <= 0 for d in others):
        raise Unsupported(
            f"{input.type} in the shape {list(map(str, target))}, where sizes may be 0"
        )
    (place,) = at_risk
    sizes = [-1 if k == place else d for k, d in enumerate(target)]
    return reshape(input, input.model.constant(np.array(sizes, np.int64)))


@flatten.decomposes()
def _flatten(input: Value, *, start_axis: int, end_axis: int) -> Value:
    rank = max(input.rank, 1)
    first, last = axis_of(start_axis, rank), axis_of(end_axis, rank)
    sizes = build.sizes_of(input)
    merged = build.product(sizes[first : last + 1])
    return build.reshape(input, [*sizes[:first], merged, *sizes[last + 1 :]])


@meshgrid.decomposes()
def _meshgrid(*input: Value) -> tuple[Value, ...]:
    """Each vector with axes of size 1 behind it, as often as the others have elements."""
    sizes = build.vector(input[0].model, [build.size_of(v, 0) for v in input])
    behind = reversed(range(len(input)))
    return tuple(
        expand(unsqueeze(v, list(range(1, count + 1))) if count else v, sizes)
        for v, count in zip(input, behind, strict=True)
    )


@unstack.decomposes()
def _unstack(input: Value, *, axis: int, num: int) -> tuple[Value, ...]:
    parts = split(input, [1] * num, axis=axis)
    return tuple(squeeze(part, [axis]) for part in parts)


def _may_go_wrong(size: Dim, place: int, sizes: tuple[Dim, ...]) -> bool:
    """Whether a size may be 0 while the input's at the same place is not."""
    if not isinstance(size, Expr):
        return size == 0
    if place >= len(sizes) or len(size.terms) > 1:
        return True
    own = sizes[place]
    if not isinstance(own, Expr):
        return own != 0
    ((factors, _),) = size.terms
    return not all(all(f in monomial for monomial, _ in own.terms) for f in factors)
