"""Paddle's arithmetic on two or more tensors."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadType, NoLowering, Unsupported

from ...case import ROUNDS, Case, Const, Limit, Tolerance, f, i, rand, scalar

nan, inf = np.nan, np.inf
ORT = "onnxruntime"
c8 = np.complex64
TRUE = np.array([True, True, False, False])
ODD = np.array([True, False, True, False])
SINGLE = Tolerance(relative=1e-6)
"""What is computed in float32, whatever the type of the result."""

CASES = [
    *(Case(op, (rand(2, 3), rand(2, 3, seed=1))) for op in ("add", "subtract", "multiply")),
    *(Case(op, (rand(2, 1, 3), rand(4, 1)), why="broadcasts") for op in ("add", "multiply")),
    *(Case(op, (i(3, -2), i(2)), why="integers") for op in ("add", "subtract", "multiply")),
    *(Case(op, (scalar(2), scalar(3)), why="no axes") for op in ("add", "subtract", "multiply")),
    *(Case(op, (rand(0, 3), rand(3)), why="empty") for op in ("add", "subtract", "multiply")),
    *(Case(op, (TRUE, ODD)) for op in ("add", "multiply")),
    *(
        Case(op, (f(1 + 2j, 3, dtype=c8), f(2j, 1, dtype=c8)), tol=ROUNDS)
        for op in ("add", "subtract", "multiply", "divide")
    ),
    Case("add", (f(1, nan), f(inf, 1)), why="nan"),
    Case("add", (i(100, -100, dtype=np.int8), i(100, -100, dtype=np.int8)), why="wraps"),
    Case("add", (f(1), i(1)), why="two types", raises=BadType),
    *(Case(f"{op}_", (f(5), f(2)), why="in place") for op in ("add", "subtract", "multiply")),
    Case("divide", (f(1, -1, 0, 5), f(0, 0, 0, 2)), why="by 0"),
    Case("divide", (i(7, -7, 5, 1), i(2, 2, -2, 0)), why="integers give floats"),
    Case("divide", (rand(2, 3, dtype=np.float64), rand(3, dtype=np.float64, seed=1))),
    Case("divide_", (f(5), f(2)), why="in place"),
    Case("floor_divide", (i(7, -7, 5), i(2, 2, -2))),
    Case("floor_divide", (f(7, -7, 5, 1, 0, inf), f(2, 2, -2, 0, 0, 2))),
    Case("floor_divide_", (f(-5), f(2)), why="in place"),
    Case("trunc_divide", (i(7, -7, 5), i(2, 2, -2))),
    Case("trunc_divide", (f(7, -7, 5, nan), f(2, 2, -2, 1))),
    Case("trunc_divide_", (f(-5), f(2)), why="in place"),
    Case("remainder", (i(7, -7, 5), i(2, 2, -2))),
    Case("remainder", (f(7, -7, 5, -4), f(2.5, 2.5, -2.5, 2)), tol=ROUNDS),
    Case("remainder", (f(1, nan), f(0, 2)), why="by 0"),
    Case("remainder_", (f(-5), f(3)), why="in place"),
    Case("elementwise_pow", (f(2, 2, -2, 0, nan, -2), f(3, -1, 3, -1, 0, 0.5)), tol=ROUNDS),
    Case("elementwise_pow", (i(2, -2, 0, 3), i(3, 3, 0, 2))),
    Case("elementwise_pow", (rand(2, 3, low=0.1), rand(3, seed=1)), tol=ROUNDS, why="broadcasts"),
    Case("pow", (f(2, -2, 0, nan, inf),), {"y": 2.0}),
    Case("pow", (f(2, 0, nan, 4),), {"y": 0.5}, tol=ROUNDS),
    Case("pow", (f(2, -2, 0.5),), {"y": -1.0}, tol=ROUNDS),
    Case("pow", (f(2, -2, nan),), {"y": 3.0}, tol=ROUNDS),
    Case("pow", (f(2, nan),), {"y": 0.0}),
    Case("pow", (f(2, nan),), why="the first power"),
    Case("pow", (i(2, -3),), {"y": 3}),
    Case("pow", (i(2, 4),), {"y": 2.5}, why="the exponent loses its fraction"),
    Case("pow", (i(2),), {"y": -1}, why="Paddle does not return", raises=Unsupported),
    Case("pow_", (f(3),), {"y": 2.0}, why="in place"),
    *(Case(op, (f(1, nan, 2), f(nan, 1, 1))) for op in ("maximum", "minimum", "fmax", "fmin")),
    *(Case(op, (i(1, 5), i(3))) for op in ("maximum", "minimum", "fmax", "fmin")),
    *(Case(op, (rand(2, 3), rand(2, 1)), why="broadcasts") for op in ("maximum", "fmin")),
    Case("scale", (f(1, 2),), {"scale": 2.0, "bias": 1.0}),
    Case("scale", (f(1, 2),), {"scale": 2.0, "bias": 1.0, "bias_after_scale": False}),
    Case("scale", (f(1, 2),), {"scale": -1.0}),
    Case("scale", (f(1, nan),), {"bias": 0.5}),
    Case("scale", (f(1, 2),), why="changes nothing"),
    Case("scale", (i(1, 2, -3),), {"scale": 2.5, "bias": 1.5}, why="numbers lose their fraction"),
    Case("scale", (i(1, -3),), {"scale": 2.0, "bias": 1.7, "bias_after_scale": False}),
    Case("scale", (f(1, 2), f(3)), {"bias": 1.0}, why="by a tensor"),
    Case("scale", (f(1, 2), Const(f(3))), {"bias": 1.0}, why="by a constant"),
    Case("scale", (f(0, 1),), {"scale": inf}),
    Case("scale", (i(1, 200, dtype=np.uint8),), {"scale": 2.0, "bias": 1.0}, why="wraps"),
    Case("scale", (TRUE,), {"scale": 2.0}),
    Case("scale", (f(1 + 1j, dtype=c8),), {"scale": 2.0, "bias": 1.0}, tol=ROUNDS),
    Case("scale", (scalar(3),), {"scale": 0.5}, why="no axes"),
    Case("scale_", (f(3),), {"scale": 0.5}, why="in place"),
    Case("increment", (i(3),), {"value": 2.5}, why="the fraction is lost"),
    Case("increment", (f(3),)),
    Case("increment_", (f(3),), {"value": 2.5}, why="in place"),
    Case("add_n", ([rand(2, 3), rand(2, 3, seed=1), rand(2, 3, seed=2)],), tol=ROUNDS),
    Case("add_n", ([i(1, 2), i(3, 4)],)),
    Case("add_n", ([f(1, 2)],), why="one"),
    Case("clip", (f(-1, 0.5, 3, nan), 0.0, 1.0)),
    Case("clip", (i(-1, 5), 0.5, 2.7), why="bounds lose their fraction"),
    Case("clip", (f(-1, 5), f(0), f(2)), why="bounds of the program"),
    Case("clip", (f(-1, 5), -inf, 2.0), why="one bound"),
    Case("clip", (f(1), 1.0, 0.0), why="crossed", raises=BadType),
    Case("clip_", (f(1, 3), 0.0, 2.0), why="in place"),
    Case("atan2", (f(1, -1, 0, -0.0), f(-1, -1, -1, 2)), tol=ROUNDS),
    Case("atan2", (i(1, -1), i(2, -1)), tol=SINGLE, why="integers give float64"),
    Case("atan2", (i(2**24 + 1, 2**53 + 1), i(2**24 + 3, 3)), tol=SINGLE, why="large integers"),
    Case("copysign", (f(1, -1, 0, 2), f(-0.0, 1, -1, 3))),
    Case("copysign", (i(1, -1), i(-2, 0))),
    Case("copysign", (i(1, dtype=np.uint8), i(1, dtype=np.uint8)), why="u", raises=Unsupported),
    Case("copysign_", (f(1), f(-2)), why="in place"),
    Case("heaviside", (f(-1, 0, 1, nan, 0), f(5, 6, 7, 8, nan))),
    Case("heaviside", (i(-1, 0, 1), i(5)), why="integers"),
    Case("lerp", (f(1, 2), f(3, 4), scalar(0.3)), tol=ROUNDS),
    Case("lerp", (rand(2, 3), rand(2, 3, seed=1), rand(2, 3, seed=2)), tol=ROUNDS, why="each"),
    Case("lerp_", (f(1, 2), f(3, 4), f(0.5)), why="in place"),
    Case("nextafter", (f(1, 1, nan, 0), f(2, 0, 1, -1))),
    Case("multiplex", ([rand(3, 2), rand(3, 2, seed=1)], i(1, 0, 1, dtype=np.int32)[:, None])),
    Case(
        "multiplex",
        ([rand(2, 2, 2), rand(2, 2, 2, seed=1)], i(1, 0, dtype=np.int32)[:, None]),
        why="blocks",
    ),
    Case("isclose", (f(1, nan, inf, 1, inf), f(1 + 1e-6, nan, inf, 2, 1))),
    Case("isclose", (f(1, nan), f(1.05, nan)), {"rtol": 0.1, "equal_nan": True}),
    Case("isclose", (f(1, 2), f(1.05, 3)), {"atol": 0.1, "rtol": 0.0}),
    Case("isclose", (f(1, 1), f(1 + 8e-6, 1 + 1.3e-5)), why="relative by default"),
    Case("isclose", (f(8e-9, 1.3e-8, -2e-8), f(0, 0, 0)), why="absolute by default"),
    Case("isclose", (f(inf, 1), f(-inf, inf)), why="everything is near infinity"),
    Case("isclose", (rand(2, dtype=np.float64), rand(2, dtype=np.float64))),
    Case("isclose", (f(1j, dtype=c8), f(1j + 1e-7, dtype=c8)), why="complex"),
    *(Case("dist", (rand(2, 3), rand(3, seed=1)), {"p": p}, tol=ROUNDS) for p in (0.0, 1.0, inf)),
    Case("dist", (rand(2, 3), rand(2, 3, seed=1)), tol=ROUNDS),
    Case("dist", (rand(2, 3), rand(2, 3, seed=1)), {"p": 3.0}, tol=ROUNDS),
    Case("scale_", (f(1, 2),), {"scale": 2.0, "bias": 1.0, "bias_after_scale": False}),
]
LIMITS = [
    Limit("nextafter", why="no kernel", device=ORT, raises=NoLowering),
]
