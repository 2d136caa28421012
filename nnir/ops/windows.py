"""Sliding windows over any number of spatial axes: sizes, padding and the arithmetic on them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..dim import Dim, Expr, ceil_div, minimum
from ..operator import require
from ..types import AutoPad

Pairs = tuple[tuple[int, int], ...]
"""(before, after) of each spatial axis."""
EXACT_INTEGERS = 1 << 53


def pair_pads(pads: Sequence[int] | None, rank: int) -> Pairs:
    """The standard's order of pads, (before, after) axis by axis; absent pads are zeros."""
    flat = tuple(pads) if pads else (0,) * (2 * rank)
    require(len(flat) == 2 * rank, f"pads {flat} are not {2 * rank} numbers")
    return tuple((flat[2 * k], flat[2 * k + 1]) for k in range(rank))


def same_pads(size: int, extent: int, stride: int) -> tuple[int, int]:
    """Padding that makes the output ceil(size / stride), the smaller half before."""
    total = max((-(-size // stride) - 1) * stride + extent - size, 0)
    return total // 2, total - total // 2


def same_pads_of(size: Dim, extent: int, stride: int) -> tuple[int, int] | None:
    """`same_pads` of a size that may be open; None where they depend on it."""
    if not isinstance(size, Expr):
        return same_pads(size, extent, stride)
    return same_pads(1, extent, stride) if 1 in (stride, extent) else None


def resolve_padding(
    auto_pad: AutoPad,
    pads: Sequence[int] | None,
    sizes: Sequence[int],
    extents: Sequence[int],
    strides: Sequence[int],
) -> Pairs:
    """The padding that is really applied to an input of `sizes`."""
    match auto_pad:
        case AutoPad.SAME:
            given = zip(sizes, extents, strides, strict=True)
            return tuple(same_pads(n, e, s) for n, e, s in given)
        case AutoPad.VALID:
            return ((0, 0),) * len(sizes)
    return pair_pads(pads, len(sizes))


def extents(kernel: Sequence[int], dilations: Sequence[int]) -> tuple[int, ...]:
    """How much a dilated kernel covers along each axis."""
    return tuple(d * (k - 1) + 1 for k, d in zip(kernel, dilations, strict=True))


def slid(size: Dim, extent: Dim, stride: int, pad: tuple[int, int], *, ceil: bool = False) -> Dim:
    """How many windows fit on one axis; with `ceil` one more where elements are left over."""
    room = size + pad[0] + pad[1] - extent
    count = (ceil_div(room, stride) if ceil else room // stride) + 1
    return count if isinstance(count, Expr) else max(count, 0)


def slid_inside(size: Dim, extent: int, stride: int, pad: tuple[int, int]) -> Dim:
    """As `slid` with `ceil`, without windows that would start in the padding after the data."""
    count = minimum(slid(size, extent, stride, pad, ceil=True), ceil_div(size + pad[0], stride))
    return count if isinstance(count, Expr) else max(count, 0)


def starts_in_data(size: Dim, extent: int, stride: int, pad: tuple[int, int]) -> bool:
    """Whether no window of an axis starts behind the data, where the last one is rounded up; of a
    size that is not known, whatever it is."""
    if isinstance(size, Expr):
        return stride == 1 or pad[1] + stride <= extent
    return slid(size, extent, stride, pad, ceil=True) == slid_inside(size, extent, stride, pad)


def fit_padding(
    size: Dim, extent: int, stride: int, pad: tuple[int, int], *, inside: bool = False
) -> tuple[int, int] | None:
    """The padding of one axis by which windows that overhang are whole, as `slid` counts them with
    `ceil`, or `slid_inside`; None where it depends on a size that is not known."""
    before, after = pad
    if isinstance(size, Expr):
        fits = not inside or starts_in_data(size, extent, stride, pad)
        return (before, after + stride - 1) if fits else None
    count = slid(size, extent, stride, pad, ceil=True)
    if inside:
        count = slid_inside(size, extent, stride, pad)
    need = (int(count) - 1) * stride + extent - size - before  # type: ignore[arg-type]
    return before, max(need, min(after, 0))  # strides above the kernel leave elements out


def has_empty(
    size: int, kernel: int, stride: int, dilation: int, pad: tuple[int, int], *, ceil: bool
) -> bool:
    """Whether no tap of some window of an axis lies in the data: dilated ones may pass over it."""
    before, after = pad
    starts = np.arange(0, size + before, stride)
    places = starts[:, None] + np.arange(kernel) * dilation - before
    held = ((places >= 0) & (places < size)).any(axis=1)
    begun = stride - 1 if ceil else 0
    return bool(((places[:, -1] < size + after + begun) & ~held).any())


def same_size(size: Dim, stride: int) -> Dim:
    """How many windows SAME gives an axis."""
    return ceil_div(size, stride)


def check_window(name: str, rank: int, **lists: Sequence[int] | None) -> None:
    """BadType unless every list has one positive number for each of the spatial axes."""
    for what, values in lists.items():
        good = values is None or (len(values) == rank and all(v > 0 for v in values))
        require(good, f"{name} with {what}={values}: {rank} positive numbers are needed")


def pad(input: np.ndarray, pads: Pairs, value: Any = 0) -> np.ndarray:
    """Add a border of `value` to the spatial axes; negative pads crop."""
    if not any(itertools.chain(*pads)):
        return input
    lead = ((0, 0),) * (input.ndim - len(pads))
    grown = [(max(a, 0), max(b, 0)) for a, b in pads]
    result = np.pad(input, (*lead, *grown), constant_values=value)
    ends = zip(pads, result.shape[len(lead) :], strict=True)
    crop = (slice(max(-a, 0), n - max(-b, 0)) for (a, b), n in ends)
    return result[..., *crop]  # type: ignore[arg-type]


def taps(
    kernel: Sequence[int], strides: Sequence[int], dilations: Sequence[int], out: Sequence[int]
) -> Iterator[tuple[tuple[int, ...], tuple[slice, ...]]]:
    """For each kernel position the slices of the padded data that it meets in all windows."""
    for position in itertools.product(*map(range, kernel)):
        axes = zip(position, strides, dilations, out, strict=True)
        yield (
            position,
            tuple(slice(p * d, p * d + max((n - 1) * s + 1, 0), s) for p, s, d, n in axes),
        )


def unfold(
    padded: np.ndarray, kernel: Sequence[int], strides: Sequence[int], dilations: Sequence[int]
) -> np.ndarray:
    """A view [..., *windows, *kernel] of the spatial (last) axes."""
    rank = len(kernel)
    spatial = tuple(range(padded.ndim - rank, padded.ndim))
    view = np.lib.stride_tricks.sliding_window_view(padded, extents(kernel, dilations), spatial)
    steps = (*(slice(None, None, s) for s in strides), *(slice(None, None, d) for d in dilations))
    return view[..., *steps]  # type: ignore[arg-type]


def fold(
    columns: np.ndarray, rank: int, strides: Sequence[int], dilations: Sequence[int]
) -> np.ndarray:
    """Add windows [..., *kernel, *windows] up where they overlap: the inverse of `unfold`."""
    kernel, out = columns.shape[-2 * rank : -rank], columns.shape[-rank:]
    covered = extents(kernel, dilations)
    axes = zip(out, strides, covered, strict=True)
    full = [max((n - 1) * s, 0) + e for n, s, e in axes]
    result = np.zeros((*columns.shape[: -2 * rank], *full), columns.dtype)
    for position, where in taps(kernel, strides, dilations, out):
        result[..., *where] += columns[..., *position, *(slice(None),) * rank]  # type: ignore[arg-type]
    return result


def convolve(
    input: np.ndarray,
    filter: np.ndarray,
    pads: Pairs,
    strides: Sequence[int],
    group: int,
    dilations: Sequence[int],
) -> np.ndarray:
    """Cross-correlation of [N, C, *spatial] with [O, C / group, *kernel]."""
    exact = exact_type(input, filter)
    if exact is not None:
        wide = convolve(input.astype(exact), filter.astype(exact), pads, strides, group, dilations)
        return (wide if input.dtype.kind == "f" else wide.astype(np.int64)).astype(input.dtype)
    batch, channels = input.shape[:2]
    kernel = filter.shape[2:]
    padded = pad(input, pads)
    weights = filter.reshape(group, filter.shape[0] // group, -1)
    if math.prod(kernel) == 1 and math.prod(strides) == 1:
        columns = padded.reshape(batch, group, channels // group, math.prod(padded.shape[2:]))
        return np.matmul(weights, columns).reshape(batch, filter.shape[0], *padded.shape[2:])
    rank = len(kernel)
    covered = extents(kernel, dilations)
    if any(n < e for n, e in zip(padded.shape[2:], covered, strict=True)):
        given = zip(padded.shape[2:], covered, strides, strict=True)
        none = [int(slid(n, e, s, (0, 0))) for n, e, s in given]  # type: ignore[arg-type]
        return np.zeros((batch, filter.shape[0], *none), input.dtype)
    view = unfold(padded, kernel, strides, dilations)
    out = view.shape[2 : 2 + rank]
    order = (0, *range(1 + rank, 1 + 2 * rank), *range(1, 1 + rank))
    result = np.empty((batch, group, filter.shape[0] // group, math.prod(out)), input.dtype)
    for sample, target in zip(view, result, strict=True):
        columns = sample.transpose(order).reshape(group, -1, math.prod(out))
        np.matmul(weights, columns, out=target)
    return result.reshape(batch, filter.shape[0], *out)


def convolve_transposed(
    input: np.ndarray,
    filter: np.ndarray,
    pads: Pairs,
    strides: Sequence[int],
    group: int,
    dilations: Sequence[int],
    out: Sequence[int],
) -> np.ndarray:
    """The transpose of `convolve`: [N, C, *spatial] with [C, O / group, *kernel] to size `out`."""
    batch, channels = input.shape[:2]
    kernel, rank = filter.shape[2:], len(pads)
    weights = filter.reshape(group, channels // group, math.prod(filter.shape[1:])).swapaxes(1, 2)
    rows = input.reshape(batch, group, channels // group, math.prod(input.shape[2:]))
    columns = np.matmul(weights, rows)
    outputs = group * filter.shape[1]
    columns = columns.reshape(batch, outputs, *kernel, *input.shape[2:])
    full = fold(columns, rank, strides, dilations)
    axes = zip(pads, out, full.shape[2:], strict=True)
    return pad(full, tuple((-before, before + n - size) for (before, _), n, size in axes))


def exact_type(input: np.ndarray, filter: np.ndarray) -> np.dtype | None:
    """The type to multiply and add up in, None for the type of the operands.

    Integers are exact in it. float32 is rounded once at the end, so that a result depends neither
    on the order in which a BLAS adds nor on its number of threads.
    """
    if input.dtype == np.float32:
        return np.dtype(np.float64)
    if input.dtype.kind not in "iu" or input.dtype == np.int64:
        return None
    largest = [int(np.abs(a.astype(np.int64)).max(initial=0)) for a in (input, filter)]
    bound = largest[0] * largest[1] * max(filter[:1].size, 1)
    return np.dtype(np.float64 if bound < EXACT_INTEGERS else np.int64)


def maxima(
    input: np.ndarray,
    kernel: Sequence[int],
    pads: Pairs,
    strides: Sequence[int],
    dilations: Sequence[int],
    out: Sequence[int],
) -> tuple[np.ndarray, np.ndarray]:
    """The maximum of each window and its flat position in the plane; the first one wins."""
    low = lowest(input.dtype)
    padded = pad(input, reach(input, pads, kernel, strides, dilations, out), low)
    rank, sizes = len(kernel), input.shape[2:]
    best = np.full((*input.shape[:2], *out), low, input.dtype)
    index = np.full(best.shape, -1, np.int64)
    for position, where in taps(kernel, strides, dilations, out):
        values = padded[..., *where]  # type: ignore[arg-type]
        flat, inside = np.zeros((), np.int64), np.ones((), bool)
        for axis in range(rank):
            at = np.arange(out[axis]) * strides[axis] + position[axis] * dilations[axis]
            at = (at - pads[axis][0]).reshape(-1, *(1,) * (rank - axis - 1))
            flat = flat * sizes[axis] + at
            inside = inside & (at >= 0) & (at < sizes[axis])
        better = inside & ((index < 0) | (values > best) | ((values != values) & (best == best)))
        np.copyto(index, flat, where=better)
        np.copyto(best, values, where=better)
    return best, index


def maximum(
    input: np.ndarray,
    kernel: Sequence[int],
    pads: Pairs,
    strides: Sequence[int],
    dilations: Sequence[int],
    out: Sequence[int],
) -> np.ndarray:
    """The maximum of each window."""
    low = lowest(input.dtype)
    padded = pad(input, reach(input, pads, kernel, strides, dilations, out), low)
    best = np.full((*input.shape[:2], *out), low, input.dtype)
    for _, where in taps(kernel, strides, dilations, out):
        np.maximum(best, padded[..., *where], out=best)  # type: ignore[arg-type]
    return best


def sums(
    input: np.ndarray,
    kernel: Sequence[int],
    pads: Pairs,
    strides: Sequence[int],
    dilations: Sequence[int],
    out: Sequence[int],
) -> np.ndarray:
    """The sum of each window."""
    padded = pad(input, reach(input, pads, kernel, strides, dilations, out))
    total = np.zeros((*input.shape[:2], *out), input.dtype)
    for _, where in taps(kernel, strides, dilations, out):
        total += padded[..., *where]  # type: ignore[arg-type]
    return total


def counts(
    starts: Sequence[int],
    ends: Sequence[int],
    kernel: Sequence[int],
    pads: Pairs,
    strides: Sequence[int],
    dilations: Sequence[int],
    out: Sequence[int],
) -> np.ndarray:
    """How many taps of each window lie in [starts, ends), where the data starts at 0."""
    total = np.ones((), np.int64)
    for axis, (k, s, d, n) in enumerate(zip(kernel, strides, dilations, out, strict=True)):
        at = np.arange(n)[:, None] * s + np.arange(k) * d - pads[axis][0]
        inside = ((at >= starts[axis]) & (at < ends[axis])).sum(axis=1)
        total = total[..., None] * inside
    return total


def reach(
    input: np.ndarray,
    pads: Pairs,
    kernel: Sequence[int],
    strides: Sequence[int],
    dilations: Sequence[int],
    out: Sequence[int],
) -> Pairs:
    """The padding with which every window, also an overhanging one, lies in the data."""
    covered = extents(kernel, dilations)
    axes = zip(input.shape[2:], pads, covered, strides, out, strict=True)
    return tuple(
        (before, max((n - 1) * s + e - size - before, after))
        for size, (before, after), e, s, n in axes
    )


def lowest(dtype: np.dtype) -> Any:
    """What never wins against an element."""
    if dtype.kind in "iu":
        return np.iinfo(dtype).min
    return False if dtype.kind == "b" else dtype.type(-np.inf)


def transposed_size(size: Dim, stride: int, extent: int, pad: tuple[int, int], extra: int) -> Dim:
    """The size that a transposed convolution gives one axis; BadType where pads cut off more."""
    result = (size - 1) * stride + extent + extra - pad[0] - pad[1]
    if not isinstance(result, Expr):
        require(result >= 0, f"pads {pad} cut more than the {result + sum(pad)} elements there are")
    return result
