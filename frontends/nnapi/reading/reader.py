"""A valid NNAPI model as a graph of its operations.

Tensors are inputs of a node in the order of the arguments, scalars its attributes by their names.
Where an operation computes with what integers stand for, its operands are dequantised and its
results quantised by nodes of their own; what only moves elements about moves the integers.
"""

from __future__ import annotations

from dataclasses import field
from typing import Any

import numpy as np

from nnir.errors import Unsupported
from nnir.formats.nnapi.binding import Bound, bind, constants_of
from nnir.formats.nnapi.check import check
from nnir.formats.nnapi.structures import LifeTime, Model, Operand, OperandType, Operation
from nnir.records import dataclass
from nnir.types import Precision, TensorType

from ...source import SourceGraph, SourceModel, SourceNode, SourceValue, dims

PRECISIONS = {
    OperandType.TENSOR_FLOAT32: Precision.FLOAT32,
    OperandType.TENSOR_INT32: Precision.INT32,
    OperandType.TENSOR_QUANT8_ASYMM: Precision.UINT8,
}
MOVES = frozenset(
    {
        *("CONCATENATION", "RESHAPE", "DEPTH_TO_SPACE", "SPACE_TO_DEPTH"),
        *("EMBEDDING_LOOKUP", "HASHTABLE_LOOKUP", "LSH_PROJECTION"),
    }
)
"""Operations that do not compute with the numbers that integers stand for."""


def read(model: Model) -> SourceModel:
    """The graph of a model; constants are views of its values."""
    reader = Reader(model)
    for operation in model.operations:
        reader.add(operation)
    return SourceModel("nnapi", reader.graph, {"": 1})


@dataclass
class Reader:
    """Adds the operations of a model to a graph."""

    model: Model
    graph: SourceGraph = field(default_factory=lambda: SourceGraph("nnapi"))
    reals: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        model, graph = self.model, self.graph
        self.dims = check(model)
        self.values = constants_of(model)
        self.names = {k: f"operand{k}" for k in range(len(model.operands))}
        self.names |= {k: f"input{n}" for n, k in enumerate(model.input_indexes)}
        self.names |= {k: f"output{n}" for n, k in enumerate(model.output_indexes)}
        for index in model.input_indexes:
            graph.inputs.append(SourceValue(self.names[index], self._type(index)))
        graph.outputs = [SourceValue(self.names[k]) for k in model.output_indexes]
        for index, value in self.values.items():
            if model.operands[index].type.is_tensor:
                graph.weights[self.names[index]] = value

    def _type(self, index: int) -> TensorType:
        """The type of an input; sizes that are not specified get names."""
        operand, name = self.model.operands[index], self.names[index]
        if not operand.type.is_tensor:
            raise Unsupported(f"{name} is a scalar, {operand.type.name}: known ones are taken")
        sizes = [n or -1 for n in operand.dimensions]
        return TensorType(PRECISIONS[operand.type], dims(name, sizes))

    def add(self, operation: Operation) -> None:
        """Add an operation, with nodes that dequantise and quantise around it where it needs."""
        bound = bind(self.model, operation, self.dims, self.values)
        name = operation.type.name
        node = SourceNode(name, [], [], self._scalars(bound), self.names[operation.outputs[0]])
        tensors = [k for k in operation.inputs if self.model.operands[k].type.is_tensor]
        if name == "DEQUANTIZE":
            node.attributes |= grid_of(self.model.operands[tensors[0]])
        elif name not in MOVES or not self._is_alike(operation):
            self._add_real(node, tensors, operation.outputs)
            return
        node.inputs = [self._name(k) for k in tensors]
        node.outputs = [self.names[k] for k in operation.outputs]
        self.graph.nodes.append(node)

    def _name(self, index: int) -> str:
        """The name of an operand; "" for one without a value."""
        absent = self.model.operands[index].lifetime == LifeTime.NO_VALUE
        return "" if absent else self.names[index]

    def _scalars(self, bound: Bound) -> dict[str, Any]:
        """The scalars of an operation by the names of its arguments."""
        found: dict[str, Any] = {}
        for name, places in bound.inputs.items():
            if self.model.operands[places[0]].type.is_tensor:
                continue
            if bound.value(name) is None:
                raise Unsupported(f"{bound.type.name} with a {name} that is not constant")
            found[name] = bound.number(name)
        return found

    def _is_alike(self, operation: Operation) -> bool:
        """Whether what goes in and comes out has one scale."""
        operands = [self.model.operands[k] for k in (*operation.inputs, *operation.outputs[:1])]
        quantized = [o for o in operands if o.type == OperandType.TENSOR_QUANT8_ASYMM]
        return len({(o.scale, o.zero_point) for o in quantized}) < 2

    def _add_real(self, node: SourceNode, inputs: list[int], outputs: tuple[int, ...]) -> None:
        """A node that computes with real numbers."""
        node.inputs = [self._real(k) for k in inputs]
        quantized = [k for k in outputs if is_quantized(self.model.operands[k])]
        node.outputs = [
            f"{self.names[k]}/real" if k in quantized else self.names[k] for k in outputs
        ]
        self.graph.nodes.append(node)
        for index in quantized:
            name = self.names[index]
            grid = grid_of(self.model.operands[index])
            self.graph.nodes.append(SourceNode("QUANTIZE", [f"{name}/real"], [name], grid, name))

    def _real(self, index: int) -> str:
        """The name of what an operand stands for."""
        operand, name = self.model.operands[index], self._name(index)
        if not name or not is_quantized(operand):
            return name
        real = f"{name}/dequantized"
        if index not in self.reals:
            self.reals.add(index)
            node = SourceNode("DEQUANTIZE", [name], [real], grid_of(operand), real)
            self.graph.nodes.append(node)
        return real


def is_quantized(operand: Operand) -> bool:
    """Whether integers stand for real numbers: of 8 bits, or those of a bias."""
    return operand.scale > 0


def grid_of(operand: Operand) -> dict[str, Any]:
    """Scale and zero point as attributes."""
    return {"scale": np.float32(operand.scale), "zero_point": operand.zero_point}
