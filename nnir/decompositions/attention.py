"""Attention over caches in products and a softmax, and that through a running sum step by step."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from .. import build
from ..decomposition import Level
from ..dim import Expr
from ..model import Model, Value
from ..ops import attention, control, generate, index, linear, shape, unary
from ..recipes.attention import scale_of
from ..recipes.cached_attention import attend_cached
from ..types import Precision, TensorType

UNROLLED = 256
"""Sequences up to this length are written out; longer and open ones become a loop."""


@attention.group_query_attention.decomposes(level=Level.ROUNDING)
def _group_query_attention(
    query: Value,
    key: Value,
    value: Value,
    last: Value,
    total: Value,
    past_key: Value | None = None,
    past_value: Value | None = None,
    cos: Value | None = None,
    sin: Value | None = None,
    positions: Value | None = None,
    bias: Value | None = None,
    sink: Value | None = None,
    *,
    q_num_heads: int,
    kv_num_heads: int,
    causal: bool,
    interleaved: bool,
    local_window_size: int,
    scale: float,
    softcap: float,
) -> tuple[Value, ...]:
    """Queries that share a key head as more rows of one product, so that no cache is repeated."""
    made = attend_cached(
        *(query, key, value, last, total, past_key, past_value, cos, sin, positions, bias, sink),
        q_num_heads=q_num_heads,
        kv_num_heads=kv_num_heads,
        causal=causal,
        interleaved=interleaved,
        local_window_size=local_window_size,
        scale=scale,
        softcap=softcap,
    )
    return made.output, made.key, made.value


@attention.linear_attention.decomposes(level=Level.UNROLLED)
def _linear_attention(
    query: Value,
    key: Value,
    value: Value,
    past_state: Value | None = None,
    decay: Value | None = None,
    beta: Value | None = None,
    *,
    q_num_heads: int,
    kv_num_heads: int,
    update_rule: str,
    scale: float,
) -> tuple[Value, Value]:
    batch, time = _known_of(query, key, value), build.size_of(query, 1)
    heads = kv_num_heads
    q = _by_heads(query, heads, q_num_heads // heads)
    k, v = (_by_heads(x, heads, 1) for x in (key, value))
    gate = None if decay is None else _upright(unary.exp(_by_heads(decay, heads, 1)))
    rate = None if beta is None else _by_heads(beta, build.size_of(beta, 2), 1)
    if past_state is None:
        sizes = [batch, heads, build.size_of(k, 4), build.size_of(v, 4)]
        state = generate.fill(build.vector(query.model, sizes), query.model.constant(0, "float32"))
    else:
        state = past_state.cast(Precision.FLOAT32)
    run = _write_out if isinstance(time, int) and time <= UNROLLED else _loop
    rows, state = run(state, Steps(q, k, v, gate, rate))
    wide = build.times(build.size_of(v, 4), q_num_heads)
    output = build.reshape(rows, [batch, time, wide]) * scale_of(q, scale or None)
    kind = query.precision if past_state is None else past_state.precision
    return output.cast(query.precision), state.cast(kind)


def _known_of(*operands: Value) -> build.Size:
    """The number of samples, of whichever operand it is known."""
    sizes = [build.size_of(x, 0) for x in operands]
    return next((n for n in sizes if isinstance(n, int)), sizes[0])


def _by_heads(packed: Value, heads: build.Size, groups: int) -> Value:
    """[batch, time, heads * groups * n] as [batch, time, heads, groups, n] in float32."""
    batch, time, width = build.sizes_of(packed)
    size = build.over(width, build.times(heads, groups))
    wide = packed.cast(Precision.FLOAT32)
    return build.reshape(wide, [batch, time, heads, groups, size])


def _upright(x: Value) -> Value:
    """The last two axes exchanged: a number for each row of the state."""
    return shape.transpose(x, perm=(0, 1, 2, 4, 3))


class Steps(NamedTuple):
    """What the steps read: [batch, time, heads, ...], and without time what one step does."""

    query: Value
    key: Value
    value: Value
    gate: Value | None
    rate: Value | None

    def each(self, change: Callable[[str, Value], Value]) -> Steps:
        """The change of each that is there, whose name it takes too."""
        return Steps(
            change("query", self.query),
            change("key", self.key),
            change("value", self.value),
            None if self.gate is None else change("gate", self.gate),
            None if self.rate is None else change("rate", self.rate),
        )

    def at(self, step: int | Value) -> Steps:
        """What one step reads."""
        return self.each(lambda _, x: index.gather(x, step, axis=1))

    def advance(self, state: Value) -> tuple[Value, Value]:
        """The next state [batch, heads, n, m], and what the queries read of it."""
        state = state if self.gate is None else state * self.gate
        update = self.value
        if self.rate is not None:
            update = self.rate * (update - linear.mat_mul(self.key, state))
        state = state + linear.mat_mul(self.key, update, transpose_x=True)
        return state, linear.mat_mul(self.query, state)


def _write_out(state: Value, steps: Steps) -> tuple[Value, Value]:
    """What the queries read [batch, time, heads, groups, m], and the last state."""
    rows = []
    for t in range(int(steps.query.shape[1])):  # type: ignore[arg-type]
        state, row = steps.at(t).advance(state)
        rows.append(row)
    if not rows:
        return index.slice_(steps.query, [4], [0], [0]), state
    return shape.stack(*rows, axis=1), state


def _loop(state: Value, steps: Steps) -> tuple[Value, Value]:
    """The same by a loop."""
    start, length = state.model.constant(0, "int64"), steps.query.shape[1]
    body = Model("linear_attention", state.model)
    step = body.input("step", TensorType(Precision.INT64, ()))
    before = body.input("state", state.type)
    inner = steps.each(lambda name, x: body.input(name, x.type))
    after, (moved, row) = step + 1, inner.at(step).advance(before)
    body.outputs = [after < inner.query.size(1), after, moved, row]
    _, last, rows = control.while_(
        *(start < steps.query.size(1), start, state, *(x for x in steps if x is not None)),
        body=body,
        carried=2,
        trips=None if isinstance(length, Expr) else length,
    )
    return shape.transpose(rows, perm=(1, 0, 2, 3, 4)), last
