"""NaN and infinities, which several of OpenVINO's kernels lose."""

from __future__ import annotations

from typing import Any

from nnir.model import Value
from nnir.operator import Operator
from nnir.ops import activation, attention, binary, conv, linear, norm, pool, shape, unary

from .emitter import Emitter, Operand, Ref

ARITHMETIC: frozenset[Operator[Any]] = frozenset(
    {
        *(conv.conv_2d, conv.conv_3d, conv.conv_2d_transpose, conv.conv_3d_transpose),
        *(linear.fully_connected, linear.mat_mul, linear.einsum, binary.add, binary.mul),
        *(norm.batch_normalization, norm.layer_normalization, norm.group_normalization),
        *(norm.instance_normalization, norm.rms_normalization, activation.relu, activation.swish),
        *(activation.gelu, activation.softmax, attention.safe_softmax, activation.hard_swish),
        *(activation.leaky_relu, activation.sigmoid, activation.tanh, activation.prelu),
        *(pool.max_pool, pool.max_pool_2d, pool.average_pool_2d, pool.average_pool),
    }
)
MOVES: frozenset[Operator[Any]] = frozenset(
    {
        *(shape.reshape, shape.reshape_exact, shape.transpose, shape.squeeze, shape.unsqueeze),
        *(shape.concat, shape.flatten, shape.split, shape.unstack, binary.sub, binary.div),
        *(unary.assign, shape.pad),
    }
)


def is_computed(value: Value) -> bool:
    """Whether arithmetic of a model made a value, which is fused into what comes after it.

    There a NaN or infinity is taken for an accident: what OpenVINO fuses would be torn apart by
    handling it. Where a value comes from outside it is handled.
    """
    for _ in range(4):
        made = value.producer
        if made is None:
            return False
        if made.operator in ARITHMETIC:
            return True
        first = made.inputs[0] if made.inputs else None
        if made.operator not in MOVES or first is None:
            return False
        value = first
    return False


def keep_nan(g: Emitter, input: Operand, result: Ref) -> Ref:
    """`result`, but NaN where the input is NaN, which integers are not."""
    if not g.take(input).is_float:
        return result
    return g.where(g.node("IsNaN", input), input, result)
