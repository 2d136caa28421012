"""Reductions over axes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ....errors import NoLowering
from ..graph import End, Output
from ..operands import Axes
from ..schema import Table
from ..shapes import OPEN, PartialShape
from ..values import INTERVALS, move_first
from .elementwise import BOOLEAN
from .shape import axes_in, length

table = Table()


def _reduce_shape(name: str, data: Output, axes: Output, *, keep_dims: bool) -> PartialShape:
    rank = len(data.shape)
    known = axes_in(axes, rank, name)
    if known is None:
        count = length(axes, name)
        return PartialShape([OPEN] * (rank if keep_dims or not count else rank - count))
    if keep_dims:
        return PartialShape(1 if k in known else d for k, d in enumerate(data.shape))
    return PartialShape(d for k, d in enumerate(data.shape) if k not in known)


def _reduction(name: str, *, logical: bool = False, value: Any = None) -> None:
    @table.kind(name, value=value)
    def rule(data: Output, axes: Axes, *, keep_dims: bool = False) -> End:
        if (data.type == BOOLEAN) != logical:
            raise NoLowering(f"openvino: {name} of {data.type.name}")
        return data.type, _reduce_shape(name, data, axes, keep_dims=keep_dims)


def _by(function: Callable[..., Any]) -> Callable[..., np.ndarray]:
    def reduce(data: np.ndarray, axes: np.ndarray, *, keep_dims: bool) -> np.ndarray:
        places = tuple(int(a) for a in axes.reshape(-1))
        return np.asarray(function(data, axis=places, keepdims=keep_dims))

    INTERVALS[reduce] = move_first
    return reduce


_reduction("ReduceSum", value=_by(np.sum))
_reduction("ReduceProd", value=_by(np.prod))
_reduction("ReduceMax", value=_by(np.max))
_reduction("ReduceMin", value=_by(np.min))
_reduction("ReduceMean")
_reduction("ReduceLogicalAnd", logical=True, value=_by(np.all))
_reduction("ReduceLogicalOr", logical=True, value=_by(np.any))
