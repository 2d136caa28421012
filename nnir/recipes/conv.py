"""Convolutions of images whose layout and padding have names, as in TensorFlow and TFLite."""

from __future__ import annotations

import numpy as np

from ..broadcast import contents
from ..dim import Dim, Expr
from ..errors import BadType, NotConstant
from ..model import Value
from ..ops import conv, shape
from ..types import Row
from .layout import with_channels_first
from .windows import Window, spatial_sizes


def zero_bias(x: Value, count: int) -> Value:
    """A bias that adds nothing."""
    return x.model.constant(np.zeros(count, x.dtype))


def filter_output_first(filter: Value) -> Value:
    """A filter [*kernel, in, out] as [out, in, *kernel]."""
    last = filter.rank - 1
    return shape.transpose(filter, perm=(last, last - 1, *range(last - 1)))


def convolve(
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
            zero_bias(x, count) if bias is None else bias,
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
            zero_bias(x, weights.sizes[1] * group) if bias is None else bias,
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
