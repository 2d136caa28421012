"""Fourier transforms."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from .. import build
from ..broadcast import axis_of, contents, ints
from ..decomposition import Level
from ..dim import Dim, Expr
from ..errors import Unsupported
from ..model import Index, Value
from ..operator import operator, pairs, require
from ..types import Precision, TensorType
from . import binary, compare, generate, reduce, shape, unary
from .index import gather, scatter_elements, slice_
from .linear import mat_mul
from .rules import fresh, require_integers

AXIS = -2
"""Without an axis the transform runs along the last one before that of the parts."""

LARGEST = 1 << 22
"""Entries of a table of sines that is made while compiling."""


def _dft(
    input: np.ndarray,
    dft_length: np.ndarray | None = None,
    axis: np.ndarray | None = None,
    *,
    inverse: bool,
    onesided: bool,
) -> np.ndarray:
    along = axis_of(AXIS if axis is None else int(axis.reshape(())), input.ndim)
    size = input.shape[along]
    length = 2 * (size - 1) if inverse and onesided else size
    count = length if dft_length is None else int(dft_length.reshape(()))
    wide = input.astype(np.float64 if input.dtype == np.float64 else np.float32)
    signal = wide[..., 0]
    if input.shape[-1] == 2:
        signal = signal + np.multiply(wide[..., 1], 1j)
    if not count or not size:
        parts = 1 if inverse and onesided else 2
        bins = count // 2 + 1 if onesided and not inverse else count
        shape = (*signal.shape[:along], bins if count else 0, *signal.shape[along + 1 :], parts)
        return np.zeros(shape, input.dtype)  # NumPy leaves what is made of nothing as it was
    if inverse and onesided:
        return np.fft.irfft(signal, count, along)[..., None].astype(input.dtype)
    result = (np.fft.ifft if inverse else np.fft.fft)(signal, count, along)
    if onesided:
        result = np.take(result, np.arange(count // 2 + 1), along)
    return np.stack([result.real, result.imag], -1).astype(input.dtype)


@operator(steps=pairs, code=1950, reference=_dft)
def dft(
    input: Value,
    dft_length: Index | None = None,
    axis: Index | None = None,
    *,
    inverse: bool = False,
    onesided: bool = False,
) -> TensorType:
    """The discrete Fourier transform along one axis; real and imaginary part are the last axis.

    Types: any float; `dft_length` and `axis` are one integer each.
    Shapes: the last axis of `input` is 1 (real) or 2 (complex); `axis` is -2 when absent. The
    signal is cut or filled with 0 to `dft_length`, which is its own length when absent.
    Edges: `onesided` keeps the first length // 2 + 1 frequencies; with `inverse` it takes those
    and gives a real signal, of 2 * (frequencies - 1) samples when `dft_length` is absent.
    """
    require(input.is_float and input.rank >= 2, f"dft of {input.type}")
    parts = input.shape[-1]
    require(isinstance(parts, Expr) or parts in (1, 2), f"dft of {input.type}: no parts")
    for value in (dft_length, axis):
        require_integers(value, "length and axis of dft")
    parts = 1 if inverse and onesided else 2
    known = (AXIS,) if axis is None else ints(axis)
    if known is None:
        return input.type.with_shape((*fresh(input, input.rank - 1), parts))
    along = axis_of(known[0], input.rank)
    require(along < input.rank - 1, f"dft along the axis {along} of the parts")
    shape = list(input.shape)
    shape[along] = _bins(input, along, dft_length, inverse=inverse, onesided=onesided)
    return input.type.with_shape((*shape[:-1], parts))


def _bins(
    input: Value, along: int, dft_length: Value | None, *, inverse: bool, onesided: bool
) -> Dim:
    size = input.shape[along]
    length: Dim = (size - 1) * 2 if inverse and onesided else size
    if dft_length is not None:
        length = (contents(dft_length) or (input.model.fresh(),))[0]
    return length // 2 + 1 if onesided and not inverse else length


def _products_in(wide: Precision) -> Callable[..., Value]:
    """The decomposition of DFT that computes in a precision."""

    def decompose(
        input: Value,
        dft_length: Value | None = None,
        axis: Value | None = None,
        *,
        inverse: bool = False,
        onesided: bool = False,
    ) -> Value:
        options = {"inverse": inverse, "onesided": onesided}
        return _dft_as_products(input, dft_length, axis, wide, **options)

    return decompose


def _dft_as_products(
    input: Value,
    dft_length: Value | None,
    axis: Value | None,
    wide: Precision,
    *,
    inverse: bool,
    onesided: bool,
) -> Value:
    """Two matrix products with cosines and sines, computed in the precision `wide`."""
    if input.precision == Precision.FLOAT64 != wide:
        raise Unsupported(f"dft of {input.type} in {wide.name.lower()}")
    known = (AXIS,) if axis is None else ints(axis)
    if known is None:
        return _along_any(input, dft_length, axis, inverse=inverse, onesided=onesided)
    if isinstance(input.shape[-1], Expr):
        raise Unsupported(f"products for a dft of {input.type}: real or complex is not known")
    along = axis_of(known[0], input.rank)
    size = build.size_of(input, along)
    length = build.times(build.minus(size, 1), 2) if inverse and onesided else size
    if dft_length is not None:
        given = ints(dft_length)
        length = shape.reshape(dft_length, [1]) if given is None else given[0]
    half = build.plus(build.over(length, 2), 1)
    rows = _smaller(size, half if inverse and onesided else length)
    columns = half if onesided and not inverse else length
    parts = _parts(input.cast(wide), along, rows)
    if inverse and onesided:
        parts = [p * _weights(input, rows, length).cast(wide) for p in parts]
    tables = (table.cast(wide) for table in _tables(input, rows, columns, length))
    made = _rotate(parts, *tables, inverse=inverse)
    if inverse:
        whole = unary.cast(build.vector(input.model, [length]), dtype=wide)
        made = [v / whole for v in made[: 1 if onesided else 2]]
    rank = input.rank - 1
    perm = (*range(along), rank - 1, *range(along, rank - 1))
    joined = shape.stack(*(shape.transpose(v, perm=perm) for v in made), axis=-1)
    return unary.cast(joined, dtype=input.precision)


for _wide in (Precision.FLOAT64, Precision.FLOAT32):  # the second where a device has no doubles
    dft.decomposes(level=Level.ROUNDING)(_products_in(_wide))


def _along_any(
    input: Value, dft_length: Value | None, axis: Value | None, *, inverse: bool, onesided: bool
) -> Value:
    """An axis that is only known while running: as axis 1 of [before, axis, behind, parts]."""
    rank, model = input.rank, input.model
    size = shape.shape(input, dtype=Precision.INT64)
    place = shape.reshape(unary.cast(axis, dtype=Precision.INT64), [1])
    place = compare.where(place < 0, place + rank, place)
    before = reduce.reduce_prod(slice_(size, [0], [0], place), [0], keepdim=True)
    rest = slice_(size, [0], place + 1, [rank - 1])
    behind = reduce.reduce_prod(rest, [0], keepdim=True)
    parts = build.size_of(input, -1)
    flat = build.reshape(input, [before, gather(size, place, axis=0), behind, parts])
    result = dft(flat, dft_length, [1], inverse=inverse, onesided=onesided)
    bins = build.vector(model, [build.size_of(result, 1)])
    size = scatter_elements(size, place, bins, axis=0)
    size = scatter_elements(size, [rank - 1], [1 if inverse and onesided else 2], axis=0)
    return shape.reshape_exact(result, size)


def _smaller(a: build.Size, b: build.Size) -> build.Size:
    if isinstance(a, int) and isinstance(b, int):
        return min(a, b)
    model = next(v.model for v in (a, b) if isinstance(v, Value))
    return binary.min_(build.vector(model, [a]), build.vector(model, [b]))


def _parts(input: Value, along: int, rows: build.Size) -> list[Value]:
    """Real and imaginary part, the first `rows` of the axis, which is last."""
    perm = (*(a for a in range(input.rank - 1) if a != along), along)
    ends = build.vector(input.model, [rows])
    found = []
    for k in range(int(input.shape[-1])):  # type: ignore[arg-type]  # checked by the caller
        part = gather(input, input.model.constant(k, np.int64), axis=-1)
        found.append(slice_(shape.transpose(part, perm=perm), [-1], [0], ends))
    return found


def _tables(
    input: Value, rows: build.Size, columns: build.Size, length: build.Size
) -> tuple[Value, Value]:
    """cos and sin of 2 pi m k / length for row m and column k, the angle reduced exactly."""
    model = input.model
    if (
        isinstance(rows, int)
        and isinstance(columns, int)
        and isinstance(length, int)
        and rows * columns <= LARGEST
    ):
        steps = np.outer(np.arange(rows), np.arange(columns)) % max(length, 1)
        known = steps * (2 * math.pi / max(length, 1))
        return model.constant(np.cos(known)), model.constant(np.sin(known))
    m, k = (generate.range_([0], build.vector(model, [n]), [1]) for n in (rows, columns))
    turns = shape.unsqueeze(m, [1]) * k
    whole = build.vector(model, [length])
    rest = turns - turns / whole * whole
    step = model.constant([2 * math.pi], np.float64) / unary.cast(whole, dtype=Precision.FLOAT64)
    angles = unary.cast(rest, dtype=Precision.FLOAT64) * step
    return unary.cos(angles), unary.sin(angles)


def _weights(input: Value, rows: build.Size, length: build.Size) -> Value:
    """How often each frequency of a one-sided transform occurs in the whole one."""
    model = input.model
    k = generate.range_([0], build.vector(model, [rows]), [1])
    one, two = (model.constant([n], np.float64) for n in (1, 2))
    middle = compare.equal(k * [2], build.vector(model, [length]))
    return compare.where(compare.equal(k, [0]), one, compare.where(middle, one, two))


def _rotate(parts: list[Value], cosine: Value, sine: Value, *, inverse: bool) -> list[Value]:
    """Real and imaginary part of the products with cos -+ i sin."""
    first, second = mat_mul(parts[0], cosine), mat_mul(parts[0], sine)
    if not inverse:
        second = -second
    for imaginary in parts[1:]:
        crossed, straight = mat_mul(imaginary, sine), mat_mul(imaginary, cosine)
        first = (binary.sub if inverse else binary.add)(first, crossed)
        second = second + straight
    return [first, second]
