"""Attention: its softmax, its recurrent forms, and that over caches."""

from __future__ import annotations

import math

import numpy as np

from ..broadcast import axis_of, contents, text
from ..dim import Dim, Expr, differ, maximum
from ..model import Value
from ..numeric import at_positions, is_half, wide
from ..operator import operator, pairs, require
from ..types import Precision, TensorType
from .rules import common_dim, require_integers


def _safe_softmax(input: np.ndarray, *, axis: int) -> np.ndarray:
    highest = input.max(axis=axis, keepdims=True, initial=-np.inf)
    blind = highest == -np.inf
    powers = np.exp(input - np.where(blind, input.dtype.type(0), highest))
    total = powers.sum(axis=axis, keepdims=True)
    return np.where(blind, input.dtype.type(0), powers / np.where(blind, 1, total))


@operator(steps=pairs, code=2030, reference=wide(_safe_softmax))
def safe_softmax(input: Value, *, axis: int = -1) -> TensorType:
    """SOFTMAX that gives 0 where everything along the axis is -inf, as a mask leaves it.

    Types: any float.
    Shapes: the result has the type and shape of `input`.
    Edges: NaN along the axis gives NaN; rows of -inf give 0 where SOFTMAX gives NaN.
    """
    require(input.is_float, f"safe_softmax needs a float input, not {input.type}")
    axis_of(axis, input.rank)
    return input.type


@safe_softmax.decomposes()
def _as_softmax(input: Value, *, axis: int = -1) -> Value:
    from . import activation, compare, reduce  # which are not needed for the other operators

    lowest = input.model.constant(np.array(-np.inf, input.dtype))
    highest = reduce.reduce_max(input, [axis], keepdim=True)
    zero = input.model.constant(np.array(0, input.dtype))
    weights = activation.softmax(input, axis=axis)
    return compare.where(compare.equal(highest, lowest), zero, weights)


RULES = ("linear", "gated", "delta", "gated_delta")
GROUPED = "group_query_attention"


