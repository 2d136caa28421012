"""Dilated convolutions as TensorFlow's libraries write them: over every n-th element apart.

SpaceToBatchND, a plain convolution and BatchToSpaceND are one convolution with dilations; of one
axis, with an axis that is inserted before it and dropped after it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...source import Ref, SourceGraph, SourceNode

CONVOLUTIONS = {
    "Conv2D": "Conv2D",
    "DepthwiseConv2dNative": "DepthwiseConv2dNative",
    "Conv3D": "Conv",
}
"""What becomes of each: Conv3D itself has no explicit paddings."""
FORMATS = {"Conv": "CHANNELS_LAST"}


def join_dilations(graph: SourceGraph) -> None:
    """Put one convolution in the place of the three operators, where the padding is known."""
    made = {name: node for node in graph.nodes for name in node.outputs}
    nodes: list[SourceNode] = []
    for node in graph.nodes:
        joined = None
        if node.op == "BatchToSpaceND":
            joined = _join_nodes(node, made, graph.weights)
        nodes += joined or [node]
        for value in node.attributes.values():
            for part in value if isinstance(value, list) else [value]:
                if isinstance(part, SourceGraph):
                    join_dilations(part)
    if len(nodes) == len(graph.nodes) and all(
        a is b for a, b in zip(nodes, graph.nodes, strict=True)
    ):
        return
    graph.nodes = _read(nodes, graph)


def _read(nodes: list[SourceNode], graph: SourceGraph) -> list[SourceNode]:
    """The nodes without the convolutions and regroupings that nobody reads any more."""
    wanted = {o.name for o in graph.outputs}
    kept: list[SourceNode] = []
    for node in reversed(nodes):
        gone = node.op == "SpaceToBatchND" or node.op in CONVOLUTIONS
        gone = gone or node.op in ("ExpandDims", "Squeeze")
        if gone and not wanted.intersection(node.outputs):
            continue
        wanted.update(node.inputs)
        kept.append(node)
    return kept[::-1]


def _join_nodes(
    node: SourceNode, made: Mapping[str, SourceNode], weights: Mapping[str, np.ndarray]
) -> list[SourceNode] | None:
    def source(of: SourceNode | None, argument: str) -> SourceNode | None:
        entry = None if of is None else of.attributes.get(argument)
        return made.get(entry) if isinstance(entry, Ref) else None

    def constant_array(of: SourceNode, argument: str) -> np.ndarray | None:
        entry = of.attributes.get(argument)
        if not isinstance(entry, Ref):
            return None
        maker = made.get(entry)
        value = weights.get(entry) if maker is None else maker.attributes.get("value")
        return value if isinstance(value, np.ndarray) else None

    dropped = source(node, "input")
    convolution = dropped
    if dropped is not None and dropped.op == "Squeeze":
        convolution = source(dropped, "input")
    else:
        dropped = None
    if convolution is None or not _is_plain(convolution):
        return None
    inserted = source(convolution, "input")
    apart = inserted
    places = None
    if dropped is not None:
        axis = (
            None
            if inserted is None or inserted.op != "ExpandDims"
            else constant_array(inserted, "dim")
        )
        apart = source(inserted, "input")
        if axis is None or axis.size != 1 or int(axis.reshape(-1)[0]) % 4 not in (1, 2):
            return None
        places = [3 - int(axis.reshape(-1)[0]) % 4]
    if apart is None or apart.op != "SpaceToBatchND":
        return None
    pads, crops = constant_array(apart, "paddings"), constant_array(node, "crops")
    blocks, again = constant_array(apart, "block_shape"), constant_array(node, "block_shape")
    if pads is None or crops is None or blocks is None or again is None:
        return None
    if not np.array_equal(blocks, again) or pads.shape != crops.shape:
        return None
    places = places or list(range(1, blocks.size + 1))
    changes = _changes(convolution, blocks.reshape(-1).tolist(), pads - crops, places)
    start = apart.attributes["input"]
    if changes is None or not isinstance(start, Ref):
        return None
    if dropped is None or inserted is None:
        return [_copy(convolution, node.outputs, start, **changes)]
    names = [f"{node.outputs[0]}/{what}" for what in ("inserted", "dilated")]
    return [
        _copy(inserted, [names[0]], start),
        _copy(convolution, [names[1]], Ref(names[0]), **changes),
        _copy(dropped, node.outputs, Ref(names[1])),
    ]


def _is_plain(node: SourceNode) -> bool:
    """Whether it is a convolution that neither pads nor steps nor dilates, with channels last."""
    attributes = node.attributes
    ones = [*attributes.get("strides", ()), *attributes.get("dilations", ())]
    last = attributes.get("data_format", "NHWC") in ("NHWC", "NDHWC")
    plain = attributes.get("padding") == "VALID" and all(n == 1 for n in ones)
    return node.op in CONVOLUTIONS and last and plain


def _changes(
    node: SourceNode, blocks: list[int], pads: np.ndarray, places: list[int]
) -> dict[str, Any] | None:
    """The attributes that differ; what is cut off after it need not be padded before it."""
    rank = len(node.attributes["strides"])
    if np.any(pads < 0) or places[-1] > rank - 2 or len(blocks) != len(places):
        return None
    dilations, explicit = [1] * rank, [0] * (2 * rank)
    for place, block, pair in zip(places, blocks, pads.tolist(), strict=True):
        dilations[place] = int(block)
        explicit[2 * place : 2 * place + 2] = pair
    return {"dilations": dilations, "padding": "EXPLICIT", "explicit_paddings": explicit}


def _copy(node: SourceNode, outputs: list[str], first: Ref, **changes: Any) -> SourceNode:
    """A node with another first input, other results and attributes."""
    key = next(k for k, v in node.attributes.items() if isinstance(v, Ref))
    attributes = {**node.attributes, key: first, **changes}
    op = CONVOLUTIONS.get(node.op, node.op)
    if op in FORMATS:
        attributes["data_format"] = FORMATS[op]
    inputs = [str(v) for v in attributes.values() if isinstance(v, Ref)]
    return SourceNode(op, inputs, list(outputs), attributes, node.name)
