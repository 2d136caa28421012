"""Pooling."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from nnir.dim import Expr
from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import pool
from nnir.ops import windows as shared
from nnir.types import AutoPad, Fuse, Precision

from ...lowering import Lowerings
from . import windows
from .binary import CODES, extreme, fused
from .emitter import Emitter, Ref, channels_last
from .reduce import reduced
from .static import numbers
from .unary import real

table = Lowerings()
MOST_TAPS = 256


class Window:
    """Kernel, strides, dilations and padding of a pool, and the sizes of its result."""

    def __init__(
        self,
        g: Emitter,
        input: Value,
        kernel: Sequence[int],
        strides: Sequence[int] | None,
        dilations: Sequence[int] | None,
        pairs: windows.Pairs | None,
    ) -> None:
        rank = len(kernel)
        self.kernel = tuple(kernel)
        self.strides = tuple(strides or (1,) * rank)
        self.dilations = tuple(dilations or (1,) * rank)
        self.input = input
        self.pairs = pairs
        self.extents = shared.extents(self.kernel, self.dilations)
        made = g.operation.outputs[0].shape[2:] if g.operation else ()
        self.out = made
        self.shape = (input.shape[0], *made, input.shape[1])

    @property
    def reach(self) -> windows.Pairs:
        """The padding with which the last windows are whole."""
        sizes = windows.sized("a pool", self.input)
        out = [int(d) for d in self.out if isinstance(d, int)]
        if self.pairs is None or len(out) < len(sizes):
            raise NoLowering(f"a pool of {self.input.type} needs known sizes on litert")
        axes = zip(sizes, self.pairs, self.extents, self.strides, out, strict=True)
        return [(a, (m - 1) * s + e - n - a) for n, (a, _), e, s, m in axes]

    def counts(self, *, padding: bool) -> np.ndarray:
        """How many taps of each window lie in the data, with its padding where asked."""
        sizes = windows.sized("a pool", self.input)
        pairs = self.pairs or ()
        starts, ends = [0] * len(sizes), sizes
        if padding:
            starts = [-a for a, _ in pairs]
            ends = [n + b for n, (_, b) in zip(sizes, pairs, strict=True)]
        out = numbers(self.out)
        given = self.kernel, tuple(pairs), self.strides, self.dilations, out
        return shared.counts(starts, ends, *given)

    @property
    def whole_inside(self) -> bool:
        """Whether no window goes beyond the padding."""
        if self.pairs is None or any(
            isinstance(d, Expr) for d in (*self.out, *self.input.shape[2:])
        ):
            return True
        given = zip(self.reach, self.pairs, strict=True)
        return all(need[1] <= pair[1] for need, pair in given)


def _standard(
    g: Emitter,
    input: Value,
    auto_pad: AutoPad,
    pads: tuple[int, ...] | None,
    kernel: tuple[int, ...],
    strides: tuple[int, ...],
) -> Window:
    pairs = windows.pairs_of("a pool", input, auto_pad, pads, kernel, strides)
    return Window(g, input, kernel, strides, None, pairs)


def _native(
    g: Emitter, name: str, x: Ref, window: Window, padding: int, fuse_code: Fuse = Fuse.NONE
) -> Ref:
    fields: dict[str, Any] = {
        "padding": padding,
        "stride_h": window.strides[0],
        "stride_w": window.strides[1],
        "filter_height": window.kernel[0],
        "filter_width": window.kernel[1],
        "fused_activation_function": CODES.get(fuse_code, 0),
    }
    made = g.compute(name, [x], window.shape, channels_last(4), **fields)
    return made if fuse_code in CODES else fused(g, made, fuse_code)


def _direct(window: Window, ref: Ref) -> int | None:
    """SAME or VALID where one of them is this padding, and nothing overhangs."""
    pairs = window.pairs
    if len(window.kernel) != 2 or any(d != 1 for d in window.dilations):
        return None
    if not window.whole_inside:
        return None
    if pairs is not None and not any(a or b for a, b in pairs):
        return windows.VALID
    return (
        windows.SAME
        if windows.is_same(window.input, pairs, window.extents, window.strides)
        else None
    )


def averaged(
    g: Emitter, window: Window, *, count_pad: bool, count_reach: bool, fuse_code: Fuse
) -> Ref:
    """The mean of each window.

    The divisor counts the data, with `count_pad` its padding too, with `count_reach` all taps.
    """
    x = windows.stored_last(g, real(g, window.input))
    direct = _direct(window, x)
    if direct is not None and (direct == windows.VALID or not (count_pad or count_reach)):
        return _native(g, "AVERAGE_POOL_2D", x, window, direct, fuse_code)
    x = windows.bordered(g, x, window.reach)
    whole = math.prod(window.kernel)
    if len(window.kernel) == 2 and all(d == 1 for d in window.dilations):
        result = _native(g, "AVERAGE_POOL_2D", x, window, windows.VALID)
    else:
        total = _folded(g, x, window, lambda a, b: g.elementwise("ADD", a, b))
        result = g.elementwise("MUL", total, g.constant(np.float32(1 / whole)))
    if not count_reach:
        counts = np.maximum(window.counts(padding=count_pad), 1)
        if (counts != whole).any():
            ratio = (whole / counts).astype(np.float32)
            result = g.elementwise("MUL", result, g.constant(ratio))
    return fused(g, result, fuse_code)


@table.lower(pool.average_pool_2d)
def average_pool_2d(
    g: Emitter,
    input: Value,
    *,
    auto_pad: AutoPad,
    pads: tuple[int, ...] | None,
    kernel_shape: tuple[int, ...],
    strides: tuple[int, ...],
    ceil_mode: bool,
    count_include_pad: bool,
    fuse_code: Fuse,
) -> Any:
    window = _standard(g, input, auto_pad, pads, kernel_shape, strides)
    return averaged(
        g, window, count_pad=count_include_pad, count_reach=count_include_pad, fuse_code=fuse_code
    )


def _taps(g: Emitter, x: Ref, window: Window) -> Any:
    """For each place in the kernel what the windows have there; `x` is padded, channels last."""
    out = numbers(window.out)
    if math.prod(window.kernel) > MOST_TAPS:
        raise NoLowering(f"a pool with {math.prod(window.kernel)} taps, more than {MOST_TAPS}")
    for place in itertools.product(*map(range, window.kernel)):
        axes = zip(place, window.dilations, window.strides, out, strict=True)
        cuts = [(p * d, p * d + (m - 1) * s + 1, s) for p, d, s, m in axes]
        starts, ends, steps = zip((0, 0, 1), *cuts, (0, 0, 1), strict=True)
        mask = 1 | 1 << (len(cuts) + 1)
        vectors = [g.ints(*v) for v in (starts, ends, steps)]
        yield (
            place,
            g.move(
                "STRIDED_SLICE",
                [x],
                window.shape,
                x.order,
                *vectors,
                begin_mask=mask,
                end_mask=mask,
            ),
        )


def _folded(g: Emitter, x: Ref, window: Window, join: Any) -> Ref:
    result = None
    for _, values in _taps(g, x, window):
        result = values if result is None else join(result, values)
    if result is None:
        raise NoLowering("a pool without a kernel")
    return result


def _lowest(ref: Ref) -> float:
    kind = ref.tensor.precision.dtype
    if kind.kind in "iu":
        return int(np.iinfo(kind).min)
    return False if kind.kind == "b" else -np.inf


def largest(g: Emitter, window: Window, fuse_code: Fuse) -> Ref:
    """The maximum of each window."""
    x = windows.stored_last(g, window.input)
    direct = _direct(window, x)
    native = x.tensor.precision == Precision.FLOAT32 and len(window.kernel) == 2
    native = native and all(d == 1 for d in window.dilations)
    if native and not is_convolved(g, x):
        return fused(g, _with_nan(g, x, window, direct), fuse_code)
    if native and direct is not None:
        return _native(g, "MAX_POOL_2D", x, window, direct, fuse_code)
    if window.pairs is not None and not all(isinstance(d, int) for d in window.out):
        pairs: windows.Pairs = window.pairs
    else:
        pairs = window.reach
    if native and direct is None and is_natural(g, x):
        x = windows.bordered(g, x, pairs)
    else:
        x = windows.bordered(g, x, pairs, _lowest(x))
    if native:
        return _native(g, "MAX_POOL_2D", x, window, windows.VALID, fuse_code)
    return fused(g, _folded(g, x, window, lambda a, b: extreme(g, "MAXIMUM", a, b)), fuse_code)


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


def _with_nan(g: Emitter, x: Ref, window: Window, direct: int | None) -> Ref:
    """The maxima, and NaN where one is in the window: the kernel passes over it."""
    nan = g.elementwise("NOT_EQUAL", x, x, precision=Precision.BOOL8)
    plain = g.where(nan, g.constant(np.float32(-np.inf)), x)
    marks = g.cast(nan, Precision.FLOAT32)
    padding = windows.VALID if direct is None else direct
    if direct is None:
        plain = windows.bordered(g, plain, window.reach, -np.inf)
        marks = windows.bordered(g, marks, window.reach)
    found = _native(g, "MAX_POOL_2D", plain, window, padding)
    some = _native(g, "MAX_POOL_2D", marks, window, padding)
    lost = g.elementwise("GREATER", some, g.number(0, some), precision=Precision.BOOL8)
    return g.where(lost, g.constant(np.float32(np.nan)), found)


def is_natural(g: Emitter, ref: Ref) -> bool:
    """Whether no element is below 0, so that a border of zeros never wins alone."""
    step = g.makers.get(ref.tensor)
    return step is not None and (
        step.name in ("RELU", "RELU6") or step.fields.get("fused_activation_function") in (1, 3)
    )


@table.lower(pool.max_pool_2d)
def max_pool_2d(
    g: Emitter,
    input: Value,
    *,
    auto_pad: AutoPad,
    pads: tuple[int, ...] | None,
    kernel_shape: tuple[int, ...],
    strides: tuple[int, ...],
    ceil_mode: bool,
    return_indices: bool,
    return_indices_dtype: int,
    fuse_code: Fuse,
) -> Any:
    window = _standard(g, input, auto_pad, pads, kernel_shape, strides)
    if not return_indices:
        return largest(g, window, fuse_code)
    values, places = positioned(g, window)
    return fused(g, values, fuse_code), g.cast(places, Precision(return_indices_dtype))


@table.lower(pool.max_pool)
def max_pool(
    g: Emitter,
    input: Value,
    *,
    kernel_shape: tuple[int, ...],
    strides: tuple[int, ...] | None,
    pads: tuple[int, ...] | None,
    dilations: tuple[int, ...] | None,
    ceil_mode: bool,
    return_indices: bool,
) -> Any:
    pairs = shared.pair_pads(pads, len(kernel_shape))
    window = Window(g, input, kernel_shape, strides, dilations, pairs)
    if not return_indices:
        return largest(g, window, Fuse.NONE)
    values, places = positioned(g, window)
    return values, g.cast(places, Precision.INT64)


def positioned(g: Emitter, window: Window) -> tuple[Ref, Ref]:
    """The maxima and where they are, tap by tap; the first one stays unless a better one comes."""
    if window.input.precision not in (Precision.FLOAT32, Precision.FLOAT16, Precision.BFLOAT16):
        raise NoLowering(f"litert finds the places of maxima of floats, not {window.input.type}")
    sizes = windows.sized("a pool", window.input)
    x = windows.stored_last(g, window.input)
    x = windows.bordered(g, x, window.reach, -np.inf)
    plane = np.arange(math.prod(sizes), dtype=np.int32).reshape(sizes)
    grown = np.pad(plane, [(max(a, 0), max(b, 0)) for a, b in window.reach], constant_values=-1)
    best: Ref | None = None
    where: Ref | None = None
    out = numbers(window.out)
    for place, values in _taps(g, x, window):
        axes = zip(place, window.dilations, window.strides, out, strict=True)
        cut = tuple(slice(p * d, p * d + (m - 1) * s + 1, s) for p, d, s, m in axes)
        flat = g.constant(grown[cut])
        if best is None or where is None:
            best, where = values, g.elementwise("ADD", _zeros(g, values), flat)
            continue
        nan = g.elementwise("NOT_EQUAL", values, values, precision=Precision.BOOL8)
        fine = g.elementwise("EQUAL", best, best, precision=Precision.BOOL8)
        better = g.elementwise("GREATER", values, best, precision=Precision.BOOL8)
        none = g.elementwise("LESS", where, g.number(0, where), precision=Precision.BOOL8)
        inside = g.constant(grown[cut] >= 0)
        better = _either(g, better, g.elementwise("LOGICAL_AND", nan, fine))
        better = g.elementwise("LOGICAL_AND", _either(g, better, none), inside)
        where, best = g.where(better, flat, where), g.where(better, values, best)
    if best is None or where is None:
        raise NoLowering("a pool without a kernel")
    return best, where


def _zeros(g: Emitter, like: Ref) -> Ref:
    """INT32 zeros in the shape of a tensor."""
    return g.cast(g.elementwise("LESS", like, like, precision=Precision.BOOL8), Precision.INT32)


def _either(g: Emitter, a: Ref, b: Ref) -> Ref:
    return g.elementwise("LOGICAL_OR", a, b)


def _bins(size: int, count: int) -> list[slice]:
    return [slice(i * size // count, -(-(i + 1) * size // count)) for i in range(count)]


def _adaptive(g: Emitter, input: Value, output_shape: Sequence[int], name: str) -> Ref:
    """Even bins by a pool, others one by one: rows first, then columns."""
    ref = g.of(input)
    if tuple(output_shape) == (1, 1):
        return reduced(g, name, ref, (2, 3), keepdim=True)
    sizes = windows.sized("an adaptive pool", input)
    even = all(n % k == 0 and n for n, k in zip(sizes, output_shape, strict=True))
    if even and ref.tensor.precision == Precision.FLOAT32:
        kernel = tuple(n // k for n, k in zip(sizes, output_shape, strict=True))
        window = Window(g, input, kernel, kernel, None, ((0, 0), (0, 0)))
        native = {"MEAN": "AVERAGE_POOL_2D", "REDUCE_MAX": "MAX_POOL_2D"}[name]
        return _native(g, native, windows.stored_last(g, ref), window, windows.VALID)
    for axis, (n, k) in enumerate(zip(sizes, output_shape, strict=True), start=2):
        place = ref.place(axis)
        cuts = []
        for bin in _bins(n, k):
            pairs = [(0, 0)] * 4
            pairs[place] = (bin.start, n - bin.stop)
            part = windows.cropped(g, ref, pairs) if any(pairs[place]) else ref
            cuts.append(reduced(g, name, part, (axis,), keepdim=True))
        shape = list(ref.tensor.shape)
        shape[place] = k
        ref = (
            g.move("CONCATENATION", cuts, tuple(shape), ref.order, axis=place) if k > 1 else cuts[0]
        )
    return ref


@table.lower(pool.adaptive_average_pool_2d)
def adaptive_average_pool_2d(g: Emitter, input: Value, *, output_shape: tuple[int, ...]) -> Any:
    real(g, input)
    return _adaptive(g, input, output_shape, "MEAN")


@table.lower(pool.adaptive_max_pool_2d)
def adaptive_max_pool_2d(
    g: Emitter,
    input: Value,
    *,
    output_shape: tuple[int, ...],
    return_indices: bool,
    return_indices_dtype: int,
) -> Any:
    if not return_indices:
        return _adaptive(g, input, output_shape, "REDUCE_MAX")
    sizes = windows.sized("an adaptive pool", input)
    if any(n % k or not n for n, k in zip(sizes, output_shape, strict=True)):
        raise NoLowering("adaptive_max_pool_2d with places in bins that overlap on litert")
    kernel = tuple(n // k for n, k in zip(sizes, output_shape, strict=True))
    window = Window(g, input, kernel, kernel, None, ((0, 0), (0, 0)))
    values, places = positioned(g, window)
    return values, g.cast(places, Precision(return_indices_dtype))
