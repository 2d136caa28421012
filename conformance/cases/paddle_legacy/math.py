"""Legacy operators that compute: elementwise, reductions, products of matrices, comparisons."""

from __future__ import annotations

import numpy as np

from nnir.errors import NoLowering, Unsupported

from ...case import ROUNDS, Case, Const, Limit, Tolerance, f, i, rand

LOOSE = Tolerance(relative=1e-4, absolute=1e-5)
OUTSIDE = f(-3, -1.5, 0, 1.5, 3)
INSIDE = f(-0.9, -0.1, 0, 0.5, 0.9)
ABOVE = f(0.1, 0.5, 1, 2, 7)
ARRAY = rand(2, 3, 4)
TWO = {"X": rand(2, 3), "Y": rand(2, 3, seed=1)}
TRUTH = {"X": rand(2, 3, dtype=bool), "Y": rand(2, 3, dtype=bool, seed=1)}
BITS = {"X": i(12, 5, -3), "Y": i(10, 3, 7)}
SQUARE = rand(3, 3) + 4 * np.eye(3, dtype=np.float32)

EXACTLY = ("abs", "ceil", "floor", "relu", "relu6", "round", "sign", "square")
ROUNDED = (
    *("asinh", "atan", "cos", "cosh", "digamma", "erf", "exp", "expm1", "gelu", "logsigmoid"),
    *("sigmoid", "silu", "sin", "sinh", "softsign", "swish", "tan", "tanh", "tanh_shrink"),
)
POSITIVE = ("lgamma", "log", "log10", "log1p", "log2", "reciprocal", "rsqrt", "sqrt")
BOUNDED = ("acos", "asin", "atanh", "erfinv")
ARITHMETIC = ("add", "sub", "mul", "div", "max", "min", "fmax", "fmin", "heaviside")
COMPARISONS = (*("equal", "not_equal", "less_than", "less_equal", "greater_than", "greater_equal"),)
REDUCTIONS = ("max", "min", "amax", "amin")

