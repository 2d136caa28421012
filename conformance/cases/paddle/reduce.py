"""Paddle's reductions along axes."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadType, NotConstant, Unsupported
from nnir.types import Precision

from ...case import ROUNDS, Case, Const, Limit, f, i, rand, scalar

nan, inf = np.nan, np.inf
f8 = np.float64
ORT = "onnxruntime"
I4, I8, F4 = Precision.INT32, Precision.INT64, Precision.FLOAT32
SUMS = ("sum", "nansum")
BEST = ("max", "amax", "min", "amin")
TRUTHS = ("all", "any")
TALL = f(3, 1, 2, 5, 4, 0).reshape(2, 3)
CUBE = rand(2, 3, 4)

CASES = [
    *(Case(op, (CUBE,), tol=ROUNDS) for op in (*SUMS, "mean")),
    *(Case(op, (CUBE,), {"axis": [0, -1]}, tol=ROUNDS) for op in (*SUMS, "mean")),
    *(Case(op, (CUBE,), {"axis": [1], "keepdim": True}, tol=ROUNDS) for op in (*SUMS, "mean")),
    *(Case(op, (CUBE,), {"keepdim": True}, tol=ROUNDS) for op in (*SUMS, "mean")),
    *(Case(op, (scalar(3),), {"keepdim": True}, why="no axes") for op in (*SUMS, "mean")),
    *(Case(op, (rand(0, 3),), {"axis": [0]}, why="of nothing") for op in SUMS),
    *(Case(op, (i(1, 2, dtype=np.int32),), why="int32 gives int64") for op in SUMS),
    *(Case(op, (i(200, 200, dtype=np.uint8),), why="uint8 stays") for op in SUMS),
    *(Case(op, (np.array([True, True]),), why="bools are counted") for op in SUMS),
    *(Case(op, (i(1, 2),), {"dtype": F4}) for op in SUMS),
    Case("nansum", (f(1, nan, 2),), why="nan"),
    Case("sum", (f(1, nan),), why="nan"),
    Case("mean", (i(1, 2, dtype=np.int32),), why="integers lose their fraction"),
    Case("mean", (i(2**31 - 1, 5, dtype=np.int32),), why="integers that do not hold the sum"),
    Case("mean", (i(2**53 + 1, 2**53 + 3, -7),), why="integers of 64 bits"),
    Case("mean", (np.array([True]),), why="bools", raises=Unsupported),
    Case("mean", (rand(2, 3),), {"axis": [2]}, why="no such axis", raises=BadType),
    Case("mean_all", (CUBE,), tol=ROUNDS),
    Case("prod", (TALL, [0], False, False)),
    Case("prod", (TALL, [0], True, True), why="everything"),
    Case("prod", (TALL, [], False, False), why="no axes"),
    Case("prod", (i(2, 3, dtype=np.int32), [0], False, False), why="integers"),
    *(Case(op, (TALL,)) for op in BEST),
    *(Case(op, (TALL,), {"axis": [-1], "keepdim": True}) for op in BEST),
    *(Case(op, (CUBE,), {"axis": [0, 2]}) for op in BEST),
    *(Case(op, (f(1, nan, 2),), why="nan wins") for op in BEST),
    *(Case(op, (i(3, -4, 1),), why="integers") for op in BEST),
    *(Case(op, (scalar(3),), why="no axes") for op in BEST),
    *(Case(op, (rand(0, 3),), {"axis": [0]}, raises=BadType) for op in BEST),
    *(Case(op, (f(0, 1, nan),)) for op in TRUTHS),
    *(Case(op, (np.array([[True, False], [True, True]]),), {"axis": [1]}) for op in TRUTHS),
    *(Case(op, (i(1, 0).reshape(1, 2),), {"axis": [-1], "keepdim": True}) for op in TRUTHS),
    *(Case(op, (np.zeros((0, 2), bool),), {"axis": [0]}, why="of nothing") for op in TRUTHS),
    *(Case(op, (scalar(3),), why="no axes") for op in TRUTHS),
    Case("logsumexp", (CUBE,), {"axis": [1]}, tol=ROUNDS),
    Case("logsumexp", (CUBE,), {"axis": [0, 2], "keepdim": True}, tol=ROUNDS),
    Case("logsumexp", (CUBE,), {"reduce_all": True}, tol=ROUNDS),
    Case("logsumexp", (i(1, 2, 3),), tol=ROUNDS, why="integers"),
    Case("logsumexp", (f(1000, 1001),), tol=ROUNDS, why="no overflow"),
    *(Case(op, (TALL, 1)) for op in ("argmax", "argmin")),
    *(Case(op, (TALL, 0), {"keepdims": True, "dtype": I4}) for op in ("argmax", "argmin")),
    *(Case(op, (TALL, 0), {"flatten": True}) for op in ("argmax", "argmin")),
    *(Case(op, (TALL, 0), {"flatten": True, "keepdims": True}) for op in ("argmax", "argmin")),
    *(Case(op, (f(2, 3, 3, 2), -1), why="the first of equal ones") for op in ("argmax", "argmin")),
    *(Case(op, (scalar(3), 0), why="no axes") for op in ("argmax", "argmin")),
    *(Case(op, (i(3, -4, 1), 0), why="integers") for op in ("argmax", "argmin")),
    *(
        Case(op, (f(nan, 2, 3, nan, 1), 0), {"flatten": flat}, why=f"nan is passed over, {flat}")
        for op in ("argmax", "argmin")
        for flat in (False, True)
    ),
    *(Case(op, (f(nan, nan), 0), why="nothing but nan") for op in ("argmax", "argmin")),
    *(Case(f"{op}_with_index", (TALL, 1)) for op in ("max", "min")),
    *(Case(f"{op}_with_index", (TALL, 0), {"keepdim": True}) for op in ("max", "min")),
    *(Case(f"{op}_with_index", (TALL, 0), {"flatten": True}) for op in ("max", "min")),
    *(
        Case(f"{op}_with_index", (TALL, 0), {"flatten": True, "keepdim": True})
        for op in ("max", "min")
    ),
    *(
        Case(f"{op}_with_index", (TALL, 2), why="no such axis", raises=BadType)
        for op in ("max", "min")
    ),
    *(
        Case(f"{op}_with_index", (TALL, i(1)), why="an axis", raises=Unsupported)
        for op in ("max", "min")
    ),
    *(Case(op, (CUBE,), tol=ROUNDS) for op in ("std", "var", "variance")),
    *(Case(op, (CUBE,), {"axis": [1], "keepdim": True}, tol=ROUNDS) for op in ("std", "var")),
    *(Case(op, (CUBE,), {"correction": 0.0}, tol=ROUNDS) for op in ("std", "var")),
    *(Case(op, (rand(3, dtype=f8),), {"axis": [0]}, tol=ROUNDS) for op in ("std", "variance")),
    *(Case("p_norm", (TALL,), {"porder": p}, tol=ROUNDS) for p in (0.0, 1.0, 3.0, inf, -inf)),
    Case("p_norm", (CUBE,), tol=ROUNDS),
    Case("p_norm", (CUBE,), {"axis": 1, "keepdim": True}, tol=ROUNDS),
    Case("p_norm", (CUBE,), {"asvector": True, "keepdim": True}, tol=ROUNDS),
    Case("p_norm", (CUBE,), {"asvector": True, "porder": 0.5}, tol=ROUNDS),
    Case("p_norm", (f(0, 0),), {"epsilon": 0.1}, why="epsilon is not for this"),
    Case("p_norm", (scalar(-3),), {"asvector": True}, why="no axes"),
    Case("frobenius_norm", (CUBE, [0, 2], False, False), tol=ROUNDS),
    Case("frobenius_norm", (CUBE, [1], True, False), tol=ROUNDS, why="one axis"),
    Case("frobenius_norm", (CUBE, [0], True, True), tol=ROUNDS, why="everything"),
    Case("squared_l2_norm", (TALL,), tol=ROUNDS),
    Case("reduce_as", (CUBE, rand(3, 1)), tol=ROUNDS),
    Case("reduce_as", (CUBE, rand(1, 3, 4)), tol=ROUNDS, why="one axis"),
    Case("reduce_as", (rand(3), rand(2, 3)), why="a larger one", raises=BadType),
    Case("cumsum", (TALL,), {"axis": 1}),
    Case("cumsum", (TALL,), {"flatten": True}),
    Case("cumsum", (TALL,), {"exclusive": True, "reverse": True}),
    Case("cumsum", (i(1, 2, dtype=np.int32),), why="int32 stays"),
    Case("cumsum", (scalar(3),), {"axis": 0, "exclusive": True}, why="no axes"),
    Case("cumsum_", (f(1, 2, 3),), why="in place"),
    Case("cumprod", (TALL, 1)),
    Case("cumprod", (TALL, 0), {"exclusive": True, "reverse": True}),
    Case("cumprod", (scalar(3), 0), why="no axes"),
    Case("cumprod_", (f(1, 2, 3), 0), why="in place"),
    Case("logcumsumexp", (TALL,), {"axis": 0}, tol=ROUNDS),
    Case("logcumsumexp", (TALL,), {"flatten": True}, tol=ROUNDS),
    Case("logcumsumexp", (f(1, 2, 3),), {"reverse": True}, tol=ROUNDS),
    Case("logcumsumexp", (f(1, 2, 3),), {"exclusive": True, "reverse": True}, tol=ROUNDS),
    Case("logcumsumexp", (scalar(3),), {"axis": 0}, why="no axes"),
    *(Case(op, (f(1, 3, 3, 2, nan, 5),)) for op in ("cummax", "cummin")),
    *(Case(op, (TALL,), {"axis": 0, "dtype": I4}) for op in ("cummax", "cummin")),
    *(Case(op, (scalar(3),), why="no axes") for op in ("cummax", "cummin")),
    *(Case(op, (i(1, 3, 2),), why="integers") for op in ("cummax", "cummin")),
    *(Case(op, (TALL,), read=1) for op in ("median", "nanmedian")),
    *(Case(op, (CUBE,), {"axis": [1], "keepdim": False}, read=1) for op in ("median", "nanmedian")),
    *(Case(op, (CUBE,), {"axis": [0, 2]}, read=1, tol=ROUNDS) for op in ("median", "nanmedian")),
    *(Case(op, (f(1, nan, 2, 4),), read=1, why="nan") for op in ("median", "nanmedian")),
    *(Case(op, (f(nan, nan),), read=1, why="nothing but nan") for op in ("median", "nanmedian")),
    *(Case(op, (i(3, 1, 2, 4),), read=1, why="integers") for op in ("median", "nanmedian")),
    *(
        Case(op, (rand(3, 4),), {"axis": [0], "mode": "min", "keepdim": False})
        for op in ("median", "nanmedian")
    ),
    *(
        Case(op, (f(1, nan, 2),), {"mode": "min"}, read=1, why="nan, smaller middle")
        for op in ("median", "nanmedian")
    ),
    *(Case(op, (f(1),), {"mode": "max"}, raises=Unsupported) for op in ("median", "nanmedian")),
    Case("mode", (f(2, 1, 2, 1, 3),)),
    Case("mode", (i(5, 5, 5, 3).reshape(2, 2),), {"axis": 0, "keepdim": True}),
    Case("mode", (scalar(3),), why="no axes"),
    Case("histogram", (f(1, 2, 1, 4), None), {"bins": 4, "max": 3.0}),
    Case("histogram", (f(1, 2, 1, 4), None), {"bins": 4}, why="the range of the elements"),
    Case("histogram", (f(2, 2), None), {"bins": 2}, why="all are equal"),
    Case("histogram", (i(1, 2, 1, 3), None), {"bins": 4, "max": 3.0}, why="integers"),
    Case("histogram", (f(1, 2, 3), f(1, 2, 3)), {"bins": 4, "max": 3.0}, why="weights"),
    Case("histogram", (f(1, 2, 1, 3), f(1, 2, 3, 4)), {"bins": 4, "density": True}, tol=ROUNDS),
    Case(
        "histogram",
        (f(1, 2, 1, 3), None),
        {"bins": 4, "density": True},
        tol=ROUNDS,
        why="no weights",
    ),
    Case("bincount", (i(1, 3, 1), None)),
    Case("bincount", (i(1, 3, 1), f(1, 2, 3)), {"minlength": 6}),
    Case(
        "bincount", (i(1, 3, 1), None, Const(i(6, dtype=np.int32))), why="a length of the program"
    ),
    Case("bincount", (i(1, 3, 1), i(1, 2, 3)), why="whole weights"),
    Case("bincount", (i(1, 3, 1, dtype=np.int32), f(1, 2, 3, dtype=f8)), why="float64"),
    Case("int_bincount", (i(1, 3, 1, 0), 1, 5, I8)),
    Case("int_bincount", (i(1, 3, 1, 0), 0, 4, I4), why="int32"),
    Case("int_bincount", (i(1), i(0), i(2), I8), why="bounds", raises=NotConstant),
    *(Case("cumsum_", (TALL,), how) for how in ({"axis": 0}, {"flatten": True})),
    Case("cumsum_", (TALL,), {"exclusive": True, "reverse": True}),
    Case("cumsum_", (TALL,), {"exclusive": True}, raises=Unsupported),
    Case("cumprod_", (TALL, 0), {"exclusive": True, "reverse": True}),
    Case("histogram", (f(1, 2, 1, 4), None), {"bins": 4, "min": 1.0, "max": 3.0}),
    *(Case(op, (CUBE,), {"unbiased": False}, tol=ROUNDS) for op in ("std", "var")),
    Case("variance", (CUBE,), {"axis": [1], "keepdim": True}, tol=ROUNDS),
]
LIMITS = [
    *(Limit(op, why="nan is passed over", device=ORT, case="nan wins") for op in BEST),
    *(
        Limit(op, why="nan is not the largest", device=ORT, case="nan, smaller middle")
        for op in ("median", "nanmedian")
    ),
]
