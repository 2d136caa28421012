"""Rows at the borders at which code goes another way: limits, signs of zero, refused types."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import ml_dtypes
import numpy as np

from nnir.errors import BadType
from nnir.ops import binary, conv, generate, pool, quant, unary
from nnir.types import Precision

from ...case import Const, Tolerance, f, i, rand, scalar
from .direct import DirectCase, DirectLimit

SIGNED = Tolerance(signed_zeros=True)
F4, F8, E8 = Precision.FLOAT4E2M1FN, Precision.FLOAT8E4M3FN, Precision.FLOAT8E8M0FNU


def _sum(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.array([a + b for a, b in np.broadcast(x, y)], x.dtype).reshape(x.shape)


def _averages(input: np.ndarray, *, output_shape: tuple[int, ...]) -> np.ndarray:
    """Of whole rows or columns: one bin has all of an axis, or there is one for each element."""
    rows = [slice(None)] if output_shape[0] == 1 else [slice(k, k + 1) for k in range(6)]
    columns = [slice(None)] if output_shape[1] == 1 else [slice(k, k + 1) for k in range(4)]
    wide = input.astype(np.float64)
    means = [[wide[:, :, r, c].mean(axis=(2, 3)) for c in columns] for r in rows]
    return np.moveaxis(np.array(means), (0, 1), (2, 3)).astype(input.dtype)


def _products(x: np.ndarray, w: np.ndarray) -> np.ndarray:
    """A convolution with filters of one tap."""
    return np.einsum("nchw,oc->nohw", x.astype(np.int32), w[:, :, 0, 0].astype(np.int32))


def _taps(channels: int, why: str) -> DirectCase:
    """The largest products of bytes, so many of which are summed up."""
    x = np.full((1, channels, 1, 2), 255, np.uint8)
    w = np.full((2, channels, 1, 1), 255, np.uint8)
    given = {"strides": (1, 1), "dilations": (1, 1)}

    def expected(x: np.ndarray, w: np.ndarray, **_: object) -> np.ndarray:
        return _products(x, w)

    return DirectCase(conv.conv_integer, (x, w), given, expected, why=why)


def _powers(x: np.ndarray, *, dtype: Precision) -> np.ndarray:
    return np.array([dtype.dtype.type(v) for v in x.astype(np.float64)], dtype.dtype)


def _quantised(
    x: np.ndarray, scale: np.ndarray, zero: np.ndarray, *, dtype: Precision, **_: object
) -> np.ndarray:
    """Four-bit floats are moved by their zero point; other floats have none but 0."""
    real = x.astype(np.float64) / float(scale) + float(zero)
    most = float(ml_dtypes.finfo(dtype.dtype).max)  # type: ignore[no-untyped-call]
    return np.clip(real, -most, most).astype(np.float32).astype(dtype.dtype)


class Signed(DirectCase):
    """A row of signs of zero: OpenVINO leaves out sums with 0 where sizes are open."""

    @property
    def can_open(self) -> bool:
        return False


def _stored(x: np.ndarray, scale: np.ndarray, zero: Any = None, **_: object) -> np.ndarray:
    """Bytes of what is divided by one scale, and moved by one zero point."""
    shift = 0.0 if zero is None else float(zero.reshape(-1)[0])
    whole = np.rint(x.astype(np.float64) / float(scale.reshape(-1)[0])) + shift
    return np.clip(whole, 0, 255).astype(np.uint8)


def _restored(x: np.ndarray, scale: np.ndarray, zero: Any = None, **_: object) -> np.ndarray:
    """What bytes stand for."""
    shift = 0.0 if zero is None else float(zero.reshape(-1)[0])
    return ((x.astype(np.float64) - shift) * float(scale.reshape(-1)[0])).astype(np.float32)


def _steps() -> Iterator[DirectCase]:
    """One scale and one zero point, as numbers and as vectors, known and given."""
    whole = i(0, 3, 128, 255, dtype=np.uint8)
    first = {"axis": 0}
    for dims in ((), (1,)):
        for zero in (None, np.full(dims, 3, np.uint8)):
            for given in (Const, np.asarray):
                scale = given(np.full(dims, 0.25, np.float32))
                rest = (scale, zero if zero is None else given(zero))
                how = "known" if given is Const else "given"
                why = f"{'no' if zero is None else 'a'} zero point of {dims}, {how}"
                yield DirectCase(quant.quantize_linear, (STEPS, *rest), first, _stored, why=why)
                yield DirectCase(quant.dequantize_linear, (whole, *rest), first, _restored, why=why)


def _long() -> Iterator[DirectCase]:
    """Integers of 32 bits: next to what float32 holds, and by scales that are no integers."""
    edge = 2**24
    whole = i(-edge - 1, -3, 0, 5, edge - 1, edge + 1, edge + 3, dtype=np.int32)
    for given in (Const, np.asarray):
        how = "known" if given is Const else "given"
        rest = given(scalar(1.0)), given(scalar(1, np.int32))
        why = f"beyond 24 bits, {how}"
        yield DirectCase(quant.dequantize_linear, (whole, *rest), {}, _restored, why=why)
        half = given(scalar(0.5, E8.dtype))
        small, why = i(-3, 0, 5, 100, 200, dtype=np.int32), f"long by a power of two, {how}"
        yield DirectCase(quant.quantize_linear, (small, half), {}, _stored, why=why)


X = rand(2, 3, 6, 4)
CLOSE = Tolerance(1e-6, 1e-6)
SPREAD = f(1.2e-38, 2e-38, 0.7, 1, 2.9, 3.1, 6, 1e38)
STEPS = f(-7, -2.6, -0.3, 0.2, 1.2, 3.1, 5.5, 40)
CASES = [
    *(
        Signed(binary.add, (f(-0.0, 0.0, 1), Const(zero)), {}, _sum, SIGNED, why)
        for zero, why in ((f(0.0), "zeros that change signs"), (f(-0.0), "zeros that change none"))
    ),
    *(
        DirectCase(
            pool.adaptive_average_pool_2d, (X,), {"output_shape": size}, _averages, CLOSE, str(size)
        )
        for size in ((1, 1), (1, 4), (6, 1), (6, 4))
    ),
    _taps(257, "sums of 24 bits"),
    _taps(258, "sums of almost more than 24 bits"),
    _taps(259, "sums of more than 24 bits"),
    *(
        DirectCase(unary.cast, (SPREAD.astype(t),), {"dtype": E8}, _powers, why="powers of two")
        for t in (np.float32, ml_dtypes.bfloat16)
    ),
    *(
        DirectCase(
            quant.quantize_linear,
            (STEPS, given(scalar(0.5)), given(scalar(zero, kind.dtype))),
            {"dtype": kind},
            _quantised,
            why=f"{kind.name} about {zero}, {'known' if given is Const else 'given'}",
        )
        for kind, zero in ((F4, 1.5), (F4, 0), (F8, 0))
        for given in (Const, np.asarray)
    ),
    *_steps(),
    *_long(),
    DirectCase(
        quant.quantize_linear,
        (f(1, 2), scalar(2, np.int64), scalar(0, np.uint8)),
        why="scales of another type",
        raises=BadType,
    ),
    DirectCase(
        quant.dequantize_linear,
        (i(1, 2, dtype=np.int8), scalar(2, np.int64)),
        why="scales of another type",
        raises=BadType,
    ),
    DirectCase(
        generate.fill_like,
        (rand(4, 3), scalar(3, np.int16)),
        {},
        lambda x, value: np.array([[int(value)] * x.shape[1]] * x.shape[0], value.dtype),
        why="a running number",
    ),
]
LIMITS: list[DirectLimit] = []
