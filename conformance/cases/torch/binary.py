"""ATen arithmetic on two and three operands."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from nnir.errors import BadType, NoLowering, Unsupported

from ...case import ROUNDS, Case, Limit, Tolerance, f, i, rand, scalar

BF16 = ml_dtypes.bfloat16
NARROW = {
    "float16": Tolerance(relative=2e-3, absolute=1e-3),
    "bfloat16": Tolerance(relative=1.6e-2, absolute=1e-3),
    "": ROUNDS,
}
inf, nan = np.inf, np.nan
LEFT = f(-inf, -2, -0.0, 0.0, 1, 3.5, inf, nan, 2)
RIGHT = f(inf, 3, 0.0, -1, nan, -2, inf, 1, 2)
TRUE = f(True, False, dtype=np.bool_)
ARITHMETIC = ("add.Tensor", "mul.Tensor", "sub.Tensor", "rsub.Tensor", "div.Tensor")
FLOATS = (
    *ARITHMETIC,
    *("fmod.Tensor", "remainder.Tensor", "floor_divide.default", "maximum.default", "max.other"),
    *("minimum.default", "min.other", "fmax.default", "fmin.default", "atan2.default"),
    *("hypot.default", "copysign.Tensor", "heaviside.default", "logaddexp.default"),
    *("logaddexp2.default", "xlogy.Tensor", "special_xlogy.default", "isclose.default"),
    *("clamp_min.Tensor", "clamp_max.Tensor", "special_xlog1py.default", "nextafter.default"),
)
INTEGERS = (
    *ARITHMETIC,
    *("fmod.Tensor", "remainder.Tensor", "floor_divide.default", "maximum.default", "gcd.default"),
    *("minimum.default", "fmax.default", "fmin.default", "atan2.default", "lcm.default"),
    *("copysign.Tensor", "heaviside.default", "xlogy.Tensor", "isclose.default"),
    *("clamp_min.Tensor", "clamp_max.Tensor", "pow.Tensor_Tensor", "float_power.Tensor_Tensor"),
)
SCALARS = (
    *("add.Scalar", "mul.Scalar", "sub.Scalar", "rsub.Scalar", "div.Scalar", "fmod.Scalar"),
    *("remainder.Scalar", "floor_divide.Scalar", "clamp_min.default", "clamp_max.default"),
    *("copysign.Scalar", "xlogy.Scalar_Other", "special_xlogy.other_scalar"),
    *("special_xlog1py.other_scalar", "pow.Tensor_Scalar", "float_power.Tensor_Scalar"),
)
FIRST = (
    *("remainder.Scalar_Tensor", "pow.Scalar", "float_power.Scalar", "xlogy.Scalar_Self"),
    *("special_xlogy.self_scalar", "special_xlog1py.self_scalar"),
)
TRIPLE = rand(2, 3), rand(3, seed=1), rand(2, 3, seed=2, low=0.5)

CASES = [
    *(Case(f"aten.{op}", (LEFT, RIGHT), why="edges", tol=ROUNDS) for op in FLOATS),
    *(
        Case(f"aten.{op}", (rand(2, 3, low=0.1), rand(3, seed=1, low=0.1)), tol=ROUNDS)
        for op in FLOATS
    ),
    *(
        Case(
            f"aten.{op}",
            (rand(5, low=0.1, dtype=d), rand(5, seed=1, low=0.1, dtype=d)),
            tol=NARROW,
            why="other floats",
        )
        for op in FLOATS
        for d in (np.float16, BF16, np.float64)
        if not (op == "nextafter.default" and d == np.float16)
    ),
    *(
        Case(f"aten.{op}", (i(7, -7, 8, 0, dtype=d), i(2, 2, 4, 3, dtype=d)), tol=ROUNDS)
        for op in INTEGERS
        for d in (np.int64, np.int32, np.int8)
    ),
    *(
        Case(f"aten.{op}", (rand(2, 3), scalar(0.75)), why="0-d", tol=ROUNDS)
        for op in (*ARITHMETIC, "maximum.default", "pow.Tensor_Tensor")
    ),
    *(
        Case(f"aten.{op}", (np.zeros((0, 3), np.float32), rand(3)), why="empty")
        for op in (*ARITHMETIC, "fmod.Tensor", "lerp.Tensor")
        if op != "lerp.Tensor"
    ),
    *(
        Case(f"aten.{op}", (rand(2, 3, low=0.1, dtype=d), 1.75), tol=NARROW)
        for op in SCALARS
        for d in (np.float32, np.float16, BF16)
    ),
    *(Case(f"aten.{op}", (i(1, 7), 2), why="a number", tol=ROUNDS) for op in SCALARS),
    *(Case(f"aten.{op}", (2, i(1, 3)), why="a number", tol=ROUNDS) for op in FIRST),
    *(Case(f"aten.{op}", (1.5, rand(2, 3, low=0.1)), tol=ROUNDS) for op in FIRST),
    *(
        Case(f"aten.{op}", (TRUE, f(True, True, dtype=np.bool_)), why="truth values")
        for op in ("add.Tensor", "mul.Tensor", "maximum.default", "minimum.default", "div.Tensor")
    ),
    *(
        Case("aten.div.Tensor_mode", (LEFT, RIGHT), {"rounding_mode": m}, why=f"{m} of floats")
        for m in (None, "floor", "trunc")
    ),
    Case(
        "aten.floor_divide.default",
        (i(-(1 << 31), 7, -7, dtype=np.int32), i(-1, -1, -1, dtype=np.int32)),
        why="the least by -1",
    ),
    Case(
        "aten.remainder.Tensor",
        (f(-4, 4, 4, -4), f(2, -2, 2, -2)),
        tol=Tolerance(signed_zeros=True),
        why="zeros have the sign of the dividend",
    ),
    Case(
        "aten.atan2.default",
        (f(0, 0, -0.0, -0.0, 0, -0.0), f(-0.0, 0, -0.0, 0, -1, -1)),
        tol=ROUNDS,
        why="signs of zeros",
    ),
    *(
        Case("aten.div.Tensor_mode", (i(7, -7), i(2, 2)), {"rounding_mode": m}, tol=ROUNDS)
        for m in (None, "floor", "trunc")
    ),
    *(
        Case("aten.div.Scalar_mode", (rand(5, dtype=np.float16), 0.3), {"rounding_mode": m})
        for m in ("floor", "trunc")
    ),
    Case(
        "aten.div.Tensor_mode", (f(1), f(2)), {"rounding_mode": "up"}, raises=Unsupported, why="up"
    ),
    Case("aten.add.Tensor", (rand(2, 3), rand(3, seed=1)), {"alpha": 0.5}, tol=ROUNDS),
    Case("aten.add.Tensor", (i(1, 2), scalar(1.5)), why="a float without axes raises integers"),
    Case("aten.add.Tensor", (f(1, 2, dtype=np.float16), scalar(1.5)), why="a float stays narrow"),
    Case("aten.add.Tensor", (i(1, 2), 2), why="a number"),
    Case("aten.add.Tensor", (f(1, dtype=np.float16), f(1, dtype=BF16)), why="two halves"),
    Case("aten.add.Tensor", (i(1, dtype=np.uint8), i(-1, dtype=np.int8)), why="signs differ"),
    Case("aten.add.Scalar", (i(1, 2, dtype=np.int8), 2.5), why="a float number"),
    Case("aten.add.Scalar", (i(1, 2), 3, 2), why="alpha"),
    Case("aten.sub.Tensor", (rand(2, 3), rand(3)), {"alpha": 2}, tol=ROUNDS),
    Case("aten.sub.Scalar", (i(1, 2), 3, 2), why="alpha"),
    Case("aten.rsub.Tensor", (rand(2, 3), rand(3)), {"alpha": 2}, tol=ROUNDS),
    Case("aten.rsub.Scalar", (rand(2, 3), 1, 2), why="alpha", tol=ROUNDS),
    Case("aten.mul.Tensor", (i(1, 0), TRUE), why="a bool"),
    Case("aten.mul.Scalar", (f(1, 2, dtype=np.float64), 2), why="float64"),
    *(
        Case("aten.pow.Tensor_Scalar", (rand(5, low=0.1), n), why=f"exponent {n}", tol=ROUNDS)
        for n in (0, 0.5, -0.5, 1, -1, 2, 2.0, 3, -2)
    ),
    Case("aten.pow.Tensor_Scalar", (i(2, 3), 0.5), why="a root of integers", tol=ROUNDS),
    Case("aten.pow.Tensor_Scalar", (i(2, 3, dtype=np.int32), 3), why="a cube of integers"),
    Case("aten.pow.Tensor_Tensor", (LEFT, RIGHT), why="edges", tol=ROUNDS),
    Case("aten.pow.Tensor_Tensor", (rand(5, low=0.1, dtype=np.float16), scalar(3)), tol=NARROW),
    Case("aten.float_power.Tensor_Tensor", (rand(5, low=0.1), rand(5, low=0.1)), tol=ROUNDS),
    Case("aten.float_power.Tensor_Tensor", (f(1j, 2, dtype=np.complex64), f(2, 3)), tol=ROUNDS),
    Case("aten.float_power.Tensor_Scalar", (f(1, 2), 1 + 2j), why="complex", tol=ROUNDS),
    Case("aten.float_power.Scalar", (2j, f(1, 2.5)), why="complex", tol=ROUNDS),
    Case(
        "aten.addcdiv.default",
        tuple(f(1j, 2 - 1j, dtype=np.complex64) + k for k in range(3)),
        {"value": 2},
        tol=ROUNDS,
    ),
    Case("aten.isclose.default", (LEFT, LEFT, -1.0), why="a negative rtol", raises=BadType),
    Case("aten.clamp.default", (LEFT, -1, 2), why="edges"),
    Case("aten.clamp.default", (LEFT, -1), why="below"),
    Case("aten.clamp.default", (LEFT, None, 2.5), why="above"),
    Case("aten.clamp.default", (i(1, 5, 9), 2, 7.5), why="a float bound of integers"),
    Case("aten.clamp.default", (rand(5, dtype=np.float16), -0.5, 0.5)),
    Case("aten.clamp.default", (f(1),), why="no bounds", raises=Unsupported),
    Case("aten.clamp.Tensor", (rand(2, 3), rand(3, low=-1, high=0), rand(2, 1, low=0))),
    Case("aten.clamp.Tensor", (rand(2, 3), None, f(0.5, nan, 1)), why="a bound that is NaN"),
    Case("aten.ldexp.Tensor", (rand(2, 3), i(-1, 0, 3)), tol=ROUNDS),
    Case("aten.ldexp.Tensor", (f(1, 2), f(0.5, 2)), why="fractions", tol=ROUNDS),
    Case("aten.ldexp.Tensor", (f(1, 2, inf, 0, dtype=np.float16), i(1, -3, 2000, 2000)), why="far"),
    Case("aten.ldexp.Tensor", (f(1e-30, 3), i(200, -1)), why="no overflow on the way"),
    Case(
        "aten.atan2.default",
        (f(0, -0.0, nan, 0), f(nan, nan, 0, -inf)),
        tol=ROUNDS,
        why="nan beside 0",
    ),
    *(
        Case(
            "aten.div.Scalar_mode",
            (f(1, 2, 3, -0.47, dtype=d), 0.3),
            {"rounding_mode": m},
            why=f"a number that is no {np.dtype(d).name}, {m}",
        )
        for d in (np.float16, BF16)
        for m in ("floor", "trunc")
    ),
    *(
        Case(
            f"aten.{op}.Scalar",
            (rand(5, 7, dtype=d), 0.3),
            why=f"a number that is no {np.dtype(d).name}",
        )
        for d in (np.float16, BF16)
        for op in ("mul", "div", "floor_divide")
    ),
    Case("aten.heaviside.default", (f(-1, 0, 2, nan), f(nan, 5, nan, 1)), why="values"),
    Case("aten.isclose.default", (LEFT, LEFT), {}, why="itself"),
    Case(
        "aten.isclose.default",
        (f(1, 1, 0, 0, 1, dtype=np.float64), 1 + f(8e-6, 1.3e-5, -1, 0, 0, dtype=np.float64)),
        why="relative by default",
    ),
    Case(
        "aten.isclose.default",
        (f(8e-9, 1.3e-8, -2e-8), f(0, 0, 0)),
        why="absolute by default",
    ),
    Case("aten.isclose.default", (LEFT, LEFT, 1e-3, 1e-3, True), why="NaN is close to NaN"),
    Case("aten.isclose.default", (LEFT, LEFT, 0.0, 0.0), why="no tolerance"),
    Case("aten.isclose.default", (f(1, 10, 2), f(1.05, 10.5, 2.2), 0.0501, 0.0), why="relative"),
    Case("aten.isclose.default", (f(1, 10, 2), f(1.05, 10.5, 2.2), 0.0, 0.25), why="absolute"),
    Case("aten.addcmul.default", TRIPLE, tol=ROUNDS),
    Case("aten.addcmul.default", TRIPLE, {"value": 0.5}, tol=ROUNDS),
    Case("aten.addcmul.default", (i(1), i(2), i(3)), {"value": 2}),
    Case("aten.addcdiv.default", TRIPLE, tol=ROUNDS),
    Case("aten.addcdiv.default", TRIPLE, {"value": -2}, tol=ROUNDS),
    Case("aten.addcdiv.default", (i(1), i(2), i(3)), why="integers", raises=Unsupported),
    *(
        Case(f"aten.{op}.default", tuple(v.astype(d) for v in TRIPLE), {"value": 3}, tol=NARROW)
        for op in ("addcmul", "addcdiv")
        for d in (np.float16, BF16)
    ),
    *(
        Case("aten.lerp.Scalar", (rand(2, 3), rand(3, seed=1), w), why=f"weight {w}", tol=ROUNDS)
        for w in (0, 0.25, 0.75, 1.5)
    ),
    Case(
        "aten.lerp.Scalar",
        (TRIPLE[0].astype(np.float16), rand(3, dtype=np.float16), 0.3),
        tol=NARROW,
    ),
    Case("aten.lerp.Tensor", (rand(2, 3), rand(3, seed=1), rand(2, 3, seed=2)), tol=ROUNDS),
]
ATAN = "onnxruntime has no kernel of Atan for float64"
NONE = "ONNX has no such operator"
LIMITS = [
    *(
        Limit(f"aten.float_power.{o}", device="onnxruntime", case=c, raises=NoLowering, why=ATAN)
        for o, c in (
            ("Tensor_Tensor", "complex64"),
            ("Tensor_Scalar", "-complex"),
            ("Scalar", "-complex"),
        )
    ),
    *(
        Limit(f"aten.{op}.default", device="onnxruntime", raises=NoLowering, why=NONE)
        for op in ("nextafter", "gcd", "lcm")
    ),
    Limit(
        "aten.atan2.default",
        device="onnxruntime",
        dtype="float64",
        raises=NoLowering,
        why=ATAN,
    ),
]
CASES += [
    *(Case(f"aten.{op}.default", (i(1, -5), i(0, 3)), why="integers") for op in ("fmax", "fmin")),
    *(
        Case(f"aten.{op}.default", (f(1, 0, 1, dtype=np.bool_), f(0, 0, 1, dtype=np.bool_)))
        for op in ("fmax", "fmin", "heaviside")
    ),
    Case("aten.heaviside.default", (i(-3, 0, 2), i(7)), why="integers"),
    Case("aten.lcm.default", (i(4, -6, 0, 0, 7), i(6, 4, 5, 0, -7)), why="signs and zeros"),
    Case("aten.gcd.default", (i(4, -6, 0, 0, 7), i(6, 4, 5, 0, -7)), why="signs and zeros"),
]
