"""Which operators work on quantised operands, and on which: the standard's own list."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..model import Operation, Operator, Value
from ..ops import (
    activation,
    binary,
    compare,
    conv,
    detection,
    generate,
    index,
    linear,
    logic,
    norm,
    pool,
    quant,
    reduce,
    resize,
    shape,
    sort,
    unary,
)
from ..records import dataclass


@dataclass(frozen=True)
class Role:
    """What an operator reads as quantised numbers; its other operands stay what they are.

    `data`: the operands that are computed with or moved, by name. `weights`: the one among them
    that may have a scale for each entry of `axis`. `bias`: an operand that is added to products, as
    INT32 in their steps or as FLOAT32. `moves`: results are numbers that are among the data.
    """

    data: tuple[str, ...] = ("input",)
    weights: str | None = None
    axis: int | None = None
    bias: str | None = None
    moves: bool = False


def _each(role: Any, *operators: Operator[Any]) -> dict[Operator[Any], Any]:
    return dict.fromkeys(operators, role)


ROLES: Mapping[Operator[Any], Role] = {
    conv.conv_2d: Role(("input", "filter"), "filter", 0, "bias"),
    conv.conv_2d_transpose: Role(("input", "filter"), "filter", 1, "bias"),
    conv.deformable_conv_2d: Role(("input", "filter"), "filter", 0, "bias"),
    linear.fully_connected: Role(("input", "weight"), "weight", 0, "bias"),
    linear.mat_mul: Role(("x", "y")),
    **_each(
        Role(("input0", "input1")),
        *(binary.add, binary.sub, binary.mul, binary.div, binary.max_, binary.min_),
        *(binary.pow_, binary.floor_div, compare.where),
    ),
    **_each(
        Role(),
        *(activation.relu, activation.relu6, activation.leaky_relu, activation.prelu),
        *(activation.sigmoid, activation.tanh, activation.softmax, activation.log_softmax),
        *(activation.hard_sigmoid, activation.hard_swish, activation.swish, activation.gelu),
        *(activation.clip, activation.softplus, binary.sum_, unary.abs_, unary.cos, unary.exp),
        *(unary.floor, unary.log, unary.rsqrt, unary.sin, unary.square),
        *(pool.average_pool_2d, pool.max_pool_2d, sort.top_k),
        *(pool.adaptive_average_pool_2d, pool.adaptive_max_pool_2d),
        *(reduce.reduce_mean, reduce.reduce_max, reduce.reduce_sum, reduce.cum_sum),
        *(norm.batch_normalization, norm.instance_normalization, norm.group_normalization),
        *(norm.layer_normalization, norm.lp_normalization),
        *(resize.resize_linear, resize.grid_sample, detection.roi_align, shape.pad),
    ),
    **_each(
        Role(moves=True),
        *(shape.reshape, shape.transpose, shape.squeeze, shape.unsqueeze, shape.flatten),
        *(shape.concat, shape.stack, shape.split, shape.unstack, shape.expand, shape.tile),
        *(index.gather, index.slice_, index.roll, index.channel_shuffle, unary.assign),
        *(resize.resize_nearest, generate.meshgrid),
    ),
}
"""Every operator of the standard whose text lists quantised operands and a result like them."""

KEPT: Mapping[Operator[Any], str] = {
    **_each(
        "truth values have no scale",
        *(compare.equal, compare.not_equal, compare.greater, compare.greater_equal),
        *(compare.less, compare.less_equal),
        *(logic.and_, logic.or_, logic.not_, logic.xor),
    ),
    **_each("positions and sizes have no scale", reduce.arg_max, reduce.arg_min, shape.shape),
    **_each("it is the border between real numbers and integers", quant.quantize, quant.dequantize),
    **_each("its result is of the precision that it names", unary.cast),
    **_each(
        "it makes numbers of its own, without scales",
        *(generate.fill, generate.fill_like, generate.range_),
    ),
    **_each(
        "the standard has it for real numbers alone",
        *(norm.lrn, detection.non_max_suppression, detection.prior_box, detection.yolo_box),
    ),
}
"""Why the other operators of the standard compute with real numbers."""


def reason_against(operator: Operator[Any]) -> str | None:
    """Why an operator does not take part; None where it does."""
    if operator in ROLES:
        return None
    name = operator.name
    return f"{name}: {KEPT.get(operator, 'no operator of the standard, but an extension')}"


def operands_named(operation: Operation, names: tuple[str, ...]) -> list[Value]:
    """The operands with these names; of a variadic one all."""
    operator = operation.operator
    if operator.variadic in names:
        return [v for v in operation.inputs[len(operator.tensors) :] if v is not None]
    places = [operator.tensors.index(n) for n in names]
    return [v for v in (operation.inputs[p] for p in places) if v is not None]
