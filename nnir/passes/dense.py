"""Matrix product plus bias as one FULLY_CONNECTED."""

from __future__ import annotations

import numpy as np

from ..model import Model, Operation, Value
from ..ops import binary, linear
from .rewrite import made_by, only_reader, rewrite, sweep


def _parts(operation: Operation) -> tuple[Value, np.ndarray, Value] | None:
    """(x, weight [in, out], bias [out]) of x @ weight + bias with a 2-D x."""
    if operation.operator is not binary.add:
        return None
    for product, bias in (operation.inputs, operation.inputs[::-1]):
        made = made_by(product, linear.mat_mul)
        if made is None or product is None or bias is None or only_reader(product) is not operation:
            continue
        x, weight = made.inputs
        if made.attributes["transpose_x"] or x is None or weight is None or x.rank != 2:
            continue
        if weight.constant is None or weight.rank != 2 or bias.constant is None or bias.rank != 1:
            continue
        matrix = weight.constant.T if made.attributes["transpose_y"] else weight.constant
        if bias.shape == matrix.shape[1:]:
            return x, matrix, bias
    return None


@rewrite(ensures=lambda model: all(_parts(o) is None for o in model.operations))
def fuse_dense(model: Model) -> bool:
    """Write a 2-D matrix product with constant weights plus a bias as FULLY_CONNECTED.

    Ensures: no such pair is left. The weight is the transposed view, not a copy.
    """
    modified = False
    for operation in list(model.operations):
        parts = _parts(operation)
        if parts is not None:
            x, matrix, bias = parts
            fused = linear.fully_connected(
                x, model.constant(matrix.T), bias, fuse_code=operation.attributes["fuse_code"]
            )
            model.replace(operation.outputs[0], fused)
            modified = True
    return sweep(model) or modified
