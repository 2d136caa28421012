"""Paddle's convolutions."""

from __future__ import annotations

from collections.abc import Sequence

from nnir.broadcast import contents, ints
from nnir.dim import Expr
from nnir.errors import BadType, NotConstant, Unsupported
from nnir.model import Index, Value
from nnir.ops import windows
from nnir.recipes.conv import Slide, convolve, convolve_deformed, each_axis
from nnir.recipes.layout import with_channels_first
from nnir.types import AutoPad

from ...table import Ints, Table

table = Table()
TRANSPOSED = ("conv2d_transpose", "conv3d_transpose", "depthwise_conv2d_transpose")


def pairs(op: str, paddings: Sequence[int], rank: int) -> Ints:
    """(before, after) axis by axis, from one number or from two for each."""
    if len(paddings) == 2 * rank:
        return tuple(paddings)
    return tuple(p for pad in each_axis(f"{op} paddings", paddings, rank) for p in (pad, pad))


def auto(op: str, padding_algorithm: str) -> AutoPad:
    """Who computes the padding."""
    match padding_algorithm:
        case "EXPLICIT":
            return AutoPad.NONE
        case "SAME":
            return AutoPad.SAME
        case "VALID":
            return AutoPad.VALID
    raise Unsupported(f"{op} with padding_algorithm={padding_algorithm!r}")


def resolve_padding(
    op: str,
    x: Value,
    kernel: Sequence[object],
    strides: Sequence[int],
    paddings: Sequence[int],
    padding_algorithm: str,
) -> Ints:
    """The pads of `x` [N, C, ...]; SAME, which has no dilation, needs known sizes."""
    rank = len(kernel)
    match auto(op, padding_algorithm):
        case AutoPad.VALID:
            return (0,) * (2 * rank)
        case AutoPad.NONE:
            return pairs(op, paddings, rank)
    found: list[int] = []
    for size, length, step in zip(x.shape[2:], kernel, strides, strict=True):
        if not isinstance(size, int) or not isinstance(length, int):
            raise NotConstant(f"{op} with padding_algorithm='SAME' of {x.type}")
        found += windows.same_pads(size, length, step)
    return tuple(found)


@table.each({"conv2d": "conv2d"})
def straight(
    op: str,
    input: Value,
    filter: Value,
    strides: Ints,
    paddings: Ints,
    padding_algorithm: str,
    dilations: Ints,
    groups: int,
    data_format: str,
) -> Value:
    """A convolution; the filter is [O, C / groups, ...] in every format."""

    def slide_over(image: Value) -> Value:
        if auto(op, padding_algorithm) == AutoPad.SAME:
            slide = Slide(strides, (), (1,) * (filter.rank - 2), groups, auto_pad=AutoPad.SAME)
        else:
            kernel = filter.shape[2:]
            pads = resolve_padding(op, image, kernel, strides, paddings, padding_algorithm)
            slide = Slide(strides, pads, dilations, groups)
            require_reach(op, image, filter, pads, dilations)
        return convolve(image, filter, None, slide)

    return with_channels_first(input, data_format, slide_over)


def require_reach(op: str, x: Value, filter: Value, pads: Ints, dilations: Ints) -> None:
    """BadType where a filter is known to be larger than the data and its padding."""
    for k, (size, length) in enumerate(zip(x.shape[2:], filter.shape[2:], strict=False)):
        if isinstance(size, int) and isinstance(length, int):
            reach = dilations[k] * (length - 1) + 1
            if reach > size + pads[2 * k] + pads[2 * k + 1]:
                raise BadType(f"{op} of {x.type} with {filter.type}, which is larger")


@table.each({op: op for op in ("conv3d", "depthwise_conv2d")})
def straight_by_groups(
    op: str,
    input: Value,
    filter: Value,
    strides: Ints,
    paddings: Ints,
    padding_algorithm: str,
    groups: int,
    dilations: Ints,
    data_format: str,
) -> Value:
    """The groups come before the dilations."""
    given = (strides, paddings, padding_algorithm, dilations, groups, data_format)
    return straight(op, input, filter, *given)


@table.each({op: op for op in TRANSPOSED})
def transposed_convolution(
    op: str,
    x: Value,
    filter: Value,
    strides: Ints,
    paddings: Ints,
    output_padding: Ints,
    output_size: Index | None,
    padding_algorithm: str,
    groups: int,
    dilations: Ints,
    data_format: str,
) -> Value:
    """A transposed convolution; the filter is [C, O / groups, ...] in every format."""
    rank, kernel = filter.rank - 2, filter.shape[2:]
    if padding_algorithm == "SAME":
        dilations = (1,) * rank
    wanted = () if output_size is None else ints(output_size)
    if wanted is None:
        raise NotConstant(f"{op} with output_size {contents(output_size)}")

    def slide_over(image: Value) -> Value:
        pads = resolve_padding(op, image, kernel, strides, paddings, padding_algorithm)
        extra = output_padding or (0,) * rank
        if wanted:
            extra = left_over(op, image, filter, strides, pads, dilations, wanted)
        return convolve(image, filter, None, Slide(strides, pads, dilations, groups, extra))

    return with_channels_first(x, data_format, slide_over)


def left_over(
    op: str,
    x: Value,
    filter: Value,
    strides: Sequence[int],
    pads: Sequence[int],
    dilations: Sequence[int],
    wanted: Sequence[int],
) -> Ints:
    """How much larger than the least size the wanted one is."""
    found: list[int] = []
    axes = zip(x.shape[2:], filter.shape[2:], strides, dilations, wanted, strict=True)
    for k, (size, length, step, dilation, out) in enumerate(axes):
        if isinstance(size, Expr) or isinstance(length, Expr):
            raise NotConstant(f"{op} with output_size={tuple(wanted)} of {x.type}")
        least = (size - 1) * step - pads[2 * k] - pads[2 * k + 1] + dilation * (length - 1) + 1
        if not least <= out < least + step:
            raise BadType(
                f"{op} with output_size={tuple(wanted)}: {least} is the least of axis {k}"
            )
        found.append(out - least)
    return tuple(found)


@table.convert("deformable_conv")
def deformable_conv(
    x: Value,
    offset: Value,
    filter: Value,
    mask: Value | None,
    strides: Ints,
    paddings: Ints,
    dilations: Ints,
    deformable_groups: int,
    groups: int,
    im2col_step: int,
) -> Value:
    slide = Slide(strides, pairs("deformable_conv", paddings, 2), dilations, groups)
    return convolve_deformed(x, offset, mask, filter, None, slide, deformable_groups)
