"""ATen losses."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from nnir.errors import Unsupported

from ...case import ROUNDS, Case, Tolerance, f, i, rand, scalar

BF16 = ml_dtypes.bfloat16
NARROW = {
    "float16": Tolerance(relative=2e-3, absolute=1e-3),
    "bfloat16": Tolerance(relative=1.6e-2, absolute=1e-2),
    "": ROUNDS,
}
X, Y = rand(2, 3), rand(2, 3, seed=1)
P, Q = rand(2, 3, low=0.05, high=0.95), rand(2, 3, low=0.05, high=0.95, seed=1)
SIGNS = np.array([[1, -1, 1], [-1, -1, 1]], np.float32)
PAIRS = ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss")
SCORES = np.log(rand(4, 3, low=0.1, high=1))
PLANES = rand(2, 3, 2, 2)
CLASSES, MAP = i(0, 2, 1, 2), rand(2, 2, 2, dtype=np.int64, low=0, high=2)
WEIGHTS = f(0.5, 1, 2)
NLL = ("nll_loss", "nll_loss_nd", "nll_loss2d")

CASES = [
    *(
        Case(f"aten.{op}.default", (X, Y, r), why=f"reduction {r}", tol=ROUNDS)
        for op in PAIRS
        for r in (0, 1, 2)
    ),
    *(
        Case(f"aten.{op}.default", (X.astype(d), Y.astype(d)), tol=NARROW)
        for op in PAIRS
        for d in (np.float16, BF16, np.float64)
    ),
    Case("aten.mse_loss.default", (X, Y, 3), why="reduction 3", raises=Unsupported),
    Case("aten.smooth_l1_loss.default", (X, Y, 1, 0.3), why="beta", tol=ROUNDS),
    Case("aten.smooth_l1_loss.default", (X, Y, 1, 0.0), why="beta 0", tol=ROUNDS),
    Case("aten.huber_loss.default", (X, Y, 1, 0.3), why="delta", tol=ROUNDS),
    *(
        Case(f"aten.{op}.default", (SCORES, CLASSES, WEIGHTS, r, 1), why=f"weights {r}", tol=ROUNDS)
        for op in NLL[:2]
        for r in (0, 1, 2)
    ),
    *(Case(f"aten.{op}.default", (PLANES, MAP), why="planes", tol=ROUNDS) for op in NLL[1:]),
    Case("aten.nll_loss.default", (SCORES, CLASSES), tol=ROUNDS),
    Case("aten.nll_loss.default", (SCORES[0], scalar(2, np.int64)), why="one sample", tol=ROUNDS),
    Case("aten.nll_loss2d.default", (PLANES, MAP, WEIGHTS, 0, 1), why="weights", tol=ROUNDS),
    Case("aten.nll_loss_forward.default", (SCORES, CLASSES, WEIGHTS, 1, -100), tol=ROUNDS),
    Case("aten.nll_loss_forward.default", (SCORES, CLASSES, None, 0, 2), why="each", tol=ROUNDS),
    Case("aten.nll_loss2d_forward.default", (PLANES, MAP, None, 2, -100), tol=ROUNDS),
    Case("aten.cross_entropy_loss.default", (SCORES, CLASSES), tol=ROUNDS),
    Case("aten.cross_entropy_loss.default", (X[0], scalar(1, np.int64)), why="one", tol=ROUNDS),
    *(
        Case(
            "aten.cross_entropy_loss.default",
            (SCORES, CLASSES, WEIGHTS, r, 1, 0.1),
            why=f"smoothed {r}",
            tol=ROUNDS,
        )
        for r in (0, 1, 2)
    ),
    Case("aten.cross_entropy_loss.default", (PLANES, MAP, None, 1), why="planes", tol=ROUNDS),
    Case(
        "aten.cross_entropy_loss.default",
        (PLANES, MAP, WEIGHTS, 1, -100, 0.1),
        why="smoothed planes",
        tol=ROUNDS,
    ),
    Case(
        "aten.cross_entropy_loss.default",
        (X, P / P.sum(1, keepdims=True), WEIGHTS, 1, -100, 0.2),
        why="probabilities",
        tol=ROUNDS,
    ),
    Case("aten.cross_entropy_loss.default", (SCORES.astype(BF16), CLASSES), tol=NARROW),
    *(
        Case(
            "aten.cross_entropy_loss.default",
            (f([0, 0, -1000.5, -3]).astype(kind), f([0, 0, 1, -256]).astype(kind)),
            why="large scores that nearly cancel",
            tol=Tolerance(absolute=0.05),
        )
        for kind in (np.float32, np.float16)
    ),
    Case(
        "aten.cross_entropy_loss.default",
        (X.astype(np.float32), (P / P.sum(1, keepdims=True)).astype(np.float64)),
        why="probabilities of a wider type",
        tol=Tolerance(relative=1e-6),  # logarithms in float32, products in float64
    ),
    Case(
        "aten.cross_entropy_loss.default",
        (X.astype(BF16), (P / P.sum(1, keepdims=True)).astype(np.float32), None, 0),
        why="scores of a narrower type",
        tol=NARROW,
    ),
    *(
        Case("aten.binary_cross_entropy.default", (P, Q, Y, r), tol=ROUNDS, why=f"weights {r}")
        for r in (0, 1, 2)
    ),
    Case("aten.binary_cross_entropy.default", (f(0, 1, 0.5), f(1, 1, 0)), why="ends", tol=ROUNDS),
    Case("aten.binary_cross_entropy_with_logits.default", (X, Q), tol=ROUNDS),
    Case(
        "aten.binary_cross_entropy_with_logits.default",
        (X, Q, Y, WEIGHTS, 2),
        why="weights",
        tol=ROUNDS,
    ),
    Case("aten.kl_div.default", (X, Q), tol=ROUNDS),
    Case("aten.kl_div.default", (X, f(0, 0.5, 1), 0), why="zero", tol=ROUNDS),
    Case("aten.kl_div.default", (X, Y, 2), {"log_target": True}, tol=ROUNDS),
    Case("aten.soft_margin_loss.default", (X, SIGNS), tol=ROUNDS),
    Case("aten.soft_margin_loss.default", (X, SIGNS, 0), why="each", tol=ROUNDS),
    Case("aten.hinge_embedding_loss.default", (X, SIGNS), tol=ROUNDS),
    Case("aten.hinge_embedding_loss.default", (X, SIGNS, 0.5, 0), why="margin", tol=ROUNDS),
    Case("aten.margin_ranking_loss.default", (X, Y, SIGNS), tol=ROUNDS),
    Case("aten.margin_ranking_loss.default", (X, Y, SIGNS, 0.5, 2), why="margin", tol=ROUNDS),
    Case("aten.cosine_embedding_loss.default", (X, Y, f(1, -1)), tol=ROUNDS),
    Case("aten.cosine_embedding_loss.default", (X, Y, f(1, -1), 0.2, 0), why="each", tol=ROUNDS),
    Case("aten.cosine_embedding_loss.default", (X, X + 0.1, f(1, -1), 0.2), why="near", tol=ROUNDS),
    Case("aten.poisson_nll_loss.default", (X, P, True, False, 1e-8, 1), tol=ROUNDS),
    Case("aten.poisson_nll_loss.default", (P, Q * 4, False, True, 1e-8, 0), why="full", tol=ROUNDS),
    Case("aten.triplet_margin_loss.default", (X, Y, P), tol=ROUNDS),
    Case(
        "aten.triplet_margin_loss.default",
        (X, Y, P, 0.5, 1.0, 1e-6, True, 0),
        why="swap",
        tol=ROUNDS,
    ),
    Case("aten.triplet_margin_loss.default", (X, Y, P, 1.0, 2.0, 0.5), why="eps", tol=ROUNDS),
    Case("aten.multi_margin_loss.default", (SCORES, CLASSES), tol=ROUNDS),
    Case(
        "aten.multi_margin_loss.default",
        (SCORES, CLASSES, 2, 0.5, WEIGHTS, 0),
        why="p 2",
        tol=ROUNDS,
    ),
    Case("aten.multi_margin_loss.default", (SCORES, CLASSES, 3), why="p 3", raises=Unsupported),
]
CASES += [
    *(
        Case(
            f"aten.{op}.default",
            (SCORES[:1] if op != "nll_loss2d" else PLANES[:1, :, :1], target, WEIGHTS, reduction),
            why=f"a batch of one, {reduction}",
            tol=ROUNDS,
        )
        for op, target in (
            *(("nll_loss", CLASSES[:1]), ("nll_loss_nd", CLASSES[:1])),
            *(("nll_loss2d", MAP[:1, :1]), ("cross_entropy_loss", CLASSES[:1])),
        )
        for reduction in (0, 1, 2)
    ),
    Case("aten.multi_margin_loss.default", (rand(4), scalar(2, np.int64)), tol=ROUNDS, why="0-d"),
    *(
        Case(
            "aten.multi_margin_loss.default",
            (rand(4), target, 2, 0.5, rand(4, low=0, high=1), reduction),
            why=f"a vector, {target.ndim}, {reduction}",
            tol=ROUNDS,
        )
        for target in (scalar(1, np.int64), i(1))
        for reduction in (0, 1, 2)
    ),
]
