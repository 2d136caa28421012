"""Attention: its softmax, and its recurrent forms."""

from __future__ import annotations

import math

import numpy as np

from ..broadcast import axis_of, text
from ..decomposition import Level
from ..dim import Dim, Expr
from ..errors import Unsupported
from ..model import Value
from ..numeric import wide
from ..operator import operator, pairs, require
from ..types import Precision, TensorType
from . import generate, shape, unary
from .index import slice_
from .linear import mat_mul


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
UNROLLED = 256
"""Sequences up to this length are written out step by step on devices without the operator."""


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
    update_rule: str = "gated_delta",
    scale: float = 0.0,
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
    packed = outputs.swapaxes(0, 1).reshape(*query.shape[:2], -1).astype(query.dtype)
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
    batch, time = query.shape[:2]
    state = (batch, kv_num_heads, n, m)
    if past_state is not None:
        fits = past_state.rank == 4
        require(fits, f"linear_attention with a state {past_state.type}, not {text(state)}")
    kind = query.precision if past_state is None else past_state.precision
    output = query.type.with_shape((batch, time, m * q_num_heads))
    return output, TensorType(kind, state)


def _width(packed: Value, heads: int) -> Dim:
    width = packed.shape[-1]
    require(isinstance(width, Expr) or width % heads == 0, f"{heads} heads in {packed.type}")
    return width // heads


@linear_attention.decomposes(level=Level.UNROLLED)
def _step_by_step(
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
) -> tuple[Value, Value]:
    batch, time, width = query.shape
    if isinstance(time, Expr) or isinstance(width, Expr) or time > UNROLLED:
        raise Unsupported(f"linear_attention over {text(query.shape)} written out step by step")
    n, m = width // q_num_heads, _width(value, kv_num_heads)
    wide = Precision.FLOAT32
    groups = q_num_heads // kv_num_heads
    q = _steps(query, [kv_num_heads, groups, n], time)
    k, v = _steps(key, [kv_num_heads, 1, n], time), _steps(value, [kv_num_heads, 1, m], time)
    gates = (
        None
        if decay is None
        else [unary.exp(g) for g in _steps(decay, [kv_num_heads, -1, 1], time)]
    )
    rates = None if beta is None else _steps(beta, [-1, 1, 1], time)
    if past_state is None:
        if isinstance(batch, Expr) or isinstance(m, Expr):
            raise Unsupported(f"linear_attention of {query.type} without a state")
        zero = query.model.constant(0, np.float32)
        state = generate.fill([batch, kv_num_heads, n, m], zero)
    else:
        state = unary.cast(past_state, dtype=wide)
    rows = []
    for t in range(time):
        state = state * gates[t] if gates else state
        update = v[t]
        if rates:
            update = rates[t] * (update - mat_mul(k[t], state))
        state = state + mat_mul(k[t], update, transpose_x=True)
        rows.append(shape.reshape(mat_mul(q[t], state), [0, 1, -1]))
    factor = query.model.constant(scale or 1 / math.sqrt(n), np.float32)
    output = shape.concat(*rows, axis=1) * factor
    kind = query.precision if past_state is None else past_state.precision
    return unary.cast(output, dtype=query.precision), unary.cast(state, dtype=kind)


def _steps(packed: Value, parts: list[Dim], time: int) -> list[Value]:
    """[batch, time, n] as `time` tensors [batch, *parts] in float32."""
    wide = unary.cast(packed, dtype=Precision.FLOAT32)
    return [
        shape.reshape(slice_(wide, [1], [t], [t + 1]), [0, *map(int, parts)])  # type: ignore[arg-type]
        for t in range(time)
    ]
