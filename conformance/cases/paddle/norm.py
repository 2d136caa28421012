"""Paddle's normalisations."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.errors import BadType, NNAdapterError, Unsupported

from ...case import ROUNDS, Case, f, rand

X = rand(2, 4, 3, 5)
C = rand(4, low=0.5)
B = rand(4, seed=1)
MEAN, VAR = rand(4, seed=2), rand(4, seed=3, low=0.5)
H = np.float16


def batch(
    x: np.ndarray,
    *,
    op: str = "batch_norm",
    why: str = "",
    read: int = 1,
    weights: tuple[np.ndarray | None, ...] = (C, B),
    raises: type[NNAdapterError] | None = None,
    **given: Any,
) -> Case:
    """A batch norm, whose attributes have no defaults."""
    attrs: dict[str, Any] = {
        "is_test": True,
        "momentum": 0.9,
        "epsilon": 1e-5,
        "data_format": "NCHW",
        "use_global_stats": False,
        "trainable_statistics": False,
    } | given
    name = why or ",".join(f"{k}={v}" for k, v in given.items()) or "plain"
    inputs = (x, MEAN, VAR, *weights)
    return Case(op, inputs, attrs, tol=ROUNDS, read=read, why=name, raises=raises)


def rounds(
    op: str,
    *inputs: Any,
    why: str = "",
    raises: type[NNAdapterError] | None = None,
    read: int | None = None,
    **attrs: Any,
) -> Case:
    """An operator that rounds."""
    return Case(op, inputs, attrs, tol=ROUNDS, read=read, why=why, raises=raises)


CASES = [
    batch(X),
    batch(X, read=3, why="statistics"),
    batch(X, epsilon=0.1),
    batch(rand(2, 4), why="rank 2"),
    batch(rand(2, 4, 3), why="rank 3"),
    batch(rand(2, 4, 3, 2, 2), why="rank 5"),
    batch(rand(2, 4, 3), data_format="NCL", raises=Unsupported),
    batch(rand(2, 3, 5, 4), data_format="NHWC"),
    batch(X, weights=(None, None), why="no weights"),
    batch(X, use_global_stats=True, is_test=False),
    batch(X, is_test=False, read=3, momentum=0.7),
    batch(X, trainable_statistics=True, why="statistics of the batch"),
    batch(X, data_format="CHWN", raises=Unsupported),
    batch(X, op="batch_norm_"),
    batch(X, op="sync_batch_norm_", is_test=False, raises=Unsupported, data_format="CHWN"),
    rounds("layer_norm", X, rand(60), rand(60, seed=1)),
    rounds("layer_norm", X, rand(5), rand(5, seed=1), begin_norm_axis=3),
    rounds("layer_norm", X, None, rand(15), begin_norm_axis=2, epsilon=5e-4),
    rounds("layer_norm", X, None, None, begin_norm_axis=3, why="no weights"),
    rounds("instance_norm", X, C, B),
    rounds("instance_norm", rand(2, 4, 6), C, B, epsilon=0.1),
    rounds("instance_norm", X, None, None, why="no weights"),
    rounds("group_norm", X, C, B, groups=2),
    rounds("group_norm", rand(2, 3, 5, 4), C, B, groups=4, data_format="NHWC"),
    rounds("group_norm", X, None, None, groups=1, epsilon=0.1),
    rounds("rms_norm", X, rand(5), normalized_shape=[5]),
    rounds("rms_norm", X, rand(3, 5), normalized_shape=[3, 5], epsilon=0.1),
    rounds("rms_norm", X, None, normalized_shape=[5], why="no weight"),
    rounds("rms_norm", X, None, normalized_shape=[1, 2, 3, 4, 5], raises=BadType),
    rounds("norm", X, axis=1, epsilon=1e-10, is_test=True),
    rounds("norm", X, axis=-1, epsilon=0.1, is_test=False),
    rounds("l1_norm", X),
    rounds("renorm", X, p=2.0, axis=1, max_norm=3.0),
    rounds("renorm", X, p=1.0, axis=2, max_norm=1e3, why="all below"),
    rounds("renorm", X, p=3.0, axis=0, max_norm=2.0),
    rounds("renorm_", X, p=2.0, axis=1, max_norm=3.0),
    rounds("l1_norm_", X),
    rounds("affine_channel", X, C, B, data_layout="NCHW"),
    rounds("affine_channel_", X, C, B, data_layout="NCHW"),
    rounds("affine_channel", rand(2, 3, 5, 4), C, B, data_layout="NHWC"),
    rounds("spectral_norm", rand(3, 4), rand(3), rand(4)),
    rounds("spectral_norm", rand(4, 3, 2, 2), rand(3), rand(16), dim=1, power_iters=3),
    rounds("spectral_norm", rand(3, 4), f(0.6, 0, 0.8), f(1, 0, 0, 0), power_iters=0, eps=1e-3),
]
