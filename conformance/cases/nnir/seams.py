"""Where kernels of engines end: largest numbers, windows over nothing, sizes made of others."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import ml_dtypes
import numpy as np

from nnir.errors import BadType, NotConstant
from nnir.ops import linear, pool, reduce, resize, shape, sort, unary
from nnir.types import InterpolateMode, PadMode, Precision

from ...case import Const, Tolerance, f, i, rand, scalar
from .chains import Chain
from .direct import DirectCase, DirectLimit, referred
from .graph import Open, Step

CLOSE = Tolerance(1e-5, 1e-5)
SIGNED = Tolerance(signed_zeros=True)
NARROW = (
    *(Precision.FLOAT8E4M3FN, Precision.FLOAT8E4M3FNUZ),
    *(Precision.FLOAT8E5M2, Precision.FLOAT8E5M2FNUZ),
)
WIDE = (np.float16, ml_dtypes.bfloat16, np.float64)


def _casts() -> Iterator[DirectCase]:
    """Next to what each 8-bit float holds: its largest number and its smallest one."""
    for to in NARROW:
        limits = ml_dtypes.finfo(to.dtype)  # type: ignore[no-untyped-call]
        largest, least = float(limits.max), float(limits.smallest_subnormal)
        step = largest - float(np.nextafter(limits.max, to.dtype.type(0)))
        near = (0, step / 4, step / 2, step / 2 + step / 16, step, largest)
        ends = [largest + n for n in near if largest + n < 6e4]
        small = [least * n for n in (0.25, 0.5, 0.53125, 1, 1.5)]
        line = [*ends, *small, np.inf]
        for wide in (np.float32, *(WIDE if to is NARROW[0] else ())):
            both = np.array([*line, *(-n for n in line), np.nan]).astype(wide)
            yield referred(unary.cast, (both,), {"dtype": to}, SIGNED, f"ends of {to.name}")


def _pools() -> Iterator[DirectCase]:
    """Windows that pass over all of the data, and windows of which nothing is said."""
    data = -np.abs(rand(1, 2, 3, 5))
    given: dict[str, Any] = {"kernel_shape": (2, 2), "dilations": (4, 1), "strides": (1, 1)}
    given |= {"pads": (1, 0, 1, 0)}
    yield referred(pool.max_pool, (data,), given, why="taps on both sides of the data")
    given = {"kernel_shape": (2, 1), "dilations": (3, 1), "strides": (2, 1), "pads": (2, 0, 2, 0)}
    yield referred(pool.max_pool, (data[:, :, :2],), given, why="steps over what has no taps")
    for counts, ceil in product((True, False), (True, False)):
        plain = {"kernel_shape": (2, 3), "pads": (1, 0, 0, 1), "ceil_mode": ceil}
        attrs = plain | {"count_include_pad": counts}
        why = f"neither steps nor dilations, counts {counts}, ceil {ceil}"
        yield referred(pool.average_pool, (data,), attrs, CLOSE, why)
        if counts:
            yield referred(pool.max_pool, (data,), plain, why=f"neither of both, ceil {ceil}")


def _orders() -> Iterator[DirectCase]:
    """Where NaN stands among narrow floats."""
    wild = np.array([[1, np.nan, 2, -3, np.nan, 0.5, 7]])

    def largest(x: np.ndarray, k: np.ndarray, *, largest: bool, **_: Any) -> list[np.ndarray]:
        wide = x.astype(np.float32)
        order = np.argsort(-wide if largest else wide, axis=1, kind="stable")
        count = np.isnan(wide).sum() if largest else 0
        order = np.roll(order, count, axis=1)[:, : int(k[0])]
        return [np.take_along_axis(x, order, 1), order]

    for kind in (np.float16, ml_dtypes.bfloat16, ml_dtypes.float8_e5m2):
        for first in (True, False):
            attrs = {"axis": 1, "largest": first}
            why = f"NaN among {np.dtype(kind).name}, largest {first}"
            yield DirectCase(sort.top_k, (wild.astype(kind), Const(i(5))), attrs, largest, why=why)


def _nearest() -> Iterator[DirectCase]:
    """The nearest elements are moved, never computed with."""
    places = f(-1, -1, 1, -1, -1, 1, 1, 1).reshape(1, 2, 2, 2)
    attrs = {"align_corners": True, "mode": InterpolateMode.NEAREST, "pad_mode": PadMode.EDGE}
    for data in (
        f(np.inf, 1, -np.inf, 3e38),
        i(2**31 - 1, 1, -(2**31) + 1, 16777217, dtype=np.int32),
    ):
        image = data.reshape(1, 1, 2, 2)
        yield DirectCase(
            resize.grid_sample, (image, places), attrs, lambda x, *_, **__: x, why="the corners"
        )


REFUSED = [
    DirectCase(
        linear.einsum, (rand(2, 3),), {"equation": "ii->i"}, raises=BadType, why="no square"
    ),
    DirectCase(
        linear.einsum,
        (rand(2, 3),),
        {"equation": "ij->ii"},
        raises=BadType,
        why="twice in a result",
    ),
]


def _bytes_of_floats() -> Iterator[DirectCase]:
    """The one type of others that NumPy takes for a float of its own."""
    kind = ml_dtypes.float8_e5m2
    attrs = {"align_corners": True, "mode": InterpolateMode.BILINEAR, "pad_mode": PadMode.EDGE}
    middle, image = np.zeros((1, 1, 1, 2), np.float32), rand(1, 1, 2, 2).astype(kind)

    def mean(x: np.ndarray, *_: Any, **__: Any) -> np.ndarray:
        return x.astype(np.float32).mean().reshape(1, 1, 1, 1).astype(kind)

    def bordered(x: np.ndarray, *_: Any, **__: Any) -> np.ndarray:
        return np.pad(x.astype(np.float32), ((1, 0), (0, 2)), constant_values=2).astype(kind)

    def multiplied(x: np.ndarray, y: np.ndarray, *, equation: str) -> np.ndarray:
        return np.einsum(equation, x.astype(np.float32), y.astype(np.float32)).astype(kind)

    yield DirectCase(resize.grid_sample, (image, middle), attrs, mean, why="between bytes")
    border = Const(i(1, 0, 0, 2)), Const(np.array(2, kind))
    yield DirectCase(shape.pad, (image[0, 0], *border), {}, bordered, why="a border of bytes")
    rows = image[0, 0], image[0, 0] * kind(2)
    equation = {"equation": "ij,jk->ik"}
    yield DirectCase(linear.einsum, rows, equation, multiplied, why="bytes")


CASES = [*_casts(), *_pools(), *_orders(), *_nearest(), *_bytes_of_floats(), *REFUSED]


LIMITS = [
    DirectLimit(
        sort.top_k,
        "ONNX Runtime's TopK puts NaN anywhere",
        case=f"NaN among {kind}, largest True",
        raises=AssertionError,
    )
    for kind in ("float16", "bfloat16", "float8_e5m2")
]


def _of_nothing() -> Iterator[Chain]:
    """Borders around nothing are all that there is."""
    for first in (0, "n"):
        data = Open(np.zeros((0, 3), np.float32), (first, 3))
        border = Step(shape.pad, (0, Const(i(1, 2, 0, 1)), Const(scalar(2))))
        yield Chain((data,), (border,), why=f"a border around nothing, {first}")
    nothing = np.zeros((0, 3), np.float32)
    for mode in (PadMode.EDGE, PadMode.WRAP, PadMode.REFLECT):
        border = Step(shape.pad, (0, Const(i(0, 0, 1, 1)), None), {"mode": mode})
        yield Chain((nothing,), (border,), why=f"a border beside nothing, {mode.name}")


def _of_made_sizes() -> Iterator[Chain]:
    """Products over rows whose number is a product of open sizes, with one matrix and with many."""
    data = Open(rand(2, 3, 4), ("batch", "time", 4))
    flat = Step(shape.reshape, (0, Const(i(1, -1, 4))))
    for columns in ((1, 4, 5), (1, 4, 1)):
        product_of = Step(linear.mat_mul, (1, Const(rand(*columns))))
        yield Chain((data,), (flat, product_of), why=f"rows of a made size by {columns}")
    turned = Step(linear.mat_mul, (1, Const(rand(3, 5, 4))), {"transpose_y": True})
    yield Chain((data,), (flat, turned), why="rows of a made size, by three matrices")


def _of_any_axes() -> Iterator[Chain]:
    """Axes of which not even the number is known: a result has them all, or no rank."""
    axes = Open(i(0), ("k",))
    for kept in (True, False):
        step = Step(reduce.reduce_sum, (0, 1), {"keepdim": kept})
        error = None if kept else NotConstant
        yield Chain((rand(2, 3), axes), (step,), raises=error, why=f"any axes, kept {kept}")


CHAINS = [*_of_nothing(), *_of_made_sizes(), *_of_any_axes()]