def _heads(packed: np.ndarray, heads: int) -> np.ndarray:
    """[batch, time, heads * n] in float32 as [time, batch, heads, n]."""
    batch, time, width = packed.shape
    return packed.astype(np.float32).reshape(batch, time, heads, width // heads).swapaxes(0, 1)


def _linear_attention(
    query: np.ndarray,
    key: np.ndarray,
    value: np.ndarray,
    past_state: np.ndarray | None = None,
    decay: np.ndarray | None = None,
    beta: np.ndarray | None = None,
    *,
    q_num_heads: int,
    kv_num_heads: int,
    update_rule: str,
    scale: float,
) -> tuple[np.ndarray, np.ndarray]:
    q, k, v = _heads(query, q_num_heads), _heads(key, kv_num_heads), _heads(value, kv_num_heads)
    gates = None if decay is None else np.exp(_heads(decay, kv_num_heads))
    rates = None if beta is None else _heads(beta, beta.shape[-1])
    if past_state is None:
        state = np.zeros((q.shape[1], kv_num_heads, k.shape[-1], v.shape[-1]), np.float32)
    else:
        state = past_state.astype(np.float32)
    outputs = np.zeros((*q.shape[:3], v.shape[-1]), np.float32)
    for t in range(len(q)):
        if gates is not None:
            state = state * gates[t][..., None]
        update = v[t]
        if rates is not None:
            update = rates[t] * (update - (k[t][..., None, :] @ state)[..., 0, :])
        state = state + k[t][..., :, None] * update[..., None, :]
        shared = np.repeat(state, q_num_heads // kv_num_heads, axis=1)
        outputs[t] = (q[t][..., None, :] @ shared)[..., 0, :]
    outputs *= np.float32(scale or 1 / math.sqrt(q.shape[-1]))
    width = math.prod(outputs.shape[2:])
    packed = outputs.swapaxes(0, 1).reshape(*query.shape[:2], width).astype(query.dtype)
    return packed, state.astype(query.dtype if past_state is None else past_state.dtype)


@operator(steps=pairs, code=2000, reference=_linear_attention)
def linear_attention(
    query: Value,
    key: Value,
    value: Value,
    past_state: Value | None = None,
    decay: Value | None = None,
    beta: Value | None = None,
    *,
    q_num_heads: int,
    kv_num_heads: int,
    update_rule: str = "gated_delta",
    scale: float = 0.0,
) -> tuple[TensorType, TensorType]:
    """Attention through a running sum S of the products of keys and values.

    Each step multiplies S by exp(decay), adds key * update and reads scale * query * S, where
    `update` is the value, or with `beta` beta * (value - key * S).

    Types: any float; computed in float32, the second result has the type of `past_state`.
    Shapes: `query` [batch, time, q_num_heads * n], `key` [batch, time, kv_num_heads * n], `value`
    [batch, time, kv_num_heads * m], `decay` as `key` or one number per head, `beta` one number
    per head or for all; gives [batch, time, q_num_heads * m] and S [batch, kv_num_heads, n, m].
    Edges: `update_rule` linear, gated (decay), delta (beta) or gated_delta (both) says which
    operands are there; `scale` 0 is 1 / sqrt(n); an absent `past_state` is 0.
    """
    given = {"linear": (False, False), "gated": (True, False), "delta": (False, True)}
    wanted = given.get(update_rule, (True, True))
    require(update_rule in RULES, f"linear_attention with update_rule {update_rule!r}")
    fits = (decay is not None, beta is not None) == wanted
    require(fits, f"linear_attention with update_rule {update_rule!r}: decay and beta")
    for operand in (query, key, value):
        require(operand.rank == 3 and operand.is_float, f"linear_attention of {operand.type}")
    groups = kv_num_heads > 0 and q_num_heads > 0 and q_num_heads % kv_num_heads == 0
    require(groups, f"{q_num_heads} query heads over {kv_num_heads}")
    n, m = _width(query, q_num_heads), _width(value, kv_num_heads)
    fits = not differ(n, _width(key, kv_num_heads))
    require(fits, f"linear_attention of {query.type} over keys {key.type}")
    batch, time = query.shape[:2]
    state = (batch, kv_num_heads, n, m)
    if past_state is not None:
        fits = past_state.rank == 4 and not any(map(differ, past_state.shape, state))
        require(fits, f"linear_attention with a state {past_state.type}, not {text(state)}")
    _require_steps(query, key)
    _require_steps(query, value)
    _require_steps(query, decay, kv_num_heads, n * kv_num_heads)
    _require_steps(query, beta, kv_num_heads, 1)
    kind = query.precision if past_state is None else past_state.precision
    output = query.type.with_shape((batch, time, m * q_num_heads))
    return output, TensorType(kind, state)


def _require_steps(query: Value, operand: Value | None, *widths: Dim) -> None:
    """A row for each step of each sample; of one of the widths, where some are named."""
    if operand is None:
        return
    fits = operand.rank == 3 and not any(map(differ, operand.shape, query.shape[:2]))
    if fits and widths:
        fits = not all(differ(operand.shape[2], width) for width in widths)
    require(fits, f"linear_attention of {query.type} with {operand.type}")


def _width(packed: Value, heads: int) -> Dim:
    width = packed.shape[-1]
    require(isinstance(width, Expr) or width % heads == 0, f"{heads} heads in {packed.type}")
    return width // heads


def _rotate(
    x: np.ndarray, cos: np.ndarray, sin: np.ndarray, places: np.ndarray, interleaved: bool
) -> np.ndarray:
    """[batch, heads, time, n] with its first features turned by the angles of `places`."""
    half = cos.shape[1]
    with at_positions():
        c, s = (t.astype(x.dtype)[places][:, None] for t in (cos, sin))
    points = x[..., : 2 * half]
    if interleaved:
        first, second = points[..., ::2], points[..., 1::2]
    else:
        first, second = points[..., :half], points[..., half:]
    moved = np.stack([first * c - second * s, first * s + second * c], -1 if interleaved else -2)
    return np.concatenate([moved.reshape(points.shape), x[..., 2 * half :]], -1)


def _extend(past: np.ndarray, new: np.ndarray, before: np.ndarray, total: int) -> np.ndarray:
    """The first `before` keys of each sample, the new ones, then zeros."""
    batch, heads, held, width = past.shape
    room = np.zeros((batch, heads, max(held, total), width), new.dtype)
    for one, old, added, count in zip(room, past, new, before, strict=True):
        one[:, : min(count, held)] = old[:, :count]
        behind = one[:, count : count + added.shape[1]]
        if behind.shape != added.shape:
            raise ValueError(f"{count} keys and {added.shape[1]} more in room for {one.shape[1]}")
        behind[...] = added
    return room


def _weigh(scores: np.ndarray, sink: np.ndarray | None) -> np.ndarray:
    """The softmax of [batch, heads, time, keys], of which a key without a value has its share."""
    if sink is None:
        return _safe_softmax(scores, axis=-1)
    own = sink.astype(scores.dtype)[:, None, None]
    highest = np.maximum(scores.max(-1, keepdims=True, initial=-np.inf), own)
    powers = np.exp(scores - highest)
    return powers / (powers.sum(-1, keepdims=True) + np.exp(own - highest))


def _group_query_attention(
    query: np.ndarray,
    key: np.ndarray,
    value: np.ndarray,
    last: np.ndarray,
    total: np.ndarray,
    past_key: np.ndarray | None = None,
    past_value: np.ndarray | None = None,
    cos: np.ndarray | None = None,
    sin: np.ndarray | None = None,
    positions: np.ndarray | None = None,
    bias: np.ndarray | None = None,
    sink: np.ndarray | None = None,
    *,
    q_num_heads: int,
    kv_num_heads: int,
    causal: bool,
    interleaved: bool,
    local_window_size: int,
    scale: float,
    softcap: float,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    kind, (batch, time, _) = query.dtype, query.shape
    real = np.float32 if is_half(kind) else kind.type
    heads = zip((query, key, value), (q_num_heads, kv_num_heads, kv_num_heads), strict=True)
    q, k, v = (x.reshape(batch, time, n, x.shape[2] // n).swapaxes(1, 2) for x, n in heads)
    ends = last.astype(np.int64).reshape(batch) + 1
    before = np.maximum(ends - time, 0)
    places = before[:, None] + np.arange(time)
    if cos is not None and sin is not None:
        turns = places if positions is None else positions
        q, k = (_rotate(x, cos, sin, turns, interleaved) for x in (q, k))
    if past_key is not None and past_value is not None:
        room = int(total.reshape(()))
        k, v = _extend(past_key, k, before, room), _extend(past_value, v, before, room)
    keys, own = np.arange(k.shape[2]), places[..., None]
    seen = (keys < ends[:, None, None]) & (not causal or keys <= own)
    if local_window_size > 0:
        seen = seen & (own - local_window_size < keys)
    factor = real(scale or 1 / math.sqrt(q.shape[3] or 1))
    grouped = (batch, kv_num_heads, q_num_heads // kv_num_heads * time, -1)
    scores = (q.astype(real) * factor).reshape(grouped) @ k.astype(real).swapaxes(2, 3)
    scores = scores.reshape(batch, q_num_heads, time, -1)
    if softcap > 0:
        scores = np.tanh(scores / real(softcap)) * real(softcap)
    if bias is not None:
        scores[..., : bias.shape[3]] += bias.astype(real)
        scores[..., bias.shape[3] :] = -np.inf
    weights = _weigh(np.where(seen[:, None], scores, real(-np.inf)), sink).reshape(grouped)
    output = (weights @ v.astype(real)).reshape(batch, q_num_heads, time, -1)
    return output.swapaxes(1, 2).reshape(batch, time, -1).astype(kind), k, v


@operator(steps=pairs, code=2001, reference=_group_query_attention)
def group_query_attention(
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
    causal: bool = True,
    interleaved: bool = False,
    local_window_size: int = -1,
    scale: float = 0.0,
    softcap: float = 0.0,
) -> tuple[TensorType, TensorType, TensorType]:
    """Attention over a cache of keys and values that several query heads share.

    The keys of a sample are the first of its cache, the new ones behind them; `last` is the place
    of its last key. Queries and new keys are turned by the angles of their places where `cos` and
    `sin` are there. The results are the attention and both caches with what is new.

    Types: any float, one for all; scores of 16-bit floats in float32. `last`, `total` and
    `positions` hold integers.
    Shapes: `query` [batch, time, q_num_heads * n], `key` and `value` [batch, time, kv_num_heads *
    n], caches [batch, kv_num_heads, room, n], `last` [batch], `total` one number, `cos` and `sin`
    [places, at most n / 2], `positions` [batch, time], `bias` [1 or batch, 1 or q_num_heads, time,
    keys], `sink` [q_num_heads]; gives [batch, time, q_num_heads * n] and caches with room for
    max(room, total) keys, for `time` where none were there. `total` <= room, or = room + time.
    Edges: keys behind `last` and behind those that `bias` has are not seen, and what lies there in
    a cache becomes 0; `sink` is the score of a key without a value; `local_window_size` above 0
    sees so many keys, `softcap` above 0 bounds the scores by tanh; `scale` 0 is 1 / sqrt(n); a
    query that sees no key gives 0. Queries behind `last` stand for nothing: what they give is some
    number.
    """
    groups = kv_num_heads > 0 and q_num_heads > 0 and q_num_heads % kv_num_heads == 0
    require(groups, f"{q_num_heads} query heads over {kv_num_heads}")
    parts, heads = (query, key, value), (q_num_heads, kv_num_heads, kv_num_heads)
    for operand, rank in ((query, 3), (key, 3), (value, 3), (past_key, 4), (past_value, 4)):
        _require_floats(operand, rank, query.precision)
    for operand, rank in ((cos, 2), (sin, 2), (bias, 4), (sink, 1)):
        _require_floats(operand, rank)
    for operand in (last, total, positions):
        require_integers(operand, GROUPED)
    for one, other in ((past_key, past_value), (cos, sin)):
        require((one is None) == (other is None), f"{GROUPED} with only one of two operands")
    batch, time = (common_dim([x.shape[k] for x in parts], GROUPED) for k in (0, 1))
    width = common_dim([_width(x, n) for x, n in zip(parts, heads, strict=True)], GROUPED)
    held = _room(past_key, past_value, total, (batch, kv_num_heads, width))
    for table in (cos, sin):
        angles = 0 if table is None else table.shape[1]
        fits = isinstance(angles, Expr) or isinstance(width, Expr) or 2 * angles <= width
        require(fits, f"{GROUPED}: heads of {width}, {angles} angles")
    present = query.type.with_shape((batch, kv_num_heads, time if held is None else held, width))
    return query.type.with_shape((batch, time, query.shape[2])), present, present


def _room(
    past_key: Value | None, past_value: Value | None, total: Value, sizes: tuple[Dim, Dim, Dim]
) -> Dim | None:
    """How many keys the caches have room for afterwards; None without caches."""
    if past_key is None or past_value is None:
        return None
    for cache in (past_key, past_value):
        batch, heads, _, width = cache.shape
        for size, wanted in zip((batch, heads, width), sizes, strict=True):
            common_dim([size, wanted], f"{GROUPED}: caches")
    room = common_dim([past_key.shape[2], past_value.shape[2]], f"{GROUPED}: caches")
    most = contents(total)
    return total.model.fresh() if most is None else maximum(room, most[0])


def _require_floats(value: Value | None, rank: int, kind: Precision | None = None) -> None:
    if value is not None:
        fits = value.is_float and value.rank == rank and kind in (None, value.precision)
        require(fits, f"{GROUPED} with {value.type}")
