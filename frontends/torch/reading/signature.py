"""What the inputs and outputs of an exported graph stand for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, Protocol

import numpy as np

from nnir.errors import Unsupported
from nnir.provenance import Place
from nnir.records import dataclass
from nnir.state import NEXT

from ...source import SourceGraph, SourceModel, SourceState, SourceValue

WEIGHTS = frozenset({"parameter", "buffer", "tensor_constant", "constant_tensor"})
KEPT = frozenset({"buffer_mutation", "parameter_mutation"})
OVERWRITTEN = "overwritten"
"""The key of the model's metadata with the inputs that it overwrites, one name on a line."""

SPECIALISED = 2
"""The least size that export writes of an axis it left open: with 0 and 1 it makes others."""

ARGUMENTS = "torchscript.arguments"
"""The key of the metadata of a TorchScript program with how inputs make up its arguments."""


class End(NamedTuple):
    """An input or output of the graph: its kind, its name there, and what it stands for."""

    kind: str
    name: str
    target: str | None = None


class Weights(Protocol):
    """Parameters, buffers and constants by their full names."""

    def __getitem__(self, name: str, /) -> np.ndarray: ...


@dataclass
class Signature:
    """What the ends of a program stand for, and what it changes.

    `mutated` are the new contents of inputs of the graph that it overwrites in place, by their
    names there; `names` are what the module's own structure calls its results.
    """

    inputs: Sequence[End]
    outputs: Sequence[End]
    names: Sequence[str | None]
    mutated: Mapping[str, SourceValue]

    def contents(self, graph: SourceGraph) -> dict[str, SourceValue]:
        """The new contents of inputs of the graph, by their names there: from operations in place,
        else as the signature says."""
        places = {e.target: e.name for e in self.inputs if e.target is not None}
        found = dict(self.mutated)
        for value, (kind, _, target) in zip(graph.outputs, self.outputs, strict=True):
            if target is not None and kind in KEPT and target in places:
                found.setdefault(places[target], value)
            elif target is not None and kind == "user_input_mutation":
                found.setdefault(target, value)
        return found

    def results(self, graph: SourceGraph) -> list[SourceValue]:
        """What the user gets, called as the module's structure calls it."""
        names = iter(self.names)
        found = []
        for value, (kind, _, _) in zip(graph.outputs, self.outputs, strict=True):
            if kind == "user_output":
                called = next(names, None)
                if value.name:
                    value.called = called or value.called or value.name
                    found.append(value)
            elif kind not in (*KEPT, "user_input_mutation", "token"):
                raise Unsupported(f"a program with an output of kind {kind!r}")
        return found


def finish_model(
    graph: SourceGraph,
    signature: Signature,
    weights: Weights,
    dimensions: dict[str, tuple[int, int | None]],
    producer: str,
    places: dict[str, Place],
) -> SourceModel:
    """The model of a graph: results first, then the new contents of inputs that it overwrites.

    A weight that it overwrites is a state. `dimensions` are the ranges of sizes, as the program
    says them: what it says of the least is `_least`.
    """
    contents = signature.contents(graph)
    results = signature.results(graph)
    kept = _bind_inputs(graph, signature.inputs, weights, contents)
    given = [v for v in graph.inputs if v.name in contents]
    graph.outputs = results + [_content_of(v.name, contents[v.name]) for v in given]
    metadata = {"producer": producer}
    if given:
        metadata[OVERWRITTEN] = "\n".join(v.name for v in given)
    return SourceModel(
        *("torch", graph, {"": 1}),
        dimensions={n: (_least(low), high) for n, (low, high) in dimensions.items()},
        metadata=metadata,
        places=places,
        states=kept,
    )


def _least(low: int) -> int:
    """The least size that a program takes: PyTorch refuses inputs below larger limits alone."""
    return low if low > SPECIALISED else 0


def _bind_inputs(
    graph: SourceGraph,
    inputs: Iterable[End],
    weights: Weights,
    contents: Mapping[str, SourceValue],
) -> list[SourceState]:
    """Give the placeholders that are weights their data; what is left are the user's inputs. The
    weights that the program overwrites, which are none of both."""
    constant = set()
    kept = {}
    for kind, name, target in inputs:
        if kind in WEIGHTS and target is not None:
            if name in contents:
                kept[name] = target
            else:
                graph.weights[name] = weights[target]
                graph.called[name] = target
        elif kind in ("constant_input", "token"):
            constant.add(name)
        elif kind != "user_input":
            raise Unsupported(f"a program with an input of kind {kind!r}")
    declared = {v.name: v for v in graph.inputs}
    taken = constant | kept.keys() | graph.weights.keys()
    graph.inputs = [v for v in graph.inputs if v.name and v.name not in taken]
    states = []
    for name, target in kept.items():
        read = replace(declared[name], called=target)
        written = _content_of(target, contents[name])
        states.append(SourceState(target, read, written, weights[target]))
    return states


def _content_of(name: str, value: SourceValue) -> SourceValue:
    """The new contents of what has a name, under a name of their own."""
    return SourceValue(value.name, value.type, called=f"{name}{NEXT}")
