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
    line, bottom = g.line(out), out * 2
    match how.coordinates:
        case "half_pixel" | "pytorch_half_pixel" | "half_pixel_symmetric":
            top = (line * 2 + 1) * size - out
            if how.coordinates == "pytorch_half_pixel":
                top = g.where(out.equal(1), 0, top)
        case "asymmetric":
            top = line * 2 * size
        case "align_corners":
            top = line * 2 * (size - 1)
            bottom = g.pair("Maximum", out - 1, 1) * 2
        case _:
            raise NoLowering(f"openvino: resize of sizes that are not known, {how}")
    return _clamp_position(g, _round_quotient(g, how.nearest, top, bottom), size)


def _round_quotient(g: Emitter, how: str, top: Ref, bottom: Ref) -> Ref:
    """top / bottom as a whole number."""
    match how:
        case "floor":
            return floor_quotient(g, top, bottom)
        case "ceil":
            return 0 - floor_quotient(g, 0 - top, bottom)
        case "round_prefer_ceil":
            return floor_quotient(g, top * 2 + bottom, bottom * 2)
    return 0 - floor_quotient(g, bottom - top * 2, bottom * 2)


def floor_quotient(g: Emitter, a: Ref, b: Ref) -> Ref:
    """a / b rounded down, for a positive b and a quotient below 2^22 either way.

    OpenVINO divides in float32, which is one off at most, and rounds toward zero, which is one
    more below it.
    """
    quotient = a / b
    left = remainder(g, a, b, quotient)
    zero, one = g.number(0, a), g.number(1, a)
    quotient += g.where(b <= left, one, zero)
    for rest in (left, left + b):
        quotient -= g.where(rest < zero, one, zero)
    return quotient


def _clamp_position(g: Emitter, at: Ref, size: Ref) -> Ref:
    return g.pair("Maximum", 0, g.pair("Minimum", size - 1, at))


class Resampler:
    """Arithmetic on float32 vectors in a graph."""

    def __init__(self, g: Emitter, how: Filter) -> None:
        self.g = g
        self.how = how

    def count(self, start: Ref, end: Ref) -> Ref:
        """start, start + 1, ... below `end`."""
        bounds = [self.g.reshape(v.cast(Precision.INT64), []) for v in (start, end)]
        return self.g.node("Range", *bounds, self.g.scalar(1), output_type="i64").cast(FLOAT32)

    def count_up(self, end: Ref) -> Ref:
        """0, 1, ... below `end`."""
        return self.g.line(self.g.reshape(end.cast(Precision.INT64), [])).cast(FLOAT32)

    def column(self, vector: Ref) -> Ref:
        return self.g.reshape(vector, [-1, 1])

    def positions(self, n: Ref, out: Ref, scale: Ref) -> Ref:
        """Where in an axis of `n` the `out` results lie."""
        g, at = self.g, self.count_up(out)
        length = scale * n
        centre = (at + 0.5) / scale
        half = centre - 0.5
        match self.how.coordinates:
            case "half_pixel":
                return half
            case "align_corners":
                single = length.equal(1)
                ratio = at * (n - 1) / g.where(single, 1, length - 1)
                return g.where(single, at * 0, ratio)
            case "asymmetric":
                return at / scale
            case "pytorch_half_pixel":
                return g.where(out.equal(1), at * 0, half)
            case "half_pixel_symmetric":
                return n * 0.5 * (1 - out / length) + centre - 0.5
        raise NoLowering(f"openvino: resize of sizes that are not known, {self.how}")

    def matrix(self, at: Ref, n: Ref, scale: Ref) -> Ref:
        """Weights [n, out]; those of elements outside go to the border."""
        how, g = self.how, self.g
        shrink = g.pair("Minimum", scale, 1) if how.antialias else g.number(1, scale)
        reach = g.node("Ceiling", 2 / shrink + 1)
        taps = self.count(0 - reach, n + reach)
        rows = self.column(taps)
        x = abs(rows - at) * shrink
        factors = self.cubic(x) if how.mode == "cubic" else g.pair("Maximum", 1 - x, 0)
        if how.exclude_outside:
            factors = g.where((rows < 0) | (rows > n - 1), 0, factors)
        if how.antialias or how.exclude_outside:
            total = g.node("ReduceSum", factors, g.ints(0), keep_dims=True)
            factors = factors / g.where(total.equal(0), 1, total)
        home = self.column(self.count_up(n)).equal(_clamp_position(g, taps, n))
        return g.node("MatMul", home.cast(FLOAT32), factors, transpose_a=False, transpose_b=False)

    def cubic(self, x: Ref) -> Ref:
        g, a = self.g, self.how.cubic_coeff_a
        near = (x * (a + 2) - (a + 3)) * x * x + 1
        far = ((x * a - 5 * a) * x + 8 * a) * x - 4 * a
        return g.where(x <= 1, near, g.where(x < 2, far, 0))


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
    own = g.gather(g.dims(data), g.ints(*axes), 0)
    factors, target = scaling(g, own, scales, sizes, policy)
    for k, axis in enumerate(axes):
        if how.mode == "nearest":
            if sizes is None or policy != "stretch":
                raise NoLowering(f"openvino: resize by scales that are not known, {how}")
            n, out = (g.reshape(g.part(v, k, k + 1), []) for v in (own, target))
            data = g.gather(data, nearest(g, how, n, out), axis)
            continue
        n, out = (g.part(v, k, k + 1).cast(FLOAT32) for v in (own, target))
        scale = g.part(factors, k, k + 1)
        weights = make.matrix(make.positions(n, out, scale), n, scale)
        perm = [a for a in range(rank) if a != axis] + [axis]
        moved = g.transpose(data, *perm)
        product = g.node("MatMul", moved, weights, transpose_a=False, transpose_b=False)
        data = g.transpose(product, *np.argsort(perm).tolist())
    return data


def scaling(
    g: Emitter, own: Ref, scales: Value | None, sizes: Value | None, policy: str
) -> tuple[Ref, Ref]:
    """Scales (float32) and sizes (int64) of the axes, whose sizes are `own`."""
    real = own.cast(FLOAT32)
    if sizes is None:
        factors = g.cast(scales, FLOAT32)
        whole = g.node("Floor", factors * real)
        return factors, whole.cast(Precision.INT64)
    wanted = g.int64(sizes)
    factors = wanted.cast(FLOAT32) / real
    if policy == "stretch":
        return factors, wanted
    kind = "ReduceMin" if policy == "not_larger" else "ReduceMax"
    one = g.node(kind, factors, g.ints(0), keep_dims=True)
    factors = g.node("Broadcast", one, g.dims(factors), mode="numpy")
    grown = factors * real + 0.5
    return factors, g.node("Floor", grown).cast(Precision.INT64)
