"""Paddle's elementwise functions of one tensor."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadType, NoLowering
from nnir.types import Precision

from ...case import ROUNDS, Case, Limit, Tolerance, f, i, rand, scalar

nan, inf = np.nan, np.inf
ORT = "onnxruntime"
f8 = np.float64
COMPLEX = np.array([[1 + 2j, -3j], [0, 0.5]], np.complex64)
SPECIAL = np.array([complex(1, nan), complex(inf, 0), 1j], np.complex64)
TRIGONOMETRY = ("acos", "asin", "atanh")
EVERYWHERE = (
    *("asinh", "atan", "cos", "cosh", "exp", "expm1", "sigmoid", "sin", "sinh", "tan", "tanh"),
    "reciprocal",
)
POSITIVE = ("log", "log10", "log1p", "log2", "rsqrt", "sqrt")
HALF = Tolerance(relative=1e-3)

CASES = [
    *(Case(op, (rand(2, 3, low=-0.9, high=0.9),), tol=ROUNDS) for op in TRIGONOMETRY),
    *(Case(op, (f(-2, 2, nan),), tol=ROUNDS, why="outside") for op in TRIGONOMETRY),
    *(Case(op, (rand(2, 3),), tol=ROUNDS) for op in EVERYWHERE),
    *(Case(op, (i(1, 0, -2, dtype=np.int32),), tol=ROUNDS, why="integers") for op in EVERYWHERE),
    *(Case(op, (f(1, nan, inf, -inf),), tol=ROUNDS, why="nan and inf") for op in EVERYWHERE),
    Case("acosh", (f(1, 2, 0.5, nan, inf),), tol=ROUNDS),
    *(Case(op, (rand(3, low=0.1, high=3),), tol=ROUNDS) for op in POSITIVE),
    *(Case(op, (f(-1, 0, nan, inf),), tol=ROUNDS, why="nan and inf") for op in POSITIVE),
    *(Case(op, (scalar(2.5),), tol=ROUNDS, why="no axes") for op in (*POSITIVE, "acosh", "sin")),
    *(Case(op, (f(0.3, 2, dtype=f8),), tol=ROUNDS) for op in (*POSITIVE, "exp", "sin", "atan")),
    *(Case(op, (f(1, 2, dtype=np.float16),), tol=HALF) for op in ("exp", "log", "log1p")),
    *(Case(op, (i(4, 9),), tol=ROUNDS, why="integers") for op in ("sqrt", "rsqrt", "log2")),
    *(Case(op, (COMPLEX,), tol=ROUNDS, why="complex") for op in ("exp", "sin", "sigmoid", "tanh")),
    Case("sqrt_", (f(4, 9),), why="in place"),
    Case("exp_", (f(0, 1),), tol=ROUNDS, why="in place"),
    Case("abs", (f(-1, 0, 2, nan, -inf),)),
    Case("abs", (i(-3, 2, -(2**63)),), why="the lowest stays"),
    Case("abs", (COMPLEX,), tol=ROUNDS, why="the size of complex numbers"),
    Case("abs", (rand(0, 3),), why="empty"),
    Case("square", (f(-3, nan),)),
    Case("square", (i(-3, 2**17, dtype=np.int32),), why="integers wrap"),
    Case("square", (COMPLEX,), tol=ROUNDS, why="complex"),
    *(Case(op, (f(-1.5, 0.5, 2.5, nan, inf),)) for op in ("ceil", "floor", "rint", "trunc")),
    *(Case(op, (i(-3, 2),), why="integers") for op in ("ceil", "floor", "rint", "trunc")),
    Case("floor", (f(-1.5, 2.5, dtype=np.float16),)),
    Case("round", (f(-1.5, -0.5, 0.5, 1.5, 2.5, nan, inf),)),
    Case("round", (f(0.55, 1.2345, -123.456),), {"decimals": 2}, tol=ROUNDS),
    Case("round", (f(15, 25, -123.456),), {"decimals": -1}),
    Case("round", (i(15, 25),), {"decimals": -1}, why="integers stay"),
    Case("sign", (f(-2, 0, 3, nan, -inf),)),
    Case("sign", (i(-2, 0, 3),)),
    Case("sign", (COMPLEX,), tol=ROUNDS, why="the direction of complex numbers"),
    Case("cast", (f(-1.7, 0, 2.7),), {"dtype": Precision.INT32}),
    Case("cast", (f(0, 0.5, nan),), {"dtype": Precision.BOOL8}, why="to bool"),
    Case("cast", (i(300, -1),), {"dtype": Precision.UINT8}, why="wraps"),
    Case("cast", (f(1 / 3),), {"dtype": Precision.FLOAT16}, why="rounds"),
    Case("cast", (np.array([True, False]),), {"dtype": Precision.FLOAT64}),
    Case("cast", (COMPLEX,), {"dtype": Precision.FLOAT32}, why="the real part"),
    Case("cast", (COMPLEX,), {"dtype": Precision.BOOL8}, why="whether a part is not 0"),
    Case("cast", (f(1, -2),), {"dtype": Precision.COMPLEX128}, why="to complex"),
    *(Case(op, (f(1, nan, inf, -inf),)) for op in ("isfinite", "isinf", "isnan")),
    *(Case(op, (i(1, 0),), why="integers") for op in ("isfinite", "isinf", "isnan")),
    *(Case(op, (SPECIAL,), why="complex") for op in ("isfinite", "isinf", "isnan")),
    *(Case(op, (scalar(nan, f8),), why="no axes") for op in ("isfinite", "isinf", "isnan")),
    Case("logit", (f(-1, 0, 0.25, 1, 2, nan),), {"eps": 0.1}, tol=ROUNDS),
    Case("logit", (f(-1, 0, 0.25, 1, 2),), {"eps": 0.0}, tol=ROUNDS, why="no eps"),
    Case("logit", (f(0.1, 0.9),), tol=ROUNDS),
    Case("angle", (f(-1, 1, nan, -0.0),)),
    Case("angle", (COMPLEX,), tol=ROUNDS, why="complex"),
    Case("conj", (COMPLEX,)),
    Case("conj", (f(1, 2),), why="real"),
    Case("real", (COMPLEX,)),
    Case("imag", (COMPLEX,)),
    Case("imag", (f(1),), why="a real number", raises=BadType),
    Case("real", (f(1),), why="a real number", raises=BadType),
    Case("complex", (f(1, 2), f(3)), why="broadcasts"),
    Case("complex", (rand(2, dtype=f8), rand(2, dtype=f8, seed=1))),
    Case("as_complex", (rand(3, 2),)),
    Case("as_real", (COMPLEX,)),
    Case("logical_not", (f(0, 1, nan),)),
    Case("logical_not", (np.array([True, False]),)),
    Case("logical_not", (i(0, 3),)),
    Case("bitwise_not", (i(5, -1, dtype=np.int16),)),
    Case("bitwise_not", (np.array([True, False]),)),
    Case("clip_by_norm", (f(3, 4),), {"max_norm": 2.0}, tol=ROUNDS),
    Case("clip_by_norm", (rand(2, 3, low=-0.1, high=0.1),), {"max_norm": 2.0}, why="short"),
    Case("round_", (f(0.55, 1.2345),), {"decimals": 2}, tol=ROUNDS),
    Case("logit_", (f(-1, 0.25, 2),), {"eps": 0.1}, tol=ROUNDS),
]
CASES += [
    Case(f"{op}_", (f(0.5),), tol=ROUNDS, why="in place")
    for op in (*TRIGONOMETRY, *EVERYWHERE, *POSITIVE, "ceil", "floor", "rint", "round", "trunc")
    if op not in ("exp", "sqrt")
]
CASES += [
    Case("acosh_", (f(1.5),), tol=ROUNDS, why="in place"),
    Case("abs_", (f(-1),), why="in place"),
    Case("square_", (f(-1.5),), why="in place"),
    Case("logit_", (f(0.2),), tol=ROUNDS, why="in place"),
    Case("cast_", (f(2.5),), {"dtype": Precision.INT32}, why="in place"),
    Case("bitwise_not_", (i(5),), why="in place"),
    Case("logical_not_", (np.array([True]),), why="in place"),
]
LIMITS = [
    Limit("atan", why="no kernel", device=ORT, dtype="float64", raises=NoLowering),
]
