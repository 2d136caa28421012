"""TensorFlow's logic on bools and bits."""

from __future__ import annotations

import numpy as np

from nnir.model import Value
from nnir.ops import activation, logic

from ..table import Table

table = Table()
table.same(
    {
        "BitwiseAnd": logic.bitwise_and,
        "BitwiseOr": logic.bitwise_or,
        "BitwiseXor": logic.bitwise_xor,
        "Invert": logic.bitwise_not,
        "LogicalAnd": logic.and_,
        "LogicalNot": logic.not_,
        "LogicalOr": logic.or_,
    }
)


def _steps(x: Value, y: Value) -> Value:
    """How far TensorFlow shifts: what lies outside the width counts as its ends."""
    lowest, highest = (
        x.model.constant(np.array(n, x.dtype)) for n in (0, 8 * x.dtype.itemsize - 1)
    )
    return activation.clip(y, lowest, highest)


@table.convert("LeftShift")
def left_shift(x: Value, y: Value) -> Value:
    return logic.bit_shift(x, _steps(x, y), left=True)


@table.convert("RightShift")
def right_shift(x: Value, y: Value) -> Value:
    return logic.bit_shift(x, _steps(x, y), left=False)
