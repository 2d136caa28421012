"""ATen attention."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from nnir.errors import BadType, Unsupported

from ...case import Case, Const, Limit, Tolerance, rand

SUMS = Tolerance(relative=1e-5, absolute=1e-5)
LAYER = Tolerance(relative=1e-4, absolute=1e-4)
"""Four products, a softmax and two norms, one after the other."""

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
X, Y = rand(2, 5, 8), rand(2, 5, 8, seed=4)
WEIGHTS = (rand(24, 8, seed=5), rand(24, seed=6), rand(8, 8, seed=7), rand(8, seed=8))
HIDDEN = (rand(5, 5, dtype=np.bool_, seed=9) & ~np.eye(5, dtype=np.bool_),)
PADDED = np.arange(5) >= np.array([[3], [5]])
NORMS = (rand(8, seed=10), rand(8, seed=11), rand(8, seed=12), rand(8, seed=13))
INNER = (rand(6, 8, seed=14), rand(6, seed=15), rand(8, 6, seed=16), rand(8, seed=17))


def layer(*, gelu: bool, first: bool) -> tuple[Any, ...]:
    """The arguments of a layer up to its mask."""
    return (X, 8, 2, *WEIGHTS, gelu, first, 1e-5, *NORMS, *INNER)


CASES += [
    *each(
        "aten._native_multi_head_attention.default",
        ((X, X, X, 8, 2, *WEIGHTS), {}, "the weights averaged over heads"),
        ((X, X, X, 8, 2, *WEIGHTS, None, True, False), {}, "the weights of each head"),
        ((X, X, X, 8, 2, *WEIGHTS, None, False), {}, "no weights"),
        ((Y, X, X, 8, 2, *WEIGHTS), {}, "other keys"),
        ((X, X, X, 8, 2, *WEIGHTS, *HIDDEN, True, True, 0), {}, "a mask of queries and keys"),
        ((X, X, X, 8, 2, *WEIGHTS, PADDED, True, True, 1), {}, "a mask of samples and keys"),
    ),
    *each(
        "aten._transformer_encoder_layer_fwd.default",
        (layer(gelu=False, first=False), {}, "relu, norms behind"),
        (layer(gelu=True, first=True), {}, "gelu, norms before"),
        ((*layer(gelu=False, first=True), PADDED, 1), {}, "a mask of samples and keys"),
        ((*layer(gelu=True, first=False), *HIDDEN, 0), {}, "a mask of queries and keys"),
        tol=LAYER,
    ),
]
LIMITS: list[Limit] = []
