"""Edges of Paddle's operators: windows that fit exactly, more axes, ranks that fall short."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadType, Unsupported
from nnir.types import Precision

from ...case import ROUNDS, Case, Const, Tolerance, f, i, rand, scalar

NEAR = Tolerance(relative=1e-4, absolute=1e-5)
DIM = np.eye(4, 3, dtype=np.float32) * f(4, 1e-2, 1e-5)
"""Of rank 3, 2 or 1, by what counts as nothing."""

ROWS = rand(3, 4)
QUANTISED = {"dequant_scales": rand(4), "shift": rand(4, seed=1), "smooth": rand(4, seed=2)}
NOTHING = {"dequant_scales": None, "shift": None, "smooth": None}
ACT = {
    "act_method": "relu",
    "compute_dtype": "default",
    "quant_scale": -1.0,
    "quant_round_type": 0,
    "quant_max_bound": 0.0,
    "quant_min_bound": 0.0,
}
CASES: list[Case] = [
    *(
        Case("equal_all", (f(0, dtype=kind), f(y, dtype=kind)), why=f"{y} from 0")
        for kind in (np.float32, np.float64)
        for y in (9e-16, 1.1e-15)
    ),
    Case("equal_all", (f(np.inf), f(np.inf)), why="equal infinities"),
    *(
        Case(op, (f(2).reshape(1, 1),), {"axis": 0, "flatten": False, "exclusive": True,
                                         "reverse": reverse}, why=f"one element, {reverse}")
        for op in ("cumsum", "logcumsumexp")
        for reverse in (False, True)
    ),
    Case("kldiv_loss", (f(1, 1, 1, 1), f(np.nan, 0, -1, 2)), {"reduction": "none"}, tol=ROUNDS,
         why="labels at and below 0, and NaN"),
    Case("nll_loss", (f(1, 1).reshape(1, 2), i(1), f(1, 0)), {"reduction": "mean"},
         why="weights of 0"),
    Case("erfinv", (f(2, 1, -1, -3, np.inf, np.nan),), why="beyond 1"),
    *(
        Case("polygamma", (f(np.inf, 2, 0, -1, -np.inf), n), tol=ROUNDS, why=f"poles, {n}")
        for n in (1, 2)
    ),
    Case("dist", (np.zeros((1, 0), np.float32), np.zeros(0, np.float32)), {"p": np.inf},
         why="no elements"),
    Case("linspace", (f(1), f(3).reshape(1, 1), Const(scalar(4, np.int32)), Precision.FLOAT32),
         tol=ROUNDS, why="numbers with axes"),
    Case("affine_channel", (rand(1, 2, 3, 2), f(1, 2), f(3, 4)), tol=ROUNDS,
         why="any layout has the channels last"),
    Case("gammaincc", (f(0, 0, -1, 1, 1, np.inf, 1), f(1, 0, 1, 0, -1, 1, np.inf)),
         why="nothing above 0, and infinities"),
    *(
        Case("bilinear_interp", (rand(1, 2, 3, 4), None, None, None),
             {"interp_method": "bilinear", "align_corners": False, "align_mode": 0, **size},
             tol=NEAR, why=f"one column is the first: {size}")
        for size in ({"out_h": 5, "out_w": 1}, {"scale": [1.6, 0.3]})
    ),
    Case("fft_c2c", (np.zeros((1, 0), np.complex64), [1], "backward", True), why="no points"),
    Case("fill_diagonal", (rand(3, 3, 3, 3),), {"value": 2.0, "wrap": True}, why="four axes"),
    *(
        Case("lstsq", (DIM, rand(4, 2)), {"driver": d, "rcond": r}, read=1, tol=NEAR,
             why=f"{d}, {r}")
        for d in ("gelsd", "gelsy", "gelss")
        for r in (0.1, 1e-4, -1.0)
    ),
    *(
        Case("matrix_rank_tol", (DIM, scalar(a), b), why=f"{a}, default {b}")
        for a in (1e-6, 1e-4, 0.1)
        for b in (False, True)
    ),
    *(
        Case("matrix_rank_atol_rtol", (DIM, scalar(a), scalar(b)), why=f"{a}, {b}")
        for a in (0.0, 1e-4, 0.1)
        for b in (0.0, 1e-4, 0.1)
    ),
    *(
        Case(
            "fused_bias_act",
            (ROWS, None, *({**NOTHING, name: given}).values()),
            ACT,
            raises=Unsupported,
            why=f"{name} alone",
        )
        for name, given in QUANTISED.items()
    ),
    *(
        Case("pool2d", (rand(1, 2, *sizes), list(kernel)), {
            "strides": [2, 3], "paddings": pads, "ceil_mode": up, "exclusive": alone,
            "data_format": "NCHW", "pooling_type": how, "global_pooling": False, "adaptive": False,
            "padding_algorithm": "EXPLICIT",
        }, tol=ROUNDS, why=f"{how} {sizes} {pads} {up} {alone}")
        for sizes, kernel in (((6, 7), (2, 4)), ((7, 8), (3, 3)))
        for pads in ([0, 0], [1, 0], [1, 0, 0, 1])
        for up in (False, True)
        for how, alone in (("max", True), ("avg", True), ("avg", False))
    ),
    Case("nll_loss", (rand(3, 4), i(1, 2, 0).reshape(3, 1), None), {"reduction": "none"},
         why="labels of two axes", raises=BadType),
    Case("nll_loss", (rand(4), scalar(1, np.int64), None), {"reduction": "none"},
         why="no classes", raises=BadType),
    Case("partial_concat", ([rand(2, 5), rand(2, 5, seed=1)],), {"start_index": -2}),
    Case("partial_concat", ([rand(2, 5)],), {"start_index": 1, "length": 3}, why="one matrix"),
    Case("concat", ([rand(2, 3)], -1), why="one tensor"),
    *(Case(op, (rand(1), [-1]), why="the last axis of a vector") for op in ("squeeze", "squeeze_")),
    *(Case("squeeze", (rand(3), [a]), why=f"an axis of three, {a}") for a in (0, -1)),
    Case("unstack", (rand(3, 1),), {"axis": -1, "num": 1}, why="one slice"),
    Case("edit_distance", (i(1, 2).reshape(2, 1), i(1, 1).reshape(2, 1), i(1, 1), i(1, 1)),
         why="one letter"),
]  # fmt: skip
