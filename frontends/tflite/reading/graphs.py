"""Graphs and tensors of a TFLite file as they are written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from nnir.formats.flatbuffer import Table
from nnir.formats.tflite import schema
from nnir.types import Precision, Quantization


@dataclass(slots=True)
class Tensor:
    """A tensor of a graph: its name there, its type, and its data where it is constant."""

    name: str
    number: int
    sizes: tuple[int, ...]
    buffer: int
    called: str
    quantization: Quantization | None = None
    is_variable: bool = False
    problem: str | None = None

    @property
    def precision(self) -> Precision:
        """The element type; Unsupported for strings and resources."""
        return schema.precision(self.number)


@dataclass
class Graph:
    """One of the file's graphs as it is written."""

    name: str
    tensors: list[Tensor]
    inputs: list[int]
    outputs: list[int]
    operators: Sequence[Table] = field(default_factory=list)
