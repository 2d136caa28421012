"""Sizes that are open in a model: they may be what an operation wants when it runs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ... import build
from ...dim import Dim, Expr
from ...errors import Unsupported
from ...model import Value
from ...ops import shape as shapes


def with_sizes(value: Value, shape: Sequence[Dim], sizes: Sequence[build.Size]) -> Value:
    """A value whose open sizes are those of a shape; running fails where they are others.

    One size follows from the number of elements; of several, all but one are those of a tensor of
    no elements that is joined. Unsupported where the shape says less than that.
    """
    if value.shape == tuple(shape):
        return value
    first, *others = [k for k, d in enumerate(value.shape) if isinstance(d, Expr)]
    if others:
        empty = [0 if k == first else d for k, d in enumerate(shape)]
        if any(isinstance(d, Expr) for d in empty):
            raise Unsupported(f"{value.type}, of which several sizes are to be {list(shape)}")
        nothing = value.model.constant(np.zeros(empty, value.dtype))
        value = shapes.concat(value, nothing, axis=first)
    return build.reshape(value, sizes)
