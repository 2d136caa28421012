"""TFLite's dense layers and products of matrices."""

from __future__ import annotations

from nnir.errors import BadType, Unsupported
from nnir.model import Value
from nnir.ops import index, linear, shape
from nnir.recipes.conv import no_bias
from nnir.recipes.linear import multiply_matrices

from ...table import Table
from .fused import activate

table = Table()


@table.convert("FULLY_CONNECTED")
def fully_connected(
    input: Value,
    weights: Value,
    bias: Value | None = None,
    *,
    fused_activation_function: str,
    weights_format: str,
    keep_num_dims: bool,
) -> Value:
    """The weights are [units, inputs]; without `keep_num_dims` the result has two axes."""
    if weights_format != "DEFAULT":
        raise Unsupported(f"FULLY_CONNECTED with weights_format={weights_format!r}")
    if weights.rank != 2:
        raise BadType(f"FULLY_CONNECTED with weights {weights.type}")
    units, width = weights.sizes
    if keep_num_dims and input.rank != 2:
        result = linear.mat_mul(input, weights, transpose_y=True)
        result = result if bias is None else result + shape.reshape(bias, [units])
        return activate(result, fused_activation_function)
    rows = input if input.rank == 2 and input.shape[1] == width else _rows(input, width)
    added = no_bias(rows, units) if bias is None else shape.reshape(bias, [units])
    result = linear.fully_connected(rows, weights, added)
    return activate(result, fused_activation_function)


def _rows(input: Value, width: int) -> Value:
    return shape.reshape(input, [-1, width])


table.convert("BATCH_MATMUL")(multiply_matrices)


@table.convert("EMBEDDING_LOOKUP")
def embedding_lookup(lookup: Value, value: Value) -> Value:
    return index.gather(value, lookup, axis=0)
