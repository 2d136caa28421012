"""Quantised operators, written out: real numbers in, the operator, quantised numbers out.

TFLite says of each tensor how its integers stand for real numbers. Where an operator computes with
what they stand for, its inputs are dequantised and its results quantised by nodes of their own,
which hold scales, zero points and axes as the file has them. What only moves elements about moves
the integers. Source: tensorflow.org/lite/performance/quantization_spec.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np

from nnir.errors import BadType, Unsupported
from nnir.types import Precision, Quantization

from ...source import SourceGraph, SourceNode
from .graphs import Tensor

MOVES = frozenset(
    {
        *("RESHAPE", "TRANSPOSE", "SLICE", "STRIDED_SLICE", "GATHER", "GATHER_ND", "PACK"),
        *("UNPACK", "SPLIT", "SPLIT_V", "SQUEEZE", "EXPAND_DIMS", "TILE", "CONCATENATION"),
        *("REVERSE_V2", "REVERSE_SEQUENCE", "SPACE_TO_DEPTH", "DEPTH_TO_SPACE", "MIRROR_PAD"),
        *("ARG_MAX", "ARG_MIN", "BROADCAST_TO", "SHAPE", "RANK", "SELECT", "SELECT_V2"),
        *("DYNAMIC_UPDATE_SLICE", "TOPK_V2", "RESIZE_NEAREST_NEIGHBOR", "IF", "WHILE"),
        *("CAST", "BITCAST", "BITWISE_XOR", "FILL", "FLOOR_DIV", "FLOOR_MOD", "NEG", "ONE_HOT"),
        *("RIGHT_SHIFT", "SCATTER_ND", "WHERE", "DENSIFY"),
    }
)
"""Operators that do not compute with the numbers that integers stand for, whatever their scales."""

CONVERSIONS = frozenset({"DEQUANTIZE", "QUANTIZE"})
PRODUCTS = {
    **dict.fromkeys(("CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED"), (0, 1, 2)),
    "TRANSPOSE_CONV": (2, 1, 3),
}
"""Where operators have their input, their weights and the bias, which they add to the products
whatever scale it says."""

NEAR = 1e-5
"""How far scales of a bias may lie from those of the products and be the same, rounded."""


class Explicit:
    """Adds a file's operators to a graph."""

    def __init__(self, graph: SourceGraph, tensors: Sequence[Tensor]) -> None:
        self.graph = graph
        self.tensors = tensors
        self.reals: dict[str, list[tuple[tuple[float, ...] | None, str]]] = {}
        self.is_plain = not any(t.is_quantized or t.problem for t in tensors)

    def add(self, node: SourceNode, inputs: Sequence[int], outputs: Sequence[int]) -> None:
        """Add a node, with nodes that dequantise and quantise around it where it needs them."""
        if self.is_plain and node.op not in CONVERSIONS:
            self.graph.nodes.append(node)
            return
        held = [None if t and t.is_variable else t for t in self._of(inputs)]  # reals: see `keep`
        given = {k: t for k, t in enumerate(held) if t and t.is_quantized}
        given |= bias_of_products(node.op, given)
        made = {k: t for k, t in enumerate(self._of(outputs)) if t and t.is_quantized}
        problem = next((t.problem for t in self._of([*inputs, *outputs]) if t and t.problem), None)
        if problem:
            raise Unsupported(f"{node.op} {node.name!r} with a tensor that is {problem}")
        if any(t.blocks for t in made.values()):
            raise Unsupported(f"{node.op} {node.name!r} makes integers with scales of blocks")
        if node.op == "DEQUANTIZE":
            if given:
                self._dequantize(given[0], node.outputs[0])
            else:
                to = {"out_data_type": Precision.FLOAT32}
                self.graph.nodes.append(replace(node, op="CAST", attributes=to))
            return
        if node.op == "QUANTIZE" and not made:
            raise BadType(f"QUANTIZE {node.name!r} to a tensor without a scale")
        moves = node.op in MOVES and not any(t.blocks for t in given.values())
        if moves and node.op == "CONCATENATION":
            moves = len({t.quantization for t in (*given.values(), *made.values())}) == 1
        if moves or not (given or made):
            self.graph.nodes.append(node)
            return
        node.inputs = [
            self._real(given[k]) if k in given else name for k, name in enumerate(node.inputs)
        ]
        if node.op == "QUANTIZE":
            node.attributes = attributes_of(made[0])
            self.graph.nodes.append(node)
            return
        if node.op == "SVDF" and made:  # in integers the range of the result stands for it
            node.attributes["fused_activation_function"] = "NONE"
        node.outputs = [
            f"{name}/real" if k in made else name for k, name in enumerate(node.outputs)
        ]
        self.graph.nodes.append(node)
        for tensor in made.values():
            real = f"{tensor.name}/real"
            attributes = attributes_of(tensor)
            quantize = SourceNode("QUANTIZE", [real], [tensor.name], attributes, tensor.name)
            self.graph.nodes.append(quantize)

    def _of(self, positions: Sequence[int]) -> list[Tensor | None]:
        return [None if k == -1 else self.tensors[k] for k in positions]

    def _real(self, tensor: Tensor) -> str:
        """The name of what a quantised tensor stands for."""
        scales = None if tensor.quantization is None else tensor.quantization.scales
        known = self.reals.setdefault(tensor.name, [])
        for other, name in known:
            if other == scales:
                return name
        name = f"{tensor.name}/dequantized{len(known) or ''}"
        known.append((scales, name))
        self._dequantize(tensor, name)
        return name

    def _dequantize(self, tensor: Tensor, result: str) -> None:
        attributes = {"block_size": 0, **attributes_of(tensor)}
        del attributes["dtype"]
        node = SourceNode("DEQUANTIZE", [tensor.name], [result], attributes, result)
        self.graph.nodes.append(node)


