"""Convolutions whose strides OpenVINO does not move past a border."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...quirks import report_met
from .above import BODIES, nodes_above
from .emitter import Emitter, Ref
from .quirks import PADDED_POINTS

if TYPE_CHECKING:
    import openvino

FAR = 2**31 - 1
"""Behind the end of every axis."""

WINDOWS = frozenset({"Convolution", "MaxPool", "AvgPool"})
"""What has a kernel; with one of more than one element strides stay behind it."""

STOPPING = frozenset({"GroupConvolution", "ConvolutionBackpropData", "MatMul", "ShapeOf"})
"""What no strides are moved past."""


def convolve(g: Emitter, x: Ref, taps: Ref, given: dict[str, Any]) -> Ref:
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
