"""ATen convolutions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from nnir.dim import Expr
from nnir.errors import BadType, NotConstant, Unsupported
from nnir.model import Value
from nnir.ops import shape
from nnir.recipes.conv import Slide, convolve, each_axis

from ...table import Table

table = Table()


@table.convert("aten.convolution.default")
def convolution(
    input: Value,
    weight: Value,
    bias: Value | None,
    stride: tuple[int, ...],
    padding: tuple[int, ...],
    dilation: tuple[int, ...],
    transposed: bool,
    output_padding: tuple[int, ...],
    groups: int,
) -> Value:
    rank = weight.rank - 2
    both = tuple(p for pad in each_axis("padding", padding, rank) for p in (pad, pad))
    slide = Slide(
        each_axis("stride", stride, rank),
        both,
        each_axis("dilation", dilation, rank),
        groups,
        each_axis("output_padding", output_padding, rank) if transposed else None,
    )
    return convolve(input, weight, bias, slide)


@table.convert("aten._convolution.default")
def _convolution(
    input: Value,
    weight: Value,
    bias: Value | None,
    stride: tuple[int, ...],
    padding: tuple[int, ...],
    dilation: tuple[int, ...],
    transposed: bool,
    output_padding: tuple[int, ...],
    groups: int,
    benchmark: bool,
    deterministic: bool,
    cudnn_enabled: bool,
    allow_tf32: bool,
) -> Value:
    """The last four choose an algorithm."""
    given = (stride, padding, dilation, transposed, output_padding, groups)
    return convolution(input, weight, bias, *given)


@table.convert("aten._convolution.deprecated")
def _convolution_deprecated(
    input: Value,
    weight: Value,
    bias: Value | None,
    stride: tuple[int, ...],
    padding: tuple[int, ...],
    dilation: tuple[int, ...],
    transposed: bool,
    output_padding: tuple[int, ...],
    groups: int,
    benchmark: bool,
    deterministic: bool,
    cudnn_enabled: bool,
) -> Value:
    given = (stride, padding, dilation, transposed, output_padding, groups)
    return convolution(input, weight, bias, *given)


def _plain(rank: int) -> Callable[..., Value]:
    """conv1d, conv2d and conv3d differ in their defaults."""

    def convert(
        input: Value,
        weight: Value,
        bias: Value | None = None,
        stride: tuple[int, ...] = (1,) * rank,
        padding: tuple[int, ...] = (0,) * rank,
        dilation: tuple[int, ...] = (1,) * rank,
        groups: int = 1,
    ) -> Value:
        return convolution(input, weight, bias, stride, padding, dilation, False, (0,), groups)

    return convert


def _register_padding_names(rank: int) -> Callable[..., Value]:
    """The overload whose padding has a name."""

    def convert(
        input: Value,
        weight: Value,
        bias: Value | None = None,
        stride: tuple[int, ...] = (1,) * rank,
        padding: str = "valid",
        dilation: tuple[int, ...] = (1,) * rank,
        groups: int = 1,
    ) -> Value:
        return convolution_mode(input, weight, bias, stride, padding, dilation, groups)

    return convert


def _register_transposed(rank: int) -> Callable[..., Value]:
    def convert(
        input: Value,
        weight: Value,
        bias: Value | None = None,
        stride: tuple[int, ...] = (1,) * rank,
        padding: tuple[int, ...] = (0,) * rank,
        output_padding: tuple[int, ...] = (0,) * rank,
        groups: int = 1,
        dilation: tuple[int, ...] = (1,) * rank,
    ) -> Value:
        given = (stride, padding, dilation, True, output_padding, groups)
        return convolution(input, weight, bias, *given)

    return convert


for _rank in (1, 2, 3):
    table.convert(f"aten.conv{_rank}d.default")(_plain(_rank))
    table.convert(f"aten.conv{_rank}d.padding")(_register_padding_names(_rank))
    _overload = "default" if _rank == 1 else "input"
    table.convert(f"aten.conv_transpose{_rank}d.{_overload}")(_register_transposed(_rank))


@table.convert("aten._convolution_mode.default")
def convolution_mode(
    input: Value,
    weight: Value,
    bias: Value | None,
    stride: tuple[int, ...],
    padding: str,
    dilation: tuple[int, ...],
    groups: int,
) -> Value:
    """ "same" puts the odd element of the padding after the data."""
    rank = weight.rank - 2
    steps, dilated = each_axis("stride", stride, rank), each_axis("dilation", dilation, rank)
    match padding:
        case "valid":
            pads: tuple[int, ...] = (0,) * (2 * rank)
        case "same":
            pads = _same(weight, steps, dilated)
        case _:
            raise Unsupported(f"a convolution with padding={padding!r}")
    return convolve(input, weight, bias, Slide(steps, pads, dilated, groups))


def _same(weight: Value, strides: Sequence[int], dilations: Sequence[int]) -> tuple[int, ...]:
    if any(s != 1 for s in strides):
        raise BadType(f"a convolution with padding='same' and stride={tuple(strides)}")
    pads: list[int] = []
    for size, dilation in zip(weight.shape[2:], dilations, strict=True):
        if isinstance(size, Expr):
            raise NotConstant(f"padding='same' with a filter {weight.type}")
        total = dilation * (size - 1)
        pads += [total // 2, total - total // 2]
    return tuple(pads)


@table.convert("aten.conv_tbc.default")
def conv_tbc(self: Value, weight: Value, bias: Value, pad: int = 0) -> Value:
    """Time, batch and channels are the axes; the filter is [kernel, in, out]."""
    x = shape.transpose(self, perm=(1, 2, 0))
    filter_ = shape.transpose(weight, perm=(2, 1, 0))
    result = convolve(x, filter_, bias, Slide((1,), (pad, pad), (1,), 1))
    return shape.transpose(result, perm=(2, 0, 1))


@table.convert("aten._slow_conv2d_forward.default")
def slow_conv2d_forward(
    self: Value,
    weight: Value,
    kernel_size: tuple[int, ...],
    bias: Value | None,
    stride: tuple[int, ...],
    padding: tuple[int, ...],
) -> Value:
    return convolution(self, weight, bias, stride, padding, (1, 1), False, (0, 0), 1)
