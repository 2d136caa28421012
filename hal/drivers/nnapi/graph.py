"""The graph of a model in the making: tensors, steps, and the NNAPI model that they become."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import field

import numpy as np

from nnir.formats.nnapi.structures import (
    NOWHERE,
    DataLocation,
    LifeTime,
    Model,
    Operand,
    OperandType,
    Operation,
    OperationType,
)
from nnir.records import dataclass

Dims = tuple[int, ...]
FLOAT = OperandType.TENSOR_FLOAT32
INT = OperandType.TENSOR_INT32
QUANT = OperandType.TENSOR_QUANT8_ASYMM
SMALL = 128
"""Constants up to this size are copied into the model; each larger one is a pool of its own."""


@dataclass(eq=False, slots=True)
class Tensor:
    """An operand in the making; `data` where it is constant."""

    type: OperandType
    dims: Dims
    data: np.ndarray | None = None
    scale: float = 0.0
    zero: int = 0

    @property
    def grid(self) -> tuple[float, int]:
        """Scale and zero point."""
        return self.scale, self.zero


@dataclass(eq=False, slots=True)
class Step:
    """An operation in the making; an input that is left out is None."""

    type: OperationType
    inputs: list[Tensor | None]
    outputs: list[Tensor]
    label: str = ""


@dataclass
class Graph:
    """Steps in order; those that nothing reads are left out of the model."""

    inputs: list[Tensor] = field(default_factory=list)
    outputs: list[Tensor] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)

    def live(self) -> list[Step]:
        """The steps that outputs need."""
        needed, found = set(self.outputs), []
        for step in reversed(self.steps):
            if not needed.isdisjoint(step.outputs):
                needed.update(t for t in step.inputs if t is not None)
                found.append(step)
        return found[::-1]

    def finish(self) -> tuple[Model, list[str]]:
        """The model, and what each of its operations was made for."""
        steps = self.live()
        builder = Builder(self, steps)
        return builder.model(steps), [s.label for s in steps]


class Builder:
    """Numbers operands and lays out constants."""

    def __init__(self, graph: Graph, steps: Sequence[Step]) -> None:
        self.graph = graph
        self.reads = Counter(t for s in steps for t in s.inputs if t is not None)
        self.places: dict[Tensor, int] = {}
        self.operands: list[Operand] = []
        self.copied = bytearray()
        self.pools: list[np.ndarray] = []
        for tensor in graph.inputs:
            self._add(tensor, LifeTime.MODEL_INPUT)

    def model(self, steps: Sequence[Step]) -> Model:
        """The whole model."""
        operations = []
        for step in steps:
            inputs = tuple(self._read(t) for t in step.inputs)
            outputs = tuple(self._write(t) for t in step.outputs)
            operations.append(Operation(step.type, inputs, outputs))
        return Model(
            tuple(self.operands),
            tuple(operations),
            tuple(self.places[t] for t in self.graph.inputs),
            tuple(self.places[t] for t in self.graph.outputs),
            np.frombuffer(bytes(self.copied), np.uint8),
            tuple(self.pools),
        )

    def _read(self, tensor: Tensor | None) -> int:
        if tensor is None:
            self.operands.append(Operand(FLOAT, (0,), 1, lifetime=LifeTime.NO_VALUE))
            return len(self.operands) - 1
        if tensor not in self.places:
            self._add_constant(tensor)
        return self.places[tensor]

    def _write(self, tensor: Tensor) -> int:
        is_output = any(t is tensor for t in self.graph.outputs)
        self._add(tensor, LifeTime.MODEL_OUTPUT if is_output else LifeTime.TEMPORARY_VARIABLE)
        return self.places[tensor]

    def _add_constant(self, tensor: Tensor) -> None:
        data = np.ascontiguousarray(tensor.data, tensor.type.dtype)
        content = data.reshape(-1).view(np.uint8)
        if len(content) > SMALL:
            location = DataLocation(len(self.pools), 0, len(content))
            self.pools.append(content)
            self._add(tensor, LifeTime.CONSTANT_REFERENCE, location)
            return
        self.copied += bytes(-len(self.copied) % tensor.type.dtype.itemsize)
        location = DataLocation(0, len(self.copied), len(content))
        self.copied += content.tobytes()
        self._add(tensor, LifeTime.CONSTANT_COPY, location)

    def _add(self, tensor: Tensor, lifetime: LifeTime, location: DataLocation = NOWHERE) -> None:
        self.places[tensor] = len(self.operands)
        scale = float(np.float32(tensor.scale))
        operand = Operand(
            tensor.type, tensor.dims, self.reads[tensor], scale, tensor.zero, lifetime, location
        )
        self.operands.append(operand)
