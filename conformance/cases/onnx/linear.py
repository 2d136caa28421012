"""ONNX matrix products and linear algebra."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from nnir.errors import BadType

from ...case import EXACT, ROUNDS, Case, Const, Tolerance, f, i, rand, scalar

HALF = {"": ROUNDS, "float16": Tolerance(1e-3, 1e-3), "bfloat16": Tolerance(8e-3, 8e-3)}
A = rand(3, 4)
B = rand(4, 5)
C = rand(5)
IA = rand(2, 3, dtype=np.uint8, low=0, high=255)
IB = rand(3, 4, dtype=np.int8, low=-128, high=127)


def eq(*inputs: np.ndarray, to: str, **more: object) -> Case:
    """An Einsum case."""
    return Case("Einsum", inputs, {"equation": to}, tol=ROUNDS, **more)  # type: ignore[arg-type]


PRODUCTS = [
    Case("MatMul", (A, B), tol=ROUNDS),
    Case("MatMul", (rand(2, 1, 3, 4), rand(5, 4, 2)), tol=ROUNDS, why="leading axes broadcast"),
    Case("MatMul", (rand(2, 5, 3, 4), rand(4, 2)), tol=ROUNDS, why="a stack by one matrix"),
    Case("MatMul", (rand(2, 0, 3, 4), rand(4, 2)), why="an empty stack by one matrix"),
    Case("MatMul", (rand(2, 3, 4), rand(4, 0)), why="a stack by a matrix without columns"),
    Case("MatMul", (rand(4), B), tol=ROUNDS, why="a row"),
    Case("MatMul", (A, rand(4)), tol=ROUNDS, why="a column"),
    Case("MatMul", (rand(4), rand(4)), tol=ROUNDS, why="two vectors give rank 0"),
    Case("MatMul", (rand(2, 0), rand(0, 3)), why="nothing to add up"),
    Case("MatMul", (rand(2, 3, dtype=np.int32), rand(3, 2, dtype=np.int32)), why="integers"),
    *(
        Case("MatMul", (rand(3, 4, dtype=t), rand(4, 2, dtype=t)), tol=HALF, why="a type")
        for t in (np.float16, np.float64, ml_dtypes.bfloat16)
    ),
    Case("MatMul", (A, A), why="sizes that do not fit", raises=BadType),
    Case("MatMul", (A, scalar(1)), why="rank 0", raises=BadType),
    Case("MatMul", (A, rand(4, 2, dtype=np.float64)), why="two types", raises=BadType),
    Case("Gemm", (A, B), tol=ROUNDS, why="without an addend"),
    Case("Gemm", (A, B, C), {"alpha": 0.5, "beta": -2.0}, tol=ROUNDS),
    Case("Gemm", (A, Const(rand(5, 4)), Const(C)), {"transB": 1}, tol=ROUNDS, why="dense"),
    Case("Gemm", (rand(4, 3), rand(5, 4), rand(3, 1)), {"transA": 1, "transB": 1}, tol=ROUNDS),
    Case("Gemm", (A, B, scalar(2)), tol=ROUNDS, why="a rank 0 addend"),
    Case("Gemm", (A, B, C), {"broadcast": 1}, opset=6, tol=ROUNDS, why="an explicit broadcast"),
    *(
        Case(
            "Gemm",
            (
                rand(*((4, 5) if left else (5, 4))),
                rand(*((5, 4) if right else (4, 5)), seed=1),
                None if addend is None else rand(*addend, seed=2),
            ),
            {"transA": left, "transB": right},
            tol=ROUNDS,
            why=f"{left}, {right}, with {addend}",
        )
        for left in (0, 1)
        for right in (0, 1)
        for addend in (None, (), (5,), (1,), (1, 5), (5, 1), (5, 5))
    ),
    Case("Gemm", (A, rand(4)), why="a vector", raises=BadType),
]
EINSUM = [
    eq(A, B, to="ij,jk->ik"),
    eq(A, to="ij->ji"),
    eq(A, to="ij->", why="to rank 0"),
    eq(rand(3, 3), to="ii->i", why="a diagonal"),
    eq(rand(3, 3), to="ii", why="a trace"),
    eq(rand(2, 3, 4), rand(2, 4, 5), to="bij, bjk -> bik", why="spaces"),
    eq(rand(2, 1, 3, 4), rand(5, 4, 2), to="...ij,...jk->...ik", why="ellipsis"),
    eq(rand(2, 3), rand(3, 2), to="bA,Ac", why="implicit, in ASCII order"),
    eq(A, rand(4), rand(3), to="ij,j,i->j", why="three operands"),
    Case("Einsum", (A,), {"equation": "ij,jk->ik"}, why="too few", raises=BadType),
    Case("Einsum", (A,), {"equation": "ij->ik"}, why="an unknown label", raises=BadType),
    Case("Einsum", (A, A), {"equation": "ij,jk->ik"}, why="other sizes", raises=BadType),
]
ALGEBRA = [
    Case("Det", (rand(3, 3),), tol=ROUNDS),
    Case("Det", (rand(2, 2, 3, 3),), tol=ROUNDS, why="a batch"),
    Case("Det", (A,), why="not square", raises=BadType),
]
ZERO = (scalar(3, np.uint8), scalar(-5, np.int8))
SCALES = (scalar(0.02), scalar(0.03), scalar(0.5))
QUANTISED = [
    Case("MatMulInteger", (IA, IB), tol=EXACT),
    Case("MatMulInteger", (IA, IB, *ZERO), why="zero points"),
    Case(
        "MatMulInteger",
        (IA, IB, scalar(3, np.uint8), i(1, 2, 3, -4, dtype=np.int8)),
        why="a zero point per column",
    ),
    *(
        Case("MatMulInteger", (rand(n, 3, dtype=np.uint8, high=9), IB, zeros, ZERO[1]), why=why)
        for n, zeros, why in (
            (2, i([7], [250], dtype=np.uint8), "a zero point per row, as a column"),
            (2, i(7, dtype=np.uint8), "a zero point in a vector"),
            (1, i([7], dtype=np.uint8), "one row, a zero point as a column"),
        )
    ),
    *(
        Case(
            "QLinearMatMul",
            (rand(n, 3, dtype=np.uint8, high=9), scales, zeros, IB, *steps, scalar(0.5), y),
            opset=20,
            why=why,
        )
        for y in (scalar(9, np.uint8),)
        for n, scales, zeros, steps, why in (
            (3, f(0.5), i(7, dtype=np.uint8), (scalar(0.5), ZERO[1]), "one number in a vector"),
            (2, scalar(0.5), ZERO[0], (f(0.5), i(3, dtype=np.int8)), "one number in b's vector"),
        )
    ),
    Case("MatMulInteger", (f(1), IB), why="floats", raises=BadType),
    Case(
        "QLinearMatMul",
        (IA, SCALES[0], ZERO[0], IB, SCALES[1], ZERO[1], SCALES[2], scalar(100, np.uint8)),
    ),
    Case(
        "QLinearMatMul",
        (IA, SCALES[0], ZERO[0], IB, f(1, 2, 3, 4), ZERO[1], SCALES[2], scalar(4, np.uint8)),
        opset=20,
        why="a scale per column, clipped",
        oracle="onnxruntime",
    ),
    Case(
        "QLinearMatMul",
        (f(1), SCALES[0], f(0), f(1), SCALES[1], f(0), SCALES[2], f(0)),
        why="floats",
        raises=BadType,
    ),
]
CASES = [*PRODUCTS, *EINSUM, *ALGEBRA, *QUANTISED]
