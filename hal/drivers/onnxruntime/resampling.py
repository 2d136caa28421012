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

DOUBLE, INT = Precision.FLOAT64, Precision.INT64


class Resampler:
    """Arithmetic on float64 vectors in a graph."""

    def __init__(self, g: Emitter, how: Filter) -> None:
        self.g = g
        self.how = how

    def integers(self, *values: int) -> Ref:
        return self.g.constant(np.array(values, np.int64))

    def number(self, value: float) -> Ref:
        return self.g.constant(np.array([value], np.float64))

    def extreme(self, kernel: str, at: Ref, bound: Ref | float) -> Ref:
        """The larger or the smaller one."""
        return self.g.node(
            kernel, at, bound if isinstance(bound, Ref) else self.g.number(bound, at)
        )

    def count(self, start: Ref, end: Ref) -> Ref:
        """start, start + 1, ... below `end`, as float64."""
        bounds = (self.g.reshape(v.cast(INT)) for v in (start, end))
        return self.g.node("Range", *bounds, self.g.constant(1, np.int64)).cast(DOUBLE)

    def column(self, vector: Ref) -> Ref:
        return self.g.node("Unsqueeze", vector, self.integers(1))

    def positions(self, n: Ref, out: Ref, scale: Ref, roi: tuple[Ref, Ref] | None) -> Ref:
        """Where in an axis of `n` the `out` results lie."""
        where, at = self.g.where, self.count(self.number(0), out)
        length, centre = scale * n, (at + 0.5) / scale
        match self.how.coordinates:
            case "align_corners":
                last, steps = n - 1, length - 1
                return where(length.equal(1), at * 0, at * last / steps)
            case "asymmetric":
                return at / scale
            case "pytorch_half_pixel":
                return where(out.equal(1), 0, centre - 0.5)
            case "half_pixel_symmetric":
                return n / 2 * (1 - out / length) + centre - 0.5
            case "tf_crop_and_resize":
                start, end = roi or (self.number(0), self.number(1))
                last, steps = n - 1, length - 1
                span = at * (end - start) * last / steps
                middle = (start + end) / 2 * last
                return where(length.equal(1), middle, span + start * last)
        return centre - 0.5

    def nearest(self, at: Ref, n: Ref) -> Ref:
        """Indices of the nearest elements."""
        match self.how.nearest:
            case "round_prefer_ceil":
                near = self.g.node("Floor", at + 0.5)
            case "floor":
                near = self.g.node("Floor", at)
            case "ceil":
                near = self.g.node("Ceil", at)
            case _:
                near = self.g.node("Ceil", at - 0.5)
        return self.bounded(near, n).cast(INT)

    def bounded(self, at: Ref, n: Ref) -> Ref:
        return self.extreme("Max", self.extreme("Min", at, n - 1), 0)

    def matrix(self, at: Ref, n: Ref, scale: Ref) -> Ref:
        """Weights [n, out]; those of elements outside go to the border."""
        g, how = self.g, self.how
        shrink = self.extreme("Min", scale, 1) if how.antialias else self.number(1)
        reach = g.node("Ceil", 2 / shrink + 1)
        taps = self.count(0 - reach, n + reach)
        rows = self.column(taps)
        x = abs(rows - at) * shrink
        factors = self.cubic(x) if how.mode == "cubic" else self.extreme("Max", 1 - x, 0)
        if how.exclude_outside:
            factors = g.where((rows < 0) | (rows > n - 1), 0, factors)
        if how.antialias or how.exclude_outside:
            total = g.node("ReduceSum", factors, self.integers(0))
            factors = factors / g.where(total.equal(0), 1, total)
        home = self.column(self.count(self.number(0), n)).equal(self.bounded(taps, n))
        return g.node("MatMul", home.cast(DOUBLE), factors)

    def cubic(self, x: Ref) -> Ref:
        """R. Keys, 1981."""
        a = self.how.cubic_coeff_a
        near = (x * (a + 2) - (a + 3)) * x * x + 1
        far = ((x * a - 5 * a) * x + 8 * a) * x - 4 * a
        return self.g.where(x <= 1, near, self.g.where(x < 2, far, 0))


def scaling(
    make: Resampler,
    own: Ref,
    scales: Value | None,
    sizes: Value | None,
    policy: str,
) -> tuple[Ref, Ref]:
    """Scales and sizes of the axes, whose sizes are `own`; all float64 vectors."""
    g = make.g
    if sizes is None:
        factors = g.cast(scales, DOUBLE)
        return factors, g.node("Floor", factors * own)
    wanted = g.cast(sizes, DOUBLE)
    factors = wanted / own
    if policy == "stretch":
        return factors, wanted
    kind = "ReduceMin" if policy == "not_larger" else "ReduceMax"
    one = g.node(kind, factors, make.integers(0))
    factors = factors * 0 + one
    return factors, g.node("Floor", factors * own + 0.5)


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
            outside = (at < 0) | (at > n - 1)
            lost.append(g.reshape(outside, -1, *(1,) * (input.rank - axis - 1)))
    for mask in lost:
        data = g.where(mask, beyond, data)
    return data


def _element(make: Resampler, vector: Ref, k: int) -> Ref:
    return make.g.node("Gather", vector, make.integers(k))
