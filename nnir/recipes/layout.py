"""Images with channels last: transposes to the order of axes that the image operators have.

TensorFlow, TFLite and Paddle name a layout by its letters, such as NHWC.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..errors import Unsupported
from ..model import Value
from ..ops import shape

LAST = frozenset({"NHWC", "NDHWC", "NWC", "NLC", "CHANNELS_LAST"})
FIRST = frozenset({"NCHW", "NCDHW", "NCW", "NCL", "CHANNELS_FIRST"})


def is_channels_last(data_format: str) -> bool:
    """Whether the channels are the last axis; Unsupported for other orders such as NCHW_VECT_C."""
    if data_format not in LAST | FIRST:
        raise Unsupported(f"data_format={data_format!r}")
    return data_format in LAST


def to_channels_first(x: Value) -> Value:
    """An image with channels last as one with channels first."""
    return shape.transpose(x, perm=(0, x.rank - 1, *range(1, x.rank - 1)))


def to_channels_last(x: Value) -> Value:
    """An image with channels first as one with channels last."""
    return shape.transpose(x, perm=(0, *range(2, x.rank), 1))


def with_channels_first(x: Value, data_format: str, compute: Callable[[Value], Value]) -> Value:
    """`compute` on an image whose channels are the second axis, in the layout of `x` again."""
    if not is_channels_last(data_format):
        return compute(x)
    return to_channels_last(compute(to_channels_first(x)))


def spatial_entries(given: Sequence[int], data_format: str, what: str) -> tuple[int, ...]:
    """The entries for the spatial axes of a list with one for each axis."""
    places = range(1, len(given) - 1) if is_channels_last(data_format) else range(2, len(given))
    others = [g for k, g in enumerate(given) if k not in places]
    if any(g != 1 for g in others):
        raise Unsupported(f"{what} {list(given)}: over batch or channels")
    return tuple(given[k] for k in places)
