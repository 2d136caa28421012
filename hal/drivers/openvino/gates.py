"""Arithmetic on a transposed attention, whose compilation may end the process.

OpenVINO makes one kernel of products, softmax, transpose and what is done to the result element by
element. Where another operand of that is computed element by element too, as a gate is, the pass
that joins both reads what is not there. With one axis more the attention is a kernel of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .division import is_constant
from .fusing import COMPARING

if TYPE_CHECKING:
    import openvino

ELEMENTWISE = COMPARING | {
    *("Add", "Divide", "Maximum", "Minimum", "Multiply", "PRelu", "Power", "Select", "Subtract"),
}
VIEWS = frozenset({"Reshape", "Squeeze", "Unsqueeze"})
RANK = 4
"""Of other ranks there is no such kernel."""


def joins_gate(op: str, operands: Sequence[openvino.Output]) -> bool:
    """Whether a node computes elements of a transposed attention and of what is not known yet."""
    if op not in ELEMENTWISE or not any(map(_is_attention, operands)):
        return False
    return sum(not is_constant(o) for o in operands) > 1


def has_kernel_rank(output: openvino.Output) -> bool:
    """Whether an output is of the rank, and of sizes, that such a kernel has."""
    shape = output.get_partial_shape()
    return shape.is_static and len(shape) == RANK


def _is_attention(output: openvino.Output) -> bool:
    node = _behind_views(output.get_node())
    if node.get_type_name() != "Transpose" or not has_kernel_rank(output):
        return False
    product = _behind_views(node.input_value(0).get_node())
    is_product = product.get_type_name() == "MatMul"
    return is_product and not any(map(is_constant, product.input_values()))


def _behind_views(node: openvino.Node) -> openvino.Node:
    while node.get_type_name() in VIEWS:
        node = node.input_value(0).get_node()
    return node
