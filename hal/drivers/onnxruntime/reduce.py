"""Reductions and running sums along axes."""

from __future__ import annotations

import numpy as np

from nnir.broadcast import axes_of, ints
from nnir.dim import Expr
from nnir.errors import NoLowering
from nnir.model import Model, Value
from nnir.ops import binary, reduce, unary
from nnir.types import Precision, TensorType

from ...lowering import Lowerings
from ...quirks import report_met
from . import proto
from .binary import SIGNED, from_signed_order, to_signed_order
from .emitter import Emitter, Operand, Ref
from .kernels import has_kernel
from .quirks import SUMS_OF_INT64

table = Lowerings[Ref]()
POOL = "GlobalAveragePool"


def _axes(g: Emitter, input: Value, axes: Value) -> Operand:
    """The axes as ONNX takes them: 1-D INT64, or nothing for all.

    Not negative: ONNX Runtime passes over those of a tensor without elements.
    """
    if axes.constant is not None:
        known = axes.constant.ravel().astype(np.int64)
        return g.constant(known % max(input.rank, 1)) if known.size else None
    wide = g.cast(axes, Precision.INT64)
    wide = wide if axes.rank else g.node("Unsqueeze", wide, g.ints(0))
    if 0 not in input.shape:
        return wide
    return g.node("Mod", wide, g.constant(max(input.rank, 1), np.int64))


@table.lower(reduce.reduce_log_sum_exp)
def reduce_log_sum_exp(g: Emitter, input: Value, axes: Value, *, keepdim: bool) -> Ref:
    """Relative to the largest element, 0 where that is infinite.

    ONNX Runtime's own operator takes the first element for the largest where it is -infinity, and
    then loses what is far below 0.
    """
    along = _axes(g, input, axes)
    if not input.is_float or 0 in input.shape:
        return g.node("ReduceLogSumExp", input, along, keepdims=keepdim)
    real = g.cast(input, Precision.FLOAT32) if input.dtype.itemsize < 4 else g.ref(input)
    kind = input.precision if real is None else real.precision
    zero = g.constant(np.zeros((), kind.dtype))
    largest = g.node("ReduceMax", real, along, precision=kind)
    is_infinite = g.node("IsInf", largest)
    shift = g.where(is_infinite, zero, largest)
    powers = g.node("Exp", g.node("Sub", real, shift, precision=kind), precision=kind)
    total = g.node("ReduceSum", powers, along, precision=kind)
    result = g.node("Add", g.node("Log", total, precision=kind), shift, precision=kind)
    if not keepdim:
        if along is None:
            result = g.node("Reshape", result, g.ints(), precision=kind)
        else:
            result = g.node("Squeeze", result, along, precision=kind)
    return g.cast(result, input.precision)


@table.each({reduce.reduce_prod: "ReduceProd"})
def _wrapping(g: Emitter, name: str, input: Value, axes: Value, *, keepdim: bool) -> Ref:
    along = _axes(g, input, axes)
    if input.precision != Precision.INT32:
        return g.node(name, input, along, keepdims=keepdim)
    wide = g.cast(input, Precision.INT64)  # ONNX Runtime saturates, where others wrap
    found = g.node(name, wide, along, keepdims=keepdim, precision=Precision.INT64)
    return g.cast(found, Precision.INT32)


@table.lower(reduce.reduce_sum)
def reduce_sum(g: Emitter, input: Value, axes: Value, *, keepdim: bool) -> Ref:
    named = ints(axes)
    if input.precision in WIDE and named is not None and not _is_small(input):
        places = sorted(axes_of(named, input.rank)) or list(range(input.rank))
        sizes = [input.shape[a] for a in places]
        if places and not any(isinstance(d, Expr) or d == 0 for d in sizes):
            report_met(SUMS_OF_INT64)
            return _sum_of_products(g, input, places, keepdim=keepdim)
    along = _axes(g, input, axes)
    if input.precision in WIDE and not _is_small(input):
        report_met(SUMS_OF_INT64)
        return _sum_of_halves(g, input, along, keepdim=keepdim)
    if input.precision != Precision.INT32:
        return g.node("ReduceSum", input, along, keepdims=keepdim)
    wide = g.cast(input, Precision.INT64)  # ONNX Runtime saturates, where others wrap
    found = g.node("ReduceSum", wide, along, keepdims=keepdim, precision=Precision.INT64)
    return g.cast(found, Precision.INT32)


WIDE = frozenset({Precision.INT64, Precision.UINT64})


def _is_small(input: Value) -> bool:
    """Whether no sum comes near 2**53: counts, and what was a narrower integer."""
    if input.known is not None:
        return bool(np.abs(input.known.astype(np.float64)).sum() < 2**52)
    producer = input.producer
    if producer is None or producer.operator is not unary.cast:
        return False
    source = producer.inputs[0]
    return source is not None and source.dtype.kind in "biu" and source.dtype.itemsize < 8


def _sum_of_products(g: Emitter, input: Value, along: list[int], *, keepdim: bool) -> Ref:
    """Each axis times ones: ONNX Runtime multiplies integers as integers."""
    perm = [*(a for a in range(input.rank) if a not in along), *along]
    result = g.node("Transpose", input, perm=perm)
    for axis in reversed(along):
        ones = g.constant(np.ones((int(input.shape[axis]), 1), input.dtype))  # type: ignore[arg-type]
        product = g.node("MatMul", result, ones, precision=input.precision)
        result = g.node("Squeeze", product, g.ints(-1), precision=input.precision)
    if not keepdim:
        return result
    places = g.constant(along, np.int64)
    return g.node("Unsqueeze", result, places, precision=input.precision)


