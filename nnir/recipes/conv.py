"""Convolutions over one to three axes, plain and transposed, also of images with named layouts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..broadcast import contents
from ..dim import Dim, Expr
from ..errors import BadType, NotConstant, Unsupported
from ..model import Value
from ..ops import complex, conv, index, shape
from ..records import dataclass
from ..types import AutoPad, Row
from . import generate
from .layout import with_channels_first
from .windows import Window, spatial_sizes

MOST_CHANNELS = 1 << 20
"""More than any model has: what is made for each of them stays small."""


@dataclass(frozen=True)
class Slide:
    """How a filter moves: (before, after) pads axis by axis; `extra` of a transposed one.

    Where the sizes are only known while running, `auto_pad` may say the padding.
    """

    strides: tuple[int, ...]
    pads: tuple[int, ...]
    dilations: tuple[int, ...]
    groups: int
    extra: tuple[int, ...] | None = None
    auto_pad: AutoPad = AutoPad.NONE

    def with_axis(self) -> Slide:
        """The same with an axis in front that the filter does not move along."""
        extra = None if self.extra is None else (0, *self.extra)
        strides, dilations, pads = (1, *self.strides), (1, *self.dilations), (0, 0, *self.pads)
        return Slide(strides, pads, dilations, self.groups, extra, self.auto_pad)


def each_axis(name: str, values: Sequence[int], rank: int) -> tuple[int, ...]:
    """One number for each axis; a single one counts for all."""
    result = tuple(values) * rank if len(values) == 1 else tuple(values)
    if len(result) != rank:
        raise BadType(f"{name}={tuple(values)}: {rank} numbers are needed")
    return result


def add_spatial_axis(weight: Value) -> Value:
    """A filter with one more spatial axis in front; a view where it is a constant."""
    if weight.constant is not None:
        return weight.model.constant(np.expand_dims(weight.constant, 2))
    return shape.unsqueeze(weight, [2])


def zero_bias(weight: Value, axis: int, groups: int) -> Value:
    """No bias: a zero for each channel of the result."""
    count = weight.shape[axis]
    if isinstance(count, Expr):
        raise NotConstant(f"a convolution with a filter {weight.type}")
    if count * groups > MOST_CHANNELS:
        raise Unsupported(f"a convolution to {count * groups} channels")
    return weight.model.constant(np.zeros(count * groups, weight.dtype))


def convolve(input: Value, weight: Value, bias: Value | None, slide: Slide) -> Value:
    """A convolution over one to three axes, of one sample too; transposed with `extra`."""
    if input.precision.is_complex and weight.precision.is_complex:
        return _convolve_complex(input, weight, bias, slide)
    rank = weight.rank - 2
    if rank not in (1, 2, 3) or input.rank not in (rank + 1, rank + 2):
        raise Unsupported(f"a convolution of {input.type} by {weight.type}")
    if min(slide.pads, default=0) < 0:
        raise BadType(f"a convolution with padding={slide.pads}: 0 or more is needed")
    added = [0] if input.rank == rank + 1 else []
    is_transposed = slide.extra is not None
    if bias is None:
        bias = zero_bias(weight, int(is_transposed), slide.groups if is_transposed else 1)
    if rank == 1:
        added.append(2)
        weight, slide, rank = add_spatial_axis(weight), slide.with_axis(), 2
    x = shape.unsqueeze(input, added) if added else input
    given = {"strides": slide.strides, "dilations": slide.dilations, "group": slide.groups}
    given |= {"pads": slide.pads if any(slide.pads) else None, "auto_pad": slide.auto_pad}
    operator = conv.conv_2d if rank == 2 else conv.conv_3d
    if is_transposed:
        operator = conv.conv_2d_transpose if rank == 2 else conv.conv_3d_transpose
        given |= {"output_padding": slide.extra}
    result: Value = operator(x, weight, bias, **given)
    return shape.squeeze(result, added) if added else result


def _convolve_complex(input: Value, weight: Value, bias: Value | None, slide: Slide) -> Value:
    """A convolution of complex numbers by four of their parts; a bias counts once."""
    (a, b), (c, d) = ((complex.real(v), complex.imag(v)) for v in (input, weight))
    added = (None, None) if bias is None else (complex.real(bias), complex.imag(bias))
    real = convolve(a, c, added[0], slide) - convolve(b, d, None, slide)
    imag = convolve(a, d, added[1], slide) + convolve(b, c, None, slide)
    return complex.complex_(real, imag)


def fit_transposed(
    x: Value,
    slide: Slide,
    extents: tuple[int, ...],
    sizes: tuple[int, ...],
    *,
    is_upper: bool,
) -> Slide:
    """A transposed convolution whose pads give `sizes`, or else size * stride; of odd ones the
    larger is behind (`is_upper`) or in front. What would be negative is added behind."""
    axes = list(zip(slide.strides, extents, slide.extra or (), strict=True))
    if not sizes:
        totals = [extent + more - step for step, extent, more in axes]
    elif any(isinstance(d, Expr) for d in x.shape[2:]):
        raise NotConstant(f"a transposed convolution to {sizes} needs known sizes, not {x.type}")
    else:
        given = zip(x.sizes[2:], axes, sizes, strict=True)
        totals = [(n - 1) * s + e + more - out for n, (s, e, more), out in given]
    pairs = [(max(t, 0) // 2, max(t, 0) - max(t, 0) // 2) for t in totals]
    pads = tuple(p for pair in pairs for p in (pair if is_upper else pair[::-1]))
    extra = tuple(e + max(-t, 0) for (_, _, e), t in zip(axes, totals, strict=True))
    return replace(slide, pads=pads, extra=extra)


def convolve_deformed(
    x: Value,
    offset: Value,
    mask: Value | None,
    weight: Value,
    bias: Value | None,
    slide: Slide,
    offset_groups: int,
) -> Value:
    """A convolution of images whose taps are moved; without a mask each of them counts in full."""
    if mask is None:
        taps = offset.shape[1]
        if isinstance(taps, Expr):
            raise BadType(f"a deformable convolution with offsets {offset.type}")
        mask = generate.constant_like(index.slice_(offset, [1], [0], [taps // 2]), 1)
    return conv.deformable_conv_2d(
        x,
        offset,
        mask,
        weight,
        zero_bias(weight, 0, 1) if bias is None else bias,
        pads=slide.pads,
        strides=slide.strides,
        group=slide.groups,
        deformable_group=offset_groups,
        dilations=slide.dilations,
    )


def no_bias(x: Value, count: int) -> Value:
    """A bias that adds nothing."""
    return x.model.constant(np.zeros(count, x.dtype))


def filter_output_first(filter: Value) -> Value:
    """A filter [*kernel, in, out] as [out, in, *kernel]."""
    last = filter.rank - 1
    return shape.transpose(filter, perm=(last, last - 1, *range(last - 1)))


def convolve_images(
    input: Value,
    weights: Value,
    how: Window,
    data_format: str,
    group: int,
    bias: Value | None = None,
) -> Value:
    """A convolution with weights [out, in, *kernel]."""
    operator = conv.conv_2d if weights.rank == 4 else conv.conv_3d
    count = weights.sizes[0]
    pads = how.pads(spatial_sizes(input.shape, data_format))

    def compute(x: Value) -> Value:
        return operator(
            x,
            weights,
            no_bias(x, count) if bias is None else bias,
            auto_pad=how.auto_pad,
            pads=pads,
            strides=how.strides,
            group=group,
            dilations=how.dilations,
        )

    return with_channels_first(input, data_format, compute)


def convolve_transposed(
    input_sizes: Value,
    weights: Value,
    grads: Value,
    how: Window,
    data_format: str,
    group: int,
    bias: Value | None = None,
) -> Value:
    """The transposed convolution that gives an image of `input_sizes`."""
    rank = len(how.kernel)
    found = contents(input_sizes)
    if found is None or len(found) not in (rank, rank + 2):
        raise NotConstant(f"a transposed convolution to sizes {input_sizes.type}")
    wanted = found if len(found) == rank else spatial_sizes(found, data_format)
    given = Row(spatial_sizes(grads.shape, data_format))
    pads: list[int] = []
    extra: list[int] = []
    for axis in range(rank):
        before, after, more = _margins(wanted[axis], given[axis], how, axis)
        pads += [before, after]
        extra.append(more)
    operator = conv.conv_2d_transpose if rank == 2 else conv.conv_3d_transpose

    def compute(x: Value) -> Value:
        return operator(
            x,
            weights,
            no_bias(x, weights.sizes[1] * group) if bias is None else bias,
            pads=tuple(pads) if any(pads) else None,
            strides=how.strides,
            group=group,
            dilations=how.dilations,
            output_padding=tuple(extra),
        )

    return with_channels_first(grads, data_format, compute)


def _margins(wanted: Dim, given: Dim, how: Window, axis: int) -> tuple[int, int, int]:
    """What is cut off before and after, and what is added behind, for a result of `wanted`."""
    extent, stride = how.extents[axis], how.strides[axis]
    full = (given - 1) * stride + extent
    match how.padding:
        case "SAME" if not isinstance(wanted, Expr):
            before = how.all_pads((1,) * axis + (wanted,) + (1,) * (len(how.kernel) - axis - 1))[
                2 * axis
            ]
            count: Dim = -(-wanted // stride)
        case "SAME":
            before, count = max(extent - stride, 0) // 2, given
            if wanted != given * stride:
                raise NotConstant(f"a transposed convolution of {given} elements to {wanted}")
        case "EXPLICIT":
            before, after = how.explicit[2 * axis : 2 * axis + 2]
            count = (wanted + before + after - extent) // stride + 1
        case _:
            before, count = 0, (wanted - extent) // stride + 1
    if not isinstance(count, Expr) and not isinstance(given, Expr) and count != given:
        raise BadType(f"a transposed convolution of {given} elements to {wanted}")
    rest = full - before - wanted
    if isinstance(rest, Expr):
        raise NotConstant(f"a transposed convolution of {given} elements to {wanted}")
    return before, max(int(rest), 0), max(-int(rest), 0)
