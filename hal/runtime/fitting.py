"""Whether arrays fit the inputs of a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from nnir.dim import symbols_of
from nnir.errors import BadInput
from nnir.fitting import is_of, named_sizes
from nnir.model import Model

from .cache import End, Ranges

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def ranges_of(model: Model) -> Ranges:
    """The limits of the sizes of a model's inputs, where there are any."""
    given = {n for v in model.inputs for d in v.shape for n in symbols_of(d)}
    limited = ((n, r) for n, r in model.symbols.items() if n in given)
    return {name: (low, high) for name, (low, high) in limited if low > 0 or high is not None}


def fit_arrays(
    arrays: Sequence[ArrayLike], ends: Sequence[End], ranges: Ranges
) -> tuple[np.ndarray, ...]:
    """The arrays as NumPy arrays; BadInput where precision, rank or a size does not fit.

    A named size is the same in all inputs, and in its range.
    """
    found = [np.asarray(given) for given in arrays]
    sizes = named_sizes([type for _, type in ends], [array.shape for array in found])
    for array, (name, type) in zip(found, ends, strict=True):
        if array.dtype != type.dtype:
            raise BadInput(f"input {name!r} is {array.dtype}, not {type.dtype}")
        if not is_of(type, array.shape, sizes):
            raise BadInput(f"input {name!r} has shape {list(array.shape)}, not {type}")
    for name, (low, high) in ranges.items():
        size = sizes.get(name, low)
        if size < low or (high is not None and size > high):
            limits = f"at least {low}" if high is None else f"from {low} to {high}"
            raise BadInput(f"{name} is {size}: the model is for {limits}")
    return tuple(found)
