"""ONNX elementwise arithmetic."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadType, Unsupported

from ...case import ROUNDS, Case, Const, Tolerance, f, i, rand, scalar

BASIC = ("Add", "Sub", "Mul", "Div")
INTEGERS = (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64)
HALF = Tolerance(relative=2e-3, absolute=1e-3)
A = rand(2, 3, 4, 5)

CASES = [
    *(Case(op, (rand(2, 3), rand(3, seed=1)), why="broadcast") for op in BASIC),
    *(Case(op, (rand(2, 3, 1), rand(3, 1, 4, seed=1)[:, 0]), why="both broadcast") for op in BASIC),
    *(Case(op, (scalar(3), scalar(2)), why="rank 0") for op in BASIC),
    *(Case(op, (rand(0, 3), rand(3)), why="no elements") for op in BASIC),
    *(
        Case(op, (i(7, 5, 9, dtype=d), i(2, 5, 4, dtype=d)), why="integers")
        for op in (*BASIC, "Mod", "Pow", "Max", "Min")
        for d in INTEGERS
        if op != "Pow" or d in (np.int32, np.int64)
    ),
    *(Case(op, (A, rand(4, 5)), {"broadcast": 1}, opset=1, why="at the end") for op in BASIC),
    *(
        Case(op, (f(1, 2), f(3, 4)), {"consumed_inputs": (0, 0)}, opset=1, why="overwrites")
        for op in BASIC
    ),
    *(Case(op, (A, rand(4, 5)), {"broadcast": 1, "axis": 2}, opset=6, why="from axis 2")
      for op in BASIC),
    *(Case(op, (f(1, 5), f(3, 2)), {"consumed_inputs": (0, 0)}, opset=1, why="overwrites")
      for op in ("Max", "Min")),
    Case("Add", (rand(2, 3), rand(3)), opset=6, why="not asked to broadcast", raises=BadType),
    Case("Add", (rand(2, 3), rand(2, 1)), opset=6, why="another size, not asked to broadcast",
         raises=BadType),
    Case("Add", (A, rand(4)), {"broadcast": 1, "axis": 1}, opset=6, why="from an axis that differs",
         raises=BadType),
    Case("Add", (i(1), f(1)), why="two types", raises=BadType),
    Case("Add", (rand(2, 3), rand(2)), why="no broadcast", raises=BadType),
    Case("Add", (f(65504, 1, dtype=np.float16), f(100, 1, dtype=np.float16)), why="half overflows"),
    Case("Div", (i(7, -7, 7, -7), i(2, 2, -2, -2)), why="integers truncate", oracle="onnxruntime"),
    Case("Div", (f(1, -1, 0), f(0, 0, 0)), why="by zero"),
    *(Case("Div", (i(*(np.iinfo(d).max - k for k in range(4)), dtype=d), i(1, 2, 3, 5, dtype=d)),
           why="at the end", oracle="onnxruntime") for d in (np.uint32, np.uint64, np.int64)),
    *(Case("Div", (i(-(1 << (8 * np.dtype(d).itemsize - 1)), 7, dtype=d), i(-1, -1, dtype=d)),
           why="the least by -1") for d in (np.int32, np.int64)),
    Case("Div", (i(-(1 << 31), 6, dtype=np.int32), Const(i(-1, 2, dtype=np.int32))),
         why="the least by a known -1"),
    *(Case("Mod", (i(-(1 << 31), 7, dtype=np.int32), i(-1, -1, dtype=np.int32)), {"fmod": m},
           why=f"the least by -1, {m}") for m in (0, 1)),
    Case("Mul", (i(200, dtype=np.uint8), i(2, dtype=np.uint8)), why="integers wrap"),
    Case("Mul", (Const(i(200, dtype=np.uint8)), Const(i(2, dtype=np.uint8))), why="constants wrap"),
    Case("Pow", (rand(2, 3, low=0.1), rand(3, seed=1)), tol=ROUNDS),
    Case("Pow", (f(2, 3, -2), i(2, 3, 3)), why="an integer exponent", tol=ROUNDS),
    Case("Pow", (f(2, 3, -2), Const(i(2))), why="a constant integer exponent", tol=ROUNDS),
    Case("Pow", (i(2, 3), f(2, 0.5)), why="a float exponent of an integer"),
    Case("Pow", (i(2, 3, dtype=np.int32), i(3, 2)), why="two widths of integers"),
    Case("Pow", (i(3), i(39)), why="beyond float64", oracle="reference"),
    Case("Pow", (f(2, 4, dtype=np.float16), f(0.5, 0.5)), why="half to float", tol=HALF),
    Case("Pow", (f(2, 3), f(2, 2)), opset=7, why="an old version", tol=ROUNDS),
    Case("Mod", (i(-7, 7, -7), i(3, -3, -3)), why="the sign of the divisor"),
    Case("Mod", (i(-7, 7, -7), i(3, -3, -3)), {"fmod": 1}, why="the sign of the dividend"),
    Case("Mod", (f(-7.5, 7.5, -4), f(3, -3, 2)), {"fmod": 1}, why="floats"),
    Case("Mod", (f(-7.5, 7.5, -4), f(3, -3, 2)), opset=28, why="floats with the divisor's sign"),
    Case("Mod", (i(1), f(1)), why="two types", raises=BadType),
    *(Case(op, (f(1, 5, np.nan), f(3, 2, 1), f(2)), why="three") for op in ("Max", "Min")),
    *(Case(op, (f(1, 5),), why="one") for op in ("Max", "Min", "Sum", "Mean")),
    *(Case(op, (f(1, 5), f(3, 2)), opset=1, why="the first version") for op in ("Max", "Min")),
    *(Case(op, (), why="none", raises=BadType) for op in ("Max", "Min", "Sum", "Mean")),
    *(Case(op, (rand(2, 3), rand(3), rand(2, 1)), tol=ROUNDS) for op in ("Sum", "Mean")),
    Case("Sum", (f(1), f(1)), {"axis": 0}, why="unknown attribute", raises=Unsupported),
]  # fmt: skip
