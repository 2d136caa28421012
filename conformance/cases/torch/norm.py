"""ATen normalisations."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from nnir.errors import BadType

from ...case import Case, Const, Limit, Tolerance, rand

SUMS = Tolerance(relative=1e-5, absolute=1e-5)
HALF = Tolerance(relative=2e-3, absolute=4e-3)
BRAIN = Tolerance(relative=1.6e-2, absolute=3e-2)
X = rand(2, 4, 3, 5)
W, B, M, V = rand(4), rand(4, seed=1), rand(4, seed=2), rand(4, low=0.5, high=2)
LW, LB = rand(5), rand(5, seed=1)
LAST = (False, 0.1, 1e-5)


def each(op: str, *rows: tuple, tol: Tolerance = SUMS) -> list[Case]:  # type: ignore[type-arg]
    """Cases of one operator: inputs and why."""
    return [Case(op, inputs, tol=tol, why=why) for inputs, why in rows]


CASES: list[Case] = [
    *each(
        "aten.batch_norm.default",
        ((X, W, B, M, V, *LAST, True), "plain"),
        ((X, *map(Const, (W, B, M, V)), False, 0.1, 1e-3, False), "weights"),
        ((X, None, None, M, V, *LAST, True), "no affine"),
        ((X, W, B, M, V, True, 0.1, 1e-5, True), "training"),
        ((X, W, B, None, None, True, 0.1, 1e-5, True), "no statistics"),
        ((rand(5, 4), W, B, M, V, *LAST, True), "rank 2"),
        ((rand(0, 4, 3), W, B, M, V, *LAST, True), "no samples"),
        ((X.astype(np.float64), *(v.astype(np.float64) for v in (W, B, M, V)), *LAST, True), ""),
    ),
    *each(
        "aten.batch_norm.default",
        ((X.astype(np.float16), W, B, M, V, *LAST, True), "half data"),
        tol=HALF,
    ),
    *each(
        "aten.batch_norm.default",
        ((X.astype(ml_dtypes.bfloat16), W, B, M, V, *LAST, True), "bfloat16 data"),
        tol=BRAIN,
    ),
    Case("aten.batch_norm.default", (X, W, B, None, None, *LAST, True), raises=BadType, why="none"),
    *each(
        "aten.native_batch_norm.default",
        ((X, W, B, M, V, *LAST), "plain"),
        ((X, W, B, M.copy(), V.copy(), True, 0.1, 1e-5), "training"),
    ),
    *each(
        "aten._native_batch_norm_legit.no_stats",
        ((X, W, B, True, 0.1, 1e-5), "plain"),
        ((X[:1], None, None, True, 0.1, 1e-5), "one sample"),
    ),
    *each("aten._native_batch_norm_legit_no_training.default", ((X, W, B, M, V, 0.1, 1e-5), "")),
    *each("aten._batch_norm_no_update.default", ((X, W, B, M, V, 0.1, 1e-5), "")),
    *each(
        "aten._native_batch_norm_legit_functional.default",
        ((X, W, B, M, V, True, 0.1, 1e-5), "training"),
        ((X, W, B, M, V, *LAST), "not training"),
    ),
    *each("aten._batch_norm_with_update_functional.default", ((X, W, B, M, V, 0.2, 1e-5), "")),
    *each(
        "aten.instance_norm.default",
        ((X, W, B, None, None, True, 0.1, 1e-5, True), "plain"),
        ((X, None, None, None, None, True, 0.1, 1e-5, True), "no affine"),
        (
            (np.zeros((2, 3, 4, 0), np.float32), None, None, None, None, True, 0.1, 1e-5, True),
            "empty",
        ),
        ((X, W, B, M, V, *LAST, True), "statistics"),
    ),
    *each(
        "aten.layer_norm.default",
        ((X, [5], LW, LB), "plain"),
        ((X, [5], Const(LW), Const(LB), 1e-3), "weights"),
        ((X, [5]), "no affine"),
        ((X, [3, 5], rand(3, 5)), "two axes, no bias"),
        ((rand(0, 5), [5], LW, LB), "no rows"),
    ),
    *each(
        "aten.layer_norm.default",
        ((X.astype(np.float16), [5], LW.astype(np.float16), LB.astype(np.float16)), "half"),
        tol=HALF,
    ),
    *each(
        "aten.native_layer_norm.default",
        ((X, [5], LW, LB, 1e-5), "plain"),
        ((X, [3, 5], None, None, 1e-3), "two axes"),
    ),
    Case("aten.layer_norm.default", (rand(5), [3, 5]), raises=BadType, why="too many axes"),
    Case("aten.layer_norm.default", (X, [2, 5]), raises=BadType, why="other sizes"),
    Case(
        "aten.native_layer_norm.default", (X, [3, 4], None, None, 1e-5), raises=BadType, why="sizes"
    ),
    Case("aten.rms_norm.default", (X, [4]), raises=BadType, why="other sizes"),
    *each(
        "aten.group_norm.default",
        ((X, 2, W, B), "plain"),
        ((X, 4), "no affine"),
        ((rand(2, 4), 2, W), "rank 2, no bias"),
    ),
    *each("aten.native_group_norm.default", ((X, W, B, 2, 4, 15, 2, 1e-5), "plain")),
    *each(
        "aten.rms_norm.default",
        ((X, [5], LW), "plain"),
        ((X, [3, 5], None, 1e-3), "two axes"),
        ((rand(2, 5, dtype=np.float64), [5]), "the default of float64"),
    ),
    *each(
        "aten.rms_norm.default",
        ((rand(2, 5, low=-1e-3, high=1e-3).astype(np.float16), [5]), "the default of half"),
        tol=HALF,
    ),
    *each(
        "aten._fused_rms_norm.default",
        ((X, [5], LW, 1e-5), "plain"),
        ((X, [5], None, None), "no weight"),
    ),
    *each("aten.group_norm.default", ((X, 2, W, B, 0.5, False), "eps, without cudnn")),
    *each("aten.layer_norm.default", ((X, [5], LW, LB, 0.5, False), "eps, without cudnn")),
]
LIMITS: list[Limit] = []
CASES += [
    Case("aten.batch_norm.default", (X[:0], W, B, M, V, *LAST, True), why="no images"),
    Case("aten.batch_norm.default", (X[..., :0], W, B, M, V, *LAST, True), why="no pixels"),
    Case("aten.batch_norm.default", (X[:, :, 0, 0], W, B, M, V, *LAST, True), tol=SUMS, why="2-d"),
]
