"""Legacy operators that choose elements, sort and fill."""

from __future__ import annotations

import math
from typing import Any

from nnir.errors import BadFile
from nnir.types import Precision

from .call import Call
from .rule import Rules, element, same, whole

RULES = Rules()
RULES.same(
    *("argsort", "bincount", "cummax", "cummin", "eye", "gather", "gather_nd", "gather_tree"),
    *("index_add", "index_sample", "kthvalue", "masked_select", "mode", "scatter_nd_add"),
    *("searchsorted", "unique_consecutive", "where", "bernoulli", "tril_indices"),
    *("triu_indices", "index_put", "nanmedian"),
)
RULES.same("fill_diagonal", "fill_diagonal_tensor", "masked_fill", "segment_pool")
RULES["shard_index"] = same("shard_index", {"X": "input"})
RULES["arg_max"] = same("argmax")
RULES["arg_min"] = same("argmin")
RULES["fill_any_like"] = same("full_like")
RULES["index_select"] = same("index_select", attributes={"dim": "axis"})
RULES["linspace"] = same("linspace", {"Num": "number"})
RULES["lookup_table_v2"] = same("embedding", {"W": "weight", "Ids": "x"}, sparse=False)
RULES["multiplex"] = same("multiplex", {"X": "inputs", "Ids": "index"})
RULES["scatter"] = same("scatter", {"Ids": "index"})
RULES["take_along_axis"] = same(
    "take_along_axis", {"Input": "arr", "Index": "indices"}, {"Axis": "axis"}
)
RULES["put_along_axis"] = same(
    "put_along_axis",
    {"Input": "arr", "Index": "indices", "Value": "values"},
    {"Axis": "axis", "Reduce": "reduce", "Include_self": "include_self"},
)
RULES["top_k"] = RULES["top_k_v2"] = same("topk", {"K": "k"})
RULES["unique"] = same("unique", results=("Out", "Indices", "Index", "Counts"))
RULES["sequence_mask"] = same("sequence_mask", {"MaxLenTensor": "max_len"}, {"maxlen": "max_len"})
RULES["where_index"] = same("nonzero")
RULES["repeat_interleave"] = same(
    "repeat_interleave", attributes={"Repeats": "repeats", "dim": "axis"}
)
RULES["histogram"] = same("histogram", {"X": "input"})


@RULES.add("lookup_table")
def lookup_table(call: Call) -> None:
    """Rows for indices whose last axis has size 1 and goes away."""
    places = call.value("squeeze", x=call.one("Ids"), axis=[-1])
    arguments = {"x": places, "weight": call.one("W"), "sparse": False}
    call.ignore("is_sparse", "is_distributed", "remote_prefetch", "grad_inplace", "height_sections")
    padding = call.attribute("padding_idx")
    call.node("embedding", arguments | {"padding_idx": padding}, ["Out"])


@RULES.add("one_hot", "one_hot_v2")
def one_hot(call: Call) -> None:
    """The first version drops a last axis of size 1; a number out of range is all zeros."""
    x = call.one("X")
    if call.op.type == "one_hot":
        x = call.value("squeeze", x=x, axis=[-1])
    depth = call.one("depth_tensor") if call.has("depth_tensor") else call.attribute("depth")
    call.ignore("depth", "allow_out_of_range")
    kind = element(call.attribute("dtype", 5))
    if kind in (None, Precision.FLOAT32):
        call.node("one_hot", {"x": x, "num_classes": depth}, ["Out"])
        return
    rows = call.value("one_hot", x=x, num_classes=depth)
    call.node("cast", {"x": rows, "dtype": kind}, ["Out"])


@RULES.add("range")
def range_(call: Call) -> None:
    names = {"start": "Start", "end": "End", "step": "Step"}
    call.node("legacy.range", {k: call.one(v) for k, v in names.items()}, ["Out"])


def number(text: str, kind: Precision | None) -> Any:
    """A number that is written as text: `inf`, `1e-3`, an integer of 64 bits."""
    try:
        value = float(text)
        whole_number = kind is not None and kind.dtype.kind in "iu" and math.isfinite(value)
        if whole_number and not any(c in text for c in ".eE"):
            return int(text)
    except ValueError:
        raise BadFile(f"the number {text[:60]!r}") from None
    return int(value) if whole_number else value


