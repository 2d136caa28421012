"""Products."""

from __future__ import annotations

from ....errors import NoLowering
from ..graph import End, Output
from ..schema import Table
from ..shapes import Dimension, PartialShape, broadcast, merge
from .elementwise import same_type

table = Table()


@table.kind("MatMul")
def mat_mul(a: Output, b: Output, *, transpose_a: bool = False, transpose_b: bool = False) -> End:
    kind = same_type("MatMul", a, b)
    left, right = list(a.shape), list(b.shape)
    if not left or not right:
        raise NoLowering(f"openvino: MatMul of [{a.shape}] and [{b.shape}]")
    if len(left) == 1:
        left = [Dimension(1), *left]
    elif transpose_a:
        left[-2:] = left[:-3:-1]
    if len(right) == 1:
        right = [*right, Dimension(1)]
    elif transpose_b:
        right[-2:] = right[:-3:-1]
    merge(left[-1], right[-2], "operands of MatMul")
    first = broadcast(PartialShape(left[:-2]), PartialShape(right[:-2]), "operands of MatMul")
    rows = [] if len(a.shape) == 1 else [left[-2]]
    columns = [] if len(b.shape) == 1 else [right[-1]]
    return kind, PartialShape([*first, *rows, *columns])
