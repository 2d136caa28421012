"""States in an `.onnx` file: inputs and outputs of the graph, which its metadata tells together."""

from __future__ import annotations

import json

import numpy as np

from nnir.formats.onnx import INITIAL
from nnir.model import Model
from nnir.stateful import PAIRS, pairs_of, state_inputs

from . import proto
from .emitter import Emitter


def write_initial(emitter: Emitter, model: Model) -> None:
    """A constant that nobody reads for every state that does not begin with zeros: an initializer
    would not be listed among the inputs, or be told of whenever the file is opened."""
    for state, value in zip(model.states, state_inputs(model), strict=True):
        if np.any(state.initial):
            name = emitter.name(f"{emitter.names[value]}{INITIAL}", keep=True)
            constant: proto.Attributes = {"value": state.initial}
            emitter.nodes.append(proto.node("Constant", [], [name], name, "", constant))


def metadata_of(emitter: Emitter, model: Model) -> dict[str, str]:
    """Which inputs and outputs of the graph are states, by their names there."""
    names = [name for name, _ in model.named_outputs()]
    called = dict(zip(names, emitter.tails, strict=True))
    if model.states:
        tails = emitter.tails[len(emitter.tails) - len(model.states) :]
        reads = [str(emitter.names[value]) for value in state_inputs(model)]
        pairs = dict(zip(reads, tails, strict=True))
    else:
        heads = {value.name: str(emitter.names[value]) for value in model.inputs}
        found = pairs_of(model.metadata)
        pairs = {heads[a]: called[b] for a, b in found.items() if a in heads and b in called}
    return {PAIRS: json.dumps(pairs, sort_keys=True)} if pairs else {}
