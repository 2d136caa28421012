"""Paddle's pools."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from nnir.errors import NNAdapterError, NoLowering, Unsupported

from ...case import ROUNDS, Case, Limit, i, rand

X = rand(2, 3, 6, 7)
VOLUME = rand(1, 2, 5, 6, 7)
LAST = rand(2, 6, 7, 3)


def pool(
    x: np.ndarray,
    kernel: tuple[int, ...],
    strides: tuple[int, ...] = (2, 2),
    paddings: tuple[int, ...] = (0, 0),
    *,
    op: str = "pool2d",
    why: str = "",
    raises: type[NNAdapterError] | None = None,
    **given: Any,
) -> Case:
    """A pool whose attributes have no defaults."""
    attrs: dict[str, Any] = {
        "ceil_mode": False,
        "exclusive": True,
        "data_format": "NCHW" if op == "pool2d" else "NCDHW",
        "pooling_type": "max",
        "global_pooling": False,
        "adaptive": False,
        "padding_algorithm": "EXPLICIT",
    } | given
    name = why or ",".join(f"{k}={v}" for k, v in given.items())
    text = f"{list(kernel)} by {list(strides)} {list(paddings)} {name}"
    inputs = (x, list(kernel), list(strides), list(paddings))
    return Case(op, inputs, attrs, tol=ROUNDS, why=text, raises=raises)


def pool3(
    x: np.ndarray,
    kernel: tuple[int, ...],
    strides: tuple[int, ...] = (2, 2, 2),
    paddings: tuple[int, ...] = (0, 0, 0),
    **given: Any,
) -> Case:
    """The same over three axes."""
    return pool(x, kernel, strides, paddings, op="pool3d", **given)


AVG: dict[str, Any] = {"pooling_type": "avg"}
LP: dict[str, Any] = {"norm_type": 2.0, "pooling_type": "lp"}
INDEX = "max_pool2d_with_index"
INDEX3 = "max_pool3d_with_index"

CASES = [
    *(
        replace(
            pool(X, (3, 2), steps, around, **AVG, exclusive=False, ceil_mode=ceil), is_open=True
        )
        for steps, around in (((2, 1), (0, 0)), ((1, 2), (1, 0)), ((1, 1), (1, 1)))
        for ceil in (False, True)
    ),
    *(
        replace(pool(X, (3, 2), (2, 2), (1, 0), pooling_type=kind, ceil_mode=ceil), is_open=True)
        for kind in ("max", "avg")
        for ceil in (False, True)
    ),
    *(
        pool(
            *(X, (3, 2), (2, 2)),
            pooling_type=kind,
            padding_algorithm="SAME",
            exclusive=exclusive,
            why=f"same, {kind}, {exclusive}",
        )
        for kind in ("max", "avg")
        for exclusive in (False, True)
    ),
    *(
        pool3(
            rand(1, 2, 4, 5, 6),
            (1, 2, 3),
            pooling_type=kind,
            padding_algorithm="SAME",
            exclusive=exclusive,
        )
        for kind in ("max", "avg")
        for exclusive in (False, True)
    ),
    pool(X, (2, 3)),
    pool(X, (3, 3), (2, 1), (1, 1)),
    pool(X, (3, 3), (2, 2), (1, 0, 2, 1), why="four paddings"),
    pool(X, (3, 3), (2, 2), ceil_mode=True),
    pool(X, (2, 2), (3, 3), ceil_mode=True, raises=Unsupported, why="larger steps"),
    pool(X, (3, 2), padding_algorithm="SAME"),
    pool(X, (3, 2), paddings=(1, 1), padding_algorithm="VALID"),
    pool(X, (1, 1), global_pooling=True),
    pool(X, (2, 3), adaptive=True, raises=Unsupported, why="wrong in Paddle"),
    pool(LAST, (2, 3), data_format="NHWC"),
    pool(rand(2, 3, 6, 7, dtype=np.float64), (2, 3), why="float64"),
    pool(X, (2, 3), **AVG),
    pool(X, (3, 3), (2, 1), (1, 1), **AVG),
    pool(X, (3, 3), (2, 1), (1, 1), **AVG, exclusive=False),
    pool(X, (3, 3), (2, 2), (1, 1), **AVG, ceil_mode=True),
    pool(X, (3, 3), (2, 2), (1, 1), **AVG, ceil_mode=True, exclusive=False),
    pool(X, (3, 2), **AVG, padding_algorithm="SAME"),
    pool(X, (3, 2), **AVG, padding_algorithm="SAME", exclusive=False),
    pool(X, (3, 3), (2, 2), (1, 0, 0, 1), **AVG, exclusive=False, why="four paddings, all"),
    pool(X, (1, 1), **AVG, global_pooling=True),
    pool(X, (2, 3), **AVG, adaptive=True),
    pool(X, (1, 1), **AVG, adaptive=True),
    pool(LAST, (3, 3), (2, 2), (1, 1), **AVG, data_format="NHWC"),
    pool(LAST, (2, 3), **AVG, adaptive=True, data_format="NHWC"),
    pool(X, (2, 3), pooling_type="sum", raises=Unsupported),
    pool(X, (2, 2), (5, 5), (0, 1, 0, 1), ceil_mode=True, raises=Unsupported, why="no element"),
    pool3(VOLUME, (2, 3, 2)),
    pool3(VOLUME, (3, 3, 3), (2, 2, 1), (1, 1, 1)),
    pool3(VOLUME, (2, 3, 2), (2, 2, 2), (0, 0, 0), ceil_mode=True),
    pool3(VOLUME, (2, 2, 2), padding_algorithm="SAME"),
    pool3(VOLUME, (1, 1, 1), global_pooling=True),
    pool3(VOLUME, (2, 3, 2), adaptive=True, raises=Unsupported, why="wrong in Paddle"),
    pool3(VOLUME, (3, 3, 3), (2, 2, 1), (1, 1, 1), **AVG),
    pool3(VOLUME, (3, 3, 3), (2, 2, 1), (1, 1, 1), **AVG, exclusive=False),
    pool3(VOLUME, (2, 3, 2), (2, 2, 2), **AVG, ceil_mode=True),
    pool3(VOLUME, (2, 3, 2), (2, 2, 2), **AVG, ceil_mode=True, exclusive=False),
    pool3(VOLUME, (1, 1, 1), **AVG, global_pooling=True),
    pool3(VOLUME, (2, 3, 2), **AVG, adaptive=True),
    pool3(rand(1, 5, 6, 7, 2), (2, 3, 2), **AVG, data_format="NDHWC"),
    Case(INDEX, (X, [2, 3]), {"strides": [2, 2]}),
    Case(INDEX, (X, [3, 3]), {"strides": [2, 2], "paddings": [1, 1]}),
    Case(INDEX, (X, [3, 3]), {"strides": [2, 2], "ceil_mode": True}),
    Case(INDEX, (X, [1, 1]), {"global_pooling": True}),
    Case(INDEX, (X, [2, 3]), {"adaptive": True}),
    Case(INDEX3, (VOLUME, [2, 3, 2]), {"strides": [2, 2, 2]}),
    Case(INDEX3, (VOLUME, [3, 3, 3]), {"strides": [2, 2, 2], "paddings": [1, 1, 1]}),
    Case(INDEX3, (VOLUME, [2, 3, 2]), {"strides": [2, 2, 2], "ceil_mode": True}),
    Case(INDEX3, (VOLUME, [1, 1, 1]), {"global_pooling": True}),
    Case(INDEX3, (VOLUME, [2, 3, 2]), {"adaptive": True}),
    Case("lp_pool2d", (X, [2, 3], [2, 2]), {"norm_type": 2.0, "pooling_type": "lp"}, tol=ROUNDS),
    Case(
        "lp_pool2d",
        (rand(2, 3, 6, 7, low=0), [3, 3], [2, 2], [1, 1]),
        {"norm_type": 3.0, "pooling_type": "lp"},
        tol=ROUNDS,
    ),
    Case(
        "unpool",
        (rand(1, 1, 2, 2), i(5, 6, 12, 15, dtype=np.int32).reshape(1, 1, 2, 2)),
        {
            "ksize": [2, 2],
            "strides": [2, 2],
            "padding": [0, 0],
            "output_size": [4, 4],
            "data_format": "NCHW",
        },
    ),
    Case(
        "unpool3d",
        (rand(1, 1, 1, 2, 2), i(5, 6, 12, 15, dtype=np.int32).reshape(1, 1, 1, 2, 2)),
        {"ksize": [2, 2, 2], "strides": [2, 2, 2], "output_size": [2, 4, 4]},
    ),
    Case("fractional_max_pool2d", (X, [2, 3]), {"random_u": 0.3}),
    Case("fractional_max_pool2d", (X, [3, 4]), {"random_u": 0.8}),
    Case("fractional_max_pool2d", (X, [3, 4]), {"random_u": 0.8, "kernel_size": [2, 2]}),
    Case("fractional_max_pool2d", (X, [3, 4]), raises=Unsupported, why="random"),
    Case("fractional_max_pool3d", (VOLUME, [2, 3, 4]), {"random_u": 0.3}),
    *(
        Case("lp_pool2d", (X, [3, 3], [2, 2]), LP | how, tol=ROUNDS)
        for how in ({"ceil_mode": True}, {"exclusive": False}, {"padding_algorithm": "SAME"})
    ),
    Case(
        "lp_pool2d",
        (rand(2, 3, 6, 7, low=0.1), [3, 3], [2, 2], [1, 0, 2, 1]),
        {"norm_type": 3.0, "pooling_type": "lp", "ceil_mode": True},
        tol=ROUNDS,
        why="four paddings, rounded up",
    ),
    Case("lp_pool2d", (LAST, [3, 3], [2, 2]), LP | {"data_format": "NHWC"}, tol=ROUNDS),
    *(
        Case("lp_pool2d", (X, [3, 3], [2, 2]), LP | {how: True}, raises=Unsupported)
        for how in ("global_pooling", "adaptive")
    ),
    Case(
        "unpool3d",
        (rand(1, 1, 1, 2, 2), i(5, 6, 12, 15, dtype=np.int32).reshape(1, 1, 1, 2, 2)),
        {
            "ksize": [2, 2, 2],
            "strides": [2, 2, 2],
            "paddings": [1, 0, 0],
            "output_size": [2, 4, 4],
        },
    ),
    Case(
        "unpool3d",
        (rand(1, 1, 2, 2, 1), i(5, 6, 12, 15, dtype=np.int32).reshape(1, 1, 2, 2, 1)),
        {
            "ksize": [2, 2, 2],
            "strides": [2, 2, 2],
            "output_size": [2, 4, 4],
            "data_format": "NDHWC",
        },
        raises=Unsupported,
        why="channels last",
    ),
    Case("fractional_max_pool2d", (X, [2, 3]), {"random_u": 0.3, "return_mask": False}),
    Case("fractional_max_pool3d", (VOLUME, [2, 3, 4]), {"random_u": 0.3, "return_mask": False}),
    Case("fractional_max_pool3d", (VOLUME, [2, 3, 4]), {"random_u": 0.3, "kernel_size": [2, 2, 2]}),
]

CASES += [
    replace(pool(x, kernel, (2, 2), pooling_type=kind, ceil_mode=True, why=f"{kind}, {why}"),
            is_open=True)
    for x, kernel, why in (
        (rand(2, 3, 1, 6), (1, 3), "one row"), (rand(2, 3, 6, 1), (3, 1), "one column"))
    for kind in ("max", "avg")
]  # fmt: skip
LIMITS = [
    Limit(
        op,
        device="onnxruntime",
        case="adaptive",
        raises=NoLowering,
        why="positions in bins that overlap",
    )
    for op in (INDEX, INDEX3)
]
