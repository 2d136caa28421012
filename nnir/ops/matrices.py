"""Arithmetic of matrices that NumPy lacks: factorisations as LAPACK stores them."""

from __future__ import annotations

import numpy as np

from ..numeric import at_positions


def double(dtype: np.dtype) -> np.dtype:
    """The type to compute in: twice as wide as what is rounded at the end."""
    return np.dtype(np.complex128 if dtype.kind == "c" else np.float64)


def size_of(numbers: np.ndarray) -> np.ndarray:
    """What LAPACK compares to choose a pivot: of complex numbers |re| + |im|."""
    return np.abs(numbers.real) + np.abs(numbers.imag)


def lu(a: np.ndarray, *, pivot: bool) -> tuple[np.ndarray, np.ndarray]:
    """LAPACK's getrf of a stack: both factors in one matrix, and the rows swapped, from 1 on."""
    work = np.array(a, double(a.dtype))
    rows, columns = work.shape[-2:]
    steps = min(rows, columns)
    pivots = np.tile(np.arange(1, steps + 1, dtype=np.int32), (*work.shape[:-2], 1))
    for index in np.ndindex(*work.shape[:-2]):
        matrix = work[index]
        for k in range(steps):
            if pivot:
                best = k + int(size_of(matrix[k:, k]).argmax())
                pivots[index][k] = best + 1
                matrix[[k, best]] = matrix[[best, k]]
            if matrix[k, k] != 0:
                matrix[k + 1 :, k] /= matrix[k, k]
            matrix[k + 1 :, k + 1 :] -= np.outer(matrix[k + 1 :, k], matrix[k, k + 1 :])
    return work.astype(a.dtype), pivots


@at_positions()
def permutation(pivots: np.ndarray, size: int) -> np.ndarray:
    """The order of rows [..., size] after swapping as `pivots` say."""
    order = np.tile(np.arange(size, dtype=np.int64), (*pivots.shape[:-1], 1))
    for index in np.ndindex(*pivots.shape[:-1]):
        row = order[index]
        for k, other in enumerate(pivots[index]):
            row[[k, other - 1]] = row[[other - 1, k]]
    return order


def substitute(a: np.ndarray, b: np.ndarray, *, upper: bool, unit: bool) -> np.ndarray:
    """Solve a triangular system for every column of `b`; stacks broadcast."""
    kind = np.result_type(double(a.dtype), double(b.dtype))
    lead = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    result = np.array(np.broadcast_to(b, (*lead, *b.shape[-2:])), kind)
    size = a.shape[-1]
    for k in reversed(range(size)) if upper else range(size):
        done = slice(k + 1, size) if upper else slice(0, k)
        known = np.matmul(a[..., k : k + 1, done].astype(kind), result[..., done, :])
        result[..., k, :] -= known[..., 0, :]
        if not unit:
            with np.errstate(divide="ignore", invalid="ignore"):
                result[..., k, :] /= a[..., k : k + 1, k]
    return result.astype(np.result_type(a.dtype, b.dtype))


@at_positions()
def reflect(v: np.ndarray, tau: np.ndarray, c: np.ndarray, *, adjoint: bool) -> np.ndarray:
    """Q c (or Q* c) for Q = H(1) H(2) ..., whose Householder vectors lie below the diagonal."""
    kind = double(c.dtype)
    result = np.array(c, kind)
    count = tau.shape[-1]
    for k in range(count) if adjoint else reversed(range(count)):
        vector = np.array(v[..., k], kind)
        vector[..., :k], vector[..., k] = 0, 1
        factor = np.asarray(tau[..., k], kind)
        factor = (factor.conj() if adjoint else factor)[..., None, None]
        row = np.matmul(vector[..., None, :].conj(), result)
        result -= factor * vector[..., :, None] * row
    return result.astype(c.dtype)
