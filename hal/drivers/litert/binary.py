"""Elementwise arithmetic on two tensors."""

from __future__ import annotations

import numpy as np

from nnir.dim import Dim
from nnir.model import Value
from nnir.ops import binary
from nnir.recipes import division
from nnir.types import Fuse, Precision

from ...attributes import Ints
from ...lowering import Lowerings
from ...quirks import report_met
from .emitter import Emitter, Real, Ref, Taken, result_shape
from .kernels import RECTIFIERS, compute_precision
from .quirks import INFINITE_BOUND
from .static import only_number

table = Lowerings[Ref]()


@table.fuse
def apply_fuse_code(g: Emitter, result: Ref, fuse_code: Fuse) -> Ref:
    """The activation of a fuse code, by the kernel that made the result where it can."""
    is_fused = g.fuse(result, RECTIFIERS.get(fuse_code.name))
    return result if is_fused else rectify(g, fuse_code, result)


def rectify(g: Emitter, code: Fuse, input: Taken) -> Ref:
    """The activation of a fuse code as steps of their own, where NaN stays: it comes second."""
    if code.name in RECTIFIERS and input.tensor.precision == Precision.FLOAT32:
        return g.elementwise(code.name, input)
    positive = g.elementwise("MAXIMUM", 0, input)
    if code == Fuse.RELU:
        return positive
    return g.elementwise("MINIMUM", 1 if code == Fuse.RELU1 else 6, positive)


table.natives({binary.add: "ADD", binary.mul: "MUL", binary.sub: "SUB"})


@table.lower(binary.sum_)
def sum_(g: Emitter, *input: Taken) -> Ref:
    first, *rest = input
    return sum(rest, first)


def may_be_nan(ref: Ref) -> bool:
    """Whether a tensor may hold NaN: a constant tells."""
    data = ref.tensor.data
    return ref.precision.is_float and (data is None or bool(np.isnan(data).any()))


NO_BOUND = {"MAXIMUM": -np.inf, "MINIMUM": np.inf}
"""What changes no number."""


def is_no_bound(name: str, bound: Ref, x: Ref) -> bool:
    """Whether a constant changes neither a number nor the shape."""
    data = bound.tensor.data
    if data is None or data.size != 1 or bound.rank > x.rank:
        return False
    return bool(data.item() == NO_BOUND[name])


@table.each({binary.max_: "MAXIMUM", binary.min_: "MINIMUM"})
def extreme(g: Emitter, name: str, input0: Taken, input1: Taken) -> Ref:
    """Where NaN wins: beside a constant the kernels let it, else not."""
    pair = sorted((input0, input1), key=lambda ref: ref.tensor.data is None)
    if is_no_bound(name, *pair):
        report_met(INFINITE_BOUND)
        return pair[1]
    made = g.elementwise(name, *pair)
    for ref in pair[::-1] if may_be_nan(pair[0]) else ():
        if may_be_nan(ref):
            made = g.where(ref.unequal(ref), ref, made)
    return made


@table.each({binary.div: "DIV", binary.floor_div: "FLOOR_DIV", binary.mod: "FLOOR_MOD"})
def _divide(g: Emitter, kernel: str, input0: Taken, input1: Taken) -> Ref:
    """Integers by 0 give nothing: it ends a kernel, and by -1 the least overflows."""
    given, dtype = input0.precision, input0.precision.dtype
    if not given.is_integer:
        g.need(kernel != "FLOOR_DIV", "rounds a quotient before it is rounded down")
        return g.elementwise(kernel, input0, input1)
    kind = Precision.INT32 if dtype.itemsize < 4 else compute_precision(kernel, given)
    by = safe = input1.cast(kind)
    data, risks = by.tensor.data, (0, -1) if dtype.kind == "i" else (0,)
    masks = {n: by.equal(n) for n in risks if data is None or n in data}
    for mask in masks.values():
        safe = g.where(mask, 1, safe)
    made = g.elementwise(kernel, input0.cast(kind), safe)
    for risk, mask in masks.items():
        made = g.where(mask, 0 - made if risk and kernel != "FLOOR_MOD" else 0, made)
    return made.cast(given)


@table.lower(binary.pow_)
def pow_(g: Emitter, input0: Taken, input1: Value) -> Ref:
    g.need(input0.precision.is_float, "raises integers to one known power below 64 only")
    exponent = only_number(input1)
    if exponent in (1, 2) and input1.rank <= input0.rank:
        return input0 if exponent == 1 else input0 * input0
    return g.elementwise("POW", input0, input1)


table.decompose(binary.div, division.truncate_floor)
table.decompose(binary.floor_div, division.floor_by_number, division.floor_by_remainder)
table.decompose(binary.mod, division.remainder_as_in_c)
table.decompose(binary.pow_, division.multiply_power)


@table.lower(binary.atan2)
def atan2(g: Emitter, input0: Real, input1: Real) -> Ref:
    """The kernel wants equal shapes."""
    refs, order = g.aligned(input0, input1)
    return g.compute("ATAN2", [spread(g, r, result_shape(g, order), order) for r in refs])


def spread(g: Emitter, ref: Ref, shape: tuple[Dim, ...], order: Ints) -> Ref:
    """A tensor repeated to the shape in which it is stored."""
    if ref.tensor.shape == shape:
        return ref
    return g.move("BROADCAST_TO", [ref], g.sizes(shape), shape=shape, order=order)
