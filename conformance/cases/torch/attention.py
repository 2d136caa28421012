"""ATen attention."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from nnir.errors import BadType, Unsupported

from ...case import Case, Const, Limit, Tolerance, rand

SUMS = Tolerance(relative=1e-5, absolute=1e-5)
HALF = Tolerance(relative=2e-3, absolute=4e-3)
BRAIN = Tolerance(relative=1.6e-2, absolute=3e-2)
Q, K, V = rand(2, 4, 3, 8), rand(2, 4, 5, 8, seed=1), rand(2, 4, 5, 6, seed=2)
HEADS = rand(2, 2, 5, 8, seed=3)
MASK = rand(3, 5, dtype=np.bool_) | (np.arange(5) == 0)
BLIND = MASK & (np.arange(3) != 1)[:, None]
BIAS = np.where(BLIND, rand(3, 5), -np.inf).astype(np.float32)
Attributes = dict[str, Any]


def each(
    op: str, *rows: tuple[tuple[Any, ...], Attributes, str], tol: Tolerance = SUMS
) -> list[Case]:
    """Cases of one operator: inputs, attributes and why."""
    return [Case(op, inputs, attrs, tol=tol, why=why) for inputs, attrs, why in rows]


CASES: list[Case] = [
    *each(
        "aten.scaled_dot_product_attention.default",
        ((Q, K, V), {}, "plain"),
        ((Q, K, V, None, 0.0, True), {}, "causal"),
        ((Q, K, V, MASK), {}, "a mask"),
        ((Q, K, V, Const(MASK)), {}, "a constant mask"),
        ((Q, K, V, BLIND), {}, "a query that sees nothing"),
        ((Q, K, V, Const(BLIND)), {}, "a constant query that sees nothing"),
        ((Q, K, V, rand(2, 1, 3, 5)), {}, "a bias"),
        ((Q, K, V, BIAS), {}, "a bias that hides everything"),
        ((Q, K, V), {"scale": 0.3}, "a scale"),
        ((Q, K, V), {"scale": 1.0}, "no scale"),
        ((Q, HEADS, HEADS), {"enable_gqa": True}, "grouped queries"),
        ((Q[0], K[0], V[0]), {}, "rank 3"),
        ((Q[0, 0], K[0, 0], V[0, 0]), {}, "rank 2"),
        ((np.float64(Q), np.float64(K), np.float64(V)), {}, "double"),
        ((Q[:0], K[:0], V[:0]), {}, "no samples"),
    ),
    *each(
        "aten.scaled_dot_product_attention.default",
        ((np.float16(Q), np.float16(K), np.float16(V), MASK), {}, "half"),
        tol=HALF,
    ),
    *each(
        "aten.scaled_dot_product_attention.default",
        (tuple(x.astype(ml_dtypes.bfloat16) for x in (Q, K, V)), {}, "bfloat16"),
        tol=BRAIN,
    ),
    Case(
        "aten.scaled_dot_product_attention.default",
        (Q, K, V, None, 0.5),
        raises=Unsupported,
        why="dropout",
    ),
    Case(
        "aten.scaled_dot_product_attention.default",
        (Q, K, V, MASK, 0.0, True),
        raises=BadType,
        why="two masks",
    ),
    *each(
        "aten._scaled_dot_product_attention_math.default",
        ((Q, K, V), {}, "plain"),
        ((Q, K, V, MASK), {}, "a mask"),
        ((Q, K, V, BIAS), {}, "a bias that hides everything"),
    ),
    *each(
        "aten._scaled_dot_product_attention_math.default",
        ((Q, K, V, None, 0.0, True), {"scale": 0.3}, "causal, a scale"),
        ((Q, HEADS, HEADS), {"enable_gqa": True}, "grouped queries"),
    ),
    Case(
        "aten._scaled_dot_product_attention_math.default",
        (Q, K, V, None, 0.5),
        raises=Unsupported,
        why="dropout",
    ),
    Case(
        "aten._scaled_dot_product_attention_math.default",
        (Q, K, V, None, 0.0, False, rand(2, 4, 3, 5, dtype=np.bool_)),
        raises=Unsupported,
        why="a dropout mask",
    ),
    Case(
        "aten._scaled_dot_product_flash_attention_for_cpu.default",
        (Q, K, K, 0.5),
        raises=Unsupported,
        why="dropout",
    ),
    *each(
        "aten._scaled_dot_product_flash_attention_for_cpu.default",
        ((Q, K, K), {}, "plain"),
        ((Q, K, K, 0.0, True), {"scale": 0.5}, "causal"),
        ((Q, K, K), {"attn_mask": rand(2, 1, 3, 5)}, "a bias"),
    ),
]
LIMITS: list[Limit] = []
