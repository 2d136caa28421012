"""Graphs and tensors of a TFLite file as they are written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace

import numpy as np

from nnir.errors import BadFile
from nnir.formats.columns import Columns
from nnir.formats.flatbuffer import Table
from nnir.formats.tflite import schema
from nnir.formats.tflite.schema import OperatorTable, QuantizationTable, TensorTable
from nnir.mapping import Span
from nnir.records import dataclass
from nnir.types import Precision, Quantization

BLOCKWISE = 2
"""Scales of blocks, among the ways to quantise beyond one scale or one for each channel."""


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


@dataclass(slots=True)
class Operator:
    """An operator of a graph: which of the file's codes it has, and which tensors; of its `options`
    the union, the number and the table, and where those of a custom operator lie."""

    code: int
    inputs: list[int]
    outputs: list[int]
    intermediates: list[int]
    options: Sequence[tuple[int, int, Table | None]]
    custom: Span


@dataclass
class Graph:
    """One of the file's graphs as it is written."""

    name: str
    tensors: list[Tensor]
    inputs: list[int]
    outputs: list[int]
    operators: Sequence[Operator] = field(default_factory=list)


def read_operators(columns: Columns) -> list[Operator]:
    """The operators of a graph as they are written."""
    unions: list[list[tuple[int, int, Table | None]]] = [[] for _ in range(len(columns))]
    for union, (kind, table) in schema.UNIONS.items():
        rows = zip(unions, columns.numbers(kind, "u1"), columns.tables(table), strict=True)
        for found, number, options in rows:
            if number:
                found.append((union, number, options))
    fields = zip(
        columns.numbers(OperatorTable.OPCODE_INDEX, "<u4"),
        columns.integers(OperatorTable.INPUTS),
        columns.integers(OperatorTable.OUTPUTS),
        columns.integers(OperatorTable.INTERMEDIATES),
        unions,
        columns.spans(OperatorTable.CUSTOM_OPTIONS),
        strict=True,
    )
    return [Operator(*row) for row in fields]


def read_tensors(columns: Columns, quantized: Sequence[Table | None]) -> list[Tensor]:
    """The tensors of a graph; one without a name, or with that of another, is called by its
    place."""
    names: set[str] = set()
    tensors = []
    rows = zip(
        columns.texts(TensorTable.NAME),
        columns.numbers(TensorTable.TYPE, "i1"),
        columns.integers(TensorTable.SHAPE_SIGNATURE),
        columns.integers(TensorTable.SHAPE),
        columns.numbers(TensorTable.BUFFER, "<u4"),
        quantized,
        columns.numbers(TensorTable.IS_VARIABLE, "u1"),
        columns.tables(TensorTable.SPARSITY),
        strict=True,
    )
    for position, row in enumerate(rows):
        called, number, signature, shape, buffer, table, varies, sparse = row
        sizes = signature or shape
        if len(sizes) > 64 or min(sizes, default=0) < -1:
            raise BadFile(f"tensor {position} has the sizes {sizes[:64]}")
        name = called if called and called not in names else f"{called or 'tensor'}#{position}"
        names.add(called)
        how, problem = _quantization(table)
        if how is not None and len(sizes) == 1 and how.axis:  # a bias that says its filter's axis
            how = replace(how, axis=0)
        tensors.append(
            Tensor(name, number, tuple(sizes), buffer, called, how, bool(varies), problem, sparse)
        )
    return tensors


def _quantization(table: Table | None) -> tuple[Quantization | None, str | None]:
    """Scales as the file has them, in float32; what else there is and is not supported."""
    if table is None:
        return None, None
    kind = table.number(QuantizationTable.DETAILS_TYPE, "B")
    if kind == BLOCKWISE:
        return None, None
    if kind:
        return None, "quantised in a way other than by scale and zero point"
    scales, zeros = (
        table.array(QuantizationTable.SCALE, "<f4"),
        table.integers(QuantizationTable.ZERO_POINT, "<i8"),
    )
    if not len(scales):
        return None, None
    if len(zeros) not in (0, 1, len(scales)):
        raise BadFile(f"{len(scales)} scales with {len(zeros)} zero points")
    axis = (
        int(table.number(QuantizationTable.QUANTIZED_DIMENSION, "i")) if len(scales) > 1 else None
    )
    return Quantization(tuple(scales.tolist()), tuple(zeros) or (0,), axis), None
