"""Channels behind a product with a constant matrix, which OpenVINO takes for its columns.

What follows such a product becomes a part of it, with one number for each column. OpenVINO holds
axis 1 for that of the columns, where the product has rank 4 or more.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .above import BODIES
from .division import is_constant

if TYPE_CHECKING:
    import openvino

ARITHMETIC = frozenset({"Add", "BatchNormInference", "Divide", "Multiply", "Subtract"})
"""What becomes a part of a product, as PRelu does, of which it is so for known sizes too."""

APART = frozenset(
    {
        "AvgPool",
        "Convolution",
        "ConvolutionBackpropData",
        "GroupConvolution",
        "MatMul",
        "MaxPool",
        "ShapeOf",
    }
)
"""What computes between a product and what follows, so that they are not joined."""


class Products:
    """The products with constants of a graph in the making, and what may become a part of one."""

    def __init__(self) -> None:
        self.known: dict[tuple[str, int], bool] = {}

    def reach(self, output: openvino.Output) -> bool:
        """Whether an output may become a part of one. A Transpose between keeps them apart, of two
        nothing may be left. What was found of a node is not looked for again."""
        first = output.get_node()
        reached, seen = [(first, 0)], set()
        while reached:
            node, turns = reached.pop()
            place = node.get_name(), turns
            known = self.known.get(place)
            if known or (known is None and _is_product(node, turns)):
                self.known[first.get_name(), 0] = True
                return True
            name = node.get_type_name()
            if known is False or name in APART or place in seen:
                continue
            seen.add(place)
            above = min(turns + (name == "Transpose"), 2)
            reached += [(v.get_node(), above) for v in node.input_values()]
        self.known |= dict.fromkeys(seen, False)
        return False


def _is_product(node: openvino.Node, turns: int) -> bool:
    """Whether what is behind a node, and behind so many transposes, may become a part of it."""
    name = node.get_type_name()
    if name in BODIES:
        return True
    return name == "MatMul" and turns != 1 and any(map(is_constant, node.input_values()))


def scales_channels(op: str, operands: Sequence[openvino.Output]) -> bool:
    """Whether a node is arithmetic of data, of rank 4 and more and of open sizes, with constants
    that have one number for each channel."""
    if op not in ARITHMETIC or all(o.get_partial_shape().is_static for o in operands):
        return False  # of known sizes all are right
    data, *given = sorted(operands, key=is_constant) if len(operands) == 2 else operands
    shape = data.get_partial_shape()
    rank = None if shape.rank.is_dynamic else shape.rank.get_length()
    if shape.is_static or (rank is not None and rank < 4):
        return False
    return all(map(is_constant, given)) and (len(given) > 1 or _is_along_channels(given[0], rank))


def _is_along_channels(constant: openvino.Output, rank: int | None) -> bool:
    """Whether it has one number for each channel; it may where sizes, or the rank of the data, are
    not known yet."""
    sizes = list(constant.get_partial_shape())
    if any(n.is_dynamic for n in sizes):
        return True
    many = [k for k, n in enumerate(sizes, (rank or 0) - len(sizes)) if n.get_length() > 1]
    return many == [1] if rank else len(many) == 1 and len(sizes) > 2
