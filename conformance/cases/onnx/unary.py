"""ONNX elementwise functions of one tensor."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from nnir.errors import BadType, NoLowering, Unsupported

from ...case import ROUNDS, Case, Limit, Tolerance, f, i, rand, scalar

EXACT = ("Abs", "Ceil", "Floor", "Identity", "Neg", "Sign")
ROUNDING = (
    "Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "Cos", "Cosh", "Erf", "Exp", "Log",
    "Reciprocal", "Sin", "Sinh", "Sqrt", "Tan", "Tanh",
)  # fmt: skip
OLD = ("Abs", "Ceil", "Exp", "Floor", "Log", "Neg", "Reciprocal", "Sqrt", "Tanh")
HALF = Tolerance(relative=2e-3, absolute=1e-3)
EDGES = f(-np.inf, -1, -0.0, 0.0, 1, np.inf, np.nan)
WIDE = f(0.48, 448.0, 1e6, -1e6, 1e-7, np.nan, np.inf, -np.inf, -0.0)
FLOAT8 = {"FLOAT8E4M3FN": 17, "FLOAT8E4M3FNUZ": 18, "FLOAT8E5M2": 19, "FLOAT8E5M2FNUZ": 20}
SMALL = {"UINT4": 21, "INT4": 22}
NUMBERS = {
    "FLOAT": 1, "UINT8": 2, "INT8": 3, "UINT16": 4, "INT16": 5, "INT32": 6, "INT64": 7,
    "BOOL": 9, "FLOAT16": 10, "DOUBLE": 11, "UINT32": 12, "UINT64": 13, "BFLOAT16": 16,
}  # fmt: skip

CASES = [
    *(Case(op, (f(-2.5, -1, -0.0, 0.5, 3, np.inf),)) for op in EXACT),
    *(Case(op, (rand(2, 3, low=-0.9, high=0.9),), tol=ROUNDS) for op in ROUNDING),
    *(Case(op, (EDGES,), why="edges", tol=ROUNDS) for op in (*EXACT, *ROUNDING)),
    *(Case(op, (scalar(0.5),), why="rank 0", tol=ROUNDS) for op in ("Abs", "Erf", "Round")),
    *(Case(op, (f(),), why="empty", tol=ROUNDS) for op in ("Abs", "Erf", "Round")),
    *(
        Case(op, (rand(2, 3, low=0.1, high=0.9),), {"consumed_inputs": (0,)}, opset=1, tol=ROUNDS,
             oracle="reference", why="overwrites its input")
        for op in OLD
    ),
    *(
        Case(op, (f(-2.5, 0.5, 0.9, dtype=np.float16),), why="half", tol=HALF)
        for op in ("Abs", "Cos", "Erf", "Exp", "Floor", "Sqrt", "Tanh")
    ),
    *(
        Case(op, (i(-5, 0, 7, dtype=d),), why="integers")
        for op in ("Abs", "Neg", "Sign")
        for d in (np.int8, np.int32, np.int64)
    ),
    Case("Cos", (i(1),), why="an integer", raises=BadType),
    Case("Erf", (f(-7, -3, -0.5, -1e-10, 0.46, 0.47, 2, 5.9, 6.1),), why="every region",
         tol=ROUNDS),
    Case("Round", (f(0.5, 1.5, 2.5, -0.5, -1.5),), why="halves to even"),
    Case("Identity", (rand(2, 0, 3),), why="no elements"),
    Case("Identity", (i(1, 2, dtype=np.uint16),), opset=1, why="the first version"),
    Case("Neg", (i(-128, 5, dtype=np.int8),), why="the lowest integer wraps"),
    # Cast
    Case("Cast", (f(-1.7, 0, 2.9),), {"to": 6}, why="truncates toward zero"),
    *(Case("Cast", (f(0, 1, 2.5, 3),), {"to": to}, why=f"to {n}") for n, to in NUMBERS.items()),
    *(
        Case("Cast", (i(0, 1, 3),), {"to": to}, why=f"integers to {n}")
        for n, to in (NUMBERS | SMALL).items()
    ),
    *(Case("Cast", (WIDE,), {"to": to}, why=f"to {n} clamps") for n, to in FLOAT8.items()),
    *(
        Case("Cast", (WIDE,), {"to": to, "saturate": 0}, why=f"to {n} without clamping")
        for n, to in FLOAT8.items()
    ),
    *(
        Case("Cast", (i(3, 500, -60000),), {"to": to}, why=f"integers to {n}")
        for n, to in FLOAT8.items()
    ),
    *(
        Case("Cast", (i(3, 100, -100 if d == np.int8 else 250, dtype=d),), {"to": to},
             why=f"narrow integers to {n}")
        for d in (np.int8, np.uint8)
        for n, to in FLOAT8.items()
    ),
    *(Case("Cast", (np.array([True, False]),), {"to": to}, why=f"truth to {n}")
      for n, to in FLOAT8.items()),
    *(
        Case("Cast", (f(0, 0.1, 0.75, 1.5, 3, 3e38, np.nan),), {"to": 24, "round_mode": mode},
             opset=25, why=f"a power of two, rounded {mode}")
        for mode in ("up", "down", "nearest")
    ),
    *(
        Case("Cast", (f(1, 3e38, np.inf, np.nan),),
             {"to": 24, "round_mode": mode, "saturate": saturate}, opset=25,
             why=f"a power of two that is too large, {mode}, {saturate}")
        for mode in ("up", "down", "nearest")
        for saturate in (0, 1)
    ),
    Case("Cast", (f(1),), {"to": 24, "round_mode": "odd"}, opset=25, why="unknown rounding",
         raises=Unsupported),
    *(
        Case("Cast", (f(-8, -1.7, -0.4, 0, 2.5, 6.9, 7, dtype=d),), {"to": 22}, why="to INT4")
        for d in (np.float16, np.float32, np.float64)
    ),
    Case("Cast", (f(np.nan, 0, -0.0, 0.1),), {"to": 9}, why="nan is true"),
    Case("Cast", (i(300, -1),), {"to": 3}, why="wraps"),
    Case("Cast", (f(1),), {"to": "INT"}, opset=1, why="no such type", raises=Unsupported),
    Case("Cast", (f(1.5),), {"to": 8}, why="to text", raises=Unsupported),
    Case("Cast", (f(1.5, 2),), {"to": 6}, opset=9, why="an old version"),
    Case("Cast", (f(1.5),), {"to": 1}, why="to its own type"),
    Case("CastLike", (f(-1.7, 2.9), i(0, dtype=np.int32))),
    Case("CastLike", (WIDE, np.zeros(1, ml_dtypes.float8_e4m3fn)), why="clamps"),
    Case("CastLike", (WIDE, np.zeros(1, ml_dtypes.float8_e4m3fn)), {"saturate": 0},
         why="does not clamp"),
    Case("CastLike", (f(1), i(1)), {"speed": 1}, why="unknown attribute", raises=Unsupported),
    Case("BitCast", (i(-1, 5, dtype=np.int32),), {"to": 12}, opset=26),
    Case("BitCast", (f(1.5, -0.0, np.inf),), {"to": 6}, opset=26, why="float to integer"),
    Case("BitCast", (f(1.5),), {"to": 7}, opset=26, why="another width", raises=BadType),
    Case("IsNaN", (EDGES,)),
    Case("IsNaN", (f(np.nan, 1, dtype=np.float16),), why="half"),
    Case("IsNaN", (i(1),), {"axis": 0}, why="unknown attribute", raises=Unsupported),
    Case("IsInf", (EDGES,)),
    Case("IsInf", (EDGES,), {"detect_negative": 0}),
    Case("IsInf", (EDGES,), {"detect_positive": 0}),
    Case("IsInf", (EDGES,), {"detect_positive": 0, "detect_negative": 0}),
]  # fmt: skip
NO_E8M0 = "ONNX Runtime has no FLOAT8E8M0"
LIMITS = [
    *(
        Limit("Cast", NO_E8M0, device="onnxruntime", case=case, raises=NoLowering)
        for case in ("a power of two", "powers of two")
    ),
]  # fmt: skip
