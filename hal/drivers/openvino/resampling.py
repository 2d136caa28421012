"""RESIZE with sizes that are only known while running, as a graph.

Places of nearest elements are computed in integers, where sizes say how much; weights of the
others, which are continuous, in float32.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops.sampling import Filter
from nnir.types import Precision

from .emitter import Emitter, Ref
from .integers import remainder

FLOAT32 = Precision.FLOAT32


def nearest(g: Emitter, how: Filter, size: Ref, out: Ref) -> Ref:
    """Indices of the nearest elements, for a scale that is the ratio of the sizes (int64)."""
    one, two = g.scalar(1), g.scalar(2)
    line = g.node("Range", g.scalar(0), out, one, output_type="i64")

    def times(a: Ref, b: Ref) -> Ref:
        return g.pair("Multiply", a, b)

    bottom = times(two, out)
    match how.coordinates:
        case "half_pixel" | "pytorch_half_pixel" | "half_pixel_symmetric":
            odd = g.pair("Add", times(line, two), one)
            top = g.pair("Subtract", times(odd, size), out)
            if how.coordinates == "pytorch_half_pixel":
                top = g.where(g.pair("Equal", out, one), g.scalar(0), top)
        case "asymmetric":
            top = times(times(two, line), size)
        case "align_corners":
            top = times(times(two, line), g.pair("Subtract", size, one))
            bottom = times(two, g.pair("Maximum", g.pair("Subtract", out, one), one))
        case _:
            raise NoLowering(f"openvino: resize of sizes that are not known, {how}")
    return _clamp_position(g, _round_quotient(g, how.nearest, top, bottom), size)


def _round_quotient(g: Emitter, how: str, top: Ref, bottom: Ref) -> Ref:
    """top / bottom as a whole number."""
    two = g.scalar(2)
    twice, all_ = g.pair("Multiply", top, two), g.pair("Multiply", bottom, two)
    match how:
        case "floor":
            return floor_quotient(g, top, bottom)
        case "ceil":
            return _negative(g, floor_quotient(g, _negative(g, top), bottom))
        case "round_prefer_ceil":
            return floor_quotient(g, g.pair("Add", twice, bottom), all_)
    return _negative(g, floor_quotient(g, g.pair("Subtract", bottom, twice), all_))


def _negative(g: Emitter, ref: Ref) -> Ref:
    return g.pair("Subtract", g.scalar(0), ref)


def floor_quotient(g: Emitter, a: Ref, b: Ref) -> Ref:
    """a / b rounded down, for a positive b and a quotient below 2^22 either way.

    OpenVINO divides in float32, which is one off at most, and rounds toward zero, which is one
    more below it.
    """
    quotient = g.node("Divide", a, b, auto_broadcast="numpy", m_pythondiv=False)
    left = remainder(g, a, b, quotient)
    zero, one = g.number(0, a), g.number(1, a)
    quotient = g.pair("Add", quotient, g.where(g.pair("LessEqual", b, left), one, zero))
    for rest in (left, g.pair("Add", left, b)):
        below = g.where(g.pair("Less", rest, zero), one, zero)
        quotient = g.pair("Subtract", quotient, below)
    return quotient


def _clamp_position(g: Emitter, at: Ref, size: Ref) -> Ref:
    one = g.number(1, size)
    last = g.pair("Subtract", size, one)
    return g.pair("Maximum", g.number(0, size), g.pair("Minimum", last, at))


class Resampler:
    """Arithmetic on float32 vectors in a graph."""

    def __init__(self, g: Emitter, how: Filter) -> None:
        self.g = g
        self.how = how

    def op(self, name: str, *operands: Ref | float) -> Ref:
        """A node on refs and numbers."""
        left, right = (o if isinstance(o, Ref) else self.number(o) for o in operands)
        return self.g.pair(name, left, right)

    def number(self, value: float) -> Ref:
        return self.g.constant(np.array([value], np.float32))

    def where(self, condition: Ref, yes: Ref | float, no: Ref | float) -> Ref:
        refs = [o if isinstance(o, Ref) else self.number(o) for o in (yes, no)]
        return self.g.where(condition, *refs)

    def count(self, start: Ref | float, end: Ref) -> Ref:
        """start, start + 1, ... below `end`."""
        low = start if isinstance(start, Ref) else self.number(start)
        bounds = [self.g.reshape(self.g.cast(v, Precision.INT64), []) for v in (low, end)]
        return self.g.cast(
            self.g.node("Range", *bounds, self.g.scalar(1), output_type="i64"), FLOAT32
        )

    def column(self, vector: Ref) -> Ref:
        return self.g.reshape(vector, [-1, 1])

    def positions(self, n: Ref, out: Ref, scale: Ref) -> Ref:
        """Where in an axis of `n` the `out` results lie."""
        op, at = self.op, self.count(0, out)
        length = op("Multiply", scale, n)
        centre = op("Divide", op("Add", at, 0.5), scale)
        half = op("Subtract", centre, 0.5)
        match self.how.coordinates:
            case "half_pixel":
                return half
            case "align_corners":
                last, steps = op("Subtract", n, 1), op("Subtract", length, 1)
                single = op("Equal", length, 1)
                ratio = op("Divide", op("Multiply", at, last), self.where(single, 1, steps))
                return self.where(single, op("Multiply", at, 0), ratio)
            case "asymmetric":
                return op("Divide", at, scale)
            case "pytorch_half_pixel":
                return self.where(op("Equal", out, 1), op("Multiply", at, 0), half)
            case "half_pixel_symmetric":
                shift = op("Subtract", 1, op("Divide", out, length))
                offset = op("Multiply", op("Multiply", n, 0.5), shift)
                return op("Subtract", op("Add", offset, centre), 0.5)
        raise NoLowering(f"openvino: resize of sizes that are not known, {self.how}")

    def matrix(self, at: Ref, n: Ref, scale: Ref) -> Ref:
        """Weights [n, out]; those of elements outside go to the border."""
        op, how, g = self.op, self.how, self.g
        shrink = op("Minimum", scale, 1) if how.antialias else self.number(1)
        reach = g.node("Ceiling", op("Add", op("Divide", 2, shrink), 1))
        taps = self.count(op("Subtract", 0, reach), op("Add", n, reach))
        rows = self.column(taps)
        x = op("Multiply", g.node("Abs", op("Subtract", rows, at)), shrink)
        plain = op("Maximum", op("Subtract", 1, x), 0)
        factors = self.cubic(x) if how.mode == "cubic" else plain
        if how.exclude_outside:
            last = op("Subtract", n, 1)
            outside = g.pair("LogicalOr", op("Less", rows, 0), op("Less", last, rows))
            factors = self.where(outside, 0, factors)
        if how.antialias or how.exclude_outside:
            total = g.node("ReduceSum", factors, g.ints(0), keep_dims=True)
            factors = op("Divide", factors, self.where(op("Equal", total, 0), 1, total))
        home = op("Equal", self.column(self.count(0, n)), _clamp_position(g, taps, n))
        return g.node(
            "MatMul", g.cast(home, FLOAT32), factors, transpose_a=False, transpose_b=False
        )

    def cubic(self, x: Ref) -> Ref:
        op, a = self.op, self.how.cubic_coeff_a
        inner = op("Subtract", op("Multiply", x, a + 2), a + 3)
        near = op("Add", op("Multiply", op("Multiply", inner, x), x), 1)
        outer = op("Add", op("Multiply", op("Subtract", op("Multiply", x, a), 5 * a), x), 8 * a)
        far = op("Subtract", op("Multiply", outer, x), 4 * a)
        rest = self.where(op("Less", x, 2), far, 0)
        return self.where(op("LessEqual", x, 1), near, rest)


def resample(
    g: Emitter,
    data: Ref,
    how: Filter,
    axes: Sequence[int],
    scales: Value | None,
    sizes: Value | None,
    policy: str,
) -> Ref:
    """`data` with `axes` resized."""
    make, rank = Resampler(g, how), data.rank
    own = g.node("Gather", g.dims(data), g.ints(*axes), g.scalar(0))
    factors, target = scaling(g, own, scales, sizes, policy)
    for k, axis in enumerate(axes):
        if how.mode == "nearest":
            if sizes is None or policy != "stretch":
                raise NoLowering(f"openvino: resize by scales that are not known, {how}")
            n, out = (g.reshape(g.part(v, k, k + 1), []) for v in (own, target))
            data = g.node("Gather", data, nearest(g, how, n, out), g.scalar(axis))
            continue
        n, out = (g.cast(g.part(v, k, k + 1), FLOAT32) for v in (own, target))
        scale = g.part(factors, k, k + 1)
        weights = make.matrix(make.positions(n, out, scale), n, scale)
        perm = [a for a in range(rank) if a != axis] + [axis]
        moved = g.node("Transpose", data, g.ints(*perm))
        product = g.node("MatMul", moved, weights, transpose_a=False, transpose_b=False)
        data = g.node("Transpose", product, g.ints(*np.argsort(perm).tolist()))
    return data


def scaling(
    g: Emitter, own: Ref, scales: Value | None, sizes: Value | None, policy: str
) -> tuple[Ref, Ref]:
    """Scales (float32) and sizes (int64) of the axes, whose sizes are `own`."""
    real = g.cast(own, FLOAT32)
    if sizes is None:
        factors = g.cast(scales, FLOAT32)
        whole = g.node("Floor", g.pair("Multiply", factors, real))
        return factors, g.cast(whole, Precision.INT64)
    wanted = g.int64(sizes)
    factors = g.pair("Divide", g.cast(wanted, FLOAT32), real)
    if policy == "stretch":
        return factors, wanted
    kind = "ReduceMin" if policy == "not_larger" else "ReduceMax"
    one = g.node(kind, factors, g.ints(0), keep_dims=True)
    factors = g.node("Broadcast", one, g.dims(factors), mode="numpy")
    grown = g.pair("Add", g.pair("Multiply", factors, real), g.number(0.5, real))
    return factors, g.cast(g.node("Floor", grown), Precision.INT64)
