"""Nodes with graphs of their own: If and Loop."""

from __future__ import annotations

from ...errors import NoLowering
from ...records import dataclass
from .graph import Model, Node, Output, Parameter, Result
from .shapes import OPEN, PartialShape


@dataclass(frozen=True)
class Taken:
    """What a body takes: the operand and the parameter, with the result that it becomes."""

    operand: int
    parameter: Parameter
    back: Output | None = None


@dataclass(frozen=True)
class Slices:
    """How a result is stacked: along an axis, from where to where."""

    axis: int
    start: int
    stride: int
    part_size: int
    end: int

    def range(self) -> dict[str, int]:
        """Where it begins and ends, and its steps, as files have them."""
        about = {"start": self.start, "end": self.end}
        return about | {"stride": self.stride, "part_size": self.part_size}


@dataclass(frozen=True)
class Given:
    """What a body gives: the result, and how it is stacked where it is."""

    result: Output
    slices: Slices | None = None


class If(Node):
    """One of two graphs, by a condition."""

    def __init__(self, condition: Output) -> None:
        super().__init__("If", "opset8", [condition], [])
        if condition.type.name != "boolean":
            raise NoLowering(f"openvino: If by {condition.type.name}, not by a truth value")
        self.bodies: dict[str, Model] = {}
        self.then_inputs: list[Taken] = []
        self.else_inputs: list[Taken] = []
        self.then_results: list[Result] = []
        self.else_results: list[Result] = []

    def set_then_body(self, body: Model) -> None:
        self.bodies["then_body"] = body

    def set_else_body(self, body: Model) -> None:
        self.bodies["else_body"] = body

    def set_input(self, source: Output, then: Parameter, other: Parameter) -> None:
        """Hand an operand to both sides."""
        position = len(self.inputs)
        self.inputs.append(source)
        self.then_inputs.append(Taken(position, then))
        self.else_inputs.append(Taken(position, other))

    def set_output(self, then: Result, other: Result) -> Output:
        """What one or the other side gives."""
        a, b = then.output(0), other.output(0)
        if a.type != b.type:
            raise NoLowering(f"openvino: the sides of If give {a.type.name} and {b.type.name}")
        if len(a.shape) != len(b.shape):
            raise NoLowering(f"openvino: the sides of If give [{a.shape}] and [{b.shape}]")
        self.then_results.append(then)
        self.else_results.append(other)
        sizes = (x if x == y else OPEN for x, y in zip(a.shape, b.shape, strict=True))
        made = Output(self, len(self.ends), (a.type, PartialShape(sizes)))
        self.ends.append(made)
        return made


class Loop(Node):
    """A graph as often as its condition holds."""

    def __init__(self, trips: Output, condition: Output) -> None:
        super().__init__("Loop", "opset5", [trips, condition], [])
        if condition.type.name != "boolean":
            raise NoLowering(f"openvino: Loop by {condition.type.name}, not by a truth value")
        self.bodies: dict[str, Model] = {}
        self.taken: list[Taken] = []
        self.given: list[Given] = []
        self.condition = 0

    def set_function(self, body: Model) -> None:
        self.bodies["body"] = body

    def set_special_body_ports(self, ports: list[int]) -> None:
        """Which parameter has the number of the iteration, -1 for none, and which result the
        condition."""
        number, self.condition = ports
        if number != -1:
            raise NoLowering("openvino: a Loop whose body takes the number of the iteration")

    def set_merged_input(self, parameter: Parameter, first: Output, next: Output) -> None:
        """Hand on what a body makes to its next run."""
        self.taken.append(Taken(len(self.inputs), parameter, next))
        self.inputs.append(first)

    def set_invariant_input(self, parameter: Parameter, source: Output) -> None:
        """Hand the same to every run."""
        self.taken.append(Taken(len(self.inputs), parameter))
        self.inputs.append(source)

    def get_iter_value(self, source: Output, iteration: int) -> Output:
        """What the last run gives."""
        if iteration != -1:
            raise NoLowering(f"openvino: what iteration {iteration} of a Loop gives")
        return self._add(source, source.shape, None)

    def get_concatenated_slices(
        self, source: Output, start: int, stride: int, part_size: int, end: int, axis: int
    ) -> Output:
        """What all runs give, one behind the other."""
        sizes = PartialShape(OPEN if k == axis else d for k, d in enumerate(source.shape))
        return self._add(source, sizes, Slices(axis, start, stride, part_size, end))

    def _add(self, source: Output, shape: PartialShape, slices: Slices | None) -> Output:
        made = Output(self, len(self.ends), (source.type, shape))
        self.given.append(Given(source, slices))
        self.ends.append(made)
        return made
