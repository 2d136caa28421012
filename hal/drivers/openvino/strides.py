"""Convolutions that OpenVINO gets right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from nnir.dim import Dim
from nnir.errors import NoLowering
from nnir.model import Value
from nnir.types import Precision

from ...attributes import Ints, Window
from ...quirks import report_met
from .above import BODIES, nodes_above
from .emitter import Emitter, Ref
from .quirks import (
    DILATED_TAP,
    ONE_CHANNEL_OF_CUBES,
    ONE_COLUMN,
    PADDED_POINTS,
    SCALES_OF_PLACES,
)
from .windows import add_border

if TYPE_CHECKING:
    import openvino

FAR = 2**31 - 1
"""Behind the end of every axis."""

WINDOWS = frozenset({"Convolution", "MaxPool", "AvgPool"})
"""What has a kernel; with one of more than one element strides stay behind it."""

SCALING = frozenset({"Multiply", "Divide"})
"""What a filter is multiplied with instead of the data."""

STOPPING = frozenset({"GroupConvolution", "ConvolutionBackpropData", "MatMul", "ShapeOf"})
"""What no strides are moved past."""


def convolve(
    g: Emitter, name: str, x: Ref, filter: Value, group: int, how: Window, **given: Any
) -> Ref:
    """The node of a convolution; the dilation of one tap is 1, as OpenVINO may crash otherwise."""
    if 0 in filter.shape:  # sums of nothing are what the memory is
        raise NoLowering(f"openvino: images of open sizes with a filter {filter.type}")
    spacings = tuple(
        1 if size == 1 else d for size, d in zip(filter.shape[2:], how.dilations, strict=True)
    )
    if spacings != how.dilations:
        report_met(DILATED_TAP)
    given |= {"strides": how.strides, "dilations": spacings}
    if name == "Convolution":
        x = _keep_scales_apart(g, x, filter.shape[2:], given)
    if group > 1:
        apart = g.reshape(filter, [group, -1, *filter.shape[1:]])
        return g.node(f"Group{name}", x, apart.cast(Precision.FLOAT32), **given)
    taps = g.cast(filter, Precision.FLOAT32)
    if name != "Convolution":
        return g.node(name, x, taps, **given)
    return _convolve_strided(g, *_widen_channel(g, x, taps, given), given)


def _keep_scales_apart(g: Emitter, x: Ref, kernel: Sequence[Dim], given: dict[str, Any]) -> Ref:
    """`x`, which is multiplied with an axis more where that is by a constant with as many numbers
    along a spatial axis as the kernel has taps there, and this axis has a border."""
    made = x.output.get_node()
    if made.get_type_name() not in SCALING:
        return x
    operands = made.input_values()
    known = [v for v in operands if v.get_node().get_type_name() == "Constant"]
    ends = zip(given["pads_begin"], given["pads_end"], strict=True)
    has_border = [given["auto_pad"] != "explicit" or any(pair) for pair in ends]
    for scales in known:
        sizes = [int(n.get_length()) for n in scales.get_partial_shape()][-len(kernel) :]
        rows = zip(reversed(sizes), reversed(kernel), reversed(has_border), strict=False)
        if any(n > 1 and n == taps and border for n, taps, border in rows):
            report_met(SCALES_OF_PLACES)
            wide = [g.unsqueeze(Ref(v, g), -1) for v in operands]
            return g.squeeze(g.node(made.get_type_name(), *wide), -1)
    return x


def _convolve_strided(g: Emitter, x: Ref, taps: Ref, given: dict[str, Any]) -> Ref:
    """A Convolution, of a kernel of 1 without strides where they would be moved past a border.

    OpenVINO moves them up through elementwise nodes and other kernels of 1, and does not see that
    a border on the way, or a Pad that it has moved into one of them, then counts anew.
    """
    steps = given["strides"]
    if max(steps) == 1 or not has_one_tap(taps.output):
        return g.node("Convolution", x, taps, **given)
    plain = given | {"strides": (1,) * len(steps)}
    if any((*given["pads_begin"], *given["pads_end"])):
        report_met(PADDED_POINTS)
        return _take_every(g, g.node("Convolution", x, taps, **plain), steps)
    if g is not g.root or is_behind_border(x.output):
        report_met(PADDED_POINTS)
        return g.node("Convolution", _take_every(g, x, steps), taps, **plain)
    return g.node("Convolution", x, taps, **given)


def _widen_channel(g: Emitter, x: Ref, taps: Ref, given: dict[str, Any]) -> tuple[Ref, Ref]:
    """Data and filter of a convolution, of two channels at least where OpenVINO gets one wrong."""
    channels = taps.output.get_partial_shape()[1]
    if not (channels.is_dynamic or channels.get_length() == 1):
        return x, taps
    if len(given["dilations"]) == 3 and given["dilations"][0] != given["dilations"][1]:
        report_met(ONE_CHANNEL_OF_CUBES)
    elif _has_one_column(x, taps, given):
        report_met(ONE_COLUMN)
    else:
        return x, taps
    channel = [(0, 1), *[(0, 0)] * len(given["strides"])]
    return add_border(g, x, channel), add_border(g, taps, channel)


def _has_one_column(x: Ref, taps: Ref, given: dict[str, Any]) -> bool:
    """Whether a convolution may give one column, by strides along the last axis alone."""
    strides: Ints = (0, *given["strides"])
    across = strides[-1]
    if strides[-2] != 1 or across == 1:
        return False
    size, extent = (r.output.get_partial_shape()[-1] for r in (x, taps))
    if size.is_dynamic or extent.is_dynamic:
        return True
    room = size.get_length() + given["pads_begin"][-1] + given["pads_end"][-1]
    reach = (extent.get_length() - 1) * given["dilations"][-1]
    is_same = given.get("auto_pad", "explicit") != "explicit"
    return bool(size.get_length() <= across if is_same else room - reach <= across)


def _take_every(g: Emitter, ref: Ref, steps: Sequence[int]) -> Ref:
    """Each n-th element of the spatial axes."""
    axes = g.ints(*range(2, 2 + len(steps)))
    none, most = g.ints(*(0,) * len(steps)), g.ints(*(FAR,) * len(steps))
    return g.node("Slice", ref, none, most, g.ints(*steps), axes)


def has_one_tap(taps: openvino.Output) -> bool:
    """Whether the filter of a convolution [O, I, ...] has a kernel of 1."""
    _, _, *sizes = taps.get_partial_shape()
    return all(d.is_static and d.get_length() == 1 for d in sizes)


def is_behind_border(output: openvino.Output) -> bool:
    """Whether an output is made of one with a border, up to where strides cannot get."""
    return any(_may_be_border(node) for node in nodes_above(output, _stops_strides))


def _may_be_border(node: openvino.Node) -> bool:
    name = node.get_type_name()
    if name != "Convolution":
        return name == "Pad" or name in BODIES
    fields = node.get_attributes()
    return _has_one_element(node) and any((*fields["pads_begin"], *fields["pads_end"]))


def _stops_strides(node: openvino.Node) -> bool:
    name = node.get_type_name()
    return name in STOPPING or (name in WINDOWS and not _has_one_element(node))


def _has_one_element(node: openvino.Node) -> bool:
    """Whether the kernel of one of `WINDOWS` is 1."""
    if node.get_type_name() == "Convolution":
        return has_one_tap(node.input_value(1))
    return all(k == 1 for k in node.get_attributes()["kernel"])
