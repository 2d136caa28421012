"""Sizes, axes and positions in converters: constants where known, else computed by the graph."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nnir.broadcast import contents
from nnir.dim import Expr
from nnir.errors import NotConstant, Unsupported
from nnir.model import Value
from nnir.ops import generate, index, shape, sizes, unary
from nnir.types import Precision

END = np.iinfo(np.int64).max
FRONT = np.iinfo(np.int64).min + 1
"""Bounds of slices that go on to the end, or backwards to the first element."""

MOST = 2**26
"""So many elements a constant may have that a converter makes."""


def int64(x: Value) -> Value:
    """Sizes or positions as int64."""
    if x.precision == Precision.INT64:
        return x
    if x.known is not None:
        return x.model.constant(x.known.astype(np.int64))
    return unary.cast(x, dtype=Precision.INT64)


def elements(x: Value) -> list[int | Value]:
    """The elements of an integer vector: ints where known, else int64 tensors of one element."""
    count = 1 if not x.rank else x.shape[0]
    if isinstance(count, Expr):
        raise NotConstant(f"a vector {x.type} of sizes whose number is only known while running")
    known = contents(x)
    made = x.producer
    if known is None and made is not None and made.operator is shape.stack:
        parts = [v for v in made.inputs if v is not None]
        return [k for part in parts for k in elements(part)]
    wide = None if known is not None and not any(isinstance(d, Expr) for d in known) else int64(x)
    found: list[int | Value] = []
    for k in range(count):
        if known is not None and not isinstance(known[k], Expr):
            found.append(int(known[k]))  # type: ignore[arg-type]
        elif wide is not None and count == 1:
            found.append(wide if wide.rank else shape.reshape(wide, [1]))
        else:
            found.append(index.slice_(wide, [0], [k], [k + 1]))
    return found


def joined(x: Value, parts: Sequence[int | Value]) -> Value:
    """Numbers, which may be negative, as an int64 vector in the model of `x`."""
    if all(isinstance(p, int) for p in parts):
        return x.model.constant(np.array(parts, np.int64))
    whole = [p if isinstance(p, Value) else x.model.constant([p], np.int64) for p in parts]
    return shape.concat(*whole, axis=0) if len(whole) > 1 else whole[0]


def steps_to(count: int) -> np.ndarray:
    """0, 1, ... for a constant of the model; Unsupported where it would fill the memory."""
    if count > MOST:
        raise Unsupported(f"{count} positions as a constant of the model")
    return np.arange(max(count, 0))


def counted(x: Value, axis: int, precision: Precision = Precision.INT64) -> Value:
    """0, 1, ... as many as an axis has."""
    size = x.shape[axis]
    if not isinstance(size, Expr):
        return x.model.constant(steps_to(size).astype(precision.dtype))
    end = sizes.vector(x.model, [sizes.size_of(x, axis)])
    line = generate.range_([0], end, [1])
    return line if precision == Precision.INT64 else unary.cast(line, dtype=precision)


def flat(x: Value) -> Value:
    """All elements as a vector."""
    return x if x.rank == 1 else shape.flatten(x, start_axis=0, end_axis=-1)


def known_sizes(x: Value, axes: Sequence[int]) -> list[int]:
    """The sizes of axes that must be known while converting."""
    found = [x.shape[a] for a in axes]
    if any(isinstance(d, Expr) for d in found):
        raise NotConstant(f"{x.type}, of which the axes {list(axes)} must be known")
    return [int(d) for d in found]  # type: ignore[arg-type]
