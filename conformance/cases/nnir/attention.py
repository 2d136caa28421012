"""Attention over caches, query by query."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.errors import BadType
from nnir.ops import attention

from ...case import ROUNDS, i, rand
from .direct import DirectCase, referred

Array = np.ndarray
Maybe = Array | None


def group_query_attention(
    query: Array,
    key: Array,
    value: Array,
    last: Array,
    total: Array,
    past_key: Maybe = None,
    past_value: Maybe = None,
    cos: Maybe = None,
    sin: Maybe = None,
    positions: Maybe = None,
    bias: Maybe = None,
    sink: Maybe = None,
    *,
    q_num_heads: int,
    kv_num_heads: int,
    local_window_size: int = -1,
    **_: Any,
) -> tuple[Array, ...]:
    """One query of one head after the other, over the keys that it sees."""
    batch, time, _width = query.shape
    size = _width // q_num_heads
    q = query.reshape(batch, time, q_num_heads, size).astype(np.float64)
    new = [x.reshape(batch, time, kv_num_heads, size) for x in (key, value)]
    held = 0 if past_key is None else past_key.shape[2]
    room = time if past_key is None else max(held, int(total))
    caches = [np.zeros((batch, kv_num_heads, room, size), query.dtype) for _ in new]
    output = np.zeros(q.shape)
    for b in range(batch):
        before = max(int(last[b]) + 1 - time, 0)
        for cache, past, more in zip(caches, (past_key, past_value), new, strict=True):
            if past is not None:
                cache[b, :, :before] = past[b, :, :before]
            for t in range(time):
                cache[b, :, before + t] = more[b, t]
        for t in range(time):
            place = before + t
            turn = place if positions is None else int(positions[b, t])
            q[b, t] = _turn(q[b, t], cos, sin, turn)
            caches[0][b, :, place] = _turn(caches[0][b, :, place], cos, sin, turn)
        for t, h in np.ndindex(time, q_num_heads):
            stop, own = before + t + 1, h * kv_num_heads // q_num_heads
            start = max(stop - local_window_size, 0) if local_window_size > 0 else 0
            stop = min(stop, int(last[b]) + 1)
            scores = caches[0][b, own, start:stop].astype(np.float64) @ q[b, t, h] / np.sqrt(size)
            if bias is not None:
                scores += np.broadcast_to(bias, (batch, q_num_heads, *bias.shape[2:]))[
                    b, h, t, start:stop
                ]
            weights = np.exp(scores)
            share = weights.sum() + (0 if sink is None else np.exp(float(sink[h])))
            if start < stop:
                output[b, t, h] = weights / share @ caches[1][b, own, start:stop]
    return output.reshape(query.shape).astype(query.dtype), *caches


def _turn(heads: Array, cos: Maybe, sin: Maybe, place: int) -> Array:
    """The first and the second half of the features as points, turned."""
    if cos is None or sin is None:
        return heads
    half, c, s = cos.shape[1], cos[place], sin[place]
    x, y = heads[:, :half], heads[:, half : 2 * half]
    return np.concatenate([x * c - y * s, x * s + y * c, heads[:, 2 * half :]], -1)


HEADS = {"q_num_heads": 4, "kv_num_heads": 2}
NEW = rand(2, 3, 64), rand(2, 3, 32, seed=1), rand(2, 3, 32, seed=2)
ONE = tuple(x[:, :1] for x in NEW)
PAST = rand(2, 2, 5, 16, seed=3), rand(2, 2, 5, 16, seed=4)
ANGLES = np.cos(rand(9, 8, seed=5)), np.sin(rand(9, 8, seed=5))


def case(*inputs: Any, why: str, raises: Any = None, **attrs: Any) -> DirectCase:
    """A row; `why` names it."""
    return DirectCase(
        attention.group_query_attention,
        inputs,
        HEADS | attrs,
        group_query_attention,
        tol=ROUNDS,
        why=why,
        raises=raises,
    )


def at(*last: int, total: int | None = None) -> tuple[Array, Array]:
    """The places of the last keys, and how many keys there are at most."""
    return i(*last), np.array(max(last) + 1 if total is None else total, np.int32)


def linear(steps: int, why: str) -> DirectCase:
    """LINEAR_ATTENTION of two query heads for each of one key head, from a state, in so many
    steps."""
    query, key, value = (rand(1, steps, n, seed=k) for k, n in enumerate((6, 3, 2)))
    decay = rand(1, steps, 3, seed=3, low=-1, high=0)
    beta = rand(1, steps, 1, seed=4, low=0, high=1)
    inputs = query, key, value, rand(1, 1, 3, 2, seed=5), decay, beta
    heads = {"q_num_heads": 2, "kv_num_heads": 1}
    return referred(attention.linear_attention, inputs, heads, ROUNDS, why)


CASES = [
    case(*NEW, *at(2, 2), why="a prompt"),
    case(*NEW, *at(2, 0), local_window_size=1, why="a query that sees no key"),
    case(*(x.astype(np.float64) for x in NEW), *at(2, 2), why="a prompt"),
    case(*ONE, *at(4, 2), *PAST, why="one more"),
    case(*ONE, *at(5, 2), *PAST, *ANGLES, why="one more, turned, in a cache that grows"),
    case(*NEW, *at(4, 3), *PAST, *ANGLES, why="three more of two samples, turned"),
    case(*NEW, *at(4, 3), *PAST, *ANGLES, i([5, 6, 7], [1, 2, 8]), why="at positions"),
    case(*ONE, *at(4, 2), *PAST, *(None,) * 3, rand(2, 4, 1, 5), why="scores added"),
    case(*ONE, *at(4, 2), *PAST, *(None,) * 4, rand(4), why="a sink"),
    case(*ONE, *at(4, 2), PAST[0], why="one of two caches", raises=BadType),
    case(*ONE, *at(4, 2), *PAST, ANGLES[0], why="one of two tables", raises=BadType),
    case(*NEW, *at(2, 2), q_num_heads=3, why="heads that share unevenly", raises=BadType),
    case(*NEW[:2], NEW[0], *at(2, 2), why="values of another size", raises=BadType),
    case(*ONE, *at(4, 2), *PAST, *(np.tile(x, 2) for x in ANGLES), why="too many angles",
         raises=BadType),
    *(linear(*row) for row in (
        (0, "no steps"), (1, "one step"), (260, "more steps than are written out"),
    )),
]  # fmt: skip
