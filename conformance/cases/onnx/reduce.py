"""ONNX reductions and running sums along axes."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadType, Unsupported

from ...case import ROUNDS, Case, Const, Limit, Tolerance, f, i, rand, scalar

SIMPLE = ("ReduceMax", "ReduceMin", "ReduceSum", "ReduceProd", "ReduceSumSquare", "ReduceL1")
ROUNDING = ("ReduceMean", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp")
OPS = (*SIMPLE, *ROUNDING)
X = rand(2, 3, 5, low=0.1)
HALF = Tolerance(relative=2e-3, absolute=1e-3)

CASES = [
    *(Case(op, (X,), why="all", tol=ROUNDS) for op in OPS),
    *(Case(op, (X, i(-1, 0)), {"keepdims": 0}, why="axes at run time", tol=ROUNDS) for op in OPS),
    *(Case(op, (X, i(1)), why="kept axes at run time", tol=ROUNDS) for op in OPS),
    *(Case(op, (X, Const(i(1))), why="a constant axis", tol=ROUNDS) for op in OPS),
    *(
        Case(op, (X, Const(i(0, 1, 2))), {"keepdims": 0}, why="to rank 0", tol=ROUNDS) for op in OPS
    ),
    *(Case(op, (X, i()), why="no axes are all", tol=ROUNDS) for op in OPS),
    *(
        Case(op, (X, i()), {"noop_with_empty_axes": 1}, why="no axes are none", tol=ROUNDS)
        for op in OPS
    ),
    *(Case(op, (X,), {"axes": (1, 2)}, opset=11, why="an attribute", tol=ROUNDS) for op in OPS),
    *(
        Case(op, (X,), {"axes": (0,), "keepdims": 0}, opset=1, why="the first version", tol=ROUNDS)
        for op in OPS
    ),
    *(Case(op, (rand(2, 0, 3), i(1)), why="of nothing", tol=ROUNDS) for op in OPS),
    *(
        Case(op, (scalar(2.5),), why="rank 0", tol=ROUNDS, oracle="onnxruntime") for op in OPS
    ),
    *(Case(op, (X, Const(i(3))), why="no such axis", raises=BadType) for op in OPS),
    *(Case(op, (X, Const(i(1, -2))), why="an axis twice", raises=BadType) for op in OPS),
    *(
        Case(op, (X.astype(np.float16), i(1)), why="half", tol=HALF)
        for op in OPS
    ),
    *(
        Case(op, (i(7, 2, 4, dtype=d),), why="integers")
        for op in (*SIMPLE, "ReduceMean")
        for d in (np.int32, np.int64)
        if (op, d) != ("ReduceSumSquare", np.int32)
    ),
    Case("ReduceSumSquare", (i(7, 2, 4, dtype=np.int32),), why="integers", oracle="onnxruntime"),
    Case(
        "ReduceMean", (i(2**31 - 1, 2**31 - 5, -7, dtype=np.int32),),
        why="integers that do not hold the sum", oracle="onnxruntime",
    ),
    *(
        Case(op, (i(7, 2, 250, dtype=np.uint8),), why="bytes") for op in ("ReduceMax", "ReduceMin")
    ),
    *(
        Case(op, (rand(2, 3, dtype=bool), i(1)), opset=20, why="truth values")
        for op in ("ReduceMax", "ReduceMin")
    ),
    *(
        Case(op, (np.zeros((0, 3), bool), i(0)), opset=20, why="truth values of nothing")
        for op in ("ReduceMax", "ReduceMin")
    ),
    *(
        Case(op, (f(1, np.nan, 3),), why="nan wins")
        for op in ("ReduceMax", "ReduceMin", "ReduceSum")
    ),
    Case("ReduceLogSumExp", (f(1000, 1000),), why="no overflow", tol=ROUNDS),
    Case("ReduceLogSumExp", (f(-np.inf, -np.inf),), why="nothing but -inf", oracle="onnxruntime"),
    *(Case(op, (i(1 << 30, 2, 1 << 30, dtype=np.int32),), why="int32 wraps")
      for op in ("ReduceSum", "ReduceProd")),
    Case("ReduceSum", (np.full(2**21 + 1, 2**32 - 1),), why="more than a float64 holds"),
    Case("ReduceSum", (rand(3), np.array([True])), why="axes that are no integers", raises=BadType),
    *(Case(op, (X,), {"axis": 1}) for op in ("ArgMax", "ArgMin")),
    Case("ReduceMax", (X,), {"keepdims": 2}, why="a flag of 2", raises=BadType),
    *(Case(op, (X,), {"axis": -1, "keepdims": 0}) for op in ("ArgMax", "ArgMin")),
    *(Case(op, (f(2, 2, 1, 1),), why="the first of equal ones") for op in ("ArgMax", "ArgMin")),
    *(
        Case(op, (f(2, 2, 1, 1, 1.5),), {"select_last_index": 1}) for op in ("ArgMax", "ArgMin")
    ),
    *(
        Case(op, (X,), {"axis": 1, "select_last_index": 1, "keepdims": 0})
        for op in ("ArgMax", "ArgMin")
    ),
    *(Case(op, (X,), {"axis": 1}, opset=1, why="the first version") for op in ("ArgMax", "ArgMin")),
    *(Case(op, (i(3, 9, 9, dtype=np.uint8),), why="bytes") for op in ("ArgMax", "ArgMin")),
    *(Case(op, (f(1, np.nan, 3),), why="nan is the one") for op in ("ArgMax", "ArgMin")),
    *(
        Case(op, (X,), {"axis": 3}, why="no such axis", raises=BadType)
        for op in ("ArgMax", "ArgMin")
    ),
    *(
        Case(op, (X, scalar(1, np.int64)), opset=26, why="plain", tol=ROUNDS)
        for op in ("CumSum", "CumProd")
    ),
    *(
        Case(op, (X, Const(scalar(-1, np.int32))), {"exclusive": e, "reverse": r}, opset=26,
             tol=ROUNDS)
        for op in ("CumSum", "CumProd")
        for e in (0, 1)
        for r in (0, 1)
    ),
    *(
        Case(op, (i(1, 2, 3, dtype=np.int32), scalar(0, np.int64)), opset=26, why="integers")
        for op in ("CumSum", "CumProd")
    ),
    *(
        Case(op, (rand(0, 3), Const(scalar(0, np.int64))), {"exclusive": 1}, opset=26,
             why="no elements")
        for op in ("CumSum", "CumProd")
    ),
    *(
        Case(op, (X, Const(i(0, 1))), opset=26, why="two axes", raises=BadType)
        for op in ("CumSum", "CumProd")
    ),
    Case("CumSum", (X, scalar(1, np.int64)), {"step": 1}, why="unknown attribute",
         raises=Unsupported),
]  # fmt: skip
LIMITS = [
    Limit(op, "ONNX Runtime passes over NaN", device="onnxruntime", case="nan wins")
    for op in ("ReduceMax", "ReduceMin")
]
