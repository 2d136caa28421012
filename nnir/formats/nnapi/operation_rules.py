"""What an operation says of its numbers: activations, strides, scales."""

from __future__ import annotations

import math
from collections.abc import Callable

from .binding import Bound
from .rules import require
from .structures import FusedActivation, Operand, OperandType, OperationType, PaddingScheme

Check = Callable[[Bound], None]

PROBABILITIES = (1 / 256, 0)
"""Scale and zero point of what lies between 0 and 1."""
CELL_ACTIVATIONS = frozenset({0, 1, 3, 4, 6})
PROJECTIONS = frozenset({1, 2})
INPUT_GATE = ("input_to_input_weights", "recurrent_to_input_weights", "input_gate_bias")
PEEPHOLES = ("cell_to_forget_weights", "cell_to_output_weights")
QUANT = OperandType.TENSOR_QUANT8_ASYMM
CLOSE = 1e-5
"""Scales that are products were rounded to float32 twice."""


def check_numbers(bound: Bound) -> None:
    """BadModel where a scalar that is known, or a scale, is not what the operation takes."""
    for name, check in SCALARS.items():
        if name in bound and bound.number(name) is not None:
            check(bound)
    for more in OPERATIONS.get(bound.type, ()):
        more(bound)


def at_least(name: str, least: int, rule: str) -> Check:
    """A scalar of at least so much."""

    def check(bound: Bound) -> None:
        value = bound.number(name)
        require(value >= least, rule, f"{bound.type.name} with {name} {value}")

    return check


def one_of(name: str, allowed: frozenset[int], rule: str) -> Check:
    """A scalar that is one of a few numbers."""

    def check(bound: Bound) -> None:
        value = bound.number(name)
        require(value in allowed, rule, f"{bound.type.name} with {name} {value}")

    return check


def threshold(name: str) -> Check:
    """A scalar of at least 0."""

    def check(bound: Bound) -> None:
        value = bound.number(name)
        require(value >= 0, "clip", f"{bound.type.name} with {name} {value}")

    return check


SIDES = ("padding_left", "padding_right", "padding_top", "padding_bottom")
SCALARS: dict[str, Check] = {
    "fuse_code": one_of("fuse_code", frozenset(FusedActivation), "fused-activation"),
    "padding_scheme": one_of("padding_scheme", frozenset(PaddingScheme), "padding-scheme"),
    **{n: at_least(n, 0, "padding") for n in SIDES},
    **{n: at_least(n, 1, "stride") for n in ("stride_width", "stride_height")},
    **{n: at_least(n, 1, "filter-size") for n in ("filter_width", "filter_height")},
    **{n: at_least(n, 1, "new-size") for n in ("new_width", "new_height")},
    "block_size": at_least("block_size", 1, "block-size"),
    "radius": at_least("radius", 0, "radius"),
    "activation": one_of("activation", CELL_ACTIVATIONS, "cell-activation"),
    **{n: threshold(n) for n in ("cell_clip", "proj_clip")},
    "type": one_of("type", PROJECTIONS, "lsh-type"),
}
"""By the name of an argument, which means the same in every operation."""


def check_pool_padding(bound: Bound) -> None:
    """No window of a pool lies in the padding alone."""
    for side, length in zip(SIDES, ("filter_width",) * 2 + ("filter_height",) * 2, strict=True):
        pad, extent = bound.number(side), bound.number(length)
        if pad is not None and extent is not None:
            found = f"{bound.type.name} with {side} {pad} of a filter of {extent}"
            require(pad < extent, "padding", found)


def check_weighted(bound: Bound) -> None:
    """The scales of a sum of products."""
    names = bound.inputs
    weights = bound.operand("filter" if "filter" in names else "weights")
    x, bias = bound.operand("input"), bound.operand("bias")
    if x.type != QUANT:
        return
    product = x.scale * weights.scale
    found = f"{bound.type.name} with a bias of scale {bias.scale} for {x.scale} * {weights.scale}"
    require(math.isclose(bias.scale, product, rel_tol=CLOSE), "bias-scale", found)
    check_product(bound, x, weights)


