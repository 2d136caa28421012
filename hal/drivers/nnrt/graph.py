"""A graph of NNRt operations in the making, and the model that it becomes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

import numpy as np

from nnir.dim import Dim
from nnir.errors import NoLowering
from nnir.formats.nnrt.enums import DATA_TYPES, DataType, types_of
from nnir.formats.nnrt.explicit import CAST, MOVES
from nnir.formats.nnrt.model import ABSENT, DYNAMIC, Model, Operation, QuantParam, parameter_tensor
from nnir.formats.nnrt.model import Tensor as Written
from nnir.formats.nnrt.operations import Definition, Parameter
from nnir.records import dataclass
from nnir.types import Precision, precision_of

SMALL = frozenset({"activationType", "padMode", "roundMode", "mode"})
"""Parameters that are numbers of an enumeration."""


@dataclass(eq=False)
class Tensor:
    """A tensor as it is stored: constant where it has data."""

    precision: Precision
    shape: tuple[Dim, ...]
    data: np.ndarray | None = None
    name: str = ""
    quantization: QuantParam | None = None

    def written(self) -> Written:
        """The tensor of the file; NoLowering for elements that NNRt has not."""
        sizes = tuple(d if isinstance(d, int) else DYNAMIC for d in self.shape)
        kind = data_type(self.precision)
        return Written(kind, sizes, name=self.name, quantization=self.quantization, data=self.data)


@dataclass(eq=False)
class Step:
    """An operation on tensors, with its parameters by name."""

    definition: Definition
    inputs: Sequence[Tensor | None]
    outputs: Sequence[Tensor]
    parameters: Mapping[str, object]


def data_type(precision: Precision) -> DataType:
    """NNRt's type of elements; NoLowering where it has none."""
    found = DATA_TYPES.get(precision)
    if found is None:
        raise NoLowering(f"nnrt has no tensors of {precision.name}")
    return found


def parameter_type(parameter: Parameter, value: object, *, is_wide: bool = False) -> DataType:
    """The type in which a parameter is written; `is_wide` where numbers are of 64 bits.

    NoLowering for a number that the parameter does not hold.
    """
    types = types_of(parameter.kinds)
    if isinstance(value, np.ndarray):
        return data_type(precision_of(value.dtype))
    if parameter.kinds == "any":
        return data_type(precision_of(np.asarray(value).dtype))
    if DataType.BOOL in types:
        return DataType.BOOL
    if DataType.FLOAT32 in types:
        exact = np.array_equal(np.asarray(value, np.float32), np.asarray(value))
        if not is_wide or exact:
            return DataType.FLOAT32
        if DataType.FLOAT64 in types:
            return DataType.FLOAT64
        raise NoLowering(f"nnrt has {parameter.name}={value} in 32 bits only")
    if DataType.INT8 in types and parameter.name in SMALL:
        return DataType.INT8
    return DataType.INT64 if DataType.INT64 in types else DataType.INT32


@dataclass
class Graph:
    """Steps in order between inputs and outputs."""

    inputs: list[Tensor] = field(default_factory=list)
    outputs: list[Tensor] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)

    def live(self) -> list[Step]:
        """The steps that the outputs need."""
        needed = set(self.outputs)
        kept = []
        for step in reversed(self.steps):
            if not needed.isdisjoint(step.outputs):
                kept.append(step)
                needed.update(t for t in step.inputs if t is not None)
        return kept[::-1]

    def model(self, name: str) -> Model:
        """The model that a file holds; equal parameters are one tensor."""
        return _Numbering(self.live()).model(self, name)


class _Numbering:
    """Numbers tensors in the order in which they are met."""

    def __init__(self, steps: list[Step]) -> None:
        self.steps = steps
        self.tensors: list[Written] = []
        self.numbers: dict[Tensor, int] = {}
        self.parameters: dict[tuple[int, DataType, bytes, tuple[int, ...]], int] = {}

    def model(self, graph: Graph, name: str) -> Model:
        inputs = tuple(self.number(t) for t in graph.inputs)
        operations = tuple(self.operation(s) for s in self.steps)
        outputs = tuple(self.number(t) for t in graph.outputs)
        return Model(tuple(self.tensors), operations, inputs, outputs, name)

    def number(self, tensor: Tensor | None) -> int:
        if tensor is None:
            return ABSENT
        if tensor not in self.numbers:
            self.numbers[tensor] = len(self.tensors)
            self.tensors.append(tensor.written())
        return self.numbers[tensor]

    def operation(self, step: Step) -> Operation:
        """A step with the numbers of its tensors."""
        require_plain_integers(step)
        inputs = tuple(self.number(t) for t in step.inputs)
        is_wide = any(t is not None and t.precision == Precision.FLOAT64 for t in step.inputs)
        parameters = []
        for name, value in step.parameters.items():
            parameter = step.definition.named(name)
            kind = parameter_type(parameter, value, is_wide=is_wide)
            parameters.append(self.parameter(parameter_tensor(parameter, value, kind)))
        outputs = tuple(self.number(t) for t in step.outputs)
        return Operation(step.definition.code, tuple(parameters), inputs, outputs)

    def parameter(self, tensor: Written) -> int:
        """The number of a parameter."""
        if tensor.data is None:
            raise NoLowering(f"nnrt: a parameter {tensor} without data")
        key = tensor.type, tensor.data_type, tensor.data.tobytes(), tensor.shape
        if key not in self.parameters:
            self.parameters[key] = len(self.tensors)
            self.tensors.append(tensor)
        return self.parameters[key]


def require_plain_integers(step: Step) -> None:
    """NoLowering where an operation would take plain integers for what they stand for."""
    name = step.definition.name
    tensors = [t for t in (*step.inputs, *step.outputs) if t is not None]
    hows = {t.quantization for t in tensors if t.quantization is not None}
    if not hows or name == CAST.name:
        return
    if name in MOVES and len(hows) == 1:
        return
    raise NoLowering(
        f"nnrt: {name} reads integers that a scale belongs to as real numbers, not as integers"
    )
