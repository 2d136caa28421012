"""Whether arrays fit the inputs of a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from nnir.errors import BadInput
from nnir.fitting import is_of, named_sizes

from .cache import End

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def fit_arrays(arrays: Sequence[ArrayLike], ends: Sequence[End]) -> tuple[np.ndarray, ...]:
    """The arrays as NumPy arrays; BadInput where precision, rank or a size does not fit.

    A named size is the same in all inputs.
    """
    found = [np.asarray(given) for given in arrays]
    sizes = named_sizes([type for _, type in ends], [array.shape for array in found])
    for array, (name, type) in zip(found, ends, strict=True):
        if array.dtype != type.dtype:
            raise BadInput(f"input {name!r} is {array.dtype}, not {type.dtype}")
        if not is_of(type, array.shape, sizes):
            raise BadInput(f"input {name!r} has shape {list(array.shape)}, not {type}")
    return tuple(found)
