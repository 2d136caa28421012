"""States of a model that came through an `.onnx` file: its metadata tells which ends are theirs."""

from __future__ import annotations

import json
from collections.abc import Mapping

import numpy as np

from nnir.formats.onnx import INITIAL
from nnir.metadata import PAIRS
from nnir.stateful import ORDER, holds, may_follow, zeros_of

from ...source import SourceGraph, SourceModel, SourceState


def split_states(model: SourceModel, pairs: Mapping[str, str]) -> None:
    """Take the states out of the inputs and outputs of a model, by the names of these.

    Where somebody renamed an end, or opened a size, it stays what it is in the file.
    """
    graph = model.graph
    inputs = {v.name: v for v in graph.inputs if v.name not in graph.weights}
    outputs = {v.name: v for v in graph.outputs}
    order = json.dumps([list(inputs), list(outputs)])
    constants = _initial_of(graph)
    for read, written in pairs.items():
        type = inputs[read].type if read in inputs and written in outputs else None
        if type is None:
            continue
        initial, becomes = constants.get(read, zeros_of(type)), outputs[written].type
        if holds(type, initial) and (becomes is None or may_follow(type, becomes)):
            ends = inputs.pop(read), outputs.pop(written)
            model.states.append(SourceState(read, *ends, initial))
    if model.states:
        kept = {state.read.name: state.written.name for state in model.states}
        taken = {*kept, *kept.values()}
        graph.inputs = [v for v in graph.inputs if v.name not in taken]
        graph.outputs = [v for v in graph.outputs if v.name not in taken]
        model.metadata |= {PAIRS: json.dumps(kept), ORDER: order}


def _initial_of(graph: SourceGraph) -> dict[str, np.ndarray]:
    """The constants that states begin with, by the names of their inputs."""
    found = {}
    for node in graph.nodes:
        if node.op == "Constant" and node.outputs and node.outputs[0].endswith(INITIAL):
            array = node.attributes.get("value")
            if isinstance(array, np.ndarray):
                found[node.outputs[0].removesuffix(INITIAL)] = array
    return found
