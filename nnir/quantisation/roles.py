"""What an operation means for numbers that become integers."""

from __future__ import annotations

from typing import Any

from ..errors import BadModel
from ..model import Operation, Operator, Value
from ..ops import activation, binary, conv, index, linear, pool, reduce, resize, shape
from ..types import Precision

PRODUCTS: frozenset[Operator] = frozenset(
    {conv.conv_2d, conv.conv_2d_transpose, conv.conv_3d, linear.fully_connected, linear.mat_mul}
)
"""Sums of products, where nearly all the time goes."""

ARITHMETIC: frozenset[Operator] = frozenset(
    {
        *(binary.add, binary.sub, binary.mul),
        *(pool.average_pool_2d, pool.adaptive_average_pool_2d, reduce.reduce_mean),
        *(activation.relu, activation.relu6, activation.leaky_relu, activation.hard_swish),
        resize.resize_linear,
    }
)
"""What gives numbers in a range that data tells."""

RESULTS: frozenset[Operator] = frozenset({activation.softmax, activation.sigmoid, activation.tanh})
"""What gives numbers in a range that is known."""

TABLES: frozenset[Operator] = frozenset({activation.gelu, activation.elu})
"""What kernels of 8 bits look up in a table."""

OTHER_WINDOWS: frozenset[Operator] = frozenset({conv.conv_2d_transpose, conv.conv_3d})
"""Convolutions that not every engine has in integers."""

INTEGER_NNAPI: frozenset[Operator] = frozenset(
    {
        *(conv.conv_2d, linear.fully_connected, linear.mat_mul, binary.add, binary.mul),
        *(pool.average_pool_2d, pool.adaptive_average_pool_2d, reduce.reduce_mean),
        *(activation.relu, activation.relu6, activation.softmax, activation.sigmoid),
    }
)
"""What the 29 operations of NNAPI 1.0 compute with integers."""

MOVEMENTS: frozenset[Operator[Any]] = frozenset(
    {
        *(shape.reshape, shape.reshape_exact, shape.transpose, shape.squeeze, shape.unsqueeze),
        *(shape.flatten, shape.concat, shape.stack, shape.split, shape.unstack, shape.expand),
        *(shape.tile, index.gather, index.slice_, index.channel_shuffle, index.roll),
        *(pool.max_pool_2d, resize.resize_nearest, shape.pad),
    }
)
"""What gives some of the numbers that it is given, in another order."""

JOINTS: frozenset[Operator] = frozenset({shape.concat, shape.stack})
"""Movements of several operands."""

FILTER_AXES: dict[Operator, int] = {
    conv.conv_2d: 0,
    conv.conv_3d: 0,
    linear.fully_connected: 0,
}
"""Which axis of the weights numbers the results."""

BIASED: frozenset[Operator] = PRODUCTS - {linear.mat_mul}
"""Products with a third operand that is added."""

FIXED: dict[Operator, tuple[float, int]] = {
    activation.softmax: (1 / 256, -128),
    activation.sigmoid: (1 / 256, -128),
    activation.tanh: (1 / 128, 0),
}
"""Scales and INT8 zero points of results in a known range, as integer kernels have them."""


def data_of(operation: Operation) -> tuple[Value, ...]:
    """The operands of an operation that are numbers to compute with or to move."""
    operator, inputs = operation.operator, operation.inputs
    if operator in JOINTS:
        return tuple(v for v in inputs if v is not None)
    pair = (linear.mat_mul, binary.add, binary.sub, binary.mul)
    count = 2 if operator in PRODUCTS or operator in pair else 1
    found = tuple(v for v in inputs[:count] if v is not None)
    if len(found) < count:
        raise BadModel(f"{operator.name} without one of its first {count} operands")
    return found


def weights_of(operation: Operation) -> Value | None:
    """The constant operand of a product; None where both are computed."""
    if operation.operator not in PRODUCTS:
        return None
    first, second = data_of(operation)
    if second.constant is not None:
        return second
    return first if first.constant is not None else None


def filter_axis(operation: Operation, weights: Value) -> int | None:
    """The axis of the weights that may have a scale for each entry; None where none may."""
    operator, attributes = operation.operator, operation.attributes
    if operator in FILTER_AXES:
        return FILTER_AXES[operator]
    if operator is conv.conv_2d_transpose:
        return 1 if attributes["group"] == 1 else None
    if weights.rank < 2:
        return None
    is_second = weights is operation.inputs[1]
    flips = attributes["transpose_y" if is_second else "transpose_x"]
    return weights.rank - (2 if is_second == flips else 1)


def summed_axis(operation: Operation, weights: Value) -> int | None:
    """The axis of a matrix of weights along which products are added; None where there is none."""
    axis = filter_axis(operation, weights)
    if axis is None or operation.operator not in (linear.fully_connected, linear.mat_mul):
        return None
    return 2 * weights.rank - 3 - axis


def bias_of(operation: Operation) -> Value | None:
    """The known operand that is added to a product."""
    if operation.operator not in BIASED or len(operation.inputs) < 3:
        return None
    found = operation.inputs[2]
    return found if found is not None and found.constant is not None else None


def is_movement(operation: Operation) -> bool:
    """Whether an operation gives numbers that it is given."""
    if operation.operator not in MOVEMENTS:
        return False
    if operation.operator is pool.max_pool_2d:
        return not operation.attributes["return_indices"] and not operation.attributes["fuse_code"]
    if operation.operator is shape.pad:
        fill = operation.inputs[2]
        return fill is None or (fill.constant is not None and not fill.constant.any())
    return data_of(operation)[0].precision == Precision.FLOAT32
