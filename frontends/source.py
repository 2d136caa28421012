"""The neutral form between a reader and the translator: nodes, weights and typed ends."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any

import numpy as np

from nnir import lists
from nnir.dim import Dim, symbol
from nnir.errors import BadFile, Refusal
from nnir.mapping import Buffer, map_file
from nnir.notation import name_dim
from nnir.provenance import Place
from nnir.records import dataclass
from nnir.types import Precision, TensorType

PLAIN = (bool, int, float, str)
"""Attributes that are told with a node that is refused."""


class Ref(str):
    """The name of a value among the arguments of a node."""

    __slots__ = ()


def refs(arguments: Any) -> list[str]:
    """The names of the values among arguments, in order, each once."""
    found: dict[str, None] = {}
    stack = [arguments]
    while stack:
        argument = stack.pop()
        kind = type(argument)
        if isinstance(argument, Ref):
            found[str(argument)] = None
        elif argument is None or kind in PLAIN:
            continue
        elif kind is dict:
            stack.extend(reversed(argument.values()))
        elif isinstance(argument, (list, tuple)):
            stack.extend(reversed(argument))
        elif isinstance(argument, Mapping):  # abstract, so that asking for it takes longest
            stack.extend(reversed(list(argument.values())))
    return list(found)


def buffer_of(source: Path | bytes, what: str) -> Buffer:
    """The bytes of a file, mapped, or bytes as they are; BadFile "no WHAT" for anything else."""
    if isinstance(source, Path):
        return map_file(source)
    if isinstance(source, bytes):
        return source
    raise BadFile(f"no {what}: {type(source).__name__}")


def dims(name: str, sizes: Iterable[int]) -> tuple[Dim, ...]:
    """The sizes of an input; unknown ones get names: `batch` for the first axis, else the input's
    and the axis."""
    return tuple(
        size if size >= 0 else symbol("batch") if axis == 0 else name_dim(f"{name}_{axis}")
        for axis, size in enumerate(sizes)
    )


@dataclass(frozen=True, eq=False, slots=True)
class Contents:
    """Stands for a table of TensorFlow: what it holds, row k of `values` under `keys[k]`."""

    name: str
    keys: np.ndarray
    values: np.ndarray


@dataclass(slots=True, eq=False)
class SourceNode:
    """One node as the source wrote it; "" in `inputs` is an absent optional input.

    `attributes` holds Python values, arrays for tensors and `SourceGraph` for sub-graphs. Where a
    source names all arguments of a node, `attributes` holds all of them, values as `Ref`, and
    `inputs` only lists what is read. `types` are those of the outputs, where the source says.
    `memory`: where the first argument begins in its memory, and its strides, where that matters.
    """

    op: str
    inputs: list[str]
    outputs: list[str]
    attributes: dict[str, Any]
    name: str = ""
    types: Sequence[TensorType | None] = ()
    memory: tuple[int, ...] | None = None

    def __str__(self) -> str:
        label = self.name or ", ".join(self.outputs)
        return f"{self.op} {label!r}"

    @property
    def label(self) -> str:
        """What the operations of the node are said to come from: its name, or its first output."""
        return self.name or (self.outputs[0] if self.outputs else "")


UNRANKED = "tensor of unknown rank"
"""The kind of an input whose source says its precision alone."""

NUMBER = "number"
"""The kind of a value that is no tensor in its source, such as a size that is computed."""


@dataclass(slots=True)
class SourceValue:
    """A graph input or output; `type` is None where the source does not say.

    `called`: what users call it, where that is not its name in the graph. `unranked`: the precision
    of a tensor of unknown rank, which the source does not say either where `is_untyped`.
    `list_type`: of what is a list of tensors, or may be left out.
    """

    name: str
    type: TensorType | None = None
    kind: str = "tensor"
    called: str | None = None
    unranked: Precision | None = None
    is_untyped: bool = False
    list_type: lists.ListType | None = None


@dataclass(slots=True)
class SourceGraph:
    """A graph. `weights` are views into the file or the framework's own memory.

    `called`: what users call some of the weights, such as `encoder.layer.0.weight`.
    """

    name: str = ""
    nodes: list[SourceNode] = field(default_factory=list)
    inputs: list[SourceValue] = field(default_factory=list)
    outputs: list[SourceValue] = field(default_factory=list)
    weights: dict[str, np.ndarray] = field(default_factory=dict)
    called: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class SourceFunction:
    """A function of the model: called like an operator, expanded at the call."""

    name: str
    inputs: list[str]
    outputs: list[str]
    attributes: dict[str, Any]
    nodes: list[SourceNode]
    versions: dict[str, int]


@dataclass(slots=True)
class SourceState:
    """What a source keeps from call to call: the name in its graph that is read, the one that is
    its new contents, and what it holds before the first call. `name` is what users call it."""

    name: str
    read: SourceValue
    written: SourceValue
    initial: np.ndarray


@dataclass(slots=True)
class SourceModel:
    """What a reader returns. `versions` maps an operator domain to its version.

    `dimensions` gives the range of a named dimension where the source knows it, `places` where
    nodes were written, by their names. `fixed` are inputs whose values the caller chose, `order`
    the names of all inputs then. `properties` are what the file says for its users.
    """

    framework: str
    graph: SourceGraph
    versions: dict[str, int] = field(default_factory=dict)
    functions: dict[str, SourceFunction] = field(default_factory=dict)
    dimensions: dict[str, tuple[int, int | None]] = field(default_factory=dict)
    metadata: dict[str, str] = field(default_factory=dict)
    places: dict[str, Place] = field(default_factory=dict)
    states: list[SourceState] = field(default_factory=list)
    fixed: dict[str, np.ndarray] = field(default_factory=dict)
    order: list[str] = field(default_factory=list)
    properties: dict[str, str] = field(default_factory=dict)


def refusal_of_node(
    node: SourceNode, why: str, precisions: Iterable[Precision], place: Place
) -> Refusal:
    """Why a node is refused, with what it is there and where it was written."""
    plain = {k: v for k, v in node.attributes.items() if type(v) in PLAIN}
    return Refusal(
        why,
        source=node.op,
        precision=", ".join(dict.fromkeys(p.name for p in precisions)),
        attributes=", ".join(f"{k}={v!r}" for k, v in plain.items()),
        node=node.label,
        module=place.module,
        line=place.line,
    )


def restrict_outputs(graph: SourceGraph, places: Iterable[int]) -> SourceGraph:
    """A graph with some of its outputs, and only the nodes that these need."""
    outputs = [graph.outputs[k] for k in places]
    needed = {o.name for o in outputs}
    nodes = []
    for node in reversed(graph.nodes):
        if not needed.isdisjoint(node.outputs):
            needed.update(node.inputs)
            nodes.append(node)
    weights = {n: a for n, a in graph.weights.items() if n in needed}
    return SourceGraph(graph.name, nodes[::-1], graph.inputs, outputs, weights)


def read_places(graph: SourceGraph) -> set[int]:
    """The inputs that a graph reads, as positions."""
    read = {n for node in graph.nodes for n in node.inputs} | {o.name for o in graph.outputs}
    return {k for k, v in enumerate(graph.inputs) if v.name in read}
