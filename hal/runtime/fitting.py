"""Whether arrays fit the inputs of a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from nnir.dim import Expr, evaluate, symbols_of
from nnir.errors import BadInput

from .cache import End


def fitted(arrays: Sequence[Any], ends: Sequence[End]) -> tuple[np.ndarray, ...]:
    """The arrays as NumPy arrays; BadInput where precision, rank or a size does not fit.

    A named size is the same in all inputs.
    """
    sizes = _named(arrays, ends)
    result = []
    for given, (name, type) in zip(arrays, ends, strict=True):
        array = np.asarray(given)
        if array.dtype != type.dtype:
            raise BadInput(f"input {name!r} is {array.dtype}, not {type.dtype}")
        if len(array.shape) != len(type.shape) or not all(
            _fits(size, dim, sizes) for size, dim in zip(array.shape, type.shape, strict=True)
        ):
            raise BadInput(f"input {name!r} has shape {list(array.shape)}, not {type}")
        result.append(array)
    return tuple(result)


def _named(arrays: Sequence[Any], ends: Sequence[End]) -> dict[str, int]:
    """What each lone symbol is: the first size that it meets."""
    sizes: dict[str, int] = {}
    for given, (_, type) in zip(arrays, ends, strict=True):
        for size, dim in zip(np.shape(given), type.shape, strict=False):
            if isinstance(dim, Expr) and str(dim) in symbols_of(dim):
                sizes.setdefault(str(dim), size)
    return sizes


def _fits(size: int, dim: int | Expr, sizes: Mapping[str, int]) -> bool:
    """Whether a size fits a dimension as far as that is known."""
    known = evaluate(dim, sizes)
    return not isinstance(known, int) or known == size
