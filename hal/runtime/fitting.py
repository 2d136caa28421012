"""Whether arrays fit the inputs of a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nnir.dim import Expr, evaluate
from nnir.errors import BadInput

from .cache import End


def fitted(arrays: Sequence[Any], ends: Sequence[End]) -> tuple[np.ndarray, ...]:
    """The arrays as NumPy arrays; BadInput where precision, rank or a size does not fit.

    A named size is the same in all inputs.
    """
    sizes: dict[str, int] = {}
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


def _fits(size: int, dim: int | Expr, sizes: dict[str, int]) -> bool:
    """Whether a size fits a dimension; a lone symbol takes the first size it meets."""
    known = evaluate(dim, sizes)
    if isinstance(known, int):
        return known == size
    if len(known.terms) == 1 and known.terms[0][1] == 1 and len(known.terms[0][0]) == 1:
        sizes.setdefault(str(known), size)
    return True
