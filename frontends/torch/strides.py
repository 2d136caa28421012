"""Whether a reshape shares memory: a question to the strides that an export recorded."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nnir.dim import Dim

Dims = Sequence[Dim]


def is_contiguous(sizes: Dims, strides: Dims) -> bool:
    """Whether the elements lie in memory in order; axes of size 1 do not matter."""
    step: Dim = 1
    for size, stride in zip(reversed(sizes), reversed(strides), strict=True):
        if size != 1 and stride != step:
            return False
        step = step * size
    return True


def is_view(sizes: Dims, strides: Dims, target: Dims) -> bool | None:
    """Whether a reshape to `target` needs no copy; None where the sizes do not tell."""
    if is_contiguous(sizes, strides):
        return True
    known = [[d for d in dims if isinstance(d, int)] for dims in (sizes, strides, target)]
    if [len(k) for k in known] != [len(d) for d in (sizes, strides, target)]:
        return None
    if 0 in sizes:
        return True
    memory = np.lib.stride_tricks.as_strided(
        np.empty(0, np.uint8), known[0], known[1], writeable=False
    )
    try:
        memory.view().shape = tuple(known[2])  # NumPy has the same rule, and refuses to copy
    except AttributeError:
        return False
    return True
