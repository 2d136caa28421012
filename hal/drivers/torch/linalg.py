"""Factorisations and solutions of matrices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.nn import functional

from nnir.dim import minimum
from nnir.errors import NoLowering
from nnir.model import Value
from nnir.operator import Operator
from nnir.ops import linalg

from ...lowering import Lowerings
from .emitter import Emitter, Result, Results

table = Lowerings[Result]()
own = torch.linalg

SINGLE: dict[Operator[Any], tuple[Callable[[Any], Any], int]] = {
    linalg.householder: (torch.geqrf, 2),
    linalg.singular_values: (own.svdvals, 1),
    linalg.eig: (own.eig, 2),
    linalg.eigenvalues: (own.eigvals, 1),
    linalg.sign_log_det: (own.slogdet, 2),
    linalg.matrix_exp: (own.matrix_exp, 1),
    linalg.matrix_inverse: (own.inv, 1),
}
"""Functions of one matrix, and how many results they have."""


def _lowering_of(
    function: Callable[..., object], count: int
) -> Callable[[Emitter, Value], Result | Results]:
    def lowering(g: Emitter, input: Value) -> Result | Results:
        made: Any = function(g.raw(input))
        return made if count == 1 else tuple(made[k] for k in range(count))

    return lowering


for operator, (function, count) in SINGLE.items():
    table.lower(operator)(_lowering_of(function, count))


@table.lower(linalg.cholesky)
def cholesky(g: Emitter, input: Value, *, upper: bool) -> Result:
    return own.cholesky(g.raw(input), upper=upper)


@table.lower(linalg.lu_factor)
def lu_factor(g: Emitter, input: Value, *, pivot: bool) -> Results:
    if not pivot:
        raise NoLowering("torch has no lu_factor without pivoting on CPUs")
    both = own.lu_factor_ex(g.raw(input))  # a singular matrix is no error
    return both[0], both[1]


@table.lower(linalg.pivot_order)
def pivot_order(g: Emitter, pivots: Value, *, size: int) -> Result:
    """The ones of the permutation matrix, column by column."""
    swaps = g.raw(pivots).to(torch.int32)
    sizes = g.shape(pivots)
    nothing = g.call(torch.zeros, [*sizes[:-1], size, sizes[-1]])
    parts = g.call(torch.lu_unpack, nothing, swaps, unpack_data=False)
    return torch.argmax(parts[0], -2)


def _solvable(g: Emitter, a: Value, b: Value) -> tuple[Any, Any]:
    """Both with the same number of axes: torch takes fewer for vectors."""
    left, right = g.raw(a), g.raw(b)
    for _ in range(a.rank - b.rank):
        right = right.unsqueeze(0)
    for _ in range(b.rank - a.rank):
        left = left.unsqueeze(0)
    return left, right


@table.lower(linalg.solve)
def solve(g: Emitter, a: Value, b: Value) -> Result:
    return own.solve(*_solvable(g, a, b))


@table.lower(linalg.solve_triangular)
def solve_triangular(g: Emitter, a: Value, b: Value, *, upper: bool, unit_diagonal: bool) -> Result:
    left, right = _solvable(g, a, b)
    return own.solve_triangular(left, right, upper=upper, unitriangular=unit_diagonal)


@table.lower(linalg.apply_householder)
def apply_householder(
    g: Emitter, vectors: Value, tau: Value, input: Value, *, adjoint: bool
) -> Result:
    """Missing factors are 0: their reflections change nothing."""
    wanted = minimum(g.axes(vectors)[-1], g.axes(input)[-2])
    factors = functional.pad(g.raw(tau), [0, g.size(wanted - g.axes(tau)[-1])])
    return torch.ormqr(g.raw(vectors), factors, g.raw(input), True, adjoint)


@table.lower(linalg.qr)
def qr(g: Emitter, input: Value, *, complete: bool) -> Results:
    both = own.qr(g.raw(input), mode="complete" if complete else "reduced")
    return both[0], both[1]


@table.lower(linalg.svd)
def svd(g: Emitter, input: Value, *, full_matrices: bool) -> Results:
    made = own.svd(g.raw(input), full_matrices=full_matrices)
    return made[0], made[1], made[2]


@table.lower(linalg.eigh)
def eigh(g: Emitter, input: Value, *, upper: bool) -> Results:
    both = own.eigh(g.raw(input), UPLO="U" if upper else "L")
    return both[0], both[1]


@table.lower(linalg.eigenvalues_h)
def eigenvalues_h(g: Emitter, input: Value, *, upper: bool) -> Result:
    return own.eigvalsh(g.raw(input), UPLO="U" if upper else "L")


@table.lower(linalg.ldl_factor)
def ldl_factor(g: Emitter, input: Value, *, hermitian: bool) -> Results:
    both = own.ldl_factor_ex(g.raw(input), hermitian=hermitian)
    return both[0], both[1]


@table.lower(linalg.ldl_solve)
def ldl_solve(g: Emitter, factors: Value, pivots: Value, b: Value, *, hermitian: bool) -> Result:
    left, right = _solvable(g, factors, b)
    swaps = g.raw(pivots).to(torch.int32)
    for _ in range(b.rank - factors.rank):
        swaps = swaps.unsqueeze(0)
    return own.ldl_solve(left, swaps, right, hermitian=hermitian)
