"""TensorFlow's Fourier transforms."""

from __future__ import annotations

from collections.abc import Callable

from nnir.errors import BadType
from nnir.model import Index, Value
from nnir.ops import shape, signal
from nnir.recipes.signal import (
    complex_pairs,
    join_pairs,
    transform_axes,
    transform_lengths,
    transform_real,
)
from nnir.types import Precision

from ...table import Table
from . import audio

table = Table.merge([audio.table])
NAMES = {"": 1, "2D": 2, "3D": 3}


def _complex(count: int, *, inverse: bool) -> Callable[..., Value]:
    def convert(input: Value) -> Value:
        if not input.precision.is_complex:
            raise BadType(f"a transform of complex numbers, not of {input.type}")
        last = [(input.rank - 1 - k, None) for k in range(count)]
        return join_pairs(
            transform_axes(complex_pairs(input, count), last, inverse=inverse), input.precision
        )

    return convert


def _from_real(count: int) -> Callable[..., Value]:
    def convert(
        input: Value,
        fft_length: Index,
        *,
        Tcomplex: Precision = Precision.COMPLEX64,  # noqa: N803
    ) -> Value:
        return transform_real(input, fft_length, count, Tcomplex)

    return convert


def _to_real(count: int) -> Callable[..., Value]:
    def convert(
        input: Value,
        fft_length: Index,
        *,
        Treal: Precision = Precision.FLOAT32,  # noqa: N803
    ) -> Value:
        lengths = transform_lengths(input, fft_length, count)
        first, last = input.rank - count, input.rank - 1
        others = [(first + k, n) for k, n in enumerate(lengths[:-1])]
        pairs = transform_axes(complex_pairs(input, count), others, inverse=True)
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
