"""Resizing: by matrices of weights along each axis, or by the kernels where they say the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nnir.broadcast import ints
from nnir.dim import Expr
from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import resize
from nnir.ops.sampling import Filter, matrix_of, weights
from nnir.types import Precision

from ...lowering import Lowerings
from ...orders import channels_last
from ...resizing import Corners, Resizing
from . import windows
from .emitter import Emitter, Ref, result_shape
from .linear import dense
from .shape import take_positions
from .unary import real

table = Lowerings[Ref]()


def _sizes(
    name: str, input: Value, target: Sequence[Any], axes: Sequence[int]
) -> list[tuple[int, int]]:
    """(size, new size) of each axis."""
    found = []
    for axis in axes:
        before, after = input.shape[axis], target[axis]
        if isinstance(before, Expr) or isinstance(after, Expr):
            raise NoLowering(f"{name} of {input.type} needs known sizes on litert")
        found.append((before, after))
    return found


@table.lower(resize.resize_nearest, implied=["shape", "scales"])
def resize_nearest(g: Emitter, input: Value, *, align_corners: bool) -> Ref:
    ref = g.take(input)
    pairs = _sizes("resize_nearest", input, result_shape(g), (2, 3))
    if not align_corners and _doubles(pairs) and ref.tensor.precision == Precision.FLOAT32:
        return _kernel(g, "RESIZE_NEAREST_NEIGHBOR", ref, [out for _, out in pairs])
    for axis, (size, out) in enumerate(pairs, start=2):
        near = resize.nearest_positions(size, out, align_corners=align_corners)
        ref = _take(g, ref, axis, size, near)
    return ref


def _doubles(pairs: Sequence[tuple[int, int]]) -> bool:
    """Whether the quotients of sizes are exact in float32."""
    return all(n and out % n == 0 and (out // n).bit_count() == 1 for n, out in pairs)


def _take(g: Emitter, ref: Ref, axis: int, size: int, near: np.ndarray) -> Ref:
    if len(near) == size and (near == np.arange(size)).all():
        return ref
    return take_positions(g, ref, axis, near)


def _kernel(g: Emitter, name: str, ref: Ref, out: Sequence[int], **fields: Any) -> Ref:
    x = windows.stored_last(g, ref)
    shape = (x.tensor.shape[0], *out, x.tensor.shape[3])
    return g.compute(name, [x], shape, channels_last(4), g.ints(*out), **fields)


@table.lower(resize.resize_linear, implied=["shape", "scales"], how=Corners)
def resize_linear(
    g: Emitter,
    input: Value,
    *,
    how: Corners,
) -> Ref:
    real(g, input)
    pairs = _sizes("resize_linear", input, result_shape(g), (2, 3))
    half = how.rule == "half_pixel"
    fields = {"align_corners": how.align_corners, "half_pixel_centers": half}
    if not how.align_corners or all(out > 1 for _, out in pairs):
        return _kernel(g, "RESIZE_BILINEAR", g.take(input), [out for _, out in pairs], **fields)
    rule = Filter("linear", "align_corners", "floor", False, False, -0.75)
    ref = g.take(input)
    for axis, (size, out) in enumerate(pairs, start=2):
        ref = _weigh(g, ref, axis, *weights(rule, size, out, out / size)[:2])
    return ref


def _weigh(g: Emitter, ref: Ref, axis: int, near: np.ndarray, factors: np.ndarray) -> Ref:
    """Weighted sums of neighbours as a product with a matrix."""
    size = ref.shape[axis]
    out = len(near)
    if not isinstance(size, int) or size * out > 1 << 24:
        raise NoLowering(f"litert resizes no axis of {size} to {out} by a matrix")
    x, matrix = g.last(ref, axis), matrix_of(near, factors, size)
    shape = (*x.tensor.shape[:-1], out)
    return dense(g, x, g.constant(matrix.astype(np.float32)), None, shape)


@table.lower(resize.resize, implied=["roi"], how=Resizing)
def resize_(
    g: Emitter,
    input: Value,
    scales: Value | None,
    sizes: Value | None,
    *,
    how: Resizing,
) -> Ref:
    coordinates = how.coordinate_transformation_mode
    if coordinates == "tf_crop_and_resize":
        raise NoLowering("litert has no resize with tf_crop_and_resize")
    named = how.axes_of(input.rank)
    target = result_shape(g)
    pairs = _sizes("resize", input, target, named)
    steps = _steps(input, named, scales, sizes, how.keep_aspect_ratio_policy)
    ref = g.take(input) if how.is_nearest else real(g, input)
    if _is_bilinear(how.filter, named, pairs, steps, input.rank):
        half = coordinates != "align_corners" and coordinates != "asymmetric"
        fields = {"align_corners": coordinates == "align_corners", "half_pixel_centers": half}
        out = [int(d) for d in target[2:] if isinstance(d, int)]
        return _kernel(g, "RESIZE_BILINEAR", ref, out, **fields)
    for axis, (size, wanted), step in zip(named, pairs, steps, strict=True):
        if size == wanted and step == 1:
            continue
        near, factors, _ = weights(how.filter, size, wanted, step, None)
        if how.is_nearest:
            ref = _take(g, ref, axis, size, near[:, 0])
        else:
            ref = _weigh(g, ref, axis, near, factors)
    return ref


def _steps(
    input: Value, axes: Sequence[int], scales: Value | None, sizes: Value | None, policy: str
) -> list[float]:
    wanted = None if sizes is None else ints(sizes)
    known = None if scales is None else scales.constant
    if wanted is None and known is None:
        raise NoLowering("litert resizes to known sizes or by known scales only")
    factors = None if known is None else known.reshape(-1).tolist()
    shape = [d if isinstance(d, int) else 1 for d in input.shape]
    return resize.resolve_sizes(shape, axes, wanted, factors, policy)[1]


def _is_bilinear(
    how: Filter,
    axes: Sequence[int],
    pairs: Sequence[tuple[int, int]],
    steps: Sequence[float],
    rank: int,
) -> bool:
    """Whether the kernel for two axes computes the same."""
    if rank != 4 or how.mode != "linear" or how.antialias or how.exclude_outside:
        return False
    if how.coordinates not in ("half_pixel", "pytorch_half_pixel", "asymmetric", "align_corners"):
        return False
    for axis, (size, out), step in zip(axes, pairs, steps, strict=True):
        if axis < 2 and (size != out or step != 1):
            return False
        if not size or abs(step - out / size) > 1e-9 or (axis > 1 and out < 2):
            return False
    return {2, 3} <= set(axes)
