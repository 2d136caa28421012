"""Channels last: transposes to the order of axes that the standard's image operators have."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from nnir.errors import Unsupported
from nnir.model import Value
from nnir.ops import shape

LAST = frozenset({"NHWC", "NDHWC", "NWC", "CHANNELS_LAST"})
FIRST = frozenset({"NCHW", "NCDHW", "NCW", "CHANNELS_FIRST"})


def is_last(data_format: str) -> bool:
    """Whether the channels are the last axis; Unsupported for other orders such as NCHW_VECT_C."""
    if data_format not in LAST | FIRST:
        raise Unsupported(f"data_format={data_format!r}")
    return data_format in LAST


def channels_first(x: Value) -> Value:
    """An image with channels last as one with channels first."""
    result: Value = shape.transpose(x, perm=(0, x.rank - 1, *range(1, x.rank - 1)))
    return result


def channels_last(x: Value) -> Value:
    """An image with channels first as one with channels last."""
    result: Value = shape.transpose(x, perm=(0, *range(2, x.rank), 1))
    return result


def with_channels_first(x: Value, data_format: str, compute: Callable[[Value], Value]) -> Value:
    """`compute` on an image whose channels are the second axis, in the layout of `x` again."""
    if not is_last(data_format):
        return compute(x)
    return channels_last(compute(channels_first(x)))


def spatial(given: Sequence[int], data_format: str, what: str) -> tuple[int, ...]:
    """The entries for the spatial axes of a list with one for each axis."""
    places = range(1, len(given) - 1) if is_last(data_format) else range(2, len(given))
    others = [g for k, g in enumerate(given) if k not in places]
    if any(g != 1 for g in others):
        raise Unsupported(f"{what} {list(given)}: over batch or channels")
    return tuple(given[k] for k in places)
