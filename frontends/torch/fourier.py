"""Fourier transforms of pairs: real and imaginary part are the last axis."""

from __future__ import annotations

from collections.abc import Sequence

from nnir import build
from nnir.errors import BadType, Unsupported
from nnir.model import Value
from nnir.ops import binary, complex, shape, signal, unary

from .promotion import COMPLEX, DEFAULT_FLOAT, HALVES, category

FORWARD = {None: 0.0, "backward": 0.0, "ortho": 0.5, "forward": 1.0}
"""By which power of the length a forward transform is divided; an inverse one by the rest."""

NORMALIZATIONS = (0.0, 0.5, 1.0)
"""The same for the numbers 0, 1 and 2 of the inner operators, for either direction."""


def power(norm: str | None, *, inverse: bool) -> float:
    """By which power of the length to divide."""
    if norm not in FORWARD:
        raise Unsupported(f"a Fourier transform with norm={norm!r}")
    return 1 - FORWARD[norm] if inverse else FORWARD[norm]


def inner_power(normalization: int) -> float:
    """The same for the number that the inner operators have."""
    match normalization:
        case 0 | 1 | 2:
            return NORMALIZATIONS[normalization]
    raise Unsupported(f"a Fourier transform with normalization={normalization!r}")


def numbers(x: Value) -> Value:
    """What PyTorch transforms: floats of 32 bits or more, and complex numbers."""
    if x.precision in HALVES:
        raise BadType(f"a Fourier transform of {x.type}")
    return x if category(x.precision) >= 2 else x.cast(DEFAULT_FLOAT)


def pairs_of(x: Value) -> Value:
    """Real or complex numbers with their parts along a last axis."""
    x = numbers(x)
    if x.precision in COMPLEX:
        pairs: Value = complex.complex_to_pairs(x)
        return pairs
    return shape.unsqueeze(x, [x.rank])


def along(pairs: Value, axis: int, length: build.Size | None, *, inverse: bool) -> Value:
    """A transform of one axis that takes and gives whole spectra; the inverse divides."""
    return signal.dft(pairs, _length(pairs, length), [axis], inverse=inverse)


def _length(pairs: Value, length: build.Size | None) -> Value | None:
    return None if length is None else build.vector(pairs.model, [length])


def scaled(x: Value, length: build.Size, exponent: float) -> Value:
    """`x` divided by a power of a length."""
    if exponent == 0:
        return x
    if isinstance(length, int):
        return x * float(max(length, 1)) ** -exponent
    whole = unary.cast(length, dtype=x.precision)
    whole = unary.sqrt(whole) if exponent in (0.5, -0.5) else whole
    return (binary.div if exponent > 0 else binary.mul)(x, whole)


def transformed(
    pairs: Value,
    axes: Sequence[int],
    lengths: Sequence[build.Size | None],
    by: float,
    *,
    inverse: bool,
) -> Value:
    """Complex transforms along several axes, divided by a power of the number of elements."""
    count: build.Size = 1
    for axis, length in zip(axes, lengths, strict=True):
        pairs = along(pairs, axis, length, inverse=inverse)
        count = build.times(count, build.size_of(pairs, axis))
    return scaled(pairs, count, by - 1 if inverse else by)


def half(pairs: Value, axis: int, length: build.Size | None, by: float) -> Value:
    """The first half of the spectrum of a real signal."""
    count = build.size_of(pairs, axis) if length is None else length
    found = signal.dft(pairs, _length(pairs, length), [axis], onesided=True)
    return scaled(found, count, by)


def from_half(pairs: Value, axis: int, length: build.Size | None, by: float) -> Value:
    """The real signal of half a spectrum."""
    count = length
    if count is None:
        count = build.times(build.minus(build.size_of(pairs, axis), 1), 2)
    found = signal.dft(pairs, _length(pairs, count), [axis], inverse=True, onesided=True)
    return shape.squeeze(scaled(found, count, by - 1), [found.rank - 1])


def whole(pairs: Value) -> Value:
    """Pairs as complex numbers."""
    result: Value = complex.pairs_to_complex(pairs)
    return result


def conjugated(pairs: Value) -> Value:
    """The imaginary part with the other sign."""
    if pairs.shape[-1] == 1:
        return pairs
    return pairs * pairs.model.constant([1, -1], pairs.dtype)
