"""What is known of the numbers that a node gives: bounds of each, the same where it is known.

Shapes depend on them: a Reshape to what was computed of a ShapeOf has the sizes that are known.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

Bounds = tuple[np.ndarray, np.ndarray]
"""The least and the largest that each number can be, in float64."""

MOST = 1024
"""What has more elements is no shape."""

Function = Callable[..., Any]


def bounds_of(array: np.ndarray) -> Bounds | None:
    """Those of a constant; None where it is too large to be a shape."""
    if array.size > MOST:
        return None
    exact = np.asarray(array, np.float64)
    return exact, exact


class Known(Protocol):
    """An output, as far as its numbers go."""

    bounds: Bounds | None
    type: Any
    shape: Any


def derive(
    ends: Sequence[Known],
    function: Function,
    inputs: Sequence[Known],
    attributes: Mapping[str, Any],
) -> None:
    """Say what is known of the outputs of a node, where enough is known of what it reads."""
    if function is sizes_of:
        ends[0].bounds = sizes_of(inputs[0].shape)
        return
    if any(i.bounds is None for i in inputs) or any(e.shape.count().high > MOST for e in ends):
        return
    known = [i.bounds for i in inputs if i.bounds is not None]
    with np.errstate(all="ignore"):
        if all(np.array_equal(a, b) for a, b in known):
            made = function(*(a for a, _ in known), **attributes)
            pairs = [(m, m) for m in (made if isinstance(made, list) else [made])]
        else:
            rule = INTERVALS.get(function)
            if rule is None:
                return
            pairs = rule(function, known, attributes)
    for end, pair in zip(ends, pairs, strict=False):
        end.bounds = _round(pair, end.type)


def sizes_of(shape: Sequence[Any]) -> Bounds:
    """The bounds of the sizes of a shape."""
    low, high = ([getattr(d, side) for d in shape] for side in ("low", "high"))
    return np.array(low, np.float64), np.array(high, np.float64)


def _round(pair: Bounds, kind: Any) -> Bounds | None:
    """Numbers as an element type has them; None where it has not."""
    low, high = (np.asarray(b, np.float64) for b in pair)
    if np.isnan(low).any() or np.isnan(high).any():
        return None
    if kind.name == "f32":
        low, high = (b.astype(np.float32).astype(np.float64) for b in (low, high))
    return low, high


def move(
    function: Function, known: Sequence[Bounds], attributes: Mapping[str, Any]
) -> list[Bounds]:
    """Of what grows with everything that it reads."""
    made = [function(*(k[side] for k in known), **attributes) for side in (0, 1)]
    if isinstance(made[0], list):
        return list(zip(*made, strict=True))
    return [(made[0], made[1])]


def move_first(
    function: Function, known: Sequence[Bounds], attributes: Mapping[str, Any]
) -> list[Bounds]:
    """Of what grows with its first operand; the others must be known."""
    if any(not np.array_equal(a, b) for a, b in known[1:]):
        nothing = np.array(np.nan)
        return [(nothing, nothing)]
    return move(function, known, attributes)


def subtract_bounds(
    function: Function, known: Sequence[Bounds], attributes: Mapping[str, Any]
) -> list[Bounds]:
    """Of what shrinks with its second operand."""
    (a, b), (c, d) = known
    return [(function(a, d, **attributes), function(b, c, **attributes))]


INTERVALS: dict[Function, Callable[..., list[Bounds]]] = {}
"""How bounds that differ go through a function."""
