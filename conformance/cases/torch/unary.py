"""ATen elementwise functions of one tensor."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from nnir.errors import NoLowering
from nnir.types import Precision

from ...case import ROUNDS, Case, Limit, Tolerance, f, i, rand, scalar

BF16 = ml_dtypes.bfloat16
NARROW = {
    "float16": Tolerance(relative=2e-3, absolute=1e-3),
    "bfloat16": Tolerance(relative=1.6e-2, absolute=1e-3),
    "": ROUNDS,
}
ROUNDING = (
    *("acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "deg2rad", "erf", "erfc"),
    *("exp", "exp2", "expm1", "log", "log10", "log1p", "log2", "logit", "rad2deg", "reciprocal"),
    *("rsqrt", "sigmoid", "sin", "sinc", "sinh", "sqrt", "tan", "tanh"),
)
EXACT = (
    *("ceil", "clone", "contiguous", "data", "floor", "frac", "isfinite", "isinf", "isnan"),
    *("isneginf", "isposinf", "isreal", "nan_to_num", "positive", "round", "sgn", "sign"),
    *("signbit", "square", "trunc", "abs", "neg", "logical_not", "angle"),
)
EDGES = f(-np.inf, -1, -0.0, 0.0, 1, np.inf, np.nan)
PARTS = f(-2.5, -1.5, -0.5, 0.5, 1.5, 2.7)

COMPLEX = np.array([0, 3 - 4j, -2 + 0j, 1e-3j], np.complex64)
OF_COMPLEX = (
    *("isreal", "angle", "sgn", "expm1", "log10", "log1p", "log2", "sigmoid", "tanh"),
    *("silu", "isfinite", "isinf", "isnan"),
)
PARTLY = np.array([complex(np.nan, 0), complex(0, np.inf), complex(1, -np.inf)], np.complex64)

CASES = [
    *(
        Case(f"aten.{op}.default", (COMPLEX.astype(d),), why="complex", tol=ROUNDS)
        for op in OF_COMPLEX
        for d in (np.complex64, np.complex128)
        if not op.startswith("log")
    ),
    *(
        Case(f"aten.{op}.default", (COMPLEX[1:],), why="complex", tol=ROUNDS)
        for op in OF_COMPLEX
        if op.startswith("log")
    ),
    *(
        Case(f"aten.{op}.default", (PARTLY,), why="complex edges")
        for op in ("isreal", "isfinite", "isinf", "isnan")
    ),
    *(Case(f"aten.{op}.default", (rand(2, 3, low=0.1, high=0.9),), tol=ROUNDS) for op in ROUNDING),
    *(Case(f"aten.{op}.default", (EDGES,), why="edges", tol=ROUNDS) for op in ROUNDING),
    *(Case(f"aten.{op}.default", (i(1, 2),), why="integers", tol=ROUNDS) for op in ROUNDING),
    *(
        Case(f"aten.{op}.default", (rand(3, low=0.1, high=0.9, dtype=d),), tol=NARROW)
        for op in ROUNDING
        for d in (np.float16, BF16, np.float64)
    ),
    *(Case(f"aten.{op}.default", (scalar(0.5),), why="0-d", tol=ROUNDS) for op in ROUNDING),
    *(Case(f"aten.{op}.default", (EDGES,), why="edges") for op in EXACT),
    *(Case(f"aten.{op}.default", (PARTS,), why="fractions") for op in EXACT),
    *(Case(f"aten.{op}.default", (i(-3, 0, 4),), why="integers") for op in EXACT if op != "frac"),
    *(
        Case(f"aten.{op}.default", (PARTS.astype(d),), why="fractions")
        for op in EXACT
        for d in (np.float16, BF16, np.float64)
    ),
    *(
        Case(f"aten.{op}.default", (f(True, False, dtype=np.bool_),), why="truth values")
        for op in ("logical_not", "bitwise_not", "sign", "square", "isnan", "signbit", "angle")
    ),
    Case("aten.exp.default", (np.zeros((0, 3), np.float32),), why="empty"),
    Case("aten.erfc.default", (f(5, 9, -9),), why="far from 0", tol=Tolerance(relative=2e-5)),
    Case("aten.expm1.default", (f(1e-7, -1e-7, 30),), why="near 0", tol=Tolerance(1e-6)),
    Case("aten.log1p.default", (f(1e-7, -1e-7, 1e9, -1),), why="near 0", tol=Tolerance(1e-6)),
    Case("aten.log2.default", (f(8, 1024, 2.0**-20),), why="powers"),
    Case("aten.log10.default", (f(10, 1000, 1e-3),), why="powers"),
    Case("aten.logit.default", (f(-1, 0.2, 0.99, 2), 0.1), why="clamped", tol=ROUNDS),
    Case("aten.round.decimals", (f(1.2345, -6.789),), {"decimals": 2}, tol=ROUNDS),
    Case("aten.round.decimals", (f(1234.5, -678),), {"decimals": -2}, tol=ROUNDS),
    Case("aten.round.decimals", (f(1.5, 2.5),), {"decimals": 0}),
    Case("aten.special_round.default", (f(1.5, 2.5, -0.4),)),
    Case("aten.special_round.default", (f(1.234),), {"decimals": 1}, tol=ROUNDS),
    Case("aten.nan_to_num.default", (EDGES, 3.0, 4.0, -5.0), why="replacements"),
    Case("aten.bitwise_not.default", (i(-3, 4, dtype=np.int8),)),
    Case("aten.bitwise_not.default", (i(3, 4, dtype=np.uint8),)),
    Case("aten.frexp.Tensor", (rand(2, 3),)),
    Case("aten.frexp.Tensor", (f(0, np.inf, -np.inf, 8),), why="edges"),
    Case("aten.frexp.Tensor", (f(0.75, 100, dtype=np.float16),)),
    Case("aten._to_copy.default", (f(-1.5, 2.5),), {"dtype": Precision.INT32}),
    Case("aten._to_copy.default", (f(-1.5, 2.5),), why="a plain copy"),
    Case("aten.to.dtype", (f(-1.5, 2.5), Precision.FLOAT16), why="half"),
    Case("aten.to.dtype", (f(-1.5, 2.5), Precision.BFLOAT16), why="bfloat16"),
    Case("aten.to.dtype", (f(0, np.nan, 0.1), Precision.BOOL8), why="to bool"),
    Case("aten.to.dtype", (i(300, -1), Precision.UINT8), why="integers wrap"),
    Case("aten.to.dtype", (scalar(2.5), Precision.BOOL8), why="bool"),
    Case("aten.to.device", (f(-1.5, 2.5), "cpu", Precision.INT64)),
    Case("aten.to.dtype_layout", (f(-1.5, 2.5),), {"dtype": Precision.FLOAT64}),
    Case("aten.to.other", (f(-1.5, 2.5), i(1))),
    *(
        Case(f"aten.to.{op}", (f(-1.5, 2.5), *given), {"copy": True, **more}, why="a copy")
        for op, given, more in (
            ("dtype", (Precision.INT64,), {}),
            ("device", ("cpu", Precision.INT64), {}),
            ("dtype_layout", (), {"dtype": Precision.FLOAT64}),
            ("other", (i(1),), {}),
        )
    ),
    Case("aten.type_as.default", (f(-1.5, 2.5), i(1))),
    Case("prims.convert_element_type.default", (f(-1.5, 2.5), Precision.INT32)),
    Case("aten.item.default", (i(3, dtype=np.int32),), why="int32 is a number of 64 bits"),
    Case("aten.item.default", (scalar(0.5),)),
    Case("aten._local_scalar_dense.default", (scalar(True, np.bool_),)),
]
NO_FLOAT64 = ("acos", "acosh", "asin", "asinh", "atan", "atanh", "erf", "erfc", "sinh")
LIMITS = [
    Limit(
        "aten.angle.default",
        device="onnxruntime",
        case="complex128",
        raises=NoLowering,
        why="onnxruntime has no kernel of Atan for float64",
    ),
    Limit(
        "aten.frexp.Tensor",
        device="onnxruntime",
        raises=NoLowering,
        why="ONNX has no such operator",
    ),
    *(
        Limit(
            f"aten.{op}.default",
            device="onnxruntime",
            dtype="float64",
            raises=NoLowering,
            why="onnxruntime has no kernel for float64",
        )
        for op in NO_FLOAT64
    ),
]