@RULES.add("fill_constant")
def fill_constant(call: Call) -> None:
    """A tensor, a text or a number is what fills, in this order."""
    sizes = whole(call, "shape", "ShapeTensor", "ShapeTensorList")
    kind = element(call.attribute("dtype"))
    text, plain = call.attribute("str_value"), call.attribute("value")
    value = number(text, kind) if text else plain
    if call.has("ValueTensor"):
        filler = call.one("ValueTensor")
    elif isinstance(sizes, list) and all(isinstance(s, int) for s in sizes):
        call.node("full", {"shape": sizes, "value": value, "dtype": kind}, ["Out"])
        return
    else:
        filler = call.value("full", shape=[], value=value, dtype=kind)
    call.node("full_with_tensor", {"value": filler, "shape": sizes, "dtype": kind}, ["Out"])


@RULES.add("fill_zeros_like", "fill_zeros_like2")
def fill_zeros_like(call: Call) -> None:
    kind = call.attribute("dtype", -1)
    dtype = None if kind < 0 else element(kind)
    call.node("full_like", {"x": call.one("X"), "value": 0.0, "dtype": dtype}, ["Out"])


@RULES.add("fill_constant_batch_size_like")
def fill_constant_batch_size_like(call: Call) -> None:
    kind = element(call.attribute("dtype"))
    text, plain = call.attribute("str_value"), call.attribute("value")
    names = ("shape", "input_dim_idx", "output_dim_idx")
    arguments = {"input": call.one("Input")} | {n: call.attribute(n) for n in names}
    arguments |= {"value": number(text, kind) if text else plain, "dtype": kind}
    call.node("full_batch_size_like", arguments, ["Out"])


VALUES = ("values", "fp32_values", "int32_values", "int64_values", "bool_values", "fp64_values")
"""Where the numbers of a constant are; before Paddle 2.5 in an attribute of their type."""


def numbers(call: Call) -> list[Any]:
    """The numbers of a constant."""
    call.ignore(*VALUES)
    return next((v for v in (call.op.attributes.get(n) for n in VALUES) if v), [])


@RULES.add("assign_value")
def assign_value(call: Call) -> None:
    arguments = {"shape": call.attribute("shape"), "dtype": element(call.attribute("dtype"))}
    call.node("assign_value", arguments | {"values": numbers(call)}, ["Out"])


@RULES.add("set_value")
def set_value(call: Call) -> None:
    arguments = {
        "x": call.one("Input"),
        "starts": whole(call, "starts", "StartsTensorList"),
        "ends": whole(call, "ends", "EndsTensorList"),
        "steps": whole(call, "steps", "StepsTensorList"),
        **{n: call.attribute(n) for n in ("axes", "decrease_axes", "none_axes")},
    }
    shape, values = call.attribute("shape"), numbers(call)
    call.ignore("dtype")
    if call.has("ValueTensor"):
        given = arguments | {"values": call.one("ValueTensor")}
        call.node("set_value_with_tensor", given, ["Out"])
    else:
        call.node("set_value", arguments | {"shape": shape, "values": values}, ["Out"])


@RULES.add("gaussian_random", "uniform_random", "randint")
def random(call: Call) -> None:
    """Any numbers of that kind will do."""
    sizes = whole(call, "shape", "ShapeTensor", "ShapeTensorList")
    kind = element(call.attribute("dtype"))
    op, names = {
        "gaussian_random": ("gaussian", ("mean", "std", "seed")),
        "uniform_random": ("uniform", ("min", "max", "seed")),
        "randint": ("randint", ("low", "high")),
    }[call.op.type]
    given = {n: call.attribute(n) for n in names}
    call.ignore("seed")
    call.node(op, given | {"shape": sizes, "dtype": kind}, ["Out"])


@RULES.add("empty")
def empty(call: Call) -> None:
    """Whatever it holds: here zeros."""
    sizes = whole(call, "shape", "ShapeTensor", "ShapeTensorList")
    call.node("empty", {"shape": sizes, "dtype": element(call.attribute("dtype"))}, ["Out"])
