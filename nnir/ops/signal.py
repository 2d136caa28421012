"""Fourier transforms."""

from __future__ import annotations

import math

import numpy as np

from ..broadcast import axis_of, contents, ints
from ..dim import Dim, Expr
from ..errors import Unsupported
from ..model import Index, Value
from ..operator import operator, require
from ..types import Precision, TensorType
from . import binary, generate, shape, sizes, unary
from .index import gather, slice_
from .linear import mat_mul
from .shape import fresh, require_integers
from .sizes import Size

AXIS = -2
"""Without an axis the transform runs along the last one before that of the parts."""


def _dft(
    input: np.ndarray,
    dft_length: np.ndarray | None = None,
    axis: np.ndarray | None = None,
    *,
    inverse: bool = False,
    onesided: bool = False,
) -> np.ndarray:
    along = axis_of(AXIS if axis is None else int(axis.reshape(())), input.ndim)
    size = input.shape[along]
    length = 2 * (size - 1) if inverse and onesided else size
    count = length if dft_length is None else int(dft_length.reshape(()))
    wide = input.astype(np.float64)
    signal = wide[..., 0] if input.shape[-1] == 1 else wide[..., 0] + 1j * wide[..., 1]
    if inverse and onesided:
        return np.fft.irfft(signal, count, along)[..., None].astype(input.dtype)
    result = (np.fft.ifft if inverse else np.fft.fft)(signal, count, along)
    if onesided:
        result = np.take(result, np.arange(count // 2 + 1), along)
    return np.stack([result.real, result.imag], -1).astype(input.dtype)


@operator(code=1950, reference=_dft)
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


@dft.decomposes
def _dft_as_products(
    input: Value,
    dft_length: Value | None = None,
    axis: Value | None = None,
    *,
    inverse: bool = False,
    onesided: bool = False,
) -> Value:
    """Two matrix products with cosines and sines, in float64."""
    known = (AXIS,) if axis is None else ints(axis)
    parts = input.shape[-1]
    if known is None or isinstance(parts, Expr):
        raise Unsupported(f"products for a dft of {input.type} along an unknown axis")
    along = axis_of(known[0], input.rank)
    size = sizes.size_of(input, along)
    length = sizes.times(sizes.minus(size, 1), 2) if inverse and onesided else size
    if dft_length is not None:
        given = ints(dft_length)
        length = shape.reshape(dft_length, [1]) if given is None else given[0]
    real, imaginary = _parts(input, along, int(parts))
    rows, columns = size, length
    if onesided and inverse:
        rows = _smaller(size, sizes.plus(sizes.over(length, 2), 1))
    elif onesided:
        columns = sizes.plus(sizes.over(length, 2), 1)
    rows = _smaller(rows, length)
    model = input.model
    cosine, sine = _tables(model_of=input, rows=rows, columns=columns, length=length)
    ends = sizes.vector(model, [rows])
    real = slice_(real, [-1], [0], ends)
    imaginary = None if imaginary is None else slice_(imaginary, [-1], [0], ends)
    if inverse and onesided:
        weights = _weights(input, rows, length)
        real = binary.mul(real, weights)
        imaginary = None if imaginary is None else binary.mul(imaginary, weights)
    return _joined(input, along, real, imaginary, cosine, sine, length, inverse, onesided)


def _smaller(a: Size, b: Size) -> Size:
    if isinstance(a, int) and isinstance(b, int):
        return min(a, b)
    model = next(v.model for v in (a, b) if isinstance(v, Value))
    return binary.min_(sizes.vector(model, [a]), sizes.vector(model, [b]))  # type: ignore[no-any-return]


def _parts(input: Value, along: int, parts: int) -> tuple[Value, Value | None]:
    """Real and imaginary part in float64 with the axis of the transform last."""
    wide = unary.cast(input, dtype=Precision.FLOAT64)
    rank = input.rank - 1
    perm = [a for a in range(rank) if a != along] + [along]
    found = [
        shape.transpose(gather(wide, input.model.constant(k, np.int64), axis=-1), perm=tuple(perm))
        for k in range(parts)
    ]
    return found[0], found[1] if parts == 2 else None


def _tables(model_of: Value, rows: Size, columns: Size, length: Size) -> tuple[Value, Value]:
    """cos and sin of 2 pi m k / length for row m and column k, the angle reduced exactly."""
    model = model_of.model
    if isinstance(rows, int) and isinstance(columns, int) and isinstance(length, int):
        turns = np.outer(np.arange(rows), np.arange(columns)) % max(length, 1)
        angles = turns * (2 * math.pi / max(length, 1))
        return model.constant(np.cos(angles)), model.constant(np.sin(angles))
    m, k = (generate.range_([0], sizes.vector(model, [n]), [1]) for n in (rows, columns))
    turns = binary.mul(shape.unsqueeze(m, [1]), k)
    whole = sizes.vector(model, [length])
    rest = binary.sub(turns, binary.mul(binary.div(turns, whole), whole))
    step = binary.div(
        model.constant([2 * math.pi], np.float64), unary.cast(whole, dtype=Precision.FLOAT64)
    )
    angles = binary.mul(unary.cast(rest, dtype=Precision.FLOAT64), step)
    return unary.cos(angles), unary.sin(angles)


def _weights(input: Value, rows: Size, length: Size) -> Value:
    """How often each frequency of a one-sided transform occurs in the whole one."""
    model = input.model
    if isinstance(rows, int) and isinstance(length, int):
        k = np.arange(rows)
        return model.constant(np.where((k == 0) | (2 * k == length), 1.0, 2.0))
    from .compare import equal, where  # compare needs no signals, but most models no transforms

    k = generate.range_([0], sizes.vector(model, [rows]), [1])
    whole = sizes.vector(model, [length])
    twice = binary.mul(k, [2])
    one, two = (model.constant([n], np.float64) for n in (1, 2))
    inner = where(equal(twice, whole), one, two)
    return where(equal(k, [0]), one, inner)  # type: ignore[no-any-return]


def _joined(
    input: Value,
    along: int,
    real: Value,
    imaginary: Value | None,
    cosine: Value,
    sine: Value,
    length: Size,
    inverse: bool,
    onesided: bool,
) -> Value:
    first, second = mat_mul(real, cosine), mat_mul(real, sine)
    if not inverse:
        second = unary.neg(second)
    if imaginary is not None:
        crossed, straight = mat_mul(imaginary, sine), mat_mul(imaginary, cosine)
        first = binary.sub(first, crossed) if inverse else binary.add(first, crossed)
        second = binary.add(second, straight)
    made = [first] if inverse and onesided else [first, second]
    if inverse:
        whole = unary.cast(sizes.vector(input.model, [length]), dtype=Precision.FLOAT64)
        made = [binary.div(v, whole) for v in made]
    rank = input.rank - 1
    perm = [*range(along), rank - 1, *range(along, rank - 1)]
    made = [shape.transpose(v, perm=tuple(perm)) for v in made]
    return unary.cast(shape.stack(*made, axis=-1), dtype=input.precision)  # type: ignore[no-any-return]