def bias_of_products(op: str, given: Mapping[int, Tensor]) -> dict[int, Tensor]:
    """The bias of an operator on integers with the scales that it is added with."""
    places = PRODUCTS.get(op)
    if places is None or not all(k in given and given[k].quantization for k in places):
        return {}
    input, weights, own = (cast(Quantization, given[k].quantization) for k in places)
    scales = np.asarray(weights.scales) * input.scales[0]
    said = np.asarray(own.scales)
    if len(said) in (1, len(scales)) and (np.abs(said - scales) <= NEAR * np.abs(scales)).all():
        return {}
    axis = 0 if len(scales) > 1 else None
    how = Quantization(tuple(scales.astype(np.float32).tolist()), (0,), axis)
    return {places[2]: replace(given[places[2]], quantization=how)}


def ranges_of_hidden(tensors: Sequence[Tensor]) -> dict[str, Any]:
    """How an LSTM in integers rounds what it gives, how it reads that in the next step, and how its
    readers do: the same integers, of which the tensors may say three things."""
    hows = [t.quantization for t in tensors]
    if None in hows or len(set(hows)) == 1:
        return {}
    found = [cast(Quantization, how) for how in hows]
    return {
        "hidden_scales": tuple(how.scales[0] for how in found),
        "hidden_zeros": tuple(how.zero_points[0] for how in found),
    }


def attributes_of(tensor: Tensor) -> dict[str, Any]:
    """Scale, zero point and axis of a quantised tensor as arguments of QUANTIZE and DEQUANTIZE."""
    if (blocks := tensor.blocks) is not None:
        found = {"scale": blocks.scales, "zero_point": blocks.zeros, "axis": blocks.axis}
        return found | {"block_size": blocks.size, "dtype": tensor.precision}
    quantization = cast(Quantization, tensor.quantization)
    shape = () if quantization.axis is None else (-1,)
    zeros = quantization.zero_points
    if quantization.axis is not None and len(zeros) == 1:
        zeros *= len(quantization.scales)
    return {
        "scale": np.array(quantization.scales, np.float32).reshape(shape),
        "zero_point": np.array(zeros, np.int64).reshape(shape),
        "axis": quantization.axis or 0,
        "dtype": tensor.precision,
    }
