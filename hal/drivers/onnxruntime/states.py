"""States in an `.onnx` file: inputs and outputs of the graph, which its metadata tells together."""

from __future__ import annotations

import json

import numpy as np

from nnir.formats.onnx import INITIAL
from nnir.metadata import LIST_ENDS, PAIRS
from nnir.model import Model, Value
from nnir.state import State

from . import proto
from .emitter import Emitter


def _states_of(model: Model) -> list[tuple[State, Value]]:
    """The states of a model with their inputs, also where they are plain ends of it."""
    was = model.provenance.states
    states = model.states or ([] if was is None else was[0])
    return list(zip(states, model.inputs[len(model.inputs) - len(states) :], strict=True))


def write_initial(emitter: Emitter, model: Model) -> None:
    """A constant that nobody reads for every state that does not begin with zeros: an initializer
    would not be listed among the inputs, or be told of whenever the file is opened."""
    for state, value in _states_of(model):
        if np.any(state.initial):
            name = emitter.name(f"{emitter.names[value]}{INITIAL}", keep=True)
            constant: proto.Attributes = {"value": state.initial}
            emitter.nodes.append(proto.node("Constant", [], [name], name, "", constant))


def metadata_of(emitter: Emitter, model: Model) -> dict[str, str]:
    """Which inputs and outputs of the graph are states, or belong together, by their names."""
    reads = [str(emitter.names[value]) for _, value in _states_of(model)]
    pairs = dict(zip(reads, emitter.tails[len(emitter.tails) - len(reads) :], strict=True))
    lists = {LIST_ENDS: model.metadata[LIST_ENDS]} if LIST_ENDS in model.metadata else {}
    return lists | ({PAIRS: json.dumps(pairs)} if pairs else {})
