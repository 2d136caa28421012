"""TensorFlow's Fourier transforms."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from nnir import build
from nnir.errors import BadType
from nnir.model import Index, Value
from nnir.ops import complex, shape, signal
from nnir.types import Precision

from ..table import Table
from . import audio

table = Table.merge([audio.table])
NAMES = {"": 1, "2D": 2, "3D": 3}


def pairs_of(x: Value, axes: int) -> Value:
    """Real or complex numbers with their parts along a last axis."""
    if x.rank < axes:
        raise BadType(f"a transform of {axes} axes of {x.type}")
    if complex.is_complex(x):
        pairs: Value = complex.complex_to_pairs(x)
        return pairs
    return shape.unsqueeze(x, [x.rank])


def whole(pairs: Value, kind: Precision) -> Value:
    """Pairs as complex numbers."""
    made: Value = complex.pairs_to_complex(pairs)
    if made.precision != kind:
        raise BadType(f"a transform to {kind.name} that gives {made.type}")
    return made


def along(pairs: Value, axes: Sequence[tuple[int, Value | None]], *, inverse: bool) -> Value:
    """Complex transforms along some axes, each of its own length or of a given one."""
    for axis, length in axes:
        pairs = signal.dft(pairs, length, [axis], inverse=inverse)
    return pairs


def lengths_of(x: Value, fft_length: Value, count: int) -> list[Value]:
    """The length of the transform along each axis."""
    lengths = build.elements(fft_length)
    if len(lengths) != count:
        raise BadType(f"{len(lengths)} lengths for a transform of {count} axes")
    return [build.vector(x.model, [n]) for n in lengths]


def _complex(count: int, *, inverse: bool) -> Callable[..., Value]:
    def convert(input: Value) -> Value:
        if not complex.is_complex(input):
            raise BadType(f"a transform of complex numbers, not of {input.type}")
        last = [(input.rank - 1 - k, None) for k in range(count)]
        return whole(along(pairs_of(input, count), last, inverse=inverse), input.precision)

    return convert


def _from_real(count: int) -> Callable[..., Value]:
    def convert(
        input: Value,
        fft_length: Index,
        *,
        Tcomplex: Precision = Precision.COMPLEX64,  # noqa: N803
    ) -> Value:
        lengths = lengths_of(input, fft_length, count)
        pairs, first = pairs_of(input, count), input.rank - count
        half = signal.dft(pairs, lengths[-1], [input.rank - 1], onesided=True)
        others = [(first + k, n) for k, n in enumerate(lengths[:-1])]
        return whole(along(half, others, inverse=False), Tcomplex)

    return convert


def _to_real(count: int) -> Callable[..., Value]:
    def convert(
        input: Value,
        fft_length: Index,
        *,
        Treal: Precision = Precision.FLOAT32,  # noqa: N803
    ) -> Value:
        lengths = lengths_of(input, fft_length, count)
        first, last = input.rank - count, input.rank - 1
        others = [(first + k, n) for k, n in enumerate(lengths[:-1])]
        pairs = along(pairs_of(input, count), others, inverse=True)
        found = signal.dft(pairs, lengths[-1], [last], inverse=True, onesided=True)
        if found.precision != Treal:
            raise BadType(f"a transform to {Treal.name} that gives {found.type}")
        return shape.squeeze(found, [last + 1])

    return convert


for _name, _count in NAMES.items():
    table.convert(f"FFT{_name}")(_complex(_count, inverse=False))
    table.convert(f"IFFT{_name}")(_complex(_count, inverse=True))
    table.convert(f"RFFT{_name}")(_from_real(_count))
    table.convert(f"IRFFT{_name}")(_to_real(_count))
