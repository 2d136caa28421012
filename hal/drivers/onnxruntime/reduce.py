"""Reductions and running sums along axes."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from nnir.broadcast import axes_of, ints
from nnir.errors import NoLowering
from nnir.model import Model, Value
from nnir.ops import reduce
from nnir.recipes.reduce import mean_by_sum, product_of_open_sizes
from nnir.types import Precision, TensorType

from ...lowering import Lowerings
from ...quirks import report_met
from . import cuda
from .binary import SIGNED, from_signed_order, to_signed_order
from .emitter import Emitter, Operand, Ref, Sizes
from .kernels import has_kernel
from .quirks import PRODUCTS_OF_INTEGERS, SUMS_OF_INT64, is_small_sum

table = Lowerings[Ref]()
table.decompose(reduce.reduce_mean, mean_by_sum)
table.decompose(reduce.reduce_prod, product_of_open_sizes)
POOL = "GlobalAveragePool"


def _axes(g: Emitter, axes: Value) -> Operand:
    """The axes as ONNX takes them: 1-D INT64, or nothing for all.

    Not negative: ONNX Runtime passes over those of a tensor without elements.
    """
    shape = g.operation.inputs[0].shape  # type: ignore[union-attr]  # what is reduced
    rank = max(len(shape), 1)
    if axes.constant is not None:
        known = axes.constant.ravel().astype(np.int64)
        return g.constant(known % rank) if known.size else None
    wide = g.cast(axes, Precision.INT64)
    wide = wide if axes.rank else g.unsqueeze(wide, 0)
    return wide if 0 not in shape else g.node("Mod", wide, g.constant(rank, np.int64))


Along = Annotated[Operand, _axes]


@table.lower(reduce.reduce_log_sum_exp)
def reduce_log_sum_exp(g: Emitter, input: Value, axes: Value, *, keepdim: bool) -> Ref:
    """ONNX Runtime's own takes the first element for the largest where it is -infinity, and then
    loses what is far below 0."""
    if input.is_float and 0 not in input.shape:
        raise NoLowering(f"onnxruntime's ReduceLogSumExp of {input.type} loses small numbers")
    return g.node("ReduceLogSumExp", input, _axes(g, axes), keepdims=keepdim)


@table.lower(reduce.reduce_prod)
def reduce_prod(g: Emitter, input: Value, axes: Along, *, keepdim: bool) -> Ref:
    if input.is_integer and 0 not in input.shape:
        report_met(PRODUCTS_OF_INTEGERS)
        raise NoLowering("onnxruntime multiplies integers along axes as float64")
    return g.node("ReduceProd", input, axes, keepdims=keepdim)


def _wrapping(g: Emitter, input: Value) -> Ref:
    """Integers that wrap: of INT32, where ONNX Runtime saturates, in INT64."""
    return g.cast(input, Precision.INT64) if input.precision == Precision.INT32 else g.take(input)


@table.lower(reduce.reduce_sum)
def reduce_sum(g: Emitter, input: Value, axes: Value, *, keepdim: bool) -> Ref:
    if input.precision not in WIDE or is_small_sum(input):
        return g.node("ReduceSum", _wrapping(g, input), _axes(g, axes), keepdims=keepdim)
    report_met(SUMS_OF_INT64)
    named = ints(axes)
    places = sorted(axes_of(named or range(input.rank), input.rank))
    is_known = named is not None and all(isinstance(input.shape[a], int) for a in places)
    if places and is_known and not any(input.shape[a] == 0 for a in places):
        return _sum_of_products(g, input, places, keepdim=keepdim)
    return _sum_of_halves(g, input, _axes(g, axes), keepdim=keepdim)


WIDE = frozenset({Precision.INT64, Precision.UINT64})


def _sum_of_products(g: Emitter, input: Value, along: list[int], *, keepdim: bool) -> Ref:
    """Each axis times ones: ONNX Runtime multiplies integers as integers."""
    perm = [*(a for a in range(input.rank) if a not in along), *along]
    result = g.node("Transpose", input, perm=perm)
    for axis in reversed(along):
        ones = g.constant(np.ones((int(input.shape[axis]), 1), input.dtype))  # type: ignore[arg-type]
        result = g.squeeze(g.node("MatMul", result, ones), -1)
    return g.unsqueeze(result, *along) if keepdim else result


def _sum_of_halves(g: Emitter, input: Value, along: Operand, *, keepdim: bool) -> Ref:
    """The upper and the lower 32 bits: up to two million of them, a float64 holds each sum."""
    wide, step = g.cast(input, Precision.INT64), 1 << 32
    low = wide % step
    halves = low, (wide - low) / step
    lower, upper = (g.node("ReduceSum", half, along, keepdims=keepdim) for half in halves)
    return upper * step + lower


WIDENED = frozenset({Precision.INT16, Precision.UINT16})
"""What ONNX Runtime has no order of and compares in a wider precision."""


@table.each({reduce.reduce_max: "ReduceMax", reduce.reduce_min: "ReduceMin"})
def _extreme(g: Emitter, name: str, input: Value, axes: Along, *, keepdim: bool) -> Ref:
    # ONNX Runtime refuses truth values of nothing, has no order of UINT64, and compares UINT32
    # that is widened to INT64 as INT32.
    if input.precision in SIGNED:
        if g.host and input.precision == Precision.UINT64:
            raise NoLowering("onnxruntime compares 64 bits as floats on CUDA")
        found = g.node(name, to_signed_order(g, input), axes, keepdims=keepdim)
        return from_signed_order(g, found, input.precision)
    if 0 in input.shape and input.precision in WIDENED:
        raise NoLowering(f"onnxruntime's {name} of {input.type} gives the bounds of INT32")
    wide = g.cast(input, Precision.UINT8) if input.precision == Precision.BOOL8 else input
    found = g.node(name, wide, axes, keepdims=keepdim)
    return (
        cuda.restore_infinity(g, name, input, axes, found) if g.host and input.is_float else found
    )


@table.lower(reduce.reduce_mean)
def reduce_mean(g: Emitter, input: Value, axes: Value, *, keepdim: bool) -> Ref:
    if input.precision in WIDE:
        raise NoLowering(f"onnxruntime computes the mean of {input.precision.name} in 53 bits")
    along = _axes(g, axes)
    if input.is_float and 0 in input.shape:  # ONNX Runtime gives 0 for the mean of nothing
        return g.node("ReduceSum", input, along, keepdims=keepdim) / 0
    if keepdim and input.rank == 4 and ints(axes) == (2, 3) and has_kernel(POOL, input.precision):
        return g.node(POOL, input)
    return g.node("ReduceMean", input, along, keepdims=keepdim)


@table.each({reduce.arg_max: "ArgMax", reduce.arg_min: "ArgMin"}, implied=["dtype"])
def _position(g: Emitter, name: str, input: Value, *, axis: int, keepdim: bool) -> Ref:
    ordered = to_signed_order(g, input) if input.precision in SIGNED else input
    return g.node(name, ordered, axis=axis, keepdims=keepdim)


@table.lower(reduce.cum_sum)
def cum_sum(g: Emitter, input: Value, axis: Sizes | None, *, exclusive: bool, reverse: bool) -> Ref:
    along = g.constant(-1, np.int64) if axis is None else axis
    return g.node("CumSum", input, along, exclusive=exclusive, reverse=reverse)


@table.lower(reduce.cum_prod)
def cum_prod(
    g: Emitter, input: Value, axis: Value | None, *, exclusive: bool, reverse: bool
) -> Ref:
    if 0 in input.shape:
        return g.node("Identity", input)  # Scan needs an element
    known = (-1,) if axis is None else ints(axis)
    if known is not None:
        return _running_product(g, input, known[0] % input.rank, exclusive, reverse)
    at = g.reshape(g.int64(axis))
    result = _running_product(g, input, 0, exclusive, reverse)
    for k in range(1, input.rank):  # the axis is only known while running: choose among all
        other = _running_product(g, input, k, exclusive, reverse)
        result = g.where(at.equal(k) | at.equal(k - input.rank), other, result)
    return result


def _running_product(g: Emitter, input: Value, axis: int, exclusive: bool, reverse: bool) -> Ref:
    """A Scan along the axis that carries the product."""
    rest = tuple(d for k, d in enumerate(input.shape) if k != axis)
    body = Model("product")
    state = body.input("state", TensorType(input.precision, rest))
    element = body.input("element", TensorType(input.precision, rest))
    body.outputs = [state * element]
    body.outputs.append(state if exclusive else body.outputs[0])
    sizes = g.dims(input)
    others = g.ints(*(k for k in range(input.rank) if k != axis))
    one = g.constant(np.ones((), input.dtype))
    start = g.node("Expand", one, g.node("Gather", sizes, others, axis=0))
    made = g.node(
        "Scan",
        start,
        input,
        outputs=2,
        body=g.loop_body(body, 2, (), counts=False),
        num_scan_inputs=1,
        scan_input_axes=[axis],
        scan_input_directions=[int(reverse)],
        scan_output_axes=[axis],
        scan_output_directions=[int(reverse)],
    )
    return made[1].seen_as(input.precision)
