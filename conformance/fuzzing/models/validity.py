"""Which results prove something: numbers that are tame, and that rounding leaves where they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from nnir.errors import BadType
from nnir.evaluate import run_operation
from nnir.model import Operation, Value
from nnir.ops import activation, binary, compare, pool, reduce, sort, unary

from ...judging.compare import is_float
from ...judging.tolerance import largest
from . import noise

LARGEST = 1e3
SMALLEST = float(np.finfo(np.float32).tiny)
MOVES = 2e-4
"""Of its largest magnitude: rounding that moves a result by more disqualifies its operation."""

STEPS_MOVE = 0.25
"""The same for quantised values that are a step beside."""

MARGIN = 1e-4
"""Of the largest magnitude of an operand: so far it must be from where a result jumps."""

JUMP = 1e-2
JUMPING = frozenset(
    {
        *(unary.floor, unary.ceil, unary.round_, unary.sign, activation.hardmax),
        *(compare.equal, compare.not_equal, compare.greater, compare.greater_equal),
        *(compare.less, compare.less_equal, reduce.arg_max, reduce.arg_min, reduce.cum_max),
        *(reduce.cum_min, sort.top_k, binary.mod, binary.floor_div, unary.cast, pool.max_pool_2d),
    }
)
"""Operators whose results, or positions among them, jump where operands change little."""

SIGNS = ((1, 1), (-1, -1), (1, -1), (-1, 1))
DRAWS = 4


def require_tame(array: np.ndarray) -> None:
    """BadType for what is empty, not finite, too large, denormal, or zero everywhere."""
    if not array.size:
        raise BadType("no elements")
    if not is_float(array.dtype):
        if array.dtype.kind in "iu" and np.abs(array.astype(np.int64)).max(initial=0) > LARGEST:
            raise BadType("integers that are too large")
        return
    size = np.abs(array)
    if not np.isfinite(array).all() or (size > LARGEST).any():
        raise BadType("numbers that are too large")
    if ((size > 0) & (size < SMALLEST)).any() or not size.any():
        raise BadType("numbers that are too small")


def require_stable(value: Value, samples: noise.Samples) -> None:
    """BadType where rounding, or a step of quantised values, takes a result too far."""
    stepped = noise.is_stepped(value)
    if not is_float(samples[0].dtype):
        if noise.spread(samples, noise.ROUNDED) > stepped:
            raise BadType("rounding changes integers")
        if not stepped and not noise.is_exact(samples, noise.STEPPED):
            raise BadType("steps change integers")
        return
    scale = largest(samples[0])
    if noise.spread(samples, noise.ROUNDED) > MOVES * scale:
        raise BadType("rounding moves a result")
    if noise.spread(samples, noise.STEPPED) > STEPS_MOVE * scale:
        raise BadType("steps move a result")


def require_valid(
    operation: Operation,
    operands: Sequence[noise.Samples | None],
    generator: np.random.Generator,
) -> None:
    """BadType where rounding takes an operand over a jump of the operation."""
    if operation.operator not in JUMPING:
        return
    arrays = [None if s is None else s[0] for s in operands]
    first = run_operation(operation, arrays)
    for result in first:
        require_tame(result)
    for changes in _changes(len(arrays), generator):
        moved = [_move(a, c, generator) for a, c in zip(arrays, changes, strict=True)]
        for before, after in zip(first, run_operation(operation, moved), strict=True):
            _require_near(operation, before, after)


def _require_near(operation: Operation, before: np.ndarray, after: np.ndarray) -> None:
    """BadType where a result has jumped."""
    continuous = is_float(before.dtype) and operation.operator.name in CONTINUOUS
    if not continuous:
        if not np.array_equal(before, after):
            raise BadType("an operand is near a jump")
    elif np.abs(before - after).max(initial=0.0) > JUMP * max(largest(before), SMALLEST):
        raise BadType("an operand is near a jump")


CONTINUOUS = frozenset(
    {"MOD", "TOP_K", "CUM_MAX", "CUM_MIN", "MAX_POOL_2D", "CAST"},
)
"""Operators whose float results jump nowhere, or seldom: only their positions do."""


def _changes(count: int, generator: np.random.Generator) -> Iterator[list[int | None]]:
    """In which direction to move each operand; None is a random one for every element."""
    for one, other in SIGNS:
        yield [one if k == 0 else other for k in range(count)]
    for _ in range(DRAWS):
        yield [None] * count


def _move(
    array: np.ndarray | None, direction: int | None, generator: np.random.Generator
) -> np.ndarray | None:
    if array is None or not is_float(array.dtype):
        return array
    sign = generator.choice((-1.0, 1.0), array.shape) if direction is None else float(direction)
    return (array + sign * MARGIN * largest(array)).astype(array.dtype)