def _sum_of_halves(g: Emitter, input: Value, along: Operand, *, keepdim: bool) -> Ref:
    """The upper and the lower 32 bits: up to two million of them, a float64 holds each sum."""
    wide = g.cast(input, Precision.INT64)
    step = g.constant(1 << 32, np.int64)
    low = g.node("Mod", wide, step)
    high = g.node("Div", g.node("Sub", wide, low), step)
    lower, upper = (g.node("ReduceSum", half, along, keepdims=keepdim) for half in (low, high))
    return g.cast(g.node("Add", g.node("Mul", upper, step), lower), input.precision)


WIDENED = frozenset({Precision.INT16, Precision.UINT16})
"""What ONNX Runtime has no order of and compares in a wider precision."""


@table.each({reduce.reduce_max: "ReduceMax", reduce.reduce_min: "ReduceMin"})
def _extreme(g: Emitter, name: str, input: Value, axes: Value, *, keepdim: bool) -> Ref:
    # ONNX Runtime refuses truth values of nothing, has no order of UINT64, and compares UINT32
    # that is widened to INT64 as INT32.
    kinds = {Precision.BOOL8: Precision.UINT8}
    if input.precision in SIGNED:
        found = g.node(name, to_signed_order(g, input), _axes(g, input, axes), keepdims=keepdim)
        return from_signed_order(g, found, input.precision)
    if 0 in input.shape and input.precision in WIDENED:
        raise NoLowering(f"onnxruntime's {name} of {input.type} gives the bounds of INT32")
    wide = g.cast(input, kinds.get(input.precision, input.precision))
    return g.cast(g.node(name, wide, _axes(g, input, axes), keepdims=keepdim), input.precision)


@table.lower(reduce.reduce_mean)
def reduce_mean(g: Emitter, input: Value, axes: Value, *, keepdim: bool) -> Ref:
    if input.is_float and 0 in input.shape:  # ONNX Runtime gives 0 for the mean of nothing
        total = g.node("ReduceSum", input, _axes(g, input, axes), keepdims=keepdim)
        return g.node("Div", total, g.number(0, input))
    if keepdim and input.rank == 4 and ints(axes) == (2, 3) and has_kernel(POOL, input.precision):
        return g.node(POOL, input)
    return g.node("ReduceMean", input, _axes(g, input, axes), keepdims=keepdim)


@table.each({reduce.arg_max: "ArgMax", reduce.arg_min: "ArgMin"})
def _position(
    g: Emitter, name: str, input: Value, *, axis: int, keepdim: bool, dtype: Precision
) -> Ref:
    ordered = to_signed_order(g, input) if input.precision in SIGNED else input
    found = g.node(name, ordered, axis=axis, keepdims=keepdim, precision=Precision.INT64)
    return g.cast(Ref(found, Precision.INT64), dtype)


@table.lower(reduce.cum_sum)
def cum_sum(g: Emitter, input: Value, axis: Value | None, *, exclusive: bool, reverse: bool) -> Ref:
    along = g.constant(-1, np.int64) if axis is None else g.cast(axis, Precision.INT64)
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
    at = g.node("Reshape", g.cast(axis, Precision.INT64), g.ints())
    result = _running_product(g, input, 0, exclusive, reverse)
    for k in range(1, input.rank):  # the axis is only known while running: choose among all
        other = _running_product(g, input, k, exclusive, reverse)
        wanted = [g.constant(a, np.int64) for a in (k, k - input.rank)]
        here = [g.node("Equal", at, a) for a in wanted]
        result = g.where(g.node("Or", *here), other, result)
    return result


def _running_product(g: Emitter, input: Value, axis: int, exclusive: bool, reverse: bool) -> Ref:
    """A Scan along the axis that carries the product."""
    rest = tuple(d for k, d in enumerate(input.shape) if k != axis)
    body = Model("product")
    state = body.input("state", TensorType(input.precision, rest))
    element = body.input("element", TensorType(input.precision, rest))
    body.outputs = [binary.mul(state, element)]
    body.outputs.append(state if exclusive else body.outputs[0])
    sizes = g.node("Shape", input)
    others = g.ints(*(k for k in range(input.rank) if k != axis))
    one = g.constant(np.ones((), input.dtype))
    start = g.node("Expand", one, g.node("Gather", sizes, others, axis=0))
    made = g.node(
        "Scan",
        start,
        input,
        outputs=2,
        body=_scan_body(g, body),
        num_scan_inputs=1,
        scan_input_axes=[axis],
        scan_input_directions=[int(reverse)],
        scan_output_axes=[axis],
        scan_output_directions=[int(reverse)],
    )
    return Ref(made[1], input.precision)


def _scan_body(g: Emitter, body: Model) -> proto.Graph:
    """A sub-graph whose inputs are those of the model."""
    inner = Emitter(g.lowerings, g)
    heads = []
    for value in body.inputs:
        inner.names[value] = Ref(inner.name(value.name or "in"), value.precision)
        heads.append(proto.value_info(inner.names[value], value.precision, None))
    return proto.Graph(inner.graph(body, heads, "body"))
