"""TensorFlow's convolutions."""

from __future__ import annotations

from nnir.dim import Expr
from nnir.errors import BadType, NotConstant, Unsupported
from nnir.model import Value
from nnir.ops import binary, conv, shape
from nnir.types import AutoPad

from ..table import Table
from .layout import is_last, spatial, with_channels_first

table = Table()
PADDINGS = {"SAME": AutoPad.SAME, "VALID": AutoPad.VALID, "EXPLICIT": AutoPad.NONE}


def padding_of(
    padding: str, explicit_paddings: tuple[int, ...], data_format: str
) -> tuple[AutoPad, tuple[int, ...] | None]:
    """How the standard says it: a mode, and for explicit paddings the pads of both image axes."""
    if padding not in PADDINGS:
        raise Unsupported(f"padding={padding!r}")
    if padding != "EXPLICIT":
        return PADDINGS[padding], None
    pairs = list(zip(explicit_paddings[::2], explicit_paddings[1::2], strict=True))
    places = range(1, len(pairs) - 1) if is_last(data_format) else range(2, len(pairs))
    if any(p != (0, 0) for k, p in enumerate(pairs) if k not in places):
        raise Unsupported(f"explicit_paddings={explicit_paddings!r} over batch or channels")
    return AutoPad.NONE, tuple(n for k in places for n in pairs[k])


def zeros(model_of: Value, count: int) -> Value:
    """A bias that adds nothing."""
    return model_of.model.constant([0] * count, model_of.dtype)


@table.convert("Conv2D")
def conv_2d(
    input: Value,
    filter: Value,
    *,
    strides: tuple[int, ...],
    padding: str,
    explicit_paddings: tuple[int, ...] = (),
    data_format: str = "NHWC",
    dilations: tuple[int, ...] = (1, 1, 1, 1),
) -> Value:
    _, _, depth, count = filter.shape
    channels = input.shape[3 if is_last(data_format) else 1]
    if isinstance(channels, Expr) or isinstance(depth, Expr) or isinstance(count, Expr):
        raise NotConstant(f"a convolution of {input.type} with {filter.type}")
    if not depth or channels % depth:
        raise BadType(f"a convolution of {channels} channels with {filter.type}")
    auto_pad, pads = padding_of(padding, explicit_paddings, data_format)
    weights = shape.transpose(filter, perm=(3, 2, 0, 1))

    def compute(x: Value) -> Value:
        return conv.conv_2d(
            x,
            weights,
            zeros(x, count),
            auto_pad=auto_pad,
            pads=pads,
            strides=spatial(strides, data_format, "strides"),
            group=channels // depth,
            dilations=spatial(dilations, data_format, "dilations"),
        )

    return with_channels_first(input, data_format, compute)


@table.convert("DepthwiseConv2dNative")
def depthwise_conv_2d(
    input: Value,
    filter: Value,
    *,
    strides: tuple[int, ...],
    padding: str,
    explicit_paddings: tuple[int, ...] = (),
    data_format: str = "NHWC",
    dilations: tuple[int, ...] = (1, 1, 1, 1),
) -> Value:
    """Channel k gives the channels k * multiplier and following."""
    height, width, depth, multiplier = filter.shape
    if any(isinstance(d, Expr) for d in filter.shape):
        raise NotConstant(f"a depthwise convolution with {filter.type}")
    count = int(depth) * int(multiplier)  # type: ignore[arg-type]  checked above
    auto_pad, pads = padding_of(padding, explicit_paddings, data_format)
    turned = shape.transpose(filter, perm=(2, 3, 0, 1))
    weights = shape.reshape(turned, [count, 1, int(height), int(width)])  # type: ignore[arg-type]

    def compute(x: Value) -> Value:
        return conv.conv_2d(
            x,
            weights,
            zeros(x, count),
            auto_pad=auto_pad,
            pads=pads,
            strides=spatial(strides, data_format, "strides"),
            group=int(depth),  # type: ignore[arg-type]
            dilations=spatial(dilations, data_format, "dilations"),
        )

    return with_channels_first(input, data_format, compute)


@table.convert("BiasAdd")
def bias_add(value: Value, bias: Value, *, data_format: str = "NHWC") -> Value:
    if not is_last(data_format) and value.rank > 2:
        bias = shape.unsqueeze(bias, list(range(1, value.rank - 1)))
    return binary.add(value, bias)
