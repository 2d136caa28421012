"""Divisions that OpenVINO is told to do as such, not as products with a reciprocal."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from openvino import Output

EXACT = "nonconvertable_divide_0"
"""OpenVINO's mark of a division that it must not make a product with the reciprocal of."""


def is_divided_well(left: Output, right: Output) -> bool:
    """Whether OpenVINO's kernels do a division that is marked as exact.

    They divide by a constant that is to be divided, and lose elements of what is divided by a
    constant behind a reduction.
    """
    if is_constant(left):
        return False
    return not (is_constant(right) and is_reduced(left))


def is_reduced(output: Output, depth: int = 5) -> bool:
    """Whether a reduction is a few nodes away."""
    node = output.get_node()
    if node.get_type_name().startswith("Reduce"):
        return True
    return depth > 0 and any(is_reduced(i, depth - 1) for i in node.input_values())


def is_constant(output: Output, depth: int = 3) -> bool:
    """Whether an output is made of constants alone, a few nodes away at most."""
    node = output.get_node()
    if node.get_type_name() == "Constant":
        return True
    inputs = node.input_values() if depth else []
    return bool(inputs) and all(is_constant(i, depth - 1) for i in inputs)
