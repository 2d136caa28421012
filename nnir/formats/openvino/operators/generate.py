"""Tensors made from numbers and sizes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ....errors import NoLowering
from ..elements import TYPES, Type
from ..graph import End
from ..operands import Alone, PlaceVector, Some
from ..schema import Table
from ..shapes import OPEN, Dimension, PartialShape, merge
from .elementwise import same_type
from .shape import sizes_in

table = Table()
F32 = TYPES["f32"]


def _range(start: Any, stop: Any, step: Any, *, output_type: Type) -> np.ndarray:
    return np.arange(float(start), float(stop), float(step))


@table.kind("Range", since=4, value=_range)
def range_(start: Alone, stop: Alone, step: Alone, *, output_type: Type) -> End:
    if step.values() == [0]:
        raise NoLowering("openvino: Range with a step of 0")
    bounds = [o.bounds for o in (start, stop, step)]
    known = [float(b[0]) for b in bounds if b is not None and b[0] == b[1]]
    if len(known) < 3 or not known[2]:
        return output_type, PartialShape([OPEN])
    first, last, by = known
    return output_type, PartialShape([max(math.ceil((last - first) / by), 0)])


@table.kind("RandomUniform", since=8)
def random_uniform(
    shape: PlaceVector,
    low: Some,
    high: Some,
    *,
    output_type: Type = F32,
    op_seed: int = 0,
    global_seed: int = 0,
    alignment: str = "tensorflow",
) -> End:
    same_type("RandomUniform", low, high)
    for bound in (low, high):
        merge(bound.shape.count(), Dimension(1), "bounds of RandomUniform")
    return output_type, PartialShape(sizes_in(shape, "RandomUniform"))
