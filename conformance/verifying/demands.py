"""What operations demand of open sizes: channels of weights, lengths of constants."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from nnir.dim import Dim, Expr, evaluate, symbols_of
from nnir.errors import BadInput
from nnir.model import Model, Operation, Value
from nnir.operator import Pattern
from nnir.ops import conv, linear

CONVOLUTIONS = frozenset({conv.conv_2d, conv.conv_3d})
Demand = tuple[Expr, int]
"""An open size, and what it must be."""


def demands_of(model: Model) -> list[Demand]:
    """Each open size beside a known one that it must be equal to, once."""
    found = (d for o in model.operations for d in _demands(o))
    return list(dict.fromkeys((d, wanted) for d, wanted in found if isinstance(d, Expr)))


def _demands(operation: Operation) -> Iterator[tuple[Dim, int]]:
    if operation.operator in CONVOLUTIONS:
        input, filter = operation.inputs[:2]
        if input is not None and filter is not None and isinstance(filter.shape[1], int):
            yield input.shape[1], filter.shape[1] * operation.attributes["group"]
    elif operation.operator is linear.mat_mul:
        x, y = operation.inputs[:2]
        if x is not None and y is not None and x.rank > 1 and y.rank > 1:
            left, right = (operation.attributes[k] for k in ("transpose_x", "transpose_y"))
            yield from _equal(x.shape[-2 if left else -1], y.shape[-1 if right else -2])
    elif operation.operator.pattern is Pattern.ELEMENTWISE:
        yield from _broadcast([v for v in operation.inputs if v is not None])


def _equal(a: Dim, b: Dim) -> Iterator[tuple[Dim, int]]:
    if isinstance(b, int):
        yield a, b
    elif isinstance(a, int):
        yield b, a


def _broadcast(operands: list[Value]) -> Iterator[tuple[Dim, int]]:
    """Sizes beside those of other operands, which are not 1."""
    for place in range(1, 1 + max((v.rank for v in operands), default=0)):
        sizes = [v.shape[-place] for v in operands if v.rank >= place]
        wanted = max((s for s in sizes if isinstance(s, int)), default=1)
        if wanted > 1:
            yield from ((s, wanted) for s in sizes if isinstance(s, Expr))


def known_sizes(demands: list[Demand]) -> dict[str, int]:
    """Names of sizes that must be one number each."""
    return {str(size): wanted for size, wanted in demands if symbols_of(size) == {str(size)}}


def count_broken(demands: list[Demand], sizes: Mapping[str, int]) -> int:
    """How many demands do not hold with these sizes."""
    count = 0
    for size, wanted in demands:
        try:
            count += evaluate(size, sizes) != wanted
        except BadInput:
            count += 1
    return count
