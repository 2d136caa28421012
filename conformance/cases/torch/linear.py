"""ATen products of matrices and vectors."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from nnir.errors import BadType, Unsupported
from nnir.types import Precision

from ...case import Case, Const, Limit, Tolerance, f, i, rand, scalar

SUMS = Tolerance(relative=1e-5, absolute=2e-5)
HALF = Tolerance(relative=2e-3, absolute=4e-3)
BRAIN = Tolerance(relative=1.6e-2, absolute=3e-2)
A, B = rand(2, 3), rand(3, 5, seed=1)
BATCH = rand(4, 2, 3, seed=2)
GOOD = rand(3, 3, seed=3) + 4 * np.eye(3, dtype=np.float32)
COMPLEX = (rand(3) + 1j * rand(3, seed=1)).astype(np.complex64)
BF16 = ml_dtypes.bfloat16
YES = np.array([True, False])


def each(op: str, *rows: tuple, tol: Tolerance = SUMS) -> list[Case]:  # type: ignore[type-arg]
    """Cases of one operator: inputs, attributes and why."""
    return [Case(op, inputs, attrs, tol=tol, why=why) for inputs, attrs, why in rows]


CASES: list[Case] = [
    *each(
        "aten.linear.default",
        ((A, rand(5, 3)), {}, "no bias"),
        ((A, rand(5, 3), rand(5)), {}, "rows"),
        ((A, Const(rand(5, 3)), Const(rand(5))), {}, "weights"),
        ((BATCH, Const(rand(5, 3)), Const(rand(5))), {}, "rank 3"),
        ((rand(3), rand(5, 3), rand(5)), {}, "a vector"),
        ((rand(3), rand(3, seed=1)), {}, "two vectors"),
        ((rand(0, 3), rand(5, 3), rand(5)), {}, "no rows"),
        ((rand(2, 0), rand(5, 0), rand(5)), {}, "no columns"),
        ((A.astype(np.float64), rand(5, 3, dtype=np.float64), rand(5, dtype=np.float64)), {}, ""),
        ((f(1, np.nan, np.inf).reshape(1, 3), rand(2, 3), rand(2)), {}, "not finite"),
    ),
    *each(
        "aten.linear.default",
        ((A.astype(np.float16), rand(5, 3, dtype=np.float16), rand(5, dtype=np.float16)), {}, ""),
        tol=HALF,
    ),
    *each(
        "aten.linear.default",
        ((A.astype(BF16), rand(5, 3).astype(BF16), rand(5).astype(BF16)), {}, "bfloat16"),
        tol=BRAIN,
    ),
    *each(
        "aten.matmul.default",
        ((A, B), {}, "matrices"),
        ((BATCH, B), {}, "a stack"),
        ((rand(4, 1, 2, 3), rand(5, 3, 2)), {}, "stacks that broadcast"),
        ((rand(3), B), {}, "a row"),
        ((BATCH, rand(3)), {}, "a column"),
        ((rand(3), rand(3, seed=1)), {}, "vectors"),
        ((rand(2, 0), rand(0, 3)), {}, "an empty sum"),
        ((i(1, 2, 3), i(1 << 40, 5, 6)), {}, "integers"),
        ((COMPLEX, COMPLEX), {}, "complex"),
    ),
    *each(
        "aten.mm.default",
        ((A, B), {}, ""),
        ((i(1, 2).reshape(1, 2), i(3, 4).reshape(2, 1)), {}, ""),
    ),
    Case("aten.mm.default", (BATCH, B), raises=BadType, why="a stack"),
    *each("aten.bmm.default", ((BATCH, rand(4, 3, 2)), {}, "")),
    *each("aten._int_mm.default", ((rand(2, 3, dtype=np.int8), rand(3, 2, dtype=np.int8)), {}, "")),
    *each("aten.mv.default", ((A, rand(3)), {}, "")),
    *each(
        "aten.dot.default", ((rand(3), rand(3, seed=1)), {}, ""), ((rand(0), rand(0)), {}, "empty")
    ),
    *each("aten.vdot.default", ((rand(3), rand(3, seed=1)), {}, ""), ((COMPLEX, COMPLEX), {}, "")),
    *each("aten.outer.default", ((rand(2), rand(3)), {}, ""), ((rand(2), i(1, 2)), {}, "promotes")),
    *each("aten.outer.default", ((YES, YES), {}, "bools")),
    *each(
        "aten.inner.default",
        ((A, rand(5, 3)), {}, "matrices"),
        ((rand(3), BATCH), {}, "a vector"),
        ((A, scalar(2)), {}, "a number"),
        ((A, BATCH), {}, "a stack"),
    ),
    *each(
        "aten.addmm.default",
        ((rand(5), A, B), {}, ""),
        ((rand(5), A, Const(B)), {}, "weights"),
        ((rand(2, 1), A, B), {"beta": 0.5, "alpha": 2}, "scaled"),
        ((f(*[np.nan] * 5), A, B), {"beta": 0}, "beta 0 hides nan"),
        ((i(1), i(1, 2).reshape(1, 2), i(3, 4).reshape(2, 1)), {"alpha": 3}, "integers"),
    ),
    *each("aten.addmv.default", ((rand(2), A, rand(3)), {"beta": 2, "alpha": 0.5}, "")),
    *each(
        "aten.baddbmm.default",
        ((rand(2, 2), BATCH, rand(4, 3, 2)), {"beta": 2, "alpha": 0.5}, ""),
        ((rand(4, 2, 2), BATCH, rand(4, 3, 2)), {}, "plain"),
    ),
    *each("aten.addbmm.default", ((rand(2, 2), BATCH, rand(4, 3, 2)), {"beta": 2}, "")),
    *each(
        "aten.addr.default",
        ((A, rand(2), rand(3)), {"alpha": 0.5}, ""),
        ((i(1, 2), i(3), i(4, 5)), {"beta": 2}, "integers"),
        ((f(0, 0), f(1e20), f(1e20, 1)), {"alpha": 1e-10}, "a product that would overflow"),
        ((YES, YES, YES), {}, "bools"),
        ((YES, YES, YES), {"beta": 0}, "bools without the first"),
        ((YES, YES, YES), {"alpha": 0}, "bools without the product"),
    ),
    *each(
        "aten.linalg_vecdot.default",
        ((A, rand(2, 3, seed=1)), {}, ""),
        ((A, rand(1, 3, seed=1)), {"dim": 0}, "broadcast"),
        ((COMPLEX, COMPLEX), {}, "complex"),
    ),
    *each(
        "transformers.grouped_mm_fallback.default",
        ((rand(6, 3), rand(4, 3, 2), i(2, 2, 5, 6, dtype=np.int32)), {}, "plain"),
        ((rand(6, 3), rand(1, 3, 2), i(4, dtype=np.int32)), {}, "rows of no group"),
    ),
    Case(
        "aten._grouped_mm.default",
        (rand(6, 8).astype(BF16), rand(3, 8, 8).astype(BF16), i(2, 5, 6, dtype=np.int32)),
        tol=BRAIN,
        why="plain",
    ),
    *each("aten.linalg_multi_dot.default", (([rand(2), A, B],), {}, ""), (([A, B],), {}, "two")),
    *each("aten.chain_matmul.default", (([A, B, rand(5, 2)],), {}, "")),
    *each(
        "aten.matrix_power.default",
        ((GOOD, 3), {}, "3"),
        ((GOOD, 0), {}, "0"),
        ((GOOD, 1), {}, "1"),
        ((GOOD, -2), {}, "-2"),
        tol=Tolerance(1e-4, 1e-4),
    ),
    *each(
        "aten.linalg_matrix_power.default", ((rand(2, 3, 3), 5), {}, ""), tol=Tolerance(1e-4, 1e-4)
    ),
    *each(
        "aten.einsum.default",
        (("ij,jk->ik", [A, B]), {}, ""),
        (("bij , jk", [BATCH, B]), {}, "implicit"),
        (("...ij,...j->...i", [BATCH, rand(3)]), {}, "ellipsis"),
        (("...i->i", [BATCH]), {}, "a summed ellipsis"),
        (("ii->i", [GOOD]), {}, "diagonal"),
        (("i,j,k->kji", [rand(2), rand(3), rand(4)]), {}, "three"),
    ),
    *each(
        "aten.tensordot.default",
        ((BATCH, rand(3, 2), [1, 2], [1, 0]), {}, ""),
        ((BATCH, rand(3, 1), [1, 2], [1, 0]), {}, "a size of 1"),
        ((rand(2), rand(3), [], []), {}, "none"),
    ),
    *each(
        "aten.kron.default",
        ((A, rand(2, 2)), {}, ""),
        ((rand(2), i(1, 2).reshape(1, 2)), {}, "promotes"),
        ((YES, YES), {}, "bools"),
    ),
    *each(
        "aten.bilinear.default",
        ((rand(4, 2), rand(4, 3), rand(5, 2, 3), rand(5)), {}, ""),
        ((rand(2), rand(3), rand(5, 2, 3)), {}, "vectors"),
        ((rand(2, 4, 2), rand(2, 4, 3), rand(5, 2, 3)), {}, "rank 3"),
    ),
    *each(
        "aten.einsum.default",
        (("i,oij->oj", [np.zeros(0, np.float32), np.zeros((5, 0, 3), np.float32)]), {}, "nothing"),
    ),
    *each(
        "aten._trilinear.default",
        ((rand(4, 2), rand(5, 2, 3), rand(4, 3), [1, 3], [0], [1, 2], [2, 3]), {}, ""),
    ),
    *each(
        "aten._weight_norm.default",
        ((rand(2, 3, 4), rand(2, 1, 1)), {}, ""),
        ((rand(2, 3), rand(1, 3), 1), {}, "axis 1"),
        ((Const(rand(2, 3)), Const(rand(2, 1))), {}, "weights"),
    ),
    *each("aten._weight_norm_interface.default", ((rand(2, 3), rand(2, 1)), {}, "")),
    *each(
        "aten.addbmm.default",
        ((rand(2, 2), BATCH, rand(4, 3, 2)), {"beta": 2, "alpha": 0.5}, "scaled"),
    ),
    *each("aten._weight_norm_interface.default", ((rand(2, 3), rand(1, 3), 1), {}, "axis 1")),
    *each(
        "aten._trilinear.default",
        ((rand(4, 2), rand(5, 2, 3), rand(4, 3), [1, 3], [0], [1, 2], [2, 3], 2), {}, "unrolled"),
    ),
    *each(
        "aten.einsum.default",
        (("i,j,k->kji", [rand(2), rand(3), rand(4)]), {"path": [1, 2, 0, 1]}, "a path"),
    ),
    Case(
        "aten._grouped_mm.default",
        (rand(6, 8).astype(BF16), rand(3, 8, 8).astype(BF16), i(2, 5, 6, dtype=np.int32)),
        {"out_dtype": Precision.BFLOAT16},
        tol=BRAIN,
        why="a type",
    ),
    Case(
        "aten._grouped_mm.default",
        (
            *(rand(6, 8).astype(BF16), rand(3, 8, 8).astype(BF16)),
            *(i(2, 5, 6, dtype=np.int32), rand(3, 8).astype(BF16)),
        ),
        raises=Unsupported,
        why="a bias",
    ),
]
LIMITS: list[Limit] = []
CASES += [
    Case("aten.tensordot.default", (rand(2, 3), rand(1, 4), [1], [0]), why="one here", tol=SUMS),
    Case("aten.tensordot.default", (rand(2, 1), rand(3, 4), [1], [0]), why="one there", tol=SUMS),
    Case("aten.tensordot.default", (rand(2, 3), rand(3, 2), [1, 0], [0, 1]), why="all", tol=SUMS),
    Case("aten.tensordot.default", (rand(2, 3), rand(4), [], []), why="no axis", tol=SUMS),
]
CASES += each(
    "aten.einsum.default",
    (("ij,jk,kl->il", [A, B, rand(5, 2)]), {}, "a chain"),
    (("ij,kj,kl,l->i", [A, rand(4, 3), rand(4, 5), rand(5)]), {}, "a chain of four"),
)