def check_product(bound: Bound, a: Operand, b: Operand) -> None:
    """The scale of a product is above that of its factors."""
    scale = bound.output().scale
    found = f"{bound.type.name} of scales {a.scale} and {b.scale} to {scale}"
    require(scale > a.scale * b.scale, "product-scale", found)


def check_multiplied(bound: Bound) -> None:
    """The scales of MUL."""
    if bound.output().type == QUANT:
        check_product(bound, bound.operand("input0"), bound.operand("input1"))


def check_joined(bound: Bound) -> None:
    """What is joined has one scale."""
    scales = {(o.scale, o.zero_point) for o in bound.operands("input")}
    require(len(scales) == 1, "equal-scales", f"CONCATENATION of {sorted(scales)}")


def check_probabilities(bound: Bound) -> None:
    """What lies between 0 and 1 has a scale of its own."""
    out = bound.output()
    if out.type == QUANT:
        found = f"{bound.type.name} to the scale {out.scale} and zero point {out.zero_point}"
        require((out.scale, out.zero_point) == PROBABILITIES, "fixed-scale", found)


def check_softmax(bound: Bound) -> None:
    """Two or four axes, a positive factor."""
    rank, beta = len(bound.shape("input")), bound.number("beta")
    require(rank != 3, "rank", "SOFTMAX with input of 3 dimensions")
    if beta is not None:
        require(beta > 0, "beta", f"SOFTMAX with beta {beta}")
    check_probabilities(bound)


def check_hits(bound: Bound) -> None:
    """Whether a key is there counts in ones."""
    hits = bound.output(1)
    found = f"HASHTABLE_LOOKUP with hits of scale {hits.scale}, zero point {hits.zero_point}"
    require((hits.scale, hits.zero_point) == (1, 0), "hit-scale", found)


def check_copied(bound: Bound) -> None:
    """Rows of a table keep the scale of the table."""
    name = "values"
    table, out = bound.operand(name), bound.output()
    found = f"{bound.type.name} of rows of scale {table.scale} to {out.scale}"
    alike = (table.scale, table.zero_point) == (out.scale, out.zero_point)
    require(alike, "equal-scales", found)


def check_lrn(bound: Bound) -> None:
    """A bias keeps the divisor away from 0."""
    bias = bound.number("bias")
    if bias is not None:
        require(bias != 0, "lrn-bias", f"LOCAL_RESPONSE_NORMALIZATION with bias {bias}")


def check_cell(bound: Bound) -> None:
    """What is optional in a cell goes together."""
    gate = {n for n in INPUT_GATE if n in bound}
    found = f"LSTM with {', '.join(sorted(gate))} alone of the input gate"
    require(len(gate) in (0, len(INPUT_GATE)), "together", found)
    peepholes = {n for n in PEEPHOLES if n in bound}
    found = f"LSTM with {', '.join(sorted(peepholes))} alone of the peepholes"
    require(len(peepholes) in (0, len(PEEPHOLES)), "together", found)
    inner = "cell_to_input_weights" in bound
    found = f"LSTM {'with' if inner else 'without'} cell_to_input_weights"
    require(inner == bool(gate and peepholes), "together", found)
    lone = "projection_bias" in bound and "projection_weights" not in bound
    require(not lone, "together", "LSTM with projection_bias alone of the projection")


OPERATIONS: dict[OperationType, tuple[Check, ...]] = {
    **dict.fromkeys(
        (OperationType.AVERAGE_POOL_2D, OperationType.MAX_POOL_2D, OperationType.L2_POOL_2D),
        (check_pool_padding,),
    ),
    **dict.fromkeys(
        (OperationType.CONV_2D, OperationType.DEPTHWISE_CONV_2D, OperationType.FULLY_CONNECTED),
        (check_weighted,),
    ),
    OperationType.MUL: (check_multiplied,),
    OperationType.CONCATENATION: (check_joined,),
    OperationType.LOGISTIC: (check_probabilities,),
    OperationType.SOFTMAX: (check_softmax,),
    OperationType.EMBEDDING_LOOKUP: (check_copied,),
    OperationType.HASHTABLE_LOOKUP: (check_copied, check_hits),
    OperationType.LOCAL_RESPONSE_NORMALIZATION: (check_lrn,),
    OperationType.LSTM: (check_cell,),
}
