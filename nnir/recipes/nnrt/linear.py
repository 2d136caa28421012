"""NNRt's matrix products."""

from __future__ import annotations

from ... import build
from ...broadcast import axis_of
from ...errors import BadType
from ...model import Value
from ...ops import linear
from ..conv import zero_bias
from . import Recipes
from .activating import activate


def matmul(
    input1: Value, input2: Value, *, transpose_x: bool, transpose_y: bool, activation_type: int
) -> Value:
    """Products of stacks of matrices, whose last two axes may be swapped first."""
    made = linear.mat_mul(input1, input2, transpose_x=transpose_x, transpose_y=transpose_y)
    return activate(made, activation_type)


def full_connection(
    input: Value,
    weight: Value,
    bias: Value | None = None,
    *,
    has_bias: bool | None = None,
    activation_type: int,
    axis: int | None = None,
    use_axis: bool | None = None,
) -> Value:
    """Rows of the input by the weight [units, inputs].

    With an axis, all from it on is one row, and the axes before it stay; without, the result is a
    matrix.
    """
    if weight.rank != 2:
        raise BadType(f"FULL_CONNECTION with {weight.type}: [units, inputs] is accepted")
    if axis is not None and use_axis is False:
        raise BadType(f"FULL_CONNECTION with axis={axis} and useAxis=false")
    if has_bias and bias is None:
        raise BadType("FULL_CONNECTION with hasBias=true has no bias")
    units, columns = weight.sizes
    shift = bias if bias is not None and has_bias is not False else zero_bias(weight, 0, 1)
    lead: list[build.Size] = [-1]
    if axis is not None or use_axis:
        lead = build.sizes_of(input)[: axis_of(axis or 0, input.rank)]
    rows = build.reshape(input, [-1, columns])
    made = activate(linear.fully_connected(rows, weight, shift), activation_type)
    return made if lead == [-1] else build.reshape(made, [*lead, units])


RECIPES: Recipes = {
    "FULL_CONNECTION": full_connection,
    "MATMUL": matmul,
}
