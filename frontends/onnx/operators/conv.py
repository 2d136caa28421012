"""ONNX convolutions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nnir.dim import Expr
from nnir.errors import BadType, NotConstant, Unsupported
from nnir.model import Value
from nnir.ops import activation, conv, generate, index, shape, unary
from nnir.types import AutoPad, Precision, Row

from ...table import Table
from . import windows

table = Table()
LARGEST = 1 << 20
"""More channels than any model has: what is made for each of them stays small."""


def zeros(like: Value, count: Any, value: float = 0) -> Value:
    """A vector for the channels of `like`; its length may only be known while running."""
    scalar = like.model.constant(np.asarray(value, like.dtype))
    if isinstance(count, Expr):
        raise NotConstant(f"the number of output channels {count} is not known")
    if int(count) > LARGEST:
        raise Unsupported(f"{count} output channels")
    return like.model.constant(np.full(int(count), scalar.constant, like.dtype))


def kernel_of(op: str, w: Value, kernel_shape: Sequence[int] | None) -> tuple[int, ...]:
    """The size of the kernel, which the filter has too."""
    found = w.shape[2:]
    if kernel_shape is not None:
        pairs = zip(found, kernel_shape, strict=False)
        fits = len(found) == len(kernel_shape)
        if not fits or any(a != b and not isinstance(a, Expr) for a, b in pairs):
            raise BadType(f"{op} with kernel_shape={tuple(kernel_shape)} and a filter {w.type}")
        return tuple(kernel_shape)
    known = tuple(d for d in found if not isinstance(d, Expr))
    if len(known) < len(found):
        raise NotConstant(f"{op} needs the size of its kernel, not {w.type}")
    return known


@table.convert("Conv")
def conv_(
    x: Value,
    w: Value,
    b: Value | None = None,
    *,
    auto_pad: str = "NOTSET",
    dilations: tuple[int, ...] | None = None,
    group: int = 1,
    kernel_shape: tuple[int, ...] | None = None,
    pads: tuple[int, ...] | None = None,
    strides: tuple[int, ...] | None = None,
) -> Value:
    rank = windows.spatial("Conv", x, 1, 2, 3)
    kernel = kernel_of("Conv", w, kernel_shape)
    how = windows.window("Conv", x, kernel, strides, pads, dilations, auto_pad)
    bias = zeros(w, w.shape[0]) if b is None else b
    given: dict[str, Any] = {"auto_pad": how.auto_pad, "group": group}
    if rank == 1:
        given |= {"strides": (1, *how.strides), "dilations": (1, *how.dilations)}
        given["pads"] = (0, 0, *how.pads) if how.pads else None
        x, w = windows.as_2d(x), windows.as_2d(w)
        return windows.as_1d(conv.conv_2d(x, w, bias, **given))
    given |= {"strides": how.strides, "dilations": how.dilations, "pads": how.pads or None}
    return (conv.conv_2d if rank == 2 else conv.conv_3d)(x, w, bias, **given)


@table.convert("ConvTranspose")
def conv_transpose(
    x: Value,
    w: Value,
    b: Value | None = None,
    *,
    auto_pad: str = "NOTSET",
    dilations: tuple[int, ...] | None = None,
    group: int = 1,
    kernel_shape: tuple[int, ...] | None = None,
    output_padding: tuple[int, ...] | None = None,
    output_shape: tuple[int, ...] | None = None,
    pads: tuple[int, ...] | None = None,
    strides: tuple[int, ...] | None = None,
) -> Value:
    op = "ConvTranspose"
    rank = windows.spatial(op, x, 1, 2, 3)
    kernel = kernel_of(op, w, kernel_shape)
    plain = auto_pad if auto_pad in ("NOTSET", "", "VALID") else "VALID"
    how = windows.window(op, x, kernel, strides, pads, dilations, plain)
    extra = tuple(output_padding) if output_padding else (0,) * rank
    flat = how.pads
    if output_shape is not None or auto_pad in ("SAME_UPPER", "SAME_LOWER"):
        totals = _transposed_totals(x, how, extra, output_shape)
        flat = tuple(p for t in totals for p in windows.halves(max(t, 0), auto_pad))
        extra = tuple(e + max(-t, 0) for e, t in zip(extra, totals, strict=True))
    elif auto_pad not in ("NOTSET", "", "VALID"):
        raise Unsupported(f"{op} with auto_pad={auto_pad!r}")
    bias = zeros(w, w.shape[1] * group) if b is None else b
    if rank == 1:
        given: dict[str, Any] = {"strides": (1, *how.strides), "dilations": (1, *how.dilations)}
        given |= {"pads": (0, 0, *flat), "output_padding": (0, *extra), "group": group}
        x, w = windows.as_2d(x), windows.as_2d(w)
        return windows.as_1d(conv.conv_2d_transpose(x, w, bias, **given))
    given = {"strides": how.strides, "dilations": how.dilations, "pads": flat}
    given |= {"output_padding": extra, "group": group}
    operator = conv.conv_2d_transpose if rank == 2 else conv.conv_3d_transpose
    return operator(x, w, bias, **given)


def _transposed_totals(
    x: Value,
    how: windows.Window,
    extra: Sequence[int],
    output_shape: Sequence[int] | None,
) -> list[int]:
    """The padding of each axis that gives `output_shape`, or else size * stride."""
    axes = list(zip(how.strides, how.extents, extra, strict=True))
    if output_shape is None:
        return [e + more - s for s, e, more in axes]
    wanted = tuple(output_shape)[-how.rank :]  # some writers list every axis
    if any(isinstance(d, Expr) for d in x.shape[2:]):
        raise NotConstant(f"ConvTranspose with output_shape needs known sizes, not {x.type}")
    given = zip(x.shape[2:], axes, wanted, strict=True)
    return [int((n - 1) * s + e + more - out) for n, (s, e, more), out in given]  # type: ignore[arg-type]


@table.convert("ConvInteger", since=10)
def conv_integer(
    x: Value,
    w: Value,
    x_zero_point: Value | None = None,
    w_zero_point: Value | None = None,
    *,
    auto_pad: str = "NOTSET",
    dilations: tuple[int, ...] | None = None,
    group: int = 1,
    kernel_shape: tuple[int, ...] | None = None,
    pads: tuple[int, ...] | None = None,
    strides: tuple[int, ...] | None = None,
) -> Value:
    kernel = kernel_of("ConvInteger", w, kernel_shape)
    how = windows.window("ConvInteger", x, kernel, strides, pads, dilations, auto_pad)
    if how.auto_pad != AutoPad.NONE:
        raise NotConstant(f"ConvInteger with auto_pad={auto_pad} needs known sizes, not {x.type}")
    return conv.conv_integer(
        x,
        w,
        x_zero_point,
        w_zero_point,
        pads=how.pads,
        strides=how.strides,
        group=group,
        dilations=how.dilations,
    )


@table.convert("QLinearConv", since=10)
def q_linear_conv(
    x: Value,
    x_scale: Value,
    x_zero_point: Value,
    w: Value,
    w_scale: Value,
    w_zero_point: Value,
    y_scale: Value,
    y_zero_point: Value,
    b: Value | None = None,
    *,
    auto_pad: str = "NOTSET",
    dilations: tuple[int, ...] | None = None,
    group: int = 1,
    kernel_shape: tuple[int, ...] | None = None,
    pads: tuple[int, ...] | None = None,
    strides: tuple[int, ...] | None = None,
) -> Value:
    total = conv_integer(
        x,
        w,
        x_zero_point,
        w_zero_point,
        auto_pad=auto_pad,
        dilations=dilations,
        group=group,
        kernel_shape=kernel_shape,
        pads=pads,
        strides=strides,
    )
    if b is not None:
        total = total + _channelwise(b, total.rank)
    scale = _channelwise(w_scale, total.rank) * _scalar(x_scale) / _scalar(y_scale)
    real = unary.cast(total, dtype=Precision.FLOAT32) * scale
    zero = unary.cast(_scalar(y_zero_point), dtype=Precision.FLOAT32)
    whole = unary.round_(real) + zero
    bounds = np.iinfo(y_zero_point.dtype)
    clipped = activation.clip(whole, float(bounds.min), float(bounds.max))
    return unary.cast(clipped, dtype=y_zero_point.precision)


def _scalar(value: Value) -> Value:
    return shape.reshape(value, [1]) if value.rank == 0 else value


def _channelwise(value: Value, rank: int) -> Value:
    """One number, or one for each entry of axis 1."""
    return shape.reshape(value, [-1, *(1,) * (rank - 2)])


@table.convert("DeformConv", since=19)
def deform_conv(
    x: Value,
    w: Value,
    offset: Value,
    b: Value | None = None,
    mask: Value | None = None,
    *,
    dilations: tuple[int, ...] | None = None,
    group: int = 1,
    kernel_shape: tuple[int, ...] | None = None,
    offset_group: int = 1,
    pads: tuple[int, ...] | None = None,
    strides: tuple[int, ...] | None = None,
) -> Value:
    windows.spatial("DeformConv", x, 2)
    kernel = Row(kernel_of("DeformConv", w, kernel_shape))
    how = windows.window("DeformConv", x, kernel, strides, pads, dilations, "NOTSET")
    if mask is None:
        taps = offset_group * kernel[0] * kernel[1]
        half = index.slice_(offset, [1], [0], [taps], [1])
        mask = generate.fill_like(half, x.model.constant(np.ones(1, x.dtype)))
    return conv.deformable_conv_2d(
        x,
        offset,
        mask,
        w,
        zeros(w, w.shape[0]) if b is None else b,
        pads=how.pads,
        strides=how.strides,
        group=group,
        deformable_group=offset_group,
        dilations=how.dilations,
    )


@table.convert("Col2Im", since=18)
def col_2_im(
    input: Value,
    image_shape: Value,
    block_shape: Value,
    *,
    dilations: tuple[int, ...] | None = None,
    pads: tuple[int, ...] | None = None,
    strides: tuple[int, ...] | None = None,
) -> Value:
    flat = None if pads is None else windows.pair_pads("Col2Im", pads, len(pads) // 2)
    return conv.col_2_im(
        input, image_shape, block_shape, dilations=dilations, pads=flat, strides=strides
    )