CASES = [
    *(Case(op, ({"X": OUTSIDE},)) for op in EXACTLY),
    *(Case(op, ({"X": OUTSIDE},), tol=LOOSE) for op in ROUNDED),
    *(Case(op, ({"X": ABOVE},), tol=LOOSE) for op in POSITIVE),
    *(Case(op, ({"X": INSIDE},), tol=LOOSE) for op in BOUNDED),
    Case("acosh", ({"X": f(1, 2, 3)},), tol=LOOSE),
    Case("exp", ({"X": rand(2, dtype=np.float64)},), tol=ROUNDS, why="double"),
    Case("leaky_relu", ({"X": OUTSIDE},)),
    Case("leaky_relu", ({"X": OUTSIDE},), {"alpha": 0.3}),
    Case("brelu", ({"X": f(-1, 3, 30)},)),
    Case("brelu", ({"X": f(-1, 3, 30)},), {"t_min": 1.0, "t_max": 6.0}),
    Case("celu", ({"X": OUTSIDE},), {"alpha": 0.7}, tol=ROUNDS),
    Case("elu", ({"X": OUTSIDE},), {"alpha": 0.7}, tol=ROUNDS),
    Case("selu", ({"X": OUTSIDE},), tol=ROUNDS),
    Case("gelu", ({"X": OUTSIDE},), {"approximate": True}, tol=ROUNDS),
    Case("hard_shrink", ({"X": OUTSIDE},)),
    Case("hard_shrink", ({"X": OUTSIDE},), {"threshold": 2.0}),
    Case("hard_sigmoid", ({"X": OUTSIDE},), tol=ROUNDS),
    Case("hard_sigmoid", ({"X": OUTSIDE},), {"slope": 0.25, "offset": 0.4}, tol=ROUNDS),
    Case("hard_swish", ({"X": OUTSIDE},), tol=ROUNDS),
    Case("hard_swish", ({"X": OUTSIDE},), {"threshold": 5.0}, why="threshold", raises=Unsupported),
    Case("mish", ({"X": OUTSIDE},), tol=ROUNDS),
    Case("softplus", ({"X": OUTSIDE},), tol=ROUNDS),
    Case("softplus", ({"X": OUTSIDE},), {"beta": 2.0, "threshold": 3.0}, tol=ROUNDS),
    Case("softshrink", ({"X": OUTSIDE},), {"lambda": 1.0}),
    Case("stanh", ({"X": OUTSIDE},), tol=ROUNDS),
    Case("swish", ({"X": OUTSIDE},), {"beta": 2.0}, why="beta", raises=Unsupported),
    Case("thresholded_relu", ({"X": OUTSIDE},), {"threshold": 0.5}),
    Case("prelu", ({"X": rand(2, 3, 4), "Alpha": Const(f(0.1, 0.2, 0.3))},), {"mode": "channel"}),
    Case("prelu", ({"X": rand(2, 3, 4), "Alpha": Const(f(0.3))},), {"mode": "all"}),
    Case("maxout", ({"X": rand(2, 4, 3, 3)},), {"groups": 2, "axis": 1}),
    Case("logit", ({"X": f(0.1, 0.5, 0.9)},), {"eps": 0.2}, tol=ROUNDS),
    Case("trunc", ({"X": OUTSIDE},)),
    Case("softmax", ({"X": rand(2, 3)},), tol=ROUNDS),
    Case("softmax", ({"X": rand(2, 3)},), {"axis": 0}, tol=ROUNDS),
    Case("log_softmax", ({"X": rand(2, 3)},), {"axis": 0}, tol=ROUNDS),
    Case("clip", ({"X": OUTSIDE},), {"min": -1.0, "max": 2.0}),
    Case("clip", ({"X": i(-5, 0, 5)},), {"min": -1.0, "max": 2.0}, why="integers"),
    Case(
        "clip",
        ({"X": OUTSIDE, "Min": f(-2.0), "Max": f(1.0)},),
        {"min": 0.0, "max": 9.0},
        why="tensors come first",
    ),
    Case("clip_by_norm", ({"X": OUTSIDE},), {"max_norm": 2.0}, tol=ROUNDS),
    Case("cast", ({"X": OUTSIDE},), {"in_dtype": 5, "out_dtype": 3}),
    Case("cast", ({"X": i(0, 3)},), {"in_dtype": 3, "out_dtype": 0}, why="to bool"),
    Case("scale", ({"X": OUTSIDE},), {"scale": 2.0, "bias": 0.5}),
    Case("scale", ({"X": OUTSIDE},), {"scale": 2.0, "bias": 0.5, "bias_after_scale": False}),
    Case("scale", ({"X": OUTSIDE, "ScaleTensor": f(3.0)},), {"bias": 1.0}, why="tensor"),
    Case("scale", ({"X": i(1, 2, 3)},), {"scale": 2.0, "bias": 1.0}, why="integers"),
    Case("increment", ({"X": f(2)},)),
    Case("increment", ({"X": i(2)},), {"step": 3.0}),
    Case("pow", ({"X": ABOVE},), {"factor": 0.5}, tol=ROUNDS),
    Case("pow", ({"X": ABOVE, "FactorTensor": Const(f(2.0))},), why="tensor", tol=ROUNDS),
    Case("sum", ({"X": [rand(2, 3), rand(2, 3, seed=1), rand(2, 3, seed=2)]},), tol=ROUNDS),
    Case("sum", ({"X": [rand(2, 3)]},), why="one"),
    Case("mean", ({"X": rand(2, 3)},), tol=ROUNDS),
    *(Case(f"elementwise_{op}", (TWO,), tol=ROUNDS) for op in ARITHMETIC),
    Case("elementwise_pow", ({"X": ABOVE, "Y": f(1, 2, 3, -1, 0)},), tol=ROUNDS),
    Case("elementwise_mod", ({"X": i(7, -7, 7), "Y": i(3, 3, -3)},)),
    Case("elementwise_floordiv", ({"X": i(7, 9, 8), "Y": i(3, 3, 3)},)),
    Case("elementwise_add", ({"X": ARRAY, "Y": rand(3)},), {"axis": 1}),
    Case("elementwise_add", ({"X": ARRAY, "Y": rand(2, 3)},), {"axis": 0}),
    Case("elementwise_add", ({"X": ARRAY, "Y": rand(4)},), why="the last axis"),
    Case("elementwise_mul", ({"X": rand(3), "Y": ARRAY},), {"axis": 1}, why="the first is smaller"),
    Case("elementwise_sub", ({"X": ARRAY, "Y": rand(1, 3, 1)},), {"axis": 0}, why="equal ranks"),
    *(Case(op, (TWO,)) for op in COMPARISONS),
    Case("minus", (TWO,), domain="elementwise_sub"),
    Case("less_than", ({"X": i(1, 2, 3), "Y": i(2)},), why="broadcast"),
    *(Case(f"logical_{op}", (TRUTH,)) for op in ("and", "or", "xor")),
    Case("logical_not", ({"X": rand(3, dtype=bool)},)),
    *(Case(f"bitwise_{op}", (BITS,)) for op in ("and", "or", "xor")),
    Case("bitwise_not", ({"X": i(1, -7)},)),
    Case("equal_all", (TWO,)),
    Case("isfinite_v2", ({"X": f(1, np.nan, np.inf)},)),
    Case("isinf_v2", ({"X": f(1, np.nan, np.inf)},)),
    Case("isnan_v2", ({"X": f(1, np.nan, np.inf)},)),
    *(Case(f"reduce_{op}", ({"X": ARRAY},), {"dim": [1]}) for op in REDUCTIONS),
    *(
        Case(f"reduce_{op}", ({"X": ARRAY},), {"dim": [0, -1], "keep_dim": True})
        for op in REDUCTIONS
    ),
    Case("reduce_sum", ({"X": ARRAY},), {"dim": [1]}, tol=ROUNDS),
    Case("reduce_sum", ({"X": ARRAY},), {"reduce_all": True, "keep_dim": True}, tol=ROUNDS),
    Case("reduce_sum", ({"X": i(1, 2, 3)},), {"reduce_all": True}, why="integers"),
    Case("reduce_sum", ({"X": ARRAY},), {"dim": [1], "out_dtype": 6}, tol=ROUNDS, why="to double"),
    Case("reduce_mean", ({"X": ARRAY},), {"dim": [0, 2]}, tol=ROUNDS),
    Case("reduce_mean", ({"X": ARRAY},), {"reduce_all": True}, tol=ROUNDS),
    Case("reduce_prod", ({"X": ARRAY},), {"dim": [2]}, tol=ROUNDS),
    Case("reduce_prod", ({"X": ARRAY},), {"reduce_all": True}, tol=LOOSE),
    Case("reduce_all", ({"X": rand(2, 3, dtype=bool)},), {"dim": [1]}),
    Case("reduce_any", ({"X": rand(2, 3, dtype=bool)},), {"dim": [1], "keep_dim": True}),
    Case("frobenius_norm", ({"X": ARRAY},), {"dim": [1, 2]}, tol=ROUNDS),
    Case("squared_l2_norm", ({"X": ARRAY},), tol=ROUNDS),
    Case("logsumexp", ({"X": ARRAY},), {"axis": [1]}, tol=ROUNDS),
    Case("dist", (TWO,), {"p": 2.0}, tol=ROUNDS),
    Case("cumsum", ({"X": ARRAY},), {"axis": 1}, tol=ROUNDS),
    Case("cumsum", ({"X": ARRAY},), {"axis": 2, "exclusive": True, "reverse": True}, tol=ROUNDS),
    Case("cumsum", ({"X": ARRAY},), {"flatten": True}, tol=ROUNDS),
    Case("cumprod", ({"X": ARRAY},), {"dim": 1}, tol=ROUNDS),
    Case("logcumsumexp", ({"X": ARRAY},), {"axis": 1}, tol=ROUNDS),
    Case("bmm", ({"X": rand(2, 3, 4), "Y": rand(2, 4, 5)},), tol=ROUNDS),
    Case("matmul", ({"X": rand(2, 3), "Y": rand(3, 4)},), tol=ROUNDS),
    Case(
        "matmul",
        ({"X": rand(2, 3, 4), "Y": rand(2, 5, 4)},),
        {"transpose_Y": True, "alpha": 0.5},
        tol=ROUNDS,
    ),
    Case("matmul", ({"X": rand(3, 2), "Y": rand(3, 4)},), {"transpose_X": True}, tol=ROUNDS),
    Case("matmul_v2", ({"X": rand(2, 3, 4), "Y": rand(4, 5)},), tol=ROUNDS),
    Case(
        "matmul_v2",
        ({"X": rand(2, 4, 3), "Y": rand(5, 4)},),
        {"trans_x": True, "trans_y": True},
        tol=ROUNDS,
    ),
    Case("mul", ({"X": rand(2, 3), "Y": Const(rand(3, 4))},), tol=ROUNDS),
    Case("mul", ({"X": rand(2, 3, 4), "Y": rand(4, 5)},), {"x_num_col_dims": 2}, tol=ROUNDS),
    Case("mul", ({"X": rand(2, 3, 4), "Y": rand(3, 4, 5)},), {"y_num_col_dims": 2}, tol=ROUNDS),
    Case(
        "fc", ({"Input": rand(2, 3), "W": Const(rand(3, 4)), "Bias": Const(rand(4))},), tol=ROUNDS
    ),
    Case(
        "fc",
        ({"Input": rand(2, 3, 4), "W": Const(rand(4, 5))},),
        {"in_num_col_dims": 2},
        tol=ROUNDS,
    ),
    Case(
        "addmm",
        ({"Input": rand(2, 4), "X": rand(2, 3), "Y": rand(3, 4)},),
        {"Alpha": 0.5, "Beta": 2.0},
        tol=ROUNDS,
    ),
    Case("mv", ({"X": rand(2, 3), "Vec": rand(3)},), tol=ROUNDS),
    Case("dot", (TWO,), tol=ROUNDS),
    Case("kron", ({"X": rand(2, 3), "Y": rand(3, 2)},), tol=ROUNDS),
    Case("cross", (TWO,), {"dim": 1}, tol=ROUNDS),
    Case("cross", (TWO,), tol=ROUNDS),
    Case("multi_dot", ({"X": [rand(2, 3), rand(3, 4), rand(4, 2)]},), tol=LOOSE),
    Case("matrix_power", ({"X": SQUARE},), {"n": 3}, tol=LOOSE),
    Case(
        "einsum",
        ({"Operands": [rand(2, 3), rand(3, 4)]},),
        {"equation": "ij,jk->ki"},
        results=("Out", ("InnerCache", 2), ("XShape", 2)),
        read=1,
        tol=ROUNDS,
    ),
    Case("inverse", ({"Input": SQUARE},), results=("Output",), tol=LOOSE),
    Case("determinant", ({"Input": SQUARE},), tol=LOOSE),
    Case("cholesky", ({"X": SQUARE @ SQUARE.T},), tol=LOOSE),
    Case("cholesky", ({"X": SQUARE @ SQUARE.T},), {"upper": True}, tol=LOOSE),
    Case("lerp", ({"X": f(1, 2), "Y": f(3, 5), "Weight": f(0.25)},), tol=ROUNDS),
    Case("nextafter", ({"x": f(1, 2), "y": f(3, 0)},), results=("out",)),
    Case("as_complex", ({"X": rand(3, 2)},)),
    *(
        Case(op, ({"X": np.array([1 + 2j, -1j, 3], np.complex64)},), tol=ROUNDS)
        for op in ("angle", "conj", "imag", "real", "as_real")
    ),
]
LIMITS = [
    Limit("nextafter", device="onnxruntime", raises=NoLowering, why="no such operator"),
]
