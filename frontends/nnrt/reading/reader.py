"""Reads an NNRt file into a graph of its own operations."""

from __future__ import annotations

from nnir.collector import paused_collector
from nnir.formats.nnrt.explicit import write_out
from nnir.formats.nnrt.files import read as read_file
from nnir.formats.nnrt.model import ABSENT, Model
from nnir.mapping import Buffer
from nnir.recipes.nnrt.assembly import attributes_of
from nnir.types import TensorType

from ...source import SourceGraph, SourceNode, SourceValue, dims
from ..translator import NnrtSource


def read(data: Buffer) -> NnrtSource:
    """The graph of a file; BadFile for one that is damaged or not valid."""
    with paused_collector():
        return describe(read_file(data))


def describe(model: Model) -> NnrtSource:
    """A model as the translator takes it, quantised operations written out."""
    source = write_out(model)
    labels = source.labels()
    graph = SourceGraph(model.name or "model")
    for number in source.inputs:
        tensor = source.tensor(number)
        kind = TensorType(tensor.data_type.precision, dims(labels[number], tensor.shape))
        graph.inputs.append(SourceValue(labels[number], kind))
    graph.outputs = [SourceValue(labels[number]) for number in source.outputs]
    for operation in source.operations:
        inputs = ["" if k == ABSENT else labels[k] for k in operation.inputs]
        outputs = [labels[k] for k in operation.outputs]
        name = operation.definition.name
        found = attributes_of(source, operation)
        graph.nodes.append(SourceNode(name, inputs, outputs, found, outputs[0]))
        for number in operation.inputs:
            data = None if number == ABSENT else source.tensor(number).data
            if data is not None:
                graph.weights[labels[number]] = data
    declared = dict(zip(labels, source.tensors, strict=True))
    return NnrtSource("nnrt", graph, {"": 1}, metadata={"producer": "nnrt"}, declared=declared)
