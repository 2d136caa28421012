"""Rows next to where a type, a device or a way of computing ends."""

from __future__ import annotations

from collections.abc import Iterator

import ml_dtypes
import numpy as np

from nnir.errors import BadType
from nnir.ops import (
    binary,
    compare,
    conv,
    index,
    linear,
    logic,
    recurrent,
    resize,
    shape,
    signal,
    unary,
)

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


def _constants() -> Iterator[DirectCase]:
    """Operands that are known, of which kernels take some."""
    for kind in (np.uint8, np.int16, np.uint32, np.int32, np.int64):
        width = 8 * np.dtype(kind).itemsize
        line = np.array([0, 1, 5, np.iinfo(kind).max, np.iinfo(kind).min], kind)
        for count in (0, 1, width - 1, width):
            for left in (False, True):
                shift = Const(np.array([count]).astype(kind))
                why = f"{np.dtype(kind).name} by {count}, left {left}"
                yield referred(logic.bit_shift, (line, shift), {"left": left}, why=why)
        for operator in (binary.div, binary.floor_div, binary.mod):
            for divisors in ((3,), (3, 1, 2, 7, 5), (-1,), (0,), (0, -1, 2, -2, 1)):
                if min(divisors) >= 0 or np.dtype(kind).kind == "i":
                    some = np.array([0, 1, 5, 100, min(divisors) * 9], kind)
                    by = Const(np.array(divisors, kind))
                    why = f"{np.dtype(kind).name} by {divisors}"
                    yield referred(operator, (some, by), why=why)
    base = f(0.5, -2, 3, 0).reshape(2, 2)
    for power in (0, 1, 2, 3, 0.5, -1):
        for sizes in ((), (1,), (1, 1, 1)):
            exponent = Const(np.full(sizes, power, np.float32))
            why = f"to {power} of {len(sizes)} axes"
            yield referred(binary.pow_, (base, exponent), tol=CLOSE, why=why)
    for value in (np.nan, 1.0):
        bound = Const(f(value))
        for operator in (binary.max_, binary.min_):
            line = f(0.5, np.nan, 3, -np.inf)
            yield referred(operator, (line, bound), why=f"beside a known {value}")
            yield referred(operator, (bound, line), why=f"a known {value} beside")


def _many_axes() -> Iterator[DirectCase]:
    """Stacks and tensors of as many axes as kernels take, and of one more."""
    for depth in (1, 2, 3, 4):
        stack = rand(*(2,) * depth, 2, 3)
        for right in (rand(3, 4), rand(*(1,) * depth, 3, 4), rand(*(2,) * depth, 3, 4)):
            for given in (right, Const(right)):
                how = "known" if isinstance(given, Const) else "given"
                why = f"{depth} axes of stacks by {list(right.shape)} that are {how}"
                yield referred(linear.mat_mul, (stack, given), tol=CLOSE, why=why)
    for rank in (6, 7, 8, 9):
        data = rand(*(1,) * (rank - 2), 2, 3)
        for operator in (unary.neg, unary.exp, unary.sqrt):
            yield referred(operator, (np.abs(data),), tol=CLOSE, why=f"{rank} axes")
        turned = {"perm": tuple(range(rank))[::-1]}
        yield referred(shape.transpose, (data,), turned, why=f"{rank} axes")
        yield referred(binary.add, (data, rand(3)), why=f"{rank} axes")


def _by_scales() -> Iterator[DirectCase]:
    """Images by scales, which are powers of 2 or not."""
    image = rand(1, 2, 3, 4)
    for scales in ((2, 2), (1, 4), (2, 3), (0.5, 0.5), (4, 1), (1, 1)):
        for corners in (False, True):
            attrs = {"align_corners": corners}
            why = f"by {scales}, corners {corners}"
            given = image, None, Const(f(*scales))
            yield referred(resize.resize_nearest, given, attrs, why=why)
            yield referred(resize.resize_linear, given, attrs, CLOSE, why)
            yield referred(
                resize.resize_linear, given, {**attrs, "align_mode": 0}, CLOSE, why + " 0"
            )


CASES += [*_constants(), *_many_axes(), *_by_scales()]
