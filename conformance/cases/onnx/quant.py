"""ONNX quantisation."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from nnir.errors import BadType, NNAdapterError, Unsupported

from ...case import EXACT, ROUNDS, Case, Const, Limit, f, i, rand, scalar

X = f(0, 2, 3, 1000, -254, -1000, 0.5, 1.5)
IMAGE = rand(1, 3, 2, 2, low=-5, high=5)
Q = rand(1, 3, 2, 2, dtype=np.uint8, low=0, high=255)
BLOCKED = rand(3, 5, low=-9, high=9)
SCALES = rand(3, 3, low=0.1, high=1)
TYPES = (np.uint8, np.int8, np.uint16, np.int16, ml_dtypes.uint4, ml_dtypes.int4)
FLOAT8 = (
    ml_dtypes.float8_e4m3fn,
    ml_dtypes.float8_e4m3fnuz,
    ml_dtypes.float8_e5m2,
    ml_dtypes.float8_e5m2fnuz,
)

SCALE = {"float32": ROUNDS, "": EXACT}
"""The scale is a quotient of floats, the rest is in whole numbers."""

CASES = [
    *(
        Case("QuantizeLinear", (X, scalar(2), scalar(1, d)), why=f"to {np.dtype(d)}")
        for d in TYPES
    ),
    *(
        Case("QuantizeLinear", (X, scalar(2), scalar(0, d)), why=f"to {np.dtype(d)}")
        for d in FLOAT8
    ),
    *(
        Case("QuantizeLinear", (X * 1e4, scalar(2), scalar(0, d)), {"saturate": 0},
             why=f"to {np.dtype(d)} without clamping")
        for d in FLOAT8
    ),
    Case("QuantizeLinear", (X, scalar(2)), why="no zero point"),
    Case("QuantizeLinear", (X, scalar(2), scalar(3, np.int8)), opset=10, why="the first version"),
    Case("QuantizeLinear", (X, scalar(2)), {"output_dtype": 3}),
    Case("QuantizeLinear", (X, scalar(3), scalar(1, np.uint8)), {"precision": 11}),
    *(
        Case("QuantizeLinear", (f(0.35, 0.45, 1.15), scalar(0.1)), {"precision": p}, opset=25,
             why=f"a quotient that is no half in precision {p}")
        for p in (1, 11)
    ),
    Case("QuantizeLinear", (IMAGE, f(1, 2, 0.5), i(1, 0, 5, dtype=np.uint8)), why="per channel"),
    Case("QuantizeLinear", (IMAGE, f(1, 2), i(0, 4, dtype=np.int8)), {"axis": -1}),
    Case("QuantizeLinear", (BLOCKED, SCALES), {"axis": 1, "block_size": 2}),
    Case("QuantizeLinear", (BLOCKED.T.copy(), SCALES.T.copy()), {"axis": 0, "block_size": 2}),
    Case("QuantizeLinear", (X, scalar(2), scalar(0, ml_dtypes.float4_e2m1fn)), opset=23,
         why="float4"),
    Case("QuantizeLinear", (X, scalar(2), scalar(0, ml_dtypes.int2)), opset=25, why="two bits"),
    Case("QuantizeLinear", (X, f(1, 2)), {"axis": 0}, why="too few scales", raises=BadType),
    Case("QuantizeLinear", (X, scalar(2), scalar(1, np.int8)), {"output_dtype": 2}, why="two types",
         raises=BadType),
    Case("QuantizeLinear", (X, scalar(2)), {"output_dtype": 8}, why="text", raises=Unsupported),
    *(
        Case("DequantizeLinear", (i(0, 3, 7, dtype=d), scalar(0.5), scalar(1, d)), why="one scale")
        for d in TYPES
    ),
    *(
        Case("DequantizeLinear", (f(0, 3, -7).astype(d), scalar(0.5)), why="one scale")
        for d in FLOAT8
    ),
    Case("DequantizeLinear", (i(-5, 70000, dtype=np.int32), scalar(0.5)), why="32 bits"),
    Case("DequantizeLinear", (Q, scalar(2), scalar(128, np.uint8)), opset=10, oracle="onnxruntime",
         why="the first version"),
    Case("DequantizeLinear", (Q, Const(f(1, 2, 0.5)), i(1, 0, 5, dtype=np.uint8)),
         why="per channel"),
    Case("DequantizeLinear", (Q, f(1, 2)), {"axis": -1}),
    Case("DequantizeLinear", (rand(3, 5, dtype=np.int8, low=-9, high=9), SCALES),
         {"axis": 1, "block_size": 2}, tol=ROUNDS),
    Case("DequantizeLinear", (Q, scalar(2, np.float16)), why="to half"),
    Case("DequantizeLinear", (Q, scalar(2)), {"output_dtype": 10}),
    Case("DequantizeLinear", (f(0, 3, -6).astype(ml_dtypes.float4_e2m1fn), scalar(0.5)), opset=23,
         why="float4"),
    Case("DequantizeLinear", (i(0, 1, -2).astype(ml_dtypes.int2), scalar(0.5)), opset=25,
         why="two bits"),
    Case("DequantizeLinear", (Q, scalar(2, ml_dtypes.float8_e8m0fnu)), opset=25,
         why="a scale of a type that no result has", raises=BadType),
    Case("DequantizeLinear", (Q, scalar(2, ml_dtypes.float8_e8m0fnu)), {"output_dtype": 10},
         opset=25, why="a power of two, to half"),
    Case("DequantizeLinear", (Q, f(1, 2)), why="too few scales", raises=BadType),
    Case("DequantizeLinear", (Q, scalar(2), scalar(1, np.int8)), why="two types", raises=BadType),
    Case("DynamicQuantizeLinear", (f(0, 2, -3, -2.5, 1.34, 0.5),), outputs=3),
    Case("DynamicQuantizeLinear", (f(-1, -2.1, -1.3),), outputs=3, why="all below zero",
         tol=SCALE),
    Case("DynamicQuantizeLinear", (f(0, 0),), outputs=3, why="nothing but zero"),
    Case("DynamicQuantizeLinear", (rand(3, 4, low=1, high=5),), outputs=3, why="all above zero",
         tol=SCALE),
    Case("DynamicQuantizeLinear", (i(1),), outputs=3, why="integers", raises=BadType),
]  # fmt: skip
LIMITS = [
    Limit(op, "ONNX Runtime has no kernel for float4", device="onnxruntime", case="float4",
          raises=NNAdapterError)
    for op in ("QuantizeLinear", "DequantizeLinear")
]  # fmt: skip
