"""TensorFlow's elementwise functions of one tensor."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadType, NoLowering, Unsupported
from nnir.types import Precision

from ...case import ROUNDS, Case, Limit, Tolerance, f, i, rand, scalar

EXACT = ("Abs", "Ceil", "Floor", "Neg", "Square", "Sign", "Round", "Rint")
ROUNDING: tuple[str, ...]
ROUNDING = ("Cos", "Erf", "Exp", "Log", "Rsqrt", "Sin", "Sqrt", "Acos", "Asin", "Asinh", "Atan")
ROUNDING += ("Sinh", "Cosh", "Tan", "Expm1", "Log1p", "Erfc", "Reciprocal", "Inv", "Acosh", "Atanh")
COMPLEX = ("Neg", "Square", "Sqrt", "Exp", "Log", "Reciprocal", "Tan", "Sinh", "Sign")
EDGES = f(-np.inf, -1, -0.0, 0.0, 1, np.inf, np.nan)
HALVES = f(-2.5, -1.5, -0.5, 0.5, 1.5, 2.5)
HALF = Tolerance(relative=2e-3, absolute=1e-3)
Z = (rand(3) + 1j * rand(3, seed=1)).astype(np.complex64)
SAME: tuple[str, ...]
SAME = ("Identity", "StopGradient", "PreventGradient", "Snapshot", "Copy")
SAME += ("CopyHost", "DeepCopy")
KINDS: tuple[Precision, ...]
KINDS = (Precision.FLOAT16, Precision.BFLOAT16, Precision.FLOAT64, Precision.INT8, Precision.INT64)
KINDS += (Precision.UINT8, Precision.BOOL8, Precision.UINT16, Precision.INT16, Precision.UINT32)
WIDTHS = (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64)

CASES = [
    *(Case(op, (EDGES,), why="edges", tol=ROUNDS) for op in (*EXACT, *ROUNDING)),
    *(Case(op, (rand(2, 3, low=0.1, high=0.9),), tol=ROUNDS) for op in ROUNDING),
    *(Case(op, (rand(2, 3, low=1),), why="from 1", tol=ROUNDS) for op in ("Acosh", "Erfc")),
    *(Case(op, (rand(5, low=0.2, high=0.9, dtype=np.float16),), why="half", tol=HALF)
      for op in (*EXACT[:-1], *ROUNDING)),
    *(Case(op, (rand(5, low=0.2, high=0.9, dtype=np.float64),), why="double", tol=ROUNDS)
      for op in (*EXACT, *ROUNDING)),
    *(Case(op, (scalar(0.5),), why="rank 0", tol=ROUNDS) for op in ROUNDING),
    *(Case(op, (rand(2, 0),), why="empty", tol=ROUNDS) for op in (*EXACT, *ROUNDING)),
    *(Case(op, (HALVES,), why="halves") for op in ("Round", "Rint", "Ceil", "Floor", "Sign")),
    *(Case(op, (i(-2, 3),), why="integers") for op in ("Abs", "Neg", "Square", "Sign")),
    Case("Round", (i(-2, 3),), why="integers", raises=Unsupported),
    *(Case(op, (Z,), why="complex", tol=ROUNDS) for op in COMPLEX),
    Case("Sign", (f(0, 3 + 4j, dtype=np.complex64),), why="complex zero", tol=ROUNDS),
    *(Case(op, (f(1, 2),)) for op in SAME),
    Case("DebugIdentity", (f(1, 2),), {"tensor_name": "x:0"}),
    Case("DebugIdentity", (f(1, 2),), {"tensor_name": "x:0", "device_name": "/device:CPU:0"}),
    Case("DebugIdentity", (f(1, 2),), {"tensor_name": "x:0", "gated_grpc": True},
         raises=Unsupported),
    *(Case(op, (f(1, 2),), {"message": "bad"}) for op in ("CheckNumerics", "CheckNumericsV2")),
    Case("Print", (f(1, 2), [i(1), f(2)]), {"message": "x"}),
    Case("Cast", (f(-1.5, 2.5),), {"DstT": Precision.INT32}),
    *(Case("Cast", (f(0, 1.5, 2.75),), {"DstT": k}, why=f"to {k.name}") for k in KINDS),
    *(Case("Cast", (i(0, 1, 300, -7),), {"DstT": k}, why=f"to {k.name}") for k in KINDS),
    Case("Cast", (np.array([True, False]),), {"DstT": Precision.FLOAT32}),
    Case("Cast", (f(np.nan, 0, -0.0),), {"DstT": Precision.BOOL8}, why="nan is true"),
    Case("Cast", (Z,), {"DstT": Precision.FLOAT32}, why="the real part"),
    Case("Cast", (f(1, 2),), {"DstT": Precision.COMPLEX64}),
    Case("Cast", (f(1.001),), {"DstT": Precision.FLOAT16, "Truncate": True}, raises=Unsupported),
    Case("Bitcast", (f(1, -2),), {"type": Precision.INT32}),
    Case("Bitcast", (f(1, -2.5, np.nan),), {"type": Precision.UINT8}, why="narrower"),
    Case("Bitcast", (i(1, -2, 1 << 40),), {"type": Precision.FLOAT32}, why="halves"),
    Case("Bitcast", (rand(3, 4, dtype=np.uint8, low=0, high=255),), {"type": Precision.INT32}),
    Case("Bitcast", (rand(3, 2, dtype=np.int32, low=-9, high=9),), {"type": Precision.INT64}),
    Case("Bitcast", (rand(3, 3, dtype=np.int16),), {"type": Precision.INT32}, raises=BadType),
    *(Case("PopulationCount", (i(0, 1, 77, -1 if np.dtype(d).kind == "i" else 100, dtype=d),),
           why="bits") for d in WIDTHS),
    Case("PreventGradient", (f(1, 2),), {"message": "no"}),
    *(Case(op, (f(1, 2),), {"tensor_name": "x", "debug_ops_spec": ["DebugIdentity;memcbk://;0"]})
      for op in ("Copy", "CopyHost")),
    Case("Print", (f(1, 2), [f(3)]), {"message": "x", "first_n": 1, "summarize": 2}),
]  # fmt: skip
LIMITS = [
    *(
        Limit(op, "a kernel for float32 only", "onnxruntime", "float64", raises=NoLowering)
        for op in ("Erf", "Erfc", "Acos", "Asin", "Asinh", "Atan", "Sinh", "Acosh", "Atanh")
    ),
]
