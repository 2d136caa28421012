"""Graphs and tensors of a TFLite file as they are written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

import numpy as np

from nnir.formats.flatbuffer import Table
from nnir.formats.tflite import schema
from nnir.records import dataclass
from nnir.types import Precision, Quantization


@dataclass(frozen=True, eq=False)
class Blocks:
    """Scales and zero points for each `size` elements along an axis."""

    scales: np.ndarray
    zeros: np.ndarray
    axis: int
    size: int


@dataclass(slots=True)
class Tensor:
    """A tensor of a graph: its name there, its type, and its data where it is constant.

    `sparsity` says which elements the file holds, where it does not hold all of them.
    """

    name: str
    number: int
    sizes: tuple[int, ...]
    buffer: int
    called: str
    quantization: Quantization | None = None
    is_variable: bool = False
    problem: str | None = None
    sparsity: Table | None = None
    blocks: Blocks | None = None

    @property
    def is_quantized(self) -> bool:
        """Whether its integers stand for real numbers."""
        return self.quantization is not None or self.blocks is not None

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
