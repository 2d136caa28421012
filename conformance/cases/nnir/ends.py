"""Rows next to where a type, a device or a way of computing ends."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from nnir.errors import BadType
from nnir.ops import compare, conv, index, linear, recurrent, resize, shape, signal, unary

from ...case import Const, Tolerance, f, i, rand
from .direct import DirectCase, referred

CLOSE = Tolerance(relative=1e-5, absolute=1e-5)


def _narrow_products(x: np.ndarray, y: np.ndarray, *, equation: str) -> np.ndarray:
    """Of narrow types: sums that are rounded once, those of integers wrap in four bits."""
    wide = np.einsum(equation, x.astype(np.float32), y.astype(np.float32))
    if x.dtype == ml_dtypes.int4:
        wide = (wide + 8) % 16 - 8
    return wide.astype(x.dtype)


def _repeated(x: np.ndarray, *_: object, **__: object) -> np.ndarray:
    """Three times the only row."""
    return np.concatenate([x] * 3, axis=0)


CASES = [
    *(
        referred(
            operator,
            (np.zeros(sizes, np.float32), *(Const(rand(1, gates * 3, n)) for n in (4, 3))),
            tol=CLOSE,
            why=f"layers of {sizes}",
        )
        for operator, gates in ((recurrent.rnn, 1), (recurrent.gru, 3), (recurrent.lstm, 4))
        for sizes in ((0, 2, 4), (3, 0, 4))
    ),
    DirectCase(
        signal.dft,
        (np.zeros((2, 0, 1), np.float32), Const(i(4)), Const(i(1))),
        {"onesided": True},
        lambda *_, **__: np.zeros((2, 3, 2), np.float32),
        why="nothing, of four samples",
    ),
    DirectCase(
        conv.conv_2d,
        (rand(1, 2, 3, 5), Const(rand(4, 2, 4, 2)), Const(rand(4))),
        {"strides": (1, 1), "dilations": (1, 1)},
        lambda *_, **__: np.zeros((1, 4, 0, 4), np.float32),
        why="filters longer than the data",
    ),
    *(
        DirectCase(
            resize.resize,
            (rand(1, 4), None, None, Const(i(3, 4))),
            {"coordinate_transformation_mode": rule, "nearest_mode": way},
            _repeated,
            why=f"one row, {rule}, {way}",
        )
        for rule in ("asymmetric", "align_corners")
        for way in ("round_prefer_ceil", "ceil")
    ),
    DirectCase(
        shape.flatten,
        (rand(2, 3, 4),),
        {"start_axis": 2, "end_axis": 1},
        why="backwards",
        raises=BadType,
    ),
    *(
        DirectCase(
            linear.einsum,
            ((2 * rand(2, 3)).astype(kind), (3 * rand(3, 2, seed=1)).astype(kind)),
            {"equation": "ij,jk->ik"},
            _narrow_products,
            why="narrow",
        )
        for kind in (ml_dtypes.float8_e4m3fn, ml_dtypes.bfloat16, ml_dtypes.int4)
    ),
    DirectCase(
        index.scatter_elements,
        (f(1, 2, 3), Const(np.ones(65, np.int64)), np.arange(65, dtype=np.float32)),
        {"axis": 0, "reduction": "max"},
        lambda *_, **__: f(1, 64, 3),
        why="65 updates of one place",
    ),
    DirectCase(
        unary.sign, (np.array([1e-300, -5e-324, 0, -2.5]),), {}, np.sign, why="next to nothing"
    ),
    *(
        DirectCase(compare.less, (i(-5, 7), Const(i(end))), {}, np.less, why=f"{end}")
        for end in (-(2**31) - 1, -(2**31), 2**31 - 1, 2**31)
    ),
]
