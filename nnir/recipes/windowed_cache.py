"""Attention over caches of a window: they hold the last keys, and let go of some now and then."""

from __future__ import annotations

from typing import Any

from .. import build
from ..errors import BadType
from ..model import Value
from ..ops import attention, binary, compare, generate, index, shape
from ..types import Precision
from .cached_attention import Maybe


def attend_windowed(
    query: Value,
    key: Value,
    value: Value,
    last: Value,
    past_key: Maybe,
    past_value: Maybe,
    cos: Maybe,
    sin: Maybe,
    positions: Maybe,
    sink: Maybe,
    **how: Any,
) -> tuple[Value, Value, Value]:
    """GROUP_QUERY_ATTENTION whose caches hold the last keys of each sample, from their start on.

    Of all keys a cache with room for more than the window holds as many as `_count_held` says; what
    lies behind them is 0. `how` are the attributes of the operator.
    """
    window, model = how["local_window_size"], query.model
    if past_key is None or past_value is None or window < 1:
        raise BadType(f"caches of a window with local_window_size={window} and no caches")
    size = past_key.shape[2]
    if isinstance(size, int) and size < window:
        raise BadType(f"caches with room for {size} keys and local_window_size={window}")
    ends = build.int64(build.flatten(last)) + 1
    time = build.vector(model, [build.size_of(query, 1)])
    before = binary.max_(ends - time, 0)
    room = build.vector(model, [build.size_of(past_key, 2)])
    first, held = (_count_held(count, room, window) for count in (before, ends))
    if positions is None:
        positions = shape.unsqueeze(before, [1]) + build.arange_along(query, 1)
    reached = first + (ends - before)
    ends_of_new = reached - 1, room + time, past_key, past_value
    operands = query, key, value, *ends_of_new, cos, sin, positions, None, sink
    output, keys, values = attention.group_query_attention(*operands, **how)
    pairs = (keys, past_key), (values, past_value)
    keys, values = (_keep(full, past, reached - held, held) for full, past in pairs)
    return output, keys, values


def _count_held(count: Value, room: Value, window: int) -> Value:
    """How many of `count` keys [batch] a cache holds: all that there is room for, or after it let
    go of `room` - `window` + 1 at once, as often as it had to."""
    step = room - (window - 1)
    over = binary.max_(count - room, 0)
    parts = (x.cast(Precision.INT32) for x in (over + step - 1, step))  # TFLite divides no others
    return count - binary.floor_div(*parts).cast(Precision.INT64) * step


def _keep(full: Value, past: Value, start: Value, held: Value) -> Value:
    """`held` keys of each sample from `start` on, in a cache as large as `past`; then zeros."""
    model = past.model
    room, behind = (build.vector(model, [build.size_of(x, 2)]) for x in (past, full))
    rows = shape.unsqueeze(generate.range_([0], room, [1]), [0])
    places = binary.min_(rows + shape.unsqueeze(start, [1]), behind - 1)
    sizes = build.vector(model, build.sizes_of(past))
    at = shape.expand(shape.unsqueeze(places, [1, 3]), sizes)
    is_held = shape.unsqueeze(rows < shape.unsqueeze(held, [1]), [1, 3])
    return compare.where(is_held, index.gather_elements(full, at, axis=2), 0)
