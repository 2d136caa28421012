"""Bunch and Kaufman's factorisation of symmetric matrices, as LAPACK's sytrf and hetrf store it.

J. R. Bunch, L. Kaufman: Some stable methods for calculating inertia and solving symmetric linear
systems (1977). The lower triangle holds L and the blocks of D; a negative pivot is one of two rows.
"""

from __future__ import annotations

import numpy as np

from ..numeric import at_positions
from .matrices import size_of

ALPHA = (1 + 17**0.5) / 8


def factor(a: np.ndarray, *, hermitian: bool) -> tuple[np.ndarray, np.ndarray]:
    """L and D in the lower triangle of one matrix, and the pivots, from 1 on."""
    work = np.array(a)
    size = len(work)
    pivots = np.zeros(size, np.int32)
    k = 0
    while k < size:
        pivot, step = _pivot(work, k)
        _swap(work, k, pivot, step, hermitian=hermitian)
        _eliminate(work, k, step, hermitian=hermitian)
        pivots[k : k + step] = pivot + 1 if step == 1 else -(pivot + 1)
        k += step
    return np.tril(work), pivots


def _pivot(a: np.ndarray, k: int) -> tuple[int, int]:
    """Which row comes next, and whether it is one or the second of two."""
    size, own = len(a), size_of(a[k, k])
    if k == size - 1:
        return k, 1
    other = k + 1 + int(size_of(a[k + 1 :, k]).argmax())
    column = size_of(a[other, k])
    if max(own, column) == 0 or own >= ALPHA * column:
        return k, 1
    row = size_of(a[other, k:other]).max()
    row = max(row, size_of(a[other + 1 :, other]).max(initial=0))
    if own >= ALPHA * column * (column / row):
        return k, 1
    return (other, 1) if size_of(a[other, other]) >= ALPHA * row else (other, 2)


def _swap(a: np.ndarray, k: int, pivot: int, step: int, *, hermitian: bool) -> None:
    """Exchange two rows and columns of the lower triangle."""
    row = k + step - 1
    if pivot == row:
        return
    a[pivot + 1 :, [row, pivot]] = a[pivot + 1 :, [pivot, row]]
    inner = a[row + 1 : pivot, row].copy()
    other = a[pivot, row + 1 : pivot].copy()
    a[row + 1 : pivot, row] = other.conj() if hermitian else other
    a[pivot, row + 1 : pivot] = inner.conj() if hermitian else inner
    if hermitian:
        a[pivot, row] = a[pivot, row].conj()
    a[row, row], a[pivot, pivot] = a[pivot, pivot], a[row, row]
    if step == 2:
        a[k + 1, k], a[pivot, k] = a[pivot, k], a[k + 1, k]


def _block(a: np.ndarray, k: int, step: int, *, hermitian: bool) -> np.ndarray:
    """The block of D at row k."""
    block = a[k : k + step, k : k + step].copy()
    if step == 2:
        block[0, 1] = block[1, 0].conj() if hermitian else block[1, 0]
    return block


def _eliminate(a: np.ndarray, k: int, step: int, *, hermitian: bool) -> None:
    rest = slice(k + step, None)
    block = _block(a, k, step, hermitian=hermitian)
    if a[rest, rest].size == 0 or (step == 1 and block[0, 0] == 0):
        return
    left = a[rest, k : k + step].copy()
    scaled = np.linalg.solve(block.T, left.T).T
    update = scaled @ (left.conj() if hermitian else left).T
    below = np.tril(np.ones(update.shape, bool))
    a[rest, rest] -= np.where(below, update, 0)
    a[rest, k : k + step] = scaled


@at_positions()
def solve(a: np.ndarray, pivots: np.ndarray, b: np.ndarray, *, hermitian: bool) -> np.ndarray:
    """The X with A X = B for what `factor` gives."""
    x, size, k = np.array(b), len(a), 0
    starts = []
    while k < size:
        step = 1 if pivots[k] > 0 else 2
        starts.append((k, step))
        row, other = k + step - 1, abs(int(pivots[k])) - 1
        x[[row, other]] = x[[other, row]]
        x[k + step :] -= a[k + step :, k : k + step] @ x[k : k + step]
        block = _block(a, k, step, hermitian=hermitian)
        x[k : k + step] = np.linalg.solve(block, x[k : k + step])
        k += step
    for k, step in reversed(starts):
        left = a[k + step :, k : k + step]
        x[k : k + step] -= (left.conj() if hermitian else left).T @ x[k + step :]
        row, other = k + step - 1, abs(int(pivots[k])) - 1
        x[[row, other]] = x[[other, row]]
    return x
