"""Integers that stand for real numbers: of which integers a tensor of FLOAT32 is made."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nnir.records import dataclass
from nnir.types import Precision, Quantization

from .writer import Tensor

if TYPE_CHECKING:
    from .emitter import Emitter

BYTES = frozenset({Precision.INT8, Precision.UINT8})
LEAST, MOST = 2.0**-28, 128.0
"""The quotients of scales that kernels take."""
SHIFT = {Precision.INT8: 0, Precision.UINT8: 128}
"""What is added to an INT8 for the same number as another type."""


@dataclass(frozen=True)
class Affine:
    """real = (q - zero) * scale for INT8; for UINT8 both q and zero are 128 more."""

    scale: float
    zero: int

    def of(self, kind: Precision) -> Quantization:
        """As a tensor of a type has it."""
        return Quantization((self.scale,), (self.zero + SHIFT[kind],))

    def holds(self, value: float) -> bool:
        """Whether an INT8 stands for this very number."""
        step = value / self.scale + self.zero
        return step == round(step) and -128 <= step <= 127


@dataclass(frozen=True)
class Stored:
    """A constant as integers, with one scale or one for each entry of `axis`."""

    data: np.ndarray
    scales: tuple[float, ...]
    zeros: tuple[int, ...]
    axis: int

    def permuted(self, perm: tuple[int, ...]) -> Stored:
        axis = perm.index(self.axis) if len(self.scales) > 1 else 0
        return Stored(self.data.transpose(perm), self.scales, self.zeros, axis)

    def reshaped(self, shape: tuple[int, ...]) -> Stored | None:
        """None where the axis with the scales is not one of the new shape."""
        data = self.data.reshape(shape)
        if len(self.scales) == 1:
            return Stored(data, self.scales, self.zeros, 0)
        before = self.data.shape[: self.axis]
        for axis, size in enumerate(shape):
            if size == len(self.scales) and np.prod(shape[:axis]) == np.prod(before):
                return Stored(data, self.scales, self.zeros, axis)
        return None


def affine_of(tensor: Tensor, described: Quantization) -> Affine | None:
    """One scale and zero point for all of a tensor; None for what no kernel takes."""
    if len(described.scales) != 1 or tensor.precision not in BYTES:
        return None
    scale, zero = described.scales[0], described.zero_points[0] - SHIFT[tensor.precision]
    usable = np.isfinite(scale) and scale >= np.finfo(np.float32).tiny and -128 <= zero <= 127
    return Affine(scale, zero) if usable else None


def stored_integers(g: Emitter, real: Tensor) -> Stored | None:
    """The integers that a constant is made of, through permutations and reshapes."""
    if real.data is None:
        return None
    if real in g.dequantised:
        whole, described = g.dequantised[real]
        if whole.data is None:
            return None
        return Stored(whole.data, described.scales, described.zero_points, described.axis or 0)
    if real in g.sources:
        tensor, perm = g.sources[real]
        found = stored_integers(g, tensor)
        return None if found is None else found.permuted(perm)
    if real in g.flat:
        found = stored_integers(g, g.flat[real])
        return None if found is None else found.reshaped(real.data.shape)
    return None


def shift_kind(data: np.ndarray, kind: Precision) -> np.ndarray:
    """The same numbers as INT8 or UINT8."""
    if data.dtype == kind.dtype:
        return data
    return (data.view(np.uint8) ^ np.uint8(128)).view(kind.dtype)
