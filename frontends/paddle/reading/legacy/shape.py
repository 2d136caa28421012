"""Legacy operators that rearrange tensors, cut them into pieces and join them."""

from __future__ import annotations

from typing import Any

from nnir.errors import Unsupported
from nnir.types import Precision

from .call import Call
from .rule import Rules, same, whole

RULES = Rules()
RULES.same(
    *("channel_shuffle", "diag_embed", "flip", "fold", "memcpy", "pad"),
    *("partial_concat", "partial_sum", "pixel_shuffle", "pixel_unshuffle", "reverse", "shape"),
    *("shuffle_channel", "stack", "temporal_shift", "unfold", "unstack", "is_empty"),
    *("affine_channel", "crop"),
)
RULES["broadcast_tensors"] = same("broadcast_tensors", {"X": "input"})
RULES["concat"] = same("concat", {"AxisTensor": "axis"})
RULES["flatten_contiguous_range"] = same("flatten")
RULES["meshgrid"] = same("meshgrid", {"X": "inputs"})
RULES["size"] = same("numel", {"Input": "x"})
RULES["transpose"] = RULES["transpose2"] = same("transpose", attributes={"axis": "perm"})
RULES["squeeze"] = RULES["squeeze2"] = same("squeeze", attributes={"axes": "axis"})
RULES["pad3d"] = same("pad3d", attributes={"value": "pad_value"})
RULES["roll"] = same("roll", {"ShiftsTensor": "shifts"})
RULES["diag"] = RULES["diag_v2"] = same("diag")
RULES["diagonal"] = same("diagonal", {"Input": "x"})
RULES["unbind"] = same("unbind", {"X": "input"})
RULES["trace"] = same("trace", {"Input": "x"})
RULES["expand_as_v2"] = same("expand_as")


@RULES.add("assign", "share_data")
def assign(call: Call) -> None:
    """The same value, which may be an array of tensors."""
    call.bind("Out", call.one("X"))


@RULES.add("reshape", "reshape2")
def reshape(call: Call) -> None:
    sizes = whole(call, "shape", "ShapeTensor", "Shape")
    call.node("reshape", {"x": call.one("X"), "shape": sizes}, ["Out"])


@RULES.add("unsqueeze", "unsqueeze2")
def unsqueeze(call: Call) -> None:
    axes = whole(call, "axes", "AxesTensorList", "AxesTensor")
    call.node("unsqueeze", {"x": call.one("X"), "axis": axes}, ["Out"])


@RULES.add("flatten", "flatten2")
def flatten(call: Call) -> None:
    """A matrix: the axes before `axis`, and the others."""
    call.node("legacy.flatten", {"x": call.one("X"), "axis": call.attribute("axis")}, ["Out"])


@RULES.add("split")
def split(call: Call) -> None:
    axis = call.one("AxisTensor") if call.has("AxisTensor") else call.attribute("axis")
    call.ignore("axis", "AxisTensor")
    x, count = call.one("X"), call.attribute("num")
    sections = whole(call, "sections", "SectionsTensorList")
    if count:
        call.node("split_with_num", {"x": x, "num": count, "axis": axis}, ["Out"])
    else:
        call.node("split", {"x": x, "sections": sections, "axis": axis}, ["Out"])


@RULES.add("slice")
def slice_(call: Call) -> None:
    arguments = {
        "input": call.one("Input"),
        "axes": call.attribute("axes"),
        "starts": whole(call, "starts", "StartsTensor", "StartsTensorList"),
        "ends": whole(call, "ends", "EndsTensor", "EndsTensorList"),
        "infer_flags": call.attribute("infer_flags"),
        "decrease_axis": call.attribute("decrease_axis"),
    }
    if isinstance(arguments["input"], list):
        raise Unsupported("slice of an array of tensors")
    call.node("slice", arguments, ["Out"])


@RULES.add("strided_slice")
def strided_slice(call: Call) -> None:
    """PIR drops axes by an operator of its own."""
    arguments = {
        "x": call.one("Input"),
        "axes": call.attribute("axes"),
        "starts": whole(call, "starts", "StartsTensor", "StartsTensorList"),
        "ends": whole(call, "ends", "EndsTensor", "EndsTensorList"),
        "strides": whole(call, "strides", "StridesTensor", "StridesTensorList"),
    }
    dropped = call.attribute("decrease_axis")
    if not dropped:
        call.node("strided_slice", arguments, ["Out"])
        return
    cut = call.value("strided_slice", **arguments)
    call.node("squeeze", {"x": cut, "axis": dropped}, ["Out"])


@RULES.add("expand")
def expand(call: Call) -> None:
    """Repeats, whatever the sizes are."""
    times = whole(call, "expand_times", "ExpandTimes", "expand_times_tensor")
    call.node("tile", {"x": call.one("X"), "repeat_times": times}, ["Out"])


@RULES.add("expand_v2")
def expand_v2(call: Call) -> None:
    sizes = whole(call, "shape", "Shape", "expand_shapes_tensor")
    call.node("expand", {"x": call.one("X"), "shape": sizes}, ["Out"])


@RULES.add("tile")
def tile(call: Call) -> None:
    times = whole(call, "repeat_times", "RepeatTimes", "repeat_times_tensor")
    call.node("tile", {"x": call.one("X"), "repeat_times": times}, ["Out"])


@RULES.add("tril_triu")
def tril_triu(call: Call) -> None:
    op = "tril" if call.attribute("lower") else "triu"
    call.node(op, {"x": call.one("X"), "diagonal": call.attribute("diagonal")}, ["Out"])


@RULES.add("pad2d")
def pad2d(call: Call) -> None:
    """Pairs for height and width, in this order."""
    names = ("paddings", "mode", "pad_value", "data_format")
    arguments = {"x": call.one("X")} | {n: call.attribute(n) for n in names}
    call.node("legacy.pad2d", arguments, ["Out"])


def wide(call: Call, sizes: Any) -> Any:
    """Sizes of 64 bits."""
    return sizes if isinstance(sizes, list) else call.value("cast", x=sizes, dtype=Precision.INT64)


@RULES.add("crop_tensor")
def crop_tensor(call: Call) -> None:
    sizes = whole(call, "shape", "Shape", "ShapeTensor")
    offsets = whole(call, "offsets", "Offsets", "OffsetsTensor")
    given = {k: wide(call, v) for k, v in (("shape", sizes), ("offsets", offsets))}
    call.node("crop", {"x": call.one("X")} | {k: v for k, v in given.items() if v}, ["Out"])
