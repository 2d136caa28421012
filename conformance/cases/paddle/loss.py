"""Paddle's losses."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.errors import BadType, NNAdapterError, Unsupported

from ...case import ROUNDS, Case, f, i, rand

X = rand(3, 4)
SHARES = rand(3, 4, low=0.05, high=0.95)
LABELS = rand(3, 4, seed=1, low=0, high=1)
CLASSES = i(1, 3, 0).reshape(3, 1)
WEIGHTS = rand(4, low=0.5)
LOGS = rand(3, 4, low=-3, high=0)


def loss(
    op: str,
    *inputs: Any,
    why: str = "",
    raises: type[NNAdapterError] | None = None,
    read: int | None = None,
    **attrs: Any,
) -> Case:
    """A loss, which rounds."""
    return Case(op, inputs, attrs, tol=ROUNDS, why=why, raises=raises, read=read)


BCE = "sigmoid_cross_entropy_with_logits"
CE = "cross_entropy_with_softmax"

CASES = [
    loss("bce_loss", SHARES, LABELS),
    loss("bce_loss", f(0, 1, 0, 1), f(1, 0, 0, 1), why="logarithm of 0"),
    loss("bce_loss_", SHARES, LABELS),
    loss("log_loss", rand(3, 1, low=0.05, high=0.95), rand(3, 1, low=0, high=1), epsilon=1e-4),
    loss("huber_loss", X, LABELS, delta=1.0),
    loss("huber_loss", X, LABELS, delta=0.3),
    *(loss("kldiv_loss", LOGS, LABELS, reduction=r) for r in ("none", "mean", "sum", "batchmean")),
    loss("kldiv_loss", LOGS[:1], f(0, 0.5, -1, 0.5).reshape(1, 4), why="no loss", reduction="none"),
    loss("kldiv_loss", LOGS, LABELS, log_target=True),
    loss("kldiv_loss", LOGS, LABELS, reduction="other", raises=Unsupported),
    loss("hinge_loss", rand(3, 1), f(0, 1, 1).reshape(3, 1)),
    *(loss("identity_loss", X, reduction=k) for k in range(3)),
    loss("identity_loss", X, reduction=7, raises=Unsupported),
    loss("identity_loss_", X),
    loss("label_smooth", LABELS, None, epsilon=0.1),
    loss("label_smooth", LABELS, rand(1, 4), epsilon=0.3, why="prior"),
    loss(BCE, X, LABELS, None),
    loss(BCE, X, LABELS, rand(3, 4, low=0.5), why="weights"),
    loss(
        BCE,
        X[:1],
        f(0, 1, -1, 1).reshape(1, 4),
        None,
        ignore_index=-1,
        normalize=True,
        why="ignored",
    ),
    loss(BCE, f(-200, 200, 0), f(1, 0, 1), None, why="far"),
    loss(f"{BCE}_", X, LABELS, None),
    loss(CE, X, CLASSES),
    loss(CE, X, i(1, -100, 0).reshape(3, 1), why="ignored"),
    loss(CE, X, i(1, 2, 0, dtype=np.int32).reshape(3, 1), ignore_index=2),
    loss(CE, rand(2, 4, 3), i(1, 2, 0, 3, 2, 1).reshape(2, 1, 3), axis=1),
    loss(CE, X, SHARES, soft_label=True),
    loss(CE, SHARES, CLASSES, use_softmax=False),
    loss(f"{CE}_", X, CLASSES),
    *(loss("nll_loss", LOGS, i(1, 3, 0), WEIGHTS, reduction=r) for r in ("none", "mean", "sum")),
    loss("nll_loss", LOGS, i(1, -100, 0), None, why="ignored"),
    loss(
        "nll_loss",
        rand(2, 4, 3, 2),
        i(1, 3, 0, 2, 1, 1, 0, 3, 2, 0, 1, 2).reshape(2, 3, 2),
        WEIGHTS,
    ),
    loss("nll_loss", LOGS, i(1, 3, 0), None, reduction="other", raises=Unsupported),
    loss("nll_loss", LOGS, CLASSES, None, raises=BadType, why="columns"),
    loss("identity_loss_", X, reduction=0),
    loss(
        f"{BCE}_",
        X[:1],
        f(0, 1, -1, 1).reshape(1, 4),
        None,
        ignore_index=-1,
        normalize=True,
        why="ignored",
    ),
    *(loss(op, X, CLASSES, numeric_stable_mode=False) for op in (CE, f"{CE}_")),
    loss(f"{CE}_", X, i(1, 2, 0).reshape(3, 1), ignore_index=2),
    loss(f"{CE}_", rand(2, 4, 3), i(1, 2, 0, 3, 2, 1).reshape(2, 1, 3), axis=1),
    loss(f"{CE}_", X, SHARES, soft_label=True),
    loss(f"{CE}_", SHARES, CLASSES, use_softmax=False),
    loss("nll_loss", LOGS, i(1, 3, 0), WEIGHTS, ignore_index=3),
]
