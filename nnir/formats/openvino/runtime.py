"""What a device asks of the package openvino while it makes a graph, by the same names.

Nodes are made as OpenVINO makes them, with the types, shapes and attributes that it gives them;
`serialize` writes what it would write. Nothing here runs a graph.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from . import graph
from .bodies import If, Loop
from .elements import TYPES, type_of
from .files import write
from .graph import Constant, Model, Node, Output, Parameter, Result, Tensor
from .nodes import create
from .shapes import Dimension, PartialShape

__all__ = [
    "Dimension",
    "Model",
    "PartialShape",
    "Shape",
    "Tensor",
    "Type",
    "borrow",
    "op",
    "serialize",
    "utils",
]

Type = SimpleNamespace(**TYPES)


def Shape(sizes: Iterable[int]) -> tuple[int, ...]:  # noqa: N802  # the package's name
    """Sizes that are all known."""
    return tuple(sizes)


op = SimpleNamespace(
    Constant=Constant,
    Parameter=Parameter,
    Result=Result,
    if_op=If,
    loop=Loop,
    read_value=graph.read_value,
    assign=graph.assign,
    util=SimpleNamespace(Variable=graph.Variable, VariableInfo=graph.VariableInfo),
)


def borrow(array: np.ndarray, kind: str) -> Tensor:
    """The memory of an array, which is only read, as elements of a type."""
    return Tensor(array, array.shape, type_of(kind))


class NodeFactory:
    """Makes nodes by name, each of the set that its rule names."""

    def __init__(self, opset: str) -> None:
        """As OpenVINO's."""

    def create(self, name: str, inputs: Sequence[Output], attributes: Mapping[str, Any]) -> Node:
        """A node; NoLowering where OpenVINO makes none of these."""
        return create(name, inputs, attributes)


utils = SimpleNamespace(node_factory=SimpleNamespace(NodeFactory=NodeFactory))


def serialize(model: Model, path: str, weights: str) -> None:
    """Write a graph and its constants."""
    write(model, Path(path), Path(weights))
