"""Known integers of a few bits or in blocks, dequantised for a product: weights as engines keep
them, and what is nearly so."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import ml_dtypes
import numpy as np

from nnir.ops import activation, linear, quant
from nnir.types import Precision

from ...case import Const, Tolerance, rand
from .direct import DirectLimit
from .engine_rows import Fed, Row

CLOSE = Tolerance(relative=1e-5, absolute=1e-5)
KINDS: dict[str, tuple[Any, int, int]] = {
    "int4": (ml_dtypes.int4, -8, 7),
    "uint4": (ml_dtypes.uint4, 0, 15),
    "int8": (np.int8, -128, 127),
    "uint8": (np.uint8, 0, 255),
}
ROWS, COLUMNS = 6, 4
FORMS: dict[str, tuple[tuple[int, ...], dict[str, int]]] = {
    "one scale": ((), {}),
    "one scale in an axis": ((1,), {}),
    "a scale a row": ((ROWS,), {"axis": 0}),
    "a scale a column": ((COLUMNS,), {"axis": 1}),
    "a scale a column, from behind": ((COLUMNS,), {"axis": -1}),
    "blocks of columns": ((ROWS, 2), {"axis": 1, "block_size": 2}),
    "blocks of rows": ((3, COLUMNS), {"axis": 0, "block_size": 2}),
    "a smaller last block": ((ROWS, 2), {"axis": 1, "block_size": 3}),
    "one block": ((ROWS, 1), {"axis": 1, "block_size": 4}),
}
"""The shape of the scales of a matrix, and how they lie."""


def _whole(kind: str, *shape: int, seed: int = 0) -> np.ndarray:
    dtype, low, high = KINDS[kind]
    return rand(*shape, seed=seed, dtype=np.int64, low=low, high=high).astype(dtype)


def _multiply(rows: int, **attrs: bool) -> tuple[Any, ...]:
    """A product with a matrix of so many rows."""
    return (linear.mat_mul, (Fed(rand(rows, 3, seed=7)),), attrs)


def _rows(kind: str, form: str, *, zero: str, turned: bool = False) -> Row:
    """The matrix in a form, times another one."""
    shape, attrs = FORMS[form]
    zeros = {"none": None, "of 0": np.zeros(shape, KINDS[kind][0])}.get(
        zero, _whole(kind, *shape, seed=3)
    )
    scales = rand(*shape, seed=1, low=0.1, high=2)
    given = (Const(_whole(kind, ROWS, COLUMNS)), Const(scales), zeros)
    operands = (*given[:2], None if zeros is None else Const(zeros))
    product = _multiply(ROWS if turned else COLUMNS, transpose_x=turned)
    why = f"{kind}, {form}, zero {zero}{', turned' if turned else ''}"
    return Row(
        quant.dequantize_linear, operands, attrs, tol=CLOSE, why=why, then=(product,), opens=False
    )


def _matrices() -> Iterator[Row]:
    for kind in KINDS:
        for form in FORMS:
            zeros = ("none", "of 0", "known") if kind in ("int4", "uint8") else ("known",)
            yield from (_rows(kind, form, zero=zero) for zero in zeros)
    for form in FORMS:
        yield _rows("int4", form, zero="none", turned=True)


def _others() -> Iterator[Row]:
    """What is not kept as weights: read by others, not a matrix, of another type, not known."""
    whole, scale = Const(_whole("int4", ROWS, COLUMNS)), Const(np.array(0.5, np.float32))
    plain = quant.dequantize_linear
    product: Any = _multiply(COLUMNS)
    relu: Any = (activation.relu, (), {})
    known: Any
    for turned in (False, True):
        known = (linear.mat_mul, (rand(ROWS if turned else COLUMNS, 3),), {"transpose_x": turned})
        yield Row(plain, (whole, scale), tol=CLOSE, why=f"int4, by constants, {turned}",
                  then=(known,))  # fmt: skip
    yield Row(plain, (whole, scale), tol=CLOSE, why="int4, of no product")
    yield Row(
        plain, (whole, scale), tol=CLOSE, why="int4, rectified", then=(relu, product), opens=False
    )
    stack = Const(_whole("int4", 2, ROWS, COLUMNS))
    yield Row(plain, (stack, scale), tol=CLOSE, why="int4, a stack", then=(product,), opens=False)
    half = Const(np.array(0.5, np.float16))
    attrs = {"dtype": Precision.FLOAT16}
    yield Row(plain, (whole, half), attrs, tol=CLOSE, why="int4, to half")
    given = (_whole("int8", ROWS, COLUMNS), Const(rand(ROWS, 2, seed=1, low=0.1)))
    blocks = {"axis": 1, "block_size": 2}
    yield Row(plain, given, blocks, tol=CLOSE, why="int8, running", then=(product,), opens=False)
    scales = (Const(given[0]), rand(ROWS, 2, seed=1, low=0.1))
    yield Row(plain, scales, blocks, tol=CLOSE, why="int8, running scales", then=(product,),
              opens=False)  # fmt: skip
    zeros = (Const(given[0]), given[1], _whole("int8", ROWS, 2))
    yield Row(plain, zeros, blocks, tol=CLOSE, why="int8, running zeros", then=(product,),
              opens=False)  # fmt: skip
    none = Const(np.zeros((0, COLUMNS), ml_dtypes.int4))
    yield Row(plain, (none, scale), tol=CLOSE, why="int4, of nothing", then=(product,), opens=False)


CASES = [*_matrices(), *_others()]
LIMITS: list[DirectLimit] = []
