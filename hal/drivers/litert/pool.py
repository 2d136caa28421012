"""Pooling."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import pool
from nnir.ops import windows as shared
from nnir.types import Fuse, Precision

from ...attributes import Window
from ...lowering import Lowerings
from ...orders import channels_last
from . import windows
from .binary import CODES, apply_fuse_code
from .conv import restore_infinities
from .emitter import Emitter, Ref, result_shape
from .static import numbers
from .unary import real
from .windows import Fused

table = Lowerings[Ref]()


class Pool:
    """A window over an input, and the sizes of the result; `pairs` is its padding."""

    def __init__(self, g: Emitter, input: Value, how: Window) -> None:
        self.input, self.how = input, how
        self.pairs = windows.pairs_of("a pool", input, how)
        self.out = result_shape(g)[2:]
        self.shape = (input.shape[0], *self.out, input.shape[1])

    @property
    def reach(self) -> windows.Pairs:
        """The padding with which the last windows are whole."""
        if self.pairs is None:
            raise NoLowering(f"a pool of {self.input.type} needs known sizes on litert")
        return [self._reach_along(axis) for axis in range(self.how.rank)]

    def _reach_along(self, axis: int) -> tuple[int, int]:
        """Of a size that is not known, as many elements that the last window may overhang by."""
        size, count = self.input.shape[2 + axis], self.out[axis]
        extent, stride = self.how.extents[axis], self.how.strides[axis]
        before, after = self.pairs[axis] if self.pairs is not None else (0, 0)
        if isinstance(size, int) and isinstance(count, int):
            return before, (count - 1) * stride + extent - size - before
        if not self.how.ceil_mode or stride == 1:
            return before, after
        most = shared.slid(size, extent, stride, (before, after), ceil=True)
        if count == most or after + stride <= extent:  # each window that this has room for
            return before, after + stride - 1
        raise NoLowering(
            f"a pool of {self.input.type} with ceil_mode, whose last windows may start behind the "
            "data, needs known sizes on litert"
        )

    @property
    def all_meet_data(self) -> bool:
        """Whether no window lies in the border alone."""
        given = zip(self.reach, self.how.extents, strict=True)
        return all(max(pair) < extent for pair, extent in given)

    def counts(self) -> np.ndarray:
        """How many taps of each window lie in the data."""
        sizes, how = windows.spatial_sizes("a pool", self.input), self.how
        given = how.kernel_shape, tuple(self.pairs or ()), how.strides, how.dilations
        return shared.counts([0] * len(sizes), sizes, *given, numbers(self.out))

    @property
    def whole_inside(self) -> bool:
        """Whether no window goes beyond the padding."""
        if self.pairs is None:
            return True
        given = zip(self.reach, self.pairs, strict=True)
        return all(need[1] <= pair[1] for need, pair in given)

    @property
    def direct(self) -> int | None:
        """SAME or VALID where one of them is this padding, and nothing overhangs."""
        if not self.whole_inside:
            return None
        if self.pairs is not None and not any(map(any, self.pairs)):
            return windows.VALID
        return windows.SAME if windows.is_same(self.input, self.pairs, self.how) else None


def _native(
    g: Emitter, name: str, x: Ref, pool: Pool, padding: int, fuse_code: Fuse = Fuse.NONE
) -> Ref:
    (stride_h, stride_w), (filter_height, filter_width) = pool.how.strides, pool.how.kernel_shape
    made = g.compute(
        name,
        [x],
        pool.shape,
        channels_last(4),
        padding=padding,
        stride_h=stride_h,
        stride_w=stride_w,
        filter_height=filter_height,
        filter_width=filter_width,
        fused_activation_function=CODES.get(fuse_code, 0),
    )
    if stride_h > filter_height or stride_w > filter_width:  # XNNPACK leaves it to LiteRT's kernel
        made = restore_infinities(g, made)
    return made if fuse_code in CODES else apply_fuse_code(g, made, fuse_code)


@table.lower(pool.average_pool_2d, implied=["ceil_mode"], how=Window)
def average_pool_2d(
    g: Emitter, input: Value, *, count_include_pad: bool, fuse_code: Fuse, how: Window
) -> Ref:
    """The mean of each window; the divisor counts all taps where the padding counts."""
    pool = Pool(g, input, how)
    x = windows.stored_last(g, real(g, input))
    direct = pool.direct
    is_whole = direct is not None and (direct == windows.VALID or not count_include_pad)
    padding = direct if is_whole and direct is not None else windows.VALID

    def means(values: Ref, fuse_code: Fuse = Fuse.NONE) -> Ref:
        whole = values if is_whole else windows.add_border(g, values, pool.reach)
        return _native(g, "AVERAGE_POOL_2D", whole, pool, padding, fuse_code)

    if is_whole and is_convolved(g, x):
        return means(x, fuse_code)
    result = means(x)
    if not is_convolved(g, x):
        result = _lose(g, x, means, result)
    if not is_whole and not count_include_pad:
        whole = math.prod(how.kernel_shape)
        counts = np.maximum(pool.counts(), 1)
        if (counts != whole).any():
            ratio = (whole / counts).astype(np.float32)
            result = result * g.constant(ratio)
    return apply_fuse_code(g, result, fuse_code)


def _lose(g: Emitter, x: Ref, means: Callable[[Ref], Ref], result: Ref) -> Ref:
    """NaN where the sum has one, or infinities of both signs: the kernel takes it for -inf."""
    lost: Ref | None = None
    for name, bound in (("LESS", np.inf), ("GREATER", -np.inf)):
        beyond = ~g.elementwise(name, x, bound)
        found = means(beyond.cast(Precision.FLOAT32)) > 0
        lost = found if lost is None else lost & found
    return g.where(lost, np.nan, result)


@table.lower(
    *(pool.max_pool_2d, pool.max_pool),
    implied=["ceil_mode", "return_indices", "return_indices_dtype"],
    how=Fused,
)
def max_pool_2d(g: Emitter, input: Value, *, how: Fused) -> Ref:
    if len(g.operation.outputs) > 1:
        raise NoLowering("litert finds maxima, not where they are")
    x = windows.stored_last(g, real(g, input))
    if how.rank != 2 or how.is_dilated:
        raise NoLowering("litert pools planes, and without dilations")
    window = Pool(g, input, how)
    direct = window.direct
    if not is_convolved(g, x):
        return apply_fuse_code(g, _with_nan(g, x, window, direct), how.fuse_code)
    if direct is not None:
        return _native(g, "MAX_POOL_2D", x, window, direct, how.fuse_code)
    lowest = None if window.all_meet_data and is_natural(g, x) else -np.inf
    x = windows.add_border(g, x, window.reach, lowest)
    return _native(g, "MAX_POOL_2D", x, window, windows.VALID, how.fuse_code)


def is_convolved(g: Emitter, ref: Ref) -> bool:
    """Whether a convolution or an activation made it: a NaN there is one of the whole network."""
    tensor = g.sources[ref.tensor][0] if ref.tensor in g.sources else ref.tensor
    if tensor in g.dequantised:
        return True
    step = g.makers.get(tensor)
    while step is not None and step.name in ("PAD", "PADV2", "CONCATENATION", "ADD", "MUL"):
        first = next((t for t in step.inputs if t is not None and t.data is None), None)
        if first is not None and first in g.dequantised:
            return True
        step = None if first is None else g.makers.get(first)
    return step is not None and step.name in CONVOLVED


CONVOLVED = frozenset({"CONV_2D", "DEPTHWISE_CONV_2D", "RELU", "RELU6", "MAX_POOL_2D", "LOGISTIC"})


def _with_nan(g: Emitter, x: Ref, window: Pool, direct: int | None) -> Ref:
    """The maxima, and NaN where one is in the window: the kernel passes over it."""
    nan = x.unequal(x)
    plain = g.where(nan, -np.inf, x)
    marks = nan.cast(Precision.FLOAT32)
    padding = windows.VALID if direct is None else direct
    if direct is None:
        plain = windows.add_border(g, plain, window.reach, -np.inf)
        marks = windows.add_border(g, marks, window.reach)
    found = _native(g, "MAX_POOL_2D", plain, window, padding)
    some = _native(g, "MAX_POOL_2D", marks, window, padding)
    return g.where(some > 0, np.nan, found)


def is_natural(g: Emitter, ref: Ref) -> bool:
    """Whether no element is below 0, so that a border of zeros never wins alone."""
    step = g.makers.get(ref.tensor)
    return step is not None and (
        step.name in ("RELU", "RELU6") or step.fields.get("fused_activation_function") in (1, 3)
    )
