"""NNRt's convolutions: images with channels last, weights with output channels first."""

from __future__ import annotations

from ... import build
from ...errors import BadType, Unsupported
from ...model import Value
from ...ops import shape
from ..conv import Slide, convolve, convolve_images, convolve_transposed
from ..layout import with_channels_first
from ..windows import Window, known_channels, make_window
from . import Recipes
from .activating import activate, choose_pads

Ints = tuple[int, ...]


def _window(
    weight: Value, stride: Ints, dilation: Ints, pad_mode: int | None, pad_list: Ints | None
) -> Window:
    padding = choose_pads(pad_mode, pad_list)
    given = (0, 0, *(pad_list or ()), 0, 0) if pad_list is not None else ()
    kernel = weight.shape[1:3]
    return make_window(kernel, (1, *stride, 1), padding, "NHWC", (1, *dilation, 1), given)


def conv2d(
    input: Value,
    weight: Value,
    bias: Value,
    *,
    stride: Ints,
    dilation: Ints,
    pad_mode: int | None = None,
    pad_list: Ints | None = None,
    group: int,
    activation_type: int,
) -> Value:
    """The weight is [out, height, width, in / group]."""
    how = _window(weight, stride, dilation, pad_mode, pad_list)
    weights = shape.transpose(weight, perm=(0, 3, 1, 2))
    made = convolve_images(input, weights, how, "NHWC", group, bias)
    return activate(made, activation_type)


def depthwise_conv2d_native(
    input: Value,
    weight: Value,
    bias: Value,
    *,
    stride: Ints,
    dilation: Ints,
    pad_mode: int | None = None,
    pad_list: Ints | None = None,
    activation_type: int,
) -> Value:
    """The weight is [out, height, width, 1]: so many output channels for each input channel."""
    if weight.shape[3] != 1:
        raise BadType(f"DEPTHWISE_CONV2D_NATIVE with {weight.type}: [out, height, width, 1]")
    how = _window(weight, stride, dilation, pad_mode, pad_list)
    weights = shape.transpose(weight, perm=(0, 3, 1, 2))
    group = known_channels(input, "NHWC")
    made = convolve_images(input, weights, how, "NHWC", group, bias)
    return activate(made, activation_type)


def conv2d_transpose(
    input: Value,
    weight: Value,
    bias: Value,
    *,
    stride: Ints,
    dilation: Ints,
    pad_mode: int | None = None,
    pad_list: Ints | None = None,
    group: int,
    output_pads: Ints,
    activation_type: int,
) -> Value:
    """The weight is [out, height, width, in / group]; SAME gives `stride` times the size."""
    how = _window(weight, stride, dilation, pad_mode, pad_list)
    weights = _input_first(weight, group)
    if how.padding == "SAME":
        if any(output_pads):
            raise Unsupported(f"CONV2D_TRANSPOSE with padMode=0 and outputPads={output_pads}")
        space = build.sizes_of(input)[1:3]
        wanted = [build.times(n, s) for n, s in zip(space, stride, strict=True)]
        sizes = build.vector(input.model, wanted)
        made = convolve_transposed(sizes, weights, input, how, "NHWC", group, bias)
        return activate(made, activation_type)
    slide = Slide(how.strides, how.all_pads(()), how.dilations, group, output_pads)
    made = with_channels_first(input, "NHWC", lambda x: convolve(x, weights, bias, slide))
    return activate(made, activation_type)


def _input_first(weight: Value, group: int) -> Value:
    """[out, height, width, in / group] as [in, out / group, height, width]: output channels
    belong to the groups in their order."""
    if group == 1:
        return shape.transpose(weight, perm=(3, 0, 1, 2))
    out, *kernel, each = weight.sizes
    if group < 1 or out % group:
        raise BadType(f"CONV2D_TRANSPOSE with {weight.type} in {group} groups")
    parts = build.reshape(weight, [group, out // group, *kernel, each])
    turned = shape.transpose(parts, perm=(0, 4, 1, 2, 3))
    return build.reshape(turned, [group * each, out // group, *kernel])


RECIPES: Recipes = {
    "CONV2D": conv2d,
    "CONV2D_TRANSPOSE": conv2d_transpose,
    "DEPTHWISE_CONV2D_NATIVE": depthwise_conv2d_native,
}
