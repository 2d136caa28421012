"""Graphs of nodes, by the names that the package openvino has for what the device asks."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ...errors import NoLowering
from .elements import BY_DTYPE, Type
from .shapes import Dimension, PartialShape
from .values import Bounds, bounds_of

End = tuple[Type, PartialShape]
"""The type and shape of an output."""

_numbers = itertools.count()


class Output:
    """An output of a node, with the names of its tensor and what is known of its numbers."""

    __slots__ = ("bounds", "index", "names", "node", "results", "shape", "type")

    def __init__(self, node: Node, index: int, end: End) -> None:
        self.node, self.index = node, index
        self.type, self.shape = end
        self.names: set[str] = set()
        self.bounds: Bounds | None = None
        self.results: list[Output] = []

    def all_names(self) -> set[str]:
        """Its names and those of the results that it is."""
        return self.names.union(*(r.names for r in self.results))

    def get_node(self) -> Node:
        return self.node

    def get_index(self) -> int:
        return self.index

    def get_element_type(self) -> Type:
        return self.type

    def get_partial_shape(self) -> PartialShape:
        return self.shape

    def get_tensor(self) -> Output:
        """What has the names: the output itself."""
        return self

    def set_names(self, names: Iterable[str]) -> None:
        self.names = set(names)

    def values(self) -> list[int] | None:
        """The integers that it holds, where they are known."""
        if self.bounds is None:
            return None
        low, high = self.bounds
        return [int(v) for v in low.reshape(-1)] if np.array_equal(low, high) else None

    def sizes(self) -> list[Dimension | int] | None:
        """The sizes that it holds, numbers where they are known: they may be negative."""
        if self.bounds is None:
            return None
        pairs = zip(*(b.reshape(-1).tolist() for b in self.bounds), strict=True)
        return [int(a) if a == b else Dimension(max(a, 0), b) for a, b in pairs]


class Node:
    """An operation: its kind and version, what it reads, its attributes and outputs."""

    def __init__(
        self,
        kind: str,
        version: str,
        inputs: Sequence[Output],
        ends: Sequence[End],
        attributes: Mapping[str, Any] | None = None,
    ) -> None:
        self.kind, self.version = kind, version
        self.inputs = list(inputs)
        self.attributes = dict(attributes or {})
        self.number = next(_numbers)
        self.friendly_name = f"{kind}_{self.number}"
        self.ends = [Output(self, k, end) for k, end in enumerate(ends)]
        self.notes: dict[str, Any] = {}

    def get_type_name(self) -> str:
        return self.kind

    def get_name(self) -> str:
        """A name that no other node has."""
        return f"{self.kind}_{self.number}"

    def get_friendly_name(self) -> str:
        return self.friendly_name

    def set_friendly_name(self, name: str) -> None:
        self.friendly_name = name

    def get_attributes(self) -> dict[str, Any]:
        return self.attributes

    def get_rt_info(self) -> dict[str, Any]:
        """Notes for the run time; those that are numbers or words stay out of files."""
        return self.notes

    def input_values(self) -> list[Output]:
        return self.inputs

    def input_value(self, position: int) -> Output:
        return self.inputs[position]

    def output(self, position: int) -> Output:
        return self.ends[position]


class Tensor:
    """Memory of somebody else with a type and a shape; NumPy's own where they are not told."""

    def __init__(
        self,
        array: np.ndarray,
        shape: Sequence[int] | None = None,
        kind: Type | None = None,
        *,
        shared_memory: bool = True,
    ) -> None:
        self.array = array
        self.shape = tuple(array.shape if shape is None else shape)
        self.type = BY_DTYPE[array.dtype] if kind is None else kind

    @property
    def is_plain(self) -> bool:
        """Whether NumPy has the elements as they are, not packed or as bits."""
        return BY_DTYPE.get(self.array.dtype) == self.type and self.array.shape == self.shape


class Constant(Node):
    """Numbers, in the memory of their tensor."""

    def __init__(self, tensor: Tensor, shared_memory: bool = True) -> None:
        super().__init__("Constant", "opset1", [], [(tensor.type, PartialShape(tensor.shape))])
        self.tensor = tensor
        if tensor.is_plain:
            self.ends[0].bounds = bounds_of(tensor.array)

    def get_data(self) -> np.ndarray:
        return self.tensor.array


class Parameter(Node):
    """An input of a graph."""

    def __init__(self, kind: Type, shape: PartialShape) -> None:
        super().__init__("Parameter", "opset1", [], [(kind, shape)])


class Result(Node):
    """An output of a graph."""

    def __init__(self, source: Output) -> None:
        super().__init__("Result", "opset1", [source], [(source.type, source.shape)])
        source.results.append(self.output(0))


class Variable:
    """What a graph keeps from call to call."""

    def __init__(self, info: VariableInfo) -> None:
        self.info = info


class VariableInfo:
    """The name, type and shape of a variable."""

    variable_id: str
    data_type: Type
    data_shape: PartialShape


def read_value(initial: Output, variable: Variable) -> Node:
    """What a variable holds, at first `initial`."""
    about = variable.info
    if initial.type != about.data_type:
        raise NoLowering(f"openvino: {about.data_type.name} begins with {initial.type.name}")
    fields = {
        "variable_id": about.variable_id,
        "variable_type": about.data_type.name,
        "variable_shape": str(about.data_shape),
    }
    return Node("ReadValue", "opset6", [initial], [(about.data_type, about.data_shape)], fields)


def assign(source: Node, variable: Variable) -> Node:
    """Lets a variable hold the first output of a node."""
    read, about = source.output(0), variable.info
    if read.type != about.data_type:
        raise NoLowering(f"openvino: {about.data_type.name} is assigned {read.type.name}")
    fields = {"variable_id": about.variable_id}
    return Node("Assign", "opset6", [read], [(read.type, read.shape)], fields)


class Model:
    """A graph: what it gives, what keeps its variables, what it takes, its name."""

    def __init__(self, results: Sequence[Any], *rest: Any) -> None:
        *sinks, parameters, name = rest
        self.results: list[Result] = list(results)
        self.sinks: list[Node] = list(sinks[0]) if sinks else []
        self.parameters: list[Parameter] = list(parameters)
        self.name: str = name
        self.notes: dict[str, str] = {}
        for parameter in self.parameters:
            end = parameter.output(0)
            end.names = end.names or {parameter.friendly_name}
        for result in self.results:
            if not result.inputs[0].all_names():
                result.output(0).names = {result.friendly_name}

    def set_rt_info(self, text: str, path: Sequence[str]) -> None:
        """A note of one word, which files keep."""
        self.notes[path[0]] = text

    @property
    def inputs(self) -> list[Output]:
        return [p.output(0) for p in self.parameters]

    @property
    def outputs(self) -> list[Output]:
        return [r.output(0) for r in self.results]

    def sorted(self) -> list[Node]:
        """The nodes, each behind what it reads, in the order that OpenVINO has."""
        waiting: list[Node] = [*self.results, *self.sinks, *self.parameters]
        done: set[Node] = set()
        order: list[Node] = []
        while waiting:
            node = waiting[-1]
            missing = [i.node for i in reversed(node.inputs) if i.node not in done]
            if node in done or not missing:
                waiting.pop()
                if node not in done:
                    done.add(node)
                    order.append(node)
            else:
                waiting += missing
        ends = {*self.parameters, *self.sinks, *self.results}
        inside = [n for n in order if n not in ends]
        return [*self.parameters, *inside, *self.sinks, *self.results]
