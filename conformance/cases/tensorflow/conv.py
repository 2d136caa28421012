"""TensorFlow's convolutions."""

from __future__ import annotations

from ...case import ROUNDS, Case, rand

IMAGE = rand(2, 7, 8, 4)
FILTER = rand(3, 2, 4, 5, seed=1)
ONES = {"strides": [1, 1, 1, 1]}

CASES = [
    *(
        Case("Conv2D", (IMAGE, FILTER), {"strides": [1, s, s, 1], "padding": p}, tol=ROUNDS)
        for p in ("SAME", "VALID")
        for s in (1, 2)
    ),
    Case("Conv2D", (IMAGE, rand(3, 2, 2, 6)), {**ONES, "padding": "SAME"}, why="groups", tol=ROUNDS),
    Case("Conv2D", (IMAGE, FILTER), {**ONES, "padding": "VALID", "dilations": [1, 2, 3, 1]},
         tol=ROUNDS),
    Case("Conv2D", (IMAGE, FILTER), {"padding": "EXPLICIT", "strides": [1, 1, 2, 1],
                                     "explicit_paddings": [0, 0, 1, 2, 0, 1, 0, 0]}, tol=ROUNDS),
    *(
        Case("DepthwiseConv2dNative", (IMAGE, rand(3, 2, 4, 2)),
             {"strides": [1, s, s, 1], "padding": "SAME"}, tol=ROUNDS)
        for s in (1, 2)
    ),
    Case("BiasAdd", (IMAGE, rand(4))),
    Case("BiasAdd", (IMAGE, rand(7)), {"data_format": "NCHW"}),
]  # fmt: skip
