"""Transforms of signals, as products with matrices of cosines and sines."""

from __future__ import annotations

import math

import numpy as np

from nnir.broadcast import axis_of, ints
from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import signal

from ...lowering import Lowerings
from .emitter import Emitter, Ref, result_shape
from .linear import dense
from .shape import drop_axes, join, part
from .unary import real

table = Lowerings[Ref]()
LARGEST = 1 << 22


def _matrices(rows: int, columns: int, length: int) -> tuple[np.ndarray, np.ndarray]:
    """cos and sin of 2 pi m k / length, the angle reduced exactly."""
    if rows * columns > LARGEST:
        raise NoLowering(f"litert has no transforms of {length} samples")
    turns = np.outer(np.arange(rows), np.arange(columns)) % max(length, 1)
    angles = turns * (2 * math.pi / max(length, 1))
    return np.cos(angles), np.sin(angles)


@table.lower(signal.dft)
def dft(
    g: Emitter,
    input: Value,
    dft_length: Value | None,
    axis: Value | None,
    *,
    inverse: bool,
    onesided: bool,
) -> Ref:
    """In FLOAT32, whose products round a little where the standard's do not."""
    x = real(g, input)
    known = (-2,) if axis is None else ints(axis)
    given = None if dft_length is None else ints(dft_length)
    if known is None or (dft_length is not None and given is None):
        raise NoLowering("litert transforms along known axes to known lengths only")
    along = axis_of(known[0], input.rank)
    size, parts = input.shape[along], input.shape[-1]
    if not isinstance(size, int) or not isinstance(parts, int):
        raise NoLowering(f"litert transforms no {input.type}")
    length = given[0] if given else ((size - 1) * 2 if inverse and onesided else size)
    half = length // 2 + 1
    rows = min(size, half if inverse and onesided else length)
    columns = half if onesided and not inverse else length
    cosine, sine = _matrices(rows, columns, length)
    if inverse and onesided:
        k = np.arange(rows)
        weights = np.where((k == 0) | (2 * k == length), 1.0, 2.0)[:, None]
        cosine, sine = cosine * weights, sine * weights
    if inverse:
        cosine, sine = cosine / length, sine / length
    planes = [
        drop_axes(g, part(g, x, input.rank - 1, k, 1), (input.rank - 1,)) for k in range(parts)
    ]
    planes = [part(g, p, along, 0, rows) for p in planes]
    made = _rotate(g, planes, along, cosine, sine, inverse=inverse)
    target = result_shape(g)
    kept = made[:1] if inverse and onesided else made
    columns_of = [g.reshape(g.plain(v), (*target[:-1], 1)) for v in kept]
    return join(g, columns_of, input.rank - 1, target)


def _product(g: Emitter, x: Ref, axis: int, matrix: np.ndarray) -> Ref:
    """Along one axis."""
    last = g.last(x, axis)
    shape = (*last.tensor.shape[:-1], matrix.shape[1])
    return dense(g, last, g.constant(np.ascontiguousarray(matrix.T, np.float32)), None, shape)


def _rotate(
    g: Emitter,
    planes: list[Ref],
    axis: int,
    cosine: np.ndarray,
    sine: np.ndarray,
    *,
    inverse: bool,
) -> list[Ref]:
    """Real and imaginary part of the products with cos -+ i sin."""
    turn = sine if inverse else -sine
    first, second = (_product(g, planes[0], axis, m) for m in (cosine, turn))
    for imaginary in planes[1:]:
        first -= _product(g, imaginary, axis, turn)
        second += _product(g, imaginary, axis, cosine)
    return [first, second]
