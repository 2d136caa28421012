"""RESIZE with sizes that are only known while running, as a graph.

The positions and weights that `nnir.ops.sampling` computes are computed by nodes, in float64. ONNX
Runtime's own kernel differs from ONNX in corners: it rounds lengths with align_corners, and copies
the input when the sizes happen to be equal though the scale is not 1.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nnir.model import Value
from nnir.ops.sampling import Filter
from nnir.types import Precision

from .emitter import Emitter, Ref

DOUBLE, INT, BOOL = Precision.FLOAT64, Precision.INT64, Precision.BOOL8


class Resampler:
    """Arithmetic on float64 vectors in a graph."""

    def __init__(self, g: Emitter, how: Filter) -> None:
        self.g = g
        self.how = how

    def op(self, name: str, *operands: Ref | float) -> Ref:
        """A node on refs and numbers."""
        refs = [o if isinstance(o, Ref) else self.number(o) for o in operands]
        kind = BOOL if name in ("Equal", "Less", "LessOrEqual", "Greater", "Or", "And") else None
        return self.g.node(name, *refs, precision=kind)

    def number(self, value: float) -> Ref:
        return self.g.constant(np.array([value], np.float64))

    def integers(self, *values: int) -> Ref:
        return self.g.constant(np.array(values, np.int64))

    def where(self, condition: Ref, yes: Ref | float, no: Ref | float) -> Ref:
        refs = [o if isinstance(o, Ref) else self.number(o) for o in (yes, no)]
        return self.g.where(condition, *refs)

    def count(self, start: Ref | float, end: Ref) -> Ref:
        """start, start + 1, ... below `end`, as float64."""
        scalar = self.integers()
        low = start if isinstance(start, Ref) else self.number(start)
        bounds = [self.g.node("Reshape", self.g.cast(v, INT), scalar) for v in (low, end)]
        step = self.g.constant(np.array(1, np.int64))
        return self.g.cast(self.g.node("Range", *bounds, step), DOUBLE)

    def column(self, vector: Ref) -> Ref:
        return self.g.node("Unsqueeze", vector, self.integers(1))

    def positions(self, n: Ref, out: Ref, scale: Ref, roi: tuple[Ref, Ref] | None) -> Ref:
        """Where in an axis of `n` the `out` results lie."""
        op, at = self.op, self.count(0, out)
        length = op("Mul", scale, n)
        centre = op("Div", op("Add", at, 0.5), scale)
        half = op("Sub", centre, 0.5)
        last, steps = op("Sub", n, 1), op("Sub", length, 1)
        single = op("Equal", length, 1)
        match self.how.coordinates:
            case "align_corners":
                return self.where(single, op("Mul", at, 0), op("Div", op("Mul", at, last), steps))
            case "asymmetric":
                return op("Div", at, scale)
            case "pytorch_half_pixel":
                return self.where(op("Equal", out, 1), 0, half)
            case "half_pixel_symmetric":
                shift = op("Sub", 1, op("Div", out, length))
                offset = op("Mul", op("Div", n, 2), shift)
                return op("Sub", op("Add", offset, centre), 0.5)
            case "tf_crop_and_resize":
                start, end = roi or (self.number(0), self.number(1))
                span = op("Div", op("Mul", op("Mul", at, op("Sub", end, start)), last), steps)
                middle = op("Mul", op("Div", op("Add", start, end), 2), last)
                return self.where(single, middle, op("Add", span, op("Mul", start, last)))
        return half

    def nearest(self, at: Ref, n: Ref) -> Ref:
        """Indices of the nearest elements."""
        match self.how.nearest:
            case "round_prefer_ceil":
                near = self.op("Floor", self.op("Add", at, 0.5))
            case "floor":
                near = self.op("Floor", at)
            case "ceil":
                near = self.op("Ceil", at)
            case _:
                near = self.op("Ceil", self.op("Sub", at, 0.5))
        return self.g.cast(self.bounded(near, n), INT)

    def bounded(self, at: Ref, n: Ref) -> Ref:
        return self.op("Max", self.op("Min", at, self.op("Sub", n, 1)), 0)

    def matrix(self, at: Ref, n: Ref, scale: Ref) -> Ref:
        """Weights [n, out]; those of elements outside go to the border."""
        op, how = self.op, self.how
        shrink = op("Min", scale, 1) if how.antialias else self.number(1)
        reach = op("Ceil", op("Add", op("Div", 2, shrink), 1))
        taps = self.count(op("Sub", 0, reach), op("Add", n, reach))
        rows = self.column(taps)
        x = op("Mul", op("Abs", op("Sub", rows, at)), shrink)
        factors = self.cubic(x) if how.mode == "cubic" else op("Max", op("Sub", 1, x), 0)
        if how.exclude_outside:
            outside = op("Or", op("Less", rows, 0), op("Greater", rows, op("Sub", n, 1)))
            factors = self.where(outside, 0, factors)
        if how.antialias or how.exclude_outside:
            total = self.g.node("ReduceSum", factors, self.integers(0))
            factors = op("Div", factors, self.where(op("Equal", total, 0), 1, total))
        home = op("Equal", self.column(self.count(0, n)), self.bounded(taps, n))
        return op("MatMul", self.g.cast(home, DOUBLE), factors)

    def cubic(self, x: Ref) -> Ref:
        op, a = self.op, self.how.cubic_coeff_a
        inner = op("Sub", op("Mul", x, a + 2), a + 3)
        near = op("Add", op("Mul", op("Mul", inner, x), x), 1)
        outer = op("Add", op("Mul", op("Sub", op("Mul", x, a), 5 * a), x), 8 * a)
        far = op("Sub", op("Mul", outer, x), 4 * a)
        rest = self.where(op("Less", x, 2), far, 0)
        return self.where(op("LessOrEqual", x, 1), near, rest)


def scaling(
    make: Resampler,
    own: Ref,
    scales: Value | None,
    sizes: Value | None,
    policy: str,
) -> tuple[Ref, Ref]:
    """Scales and sizes of the axes, whose sizes are `own`; all float64 vectors."""
    g, op = make.g, make.op
    if sizes is None:
        factors = g.cast(scales, DOUBLE)
        return factors, op("Floor", op("Mul", factors, own))
    wanted = g.cast(sizes, DOUBLE)
    factors = op("Div", wanted, own)
    if policy == "stretch":
        return factors, wanted
    kind = "ReduceMin" if policy == "not_larger" else "ReduceMax"
    one = g.node(kind, factors, make.integers(0))
    factors = op("Add", op("Mul", factors, 0), one)
    return factors, op("Floor", op("Add", op("Mul", factors, own), 0.5))


def resample(
    g: Emitter,
    input: Value,
    data: Ref,
    how: Filter,
    axes: Sequence[int],
    roi: Value | None,
    scales: Value | None,
    sizes: Value | None,
    policy: str,
    beyond: float,
) -> Ref:
    """`data` (the input in the precision to compute in) with `axes` resized."""
    make = Resampler(g, how)
    shape = g.node("Shape", data)
    own = g.cast(g.node("Gather", shape, make.integers(*axes)), DOUBLE)
    factors, target = scaling(make, own, scales, sizes, policy)
    bounds = None if roi is None else g.cast(roi, DOUBLE)
    lost: list[Ref] = []
    for k, axis in enumerate(axes):
        n, out, scale = (_element(make, v, k) for v in (own, target, factors))
        ends = None
        if bounds is not None:
            ends = _element(make, bounds, k), _element(make, bounds, k + len(axes))
        at = make.positions(n, out, scale, ends)
        if how.mode == "nearest":
            data = g.node("Gather", data, make.nearest(at, n), axis=axis)
        else:
            matrix = g.cast(make.matrix(at, n, scale), data.precision)
            perm = [a for a in range(input.rank) if a != axis] + [axis]
            product = g.node("MatMul", g.node("Transpose", data, perm=perm), matrix)
            data = g.node("Transpose", product, perm=np.argsort(perm).tolist())
        if how.coordinates == "tf_crop_and_resize":
            outside = make.op(
                "Or", make.op("Less", at, 0), make.op("Greater", at, make.op("Sub", n, 1))
            )
            tail = make.integers(-1, *(1,) * (input.rank - axis - 1))
            lost.append(g.node("Reshape", outside, tail))
    for mask in lost:
        value = g.number(beyond, data)
        data = g.where(mask, value, data)
    return data


def _element(make: Resampler, vector: Ref, k: int) -> Ref:
    return make.g.node("Gather", vector, make.integers(k))
