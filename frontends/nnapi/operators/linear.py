"""NNAPI's dense layers."""

from __future__ import annotations

from nnir.model import Value
from nnir.ops import linear, shape

from ...table import Table
from .fused import activate

table = Table()


@table.convert("FULLY_CONNECTED")
def fully_connected(input: Value, weights: Value, bias: Value, *, fuse_code: int) -> Value:
    """The weights are [units, inputs]; the input is flattened to rows of inputs."""
    (width,) = weights.sizes[1:]
    fits = input.rank == 2 and input.shape[1] == width
    rows = input if fits else shape.reshape(input, [-1, width])
    return activate(linear.fully_connected(rows, weights, bias), fuse_code)
