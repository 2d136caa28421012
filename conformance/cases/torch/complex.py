"""ATen complex numbers."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadType

from ...case import ROUNDS, Case, f, i, rand, scalar

X = rand(2, 3)
Y = rand(2, 3, seed=1)
Z = (X + 1j * Y).astype(np.complex64)
W = (Y - 2j * X).astype(np.complex64)
SQUARE = np.array([[1 + 2j, -1j], [0.5, 3 - 1j]], np.complex64)
WIDE = Z.astype(np.complex128)
LONE = np.array(1 - 2j, np.complex64)

PARTS = [
    Case("aten.complex.default", (X, Y)),
    Case("aten.complex.default", (X, f(1, 2, 3)), why="broadcast"),
    Case("aten.complex.default", (rand(2, dtype=np.float64), scalar(1, np.float64)), why="wide"),
    Case("aten.complex.default", (X, rand(3, dtype=np.float64)), why="mixed", raises=BadType),
    Case("aten.polar.default", (np.abs(X), Y), tol=ROUNDS),
    Case("aten.view_as_real.default", (Z,)),
    Case("aten.view_as_real.default", (LONE,), why="rank 0"),
    Case("aten.view_as_complex.default", (rand(3, 2),)),
    Case("aten.view_as_complex.default", (rand(3),), why="three parts", raises=BadType),
    Case("aten.real.default", (Z,)),
    Case("aten.real.default", (X,), why="of real numbers"),
    Case("aten.imag.default", (WIDE,)),
    Case("aten.imag.default", (X,), why="of real numbers", raises=BadType),
    *(Case(f"aten.{n}.default", (Z,)) for n in ("conj_physical", "conj", "_conj", "_neg_view")),
    *(Case(f"aten.resolve_{n}.default", (X,)) for n in ("conj", "neg")),
    Case("aten._conj_physical.default", (Z,)),
    Case("aten._conj_physical.default", (X,), why="of real numbers"),
    Case("aten.adjoint.default", (Z,), why="conjugates"),
    Case("aten.matrix_H.default", (LONE,), why="a number"),
]
ARITHMETIC = [
    *(
        Case(f"aten.{n}.Tensor", (Z, W), why="complex", tol=ROUNDS)
        for n in ("add", "sub", "mul", "div")
    ),
    Case("aten.mul.Tensor", (Z, X), why="by real numbers", tol=ROUNDS),
    Case("aten.mul.Tensor", (Z, X.astype(np.float64)), why="by doubles", tol=ROUNDS),
    Case("aten.cat.default", ([X.astype(np.float64), W],), why="doubles and complex"),
    Case("aten.mul.Tensor", (WIDE, 2j), why="wide by a number", tol=ROUNDS),
    *(
        Case(f"aten.{n}.default", (Z,), why="complex", tol=ROUNDS)
        for n in ("neg", "abs", "exp", "reciprocal", "sum", "mean")
    ),
    Case("aten.mm.default", (SQUARE, SQUARE), why="complex", tol=ROUNDS),
    Case("aten.view.default", (Z, [3, 2]), why="complex"),
    Case("aten.cat.default", ([Z, X],), why="complex and real"),
    Case("aten.index_select.default", (Z, 0, np.array([1])), why="complex"),
    Case("aten.where.self", (X > 0, Z, W), why="complex"),
    Case("aten.full.default", ([2], 1j), why="complex"),
]
PROMOTED = [
    Case("aten.add.Tensor", (i(1, 2), 1j), why="integers and a number"),
    Case("aten.mul.Tensor", (i(1, 2, dtype=np.int32), LONE), why="integers and one beside them"),
    Case("aten.add.Tensor", (f(1, 2, dtype=np.float64), LONE), why="floats and one beside them"),
]
CASES = [*PARTS, *ARITHMETIC, *PROMOTED]
