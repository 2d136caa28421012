"""What is computed while compiling: known sizes, constants."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nnir.dim import Dim, Expr
from nnir.errors import NoLowering
from nnir.model import Value
from nnir.types import Precision

from .kernels import HALVES


def numbers(shape: Sequence[Dim], what: str = "a tensor") -> tuple[int, ...]:
    """Sizes that are known; NoLowering where one is not."""
    found = tuple(d for d in shape if not isinstance(d, Expr))
    if len(found) < len(shape):
        text = ", ".join(map(str, shape))
        raise NoLowering(
            f"litert needs the sizes of {what} of [{text}]: fix them with --dim NAME=SIZE"
        )
    return found


def cast_data(data: np.ndarray, to: Precision) -> np.ndarray:
    """A constant in another type, as CAST computes it."""
    if to in HALVES:
        return data.astype(to.dtype).astype(np.float32)
    if to == Precision.BOOL8:
        return data != data.dtype.type(0)
    return data.astype(to.dtype)


def only_number(value: Value) -> float | None:
    """The number that an operand of one element is; None where it is not known."""
    known = value.constant
    return known.item() if known is not None and known.size == 1 else None
