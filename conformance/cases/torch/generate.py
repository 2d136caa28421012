"""ATen tensors made from numbers and sizes."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadType, Unsupported
from nnir.types import Precision

from ...case import ROUNDS, Case, Tolerance, rand, scalar

X = rand(2, 3)
HALF = Tolerance(relative=2e-3, absolute=1e-3)
F16, F64, I32, BOOL = Precision.FLOAT16, Precision.FLOAT64, Precision.INT32, Precision.BOOL8

RANGES = [
    Case("aten.arange.default", (5,)),
    Case("aten.arange.default", (2.5,), why="a float"),
    Case("aten.arange.default", (0,), why="nothing"),
    Case("aten.arange.default", (5,), {"dtype": F16}),
    Case("aten.arange.start", (2, 7)),
    Case("aten.arange.start", (0.1, 1.0), {"dtype": F64}),
    Case("aten.arange.start_step", (0, 1, 0.1)),
    Case("aten.arange.start_step", (5, -3, -2), why="backwards"),
    Case("aten.arange.start_step", (0, 7.5, 2), {"dtype": I32}, why="integers between floats"),
    Case("aten.arange.start_step", (0, 1, 0), why="no step", raises=BadType),
    Case("aten.arange.start_step", (0, -3, 2), why="the wrong way", raises=BadType),
    Case("aten.arange.start_step", (0, float("nan"), 2), why="nan", raises=BadType),
    *(
        Case(f"aten.linspace.{name}", (a, b, 5), {"dtype": F64}, tol=ROUNDS)
        for name, a, b in (
            ("default", 0.5, 2),
            ("Scalar_Tensor", 0.5, scalar(2.0)),
            ("Tensor_Scalar", scalar(0.5), 2),
            ("Tensor_Tensor", scalar(0.5), scalar(2, np.int64)),
        )
    ),
    *(
        Case(f"aten.logspace.{name}", (a, b, 4, 3.0), tol=ROUNDS)
        for name, a, b in (
            ("default", 0.5, 2),
            ("Scalar_Tensor", 0.5, scalar(2.0)),
            ("Tensor_Scalar", scalar(0.5), 2),
            ("Tensor_Tensor", scalar(0.5), scalar(2.0)),
        )
    ),
    *(Case("aten.linspace.default", (1, 9, n), why=f"{n} numbers", tol=ROUNDS) for n in (0, 1, 7)),
    Case("aten.linspace.default", (0, 10, 4), {"dtype": I32}),
    Case("aten.linspace.default", (0.5, -2, 5), {"dtype": I32}, why="bounds lose their fraction"),
    Case(
        "aten.linspace.Tensor_Tensor",
        (scalar(0.5), scalar(-2.5), 5),
        {"dtype": I32},
        why="bounds lose their fraction",
    ),
    Case(
        "aten.logspace.default",
        (0.5, 2.5, 4, 3.0),
        {"dtype": I32},
        why="bounds lose their fraction",
    ),
    Case(
        "aten.logspace.Scalar_Tensor",
        (0.5, scalar(2.5), 4, 3.0),
        {"dtype": I32},
        why="bounds lose their fraction",
    ),
    Case("aten.linspace.default", (0, 1, 7), {"dtype": F16}, tol=HALF),
    Case("aten.linspace.Tensor_Tensor", (scalar(1.0), scalar(2.0), 1), why="one number"),
    Case(
        "aten.linspace.Tensor_Tensor",
        (scalar(1e-3), scalar(1e8), 4),
        tol=ROUNDS,
        why="ends that are far apart",
    ),
    Case("aten.logspace.default", (0, 2, 3), {"dtype": F64}, why="base 10", tol=ROUNDS),
    *(
        Case(f"aten.logspace.{name}", (a, b, 4, 3.0), {"dtype": F64}, why="double", tol=ROUNDS)
        for name, a, b in (
            ("Scalar_Tensor", 0.5, scalar(2.0)),
            ("Tensor_Scalar", scalar(0.5), 2),
            ("Tensor_Tensor", scalar(0.5), scalar(2.0)),
        )
    ),
]
FILLED = [
    Case("aten.full.default", ([2, 3], 2)),
    Case("aten.full.default", ([2], True), why="a bool"),
    Case("aten.full.default", ([], 2.5), why="rank 0"),
    Case("aten.full.default", ([2, 0], 2.5), {"dtype": F16}),
    Case("aten.full_like.default", (X, 2)),
    Case("aten.full_like.default", (X, 2.7), {"dtype": I32}),
    Case("aten.new_full.default", (X, [3], 2)),
    Case("aten.new_full.default", (X, [3], 1), {"dtype": BOOL}),
    *(Case(f"aten.{n}.default", ([2, 3],)) for n in ("zeros", "ones")),
    *(Case(f"aten.{n}.default", ([2],), {"dtype": I32}) for n in ("zeros", "ones")),
    *(Case(f"aten.{n}_like.default", (X,)) for n in ("zeros", "ones")),
    *(Case(f"aten.{n}_like.default", (X,), {"dtype": BOOL}) for n in ("zeros", "ones")),
    *(Case(f"aten.new_{n}.default", (X, [2, 0])) for n in ("zeros", "ones")),
    *(Case(f"aten.new_{n}.default", (X, [2]), {"dtype": F64}) for n in ("zeros", "ones")),
    Case("aten.empty.memory_format", ([2, 3],), random=True),
    Case("aten.empty_like.default", (X,), {"dtype": I32}, random=True),
    Case("aten.new_empty.default", (X, [2]), random=True),
    Case("aten.empty_permuted.default", ([2, 3], [1, 0]), random=True),
    Case("aten.empty_strided.default", ([2, 3], [1, 2]), random=True),
    Case("aten.new_empty_strided.default", (X, [2, 3], [1, 2]), random=True),
    *(
        Case(f"aten.{op}", given, {"dtype": kind}, random=True)
        for op, given in (
            ("empty.memory_format", ([2, 3],)),
            ("empty_permuted.default", ([2, 3], [1, 0])),
            ("empty_strided.default", ([2, 3], [1, 2])),
            ("new_empty.default", (X, [2])),
            ("new_empty_strided.default", (X, [2, 3], [1, 2])),
        )
        for kind in (F64, I32)
    ),
    Case("aten.scalar_tensor.default", (3,)),
    Case("aten.scalar_tensor.default", (2.5,), {"dtype": F64}),
    Case("aten.eye.default", (3,)),
    Case("aten.eye.default", (2,), {"dtype": BOOL}),
    Case("aten.eye.default", (-1,), why="fewer than none", raises=BadType),
    Case("aten.eye.default", (2**40,), why="too large a constant", raises=Unsupported),
    Case("aten.eye.m", (2, 4), {"dtype": I32}),
    *(Case(f"aten.{n}_indices.default", (3, 4)) for n in ("tril", "triu")),
    *(Case(f"aten.{n}_indices.default", (3, 4, -1), {"dtype": I32}) for n in ("tril", "triu")),
]
CASES = [*RANGES, *FILLED]
CASES += [
    Case("aten.arange.start", (2.5, 2.5), why="no floats"),
    Case("aten.arange.start", (3, 3), why="no integers"),
]
