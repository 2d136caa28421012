"""What the inputs and outputs of an exported graph stand for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

import numpy as np

from nnir.errors import Unsupported
from nnir.model import Model
from nnir.provenance import Place

from ...source import SourceGraph, SourceModel, SourceValue

WEIGHTS = frozenset({"parameter", "buffer", "tensor_constant", "constant_tensor"})
MUTATIONS = frozenset({"buffer_mutation", "user_input_mutation", "parameter_mutation"})
OVERWRITTEN = "overwritten"
"""The key of the model's metadata with the names of what it overwrites, one on a line."""


class End(NamedTuple):
    """An input or output of the graph: its kind, its name there, and what it stands for."""

    kind: str
    name: str
    target: str | None = None


class Weights(Protocol):
    """Parameters, buffers and constants by their full names."""

    def __getitem__(self, name: str, /) -> np.ndarray: ...


def bind_inputs(graph: SourceGraph, inputs: Iterable[End], weights: Weights) -> None:
    """Give the placeholders that are weights their data; what is left are the user's inputs."""
    constant = set()
    for kind, name, target in inputs:
        if kind in WEIGHTS and target is not None:
            graph.weights[name] = weights[target]
            graph.called[name] = target
        elif kind in ("constant_input", "token"):
            constant.add(name)
        elif kind != "user_input":
            raise Unsupported(f"a program with an input of kind {kind!r}")
    taken = constant | graph.weights.keys()
    graph.inputs = [v for v in graph.inputs if v.name and v.name not in taken]


def name_outputs(
    graph: SourceGraph, outputs: Sequence[End], names: Sequence[str | None]
) -> list[str]:
    """Call results what the module's own structure calls them, and new contents of buffers and
    inputs what they are contents of; the names of these."""
    results = iter(names)
    kept, overwritten = [], []
    for value, (kind, _, target) in zip(graph.outputs, outputs, strict=True):
        if kind == "user_output":
            called = next(results, None)
            if value.name:
                value.called = called or value.called or value.name
                kept.append(value)
        elif kind == "token":
            continue
        elif kind in MUTATIONS and target is not None:
            kept.append(SourceValue(value.name, value.type, called=target))
            overwritten.append(target)
        else:
            raise Unsupported(f"a program with an output of kind {kind!r}")
    graph.outputs = kept
    return overwritten


def finish_model(
    graph: SourceGraph,
    mutated: Mapping[str, SourceValue],
    overwritten: list[str],
    dimensions: dict[str, tuple[int, int | None]],
    producer: str,
    places: dict[str, Place],
) -> SourceModel:
    """The model of a graph; `mutated` are inputs and weights that it overwrites in place, whose
    new contents come before its results, as where the signature says so (`overwritten`)."""
    for name, value in mutated.items():
        value.called = graph.called.get(name, name)
    graph.outputs[:0] = mutated.values()
    names = [v.called or v.name for v in mutated.values()] + overwritten
    metadata = {"producer": producer} | ({OVERWRITTEN: "\n".join(names)} if names else {})
    return SourceModel(
        "torch", graph, {"": 1}, dimensions=dimensions, metadata=metadata, places=places
    )


def state_of(model: Model) -> list[str]:
    """The buffers that a program overwrites: their new contents are outputs, and are not kept."""
    names = {v.name for v in model.inputs}
    found = model.metadata.get(OVERWRITTEN, "").splitlines()
    return [name for name in found if name not in names]
