"""Graphs of tensors as a TFLite file.

The weights follow behind the tables as vectors of their own, which the tables of buffers then point
at: so they are written once.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from types import MappingProxyType
from typing import Any, BinaryIO

import numpy as np

from nnir.dim import Dim, Expr
from nnir.errors import NoLowering
from nnir.formats.flatbuffer import Builder, Bytes
from nnir.formats.tflite import IDENTIFIER, schema
from nnir.formats.tflite.schema import (
    BufferTable,
    MetadataTable,
    ModelTable,
    OperatorCodeTable,
    OperatorTable,
    QuantizationTable,
    SignatureTable,
    SubGraphTable,
    TensorMapTable,
    TensorTable,
)
from nnir.mapping import write_array
from nnir.records import dataclass
from nnir.types import Precision, Quantization

from .kernels import STORED, VERSIONS

ALIGNMENT = 16
LARGEST = (1 << 31) - 1
SIGNATURE = "serving_default"
RESOURCE = 13
"""The element type of a handle, which no tensor of ours has."""


@dataclass(eq=False)
class Tensor:
    """A tensor of a graph: its type, its sizes as stored, and its data where it is constant.

    INT4 is for constants that a DEQUANTIZE reads alone: its data are the bytes, two elements each.
    `kind`: the number of its element type, where that is none of ours.
    """

    precision: Precision
    shape: tuple[Dim, ...]
    data: np.ndarray | None = None
    name: str = ""
    quantization: Quantization | None = None
    kind: int | None = None


@dataclass(eq=False)
class Step:
    """One operator of a graph; `options` is the name of the table that holds `fields`.

    `version` is the operator's that has a kernel for these types.
    """

    name: str
    inputs: list[Tensor]
    outputs: list[Tensor]
    options: str | None = None
    fields: dict[str, Field] = field(default_factory=dict)
    version: int = 1


@dataclass(eq=False)
class Graph:
    """One graph of a file; among the fields of its steps other graphs may be."""

    name: str
    inputs: list[Tensor] = field(default_factory=list)
    outputs: list[Tensor] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)

    def live(self) -> list[Step]:
        """The steps whose results are read, in order, and those that are there for what they do."""
        needed = set(self.outputs)
        kept = []
        for step in reversed(self.steps):
            if not step.outputs or any(t in needed for t in step.outputs):
                needed.update(step.inputs)
                kept.append(step)
        return kept[::-1]

    def tensors(self) -> list[Tensor]:
        """Every tensor once, in order of use."""
        return list(dict.fromkeys(self._mentions()))

    def _mentions(self) -> Iterable[Tensor]:
        yield from self.inputs
        for step in self.steps:
            yield from step.inputs
            yield from step.outputs
        yield from self.outputs

    def graphs(self) -> list[Graph]:
        """The graphs that the steps name."""
        return [v for s in self.steps for v in s.fields.values() if isinstance(v, Graph)]


Field = int | float | str | Sequence[int] | Sequence[float] | Graph | None
"""The value of a field of an operator's options."""


Part = bytes | np.ndarray
"""A piece of a file: the elements of an array in their order, wherever they lie in memory."""


NO_NOTES: Mapping[str, str] = MappingProxyType({})


class Writer:
    """Writes one file of one main graph; the names of its ends make the signature, `notes` are
    texts beside the graph."""

    def __init__(
        self,
        main: Graph,
        inputs: Sequence[str],
        outputs: Sequence[str],
        *,
        notes: Mapping[str, str] = NO_NOTES,
    ) -> None:
        self.graphs = _all_graphs(main)
        self.notes = notes
        sides = (inputs, main.inputs), (outputs, main.outputs)
        self.ends = [list(zip(*side, strict=True)) for side in sides]
        self.builder = Builder()
        self.codes: dict[tuple[str, int], int] = {}
        self.weights: list[np.ndarray] = []
        self.places: dict[tuple[Any, ...], int] = {}

    def parts(self) -> list[Part]:
        """The file in pieces that follow each other; NoLowering for more than a file can hold."""
        return append_weights(self.tables(), self.weights)

    def tables(self) -> bytearray:
        """The file without `weights`, which are to lie behind it."""
        build = self.builder
        tables = [self._graph(g) for g in self.graphs]
        graphs = build.tables(tables)
        notes = [self._note(*note) for note in self.notes.items()]
        told = {ModelTable.METADATA: build.tables(notes)} if notes else {}
        signature = build.tables([self._signature()])
        codes = build.tables([self._code(*key) for key in self.codes])
        buffers = build.tables([self._buffer(k) for k in range(len(self.weights) + 1)])
        offsets = {
            ModelTable.OPERATOR_CODES: codes,
            ModelTable.SUBGRAPHS: graphs,
            ModelTable.DESCRIPTION: build.text("nnadapter"),
            ModelTable.BUFFERS: buffers,
            ModelTable.SIGNATURE_DEFS: signature,
            **told,
        }
        root = build.table(offsets, {ModelTable.VERSION: ("I", schema.VERSION)})
        return build.finish(root, IDENTIFIER)

    def _numbers(self, values: Iterable[Any], kind: str) -> int:
        return self.builder.array(np.array(list(values), kind))

    def _graph(self, graph: Graph) -> int:
        tensors = graph.tensors()
        numbers = {t: k for k, t in enumerate(tensors)}

        def positions(given: Iterable[Tensor]) -> int:
            return self._numbers((numbers[t] for t in given), "<i4")

        build = self.builder
        rows = build.tables([self._tensor(t, k) for k, t in enumerate(tensors)])
        steps = build.tables([self._step(s, positions) for s in graph.steps])
        offsets = {
            SubGraphTable.TENSORS: rows,
            SubGraphTable.INPUTS: positions(graph.inputs),
            SubGraphTable.OUTPUTS: positions(graph.outputs),
            SubGraphTable.OPERATORS: steps,
            SubGraphTable.NAME: build.text(graph.name),
        }
        return build.table(offsets)

    def _tensor(self, tensor: Tensor, number: int) -> int:
        sizes = [1 if isinstance(d, Expr) else d for d in tensor.shape]
        offsets = {
            TensorTable.SHAPE: self._numbers(sizes, "<i4"),
            TensorTable.NAME: self.builder.text(tensor.name or f"t{number}"),
        }
        if any(isinstance(d, Expr) for d in tensor.shape):
            signature = (-1 if isinstance(d, Expr) else d for d in tensor.shape)
            offsets[TensorTable.SHAPE_SIGNATURE] = self._numbers(signature, "<i4")
        if tensor.quantization is not None:
            offsets[TensorTable.QUANTIZATION] = self._quantization(tensor.quantization)
        kind = tensor.kind
        if kind is None:
            is_packed = tensor.precision == Precision.INT4
            number_of = schema.type_number if is_packed else type_number
            kind = number_of(tensor.precision)
        numbers: dict[int, tuple[str, Any]] = {TensorTable.TYPE: ("b", kind)}
        if tensor.data is not None:
            numbers[TensorTable.BUFFER] = ("I", self._place(tensor.data))
        if not tensor.shape:
            numbers[TensorTable.HAS_RANK] = ("?", True)
        return self.builder.table(offsets, numbers)

    def _quantization(self, given: Quantization) -> int:
        count = len(given.scales)
        zeros = (given.zero_points * count)[:count]
        offsets = {
            QuantizationTable.SCALE: self._numbers(given.scales, "<f4"),
            QuantizationTable.ZERO_POINT: self._numbers(zeros, "<i8"),
        }
        axis = {QuantizationTable.QUANTIZED_DIMENSION: ("i", given.axis or 0)}
        return self.builder.table(offsets, axis)

    def _place(self, data: np.ndarray) -> int:
        """The number of a buffer; 0 is the empty one."""
        if not data.size:
            return 0
        memory = data.__array_interface__
        key = (memory["data"][0], data.dtype, data.shape, data.strides)
        if key not in self.places:
            self.weights.append(data)
            self.places[key] = len(self.weights)
        return self.places[key]

    def _step(self, step: Step, positions: Callable[[Iterable[Tensor]], int]) -> int:
        offsets = {
            OperatorTable.INPUTS: positions(step.inputs),
            OperatorTable.OUTPUTS: positions(step.outputs),
        }
        key = step.name, max(step.version, VERSIONS.get(step.name, 1))
        code = self.codes.setdefault(key, len(self.codes))
        numbers = {OperatorTable.OPCODE_INDEX: ("I", code)}
        if step.options is not None:
            union, number = schema.union_of(step.options)
            kind, table = schema.UNIONS[union]
            numbers[kind] = ("B", number)
            offsets[table] = self._options(step.options, step.fields)
        return self.builder.table(offsets, numbers)

    def _options(self, table: str, values: dict[str, Any]) -> int:
        offsets, numbers = {}, {}
        fields = {field.name: field for field in schema.tables()[table]}
        for name, value in values.items():
            _, slot, kind, default = fields[name]
            if kind in schema.VECTORS:
                offsets[slot] = self._numbers(value, schema.VECTORS[kind])
            elif kind == "string":
                offsets[slot] = self.builder.text(value)
            else:
                plain = self.graphs.index(value) if isinstance(value, Graph) else value
                if plain != default:
                    numbers[slot] = (schema.KINDS[kind], plain)
        return self.builder.table(offsets, numbers)

    def _code(self, name: str, version: int) -> int:
        code = schema.code(name)
        old = min(code, schema.code("PLACEHOLDER_FOR_GREATER_OP_CODES"))
        numbers = {
            OperatorCodeTable.DEPRECATED_BUILTIN_CODE: ("b", old),
            OperatorCodeTable.VERSION: ("i", version),
            OperatorCodeTable.BUILTIN_CODE: ("i", code),
        }
        return self.builder.table({}, numbers)

    def _buffer(self, number: int) -> int:
        """A buffer; its vector is an empty one until the weights have their places."""
        if not number:
            return self.builder.table({})
        return self.builder.table({BufferTable.DATA: self.builder.array(np.empty(0, np.uint8))})

    def _note(self, name: str, text: str) -> int:
        place = self._place(np.array(bytearray(text.encode()), np.uint8))
        offsets = {MetadataTable.NAME: self.builder.text(name)}
        return self.builder.table(offsets, {MetadataTable.BUFFER: ("I", place)})

    def _signature(self) -> int:
        tensors = self.graphs[0].tensors()
        numbers = {t: k for k, t in enumerate(tensors)}
        maps = []
        for side in self.ends:
            rows = []
            for name, tensor in side:
                text = {TensorMapTable.NAME: self.builder.text(name)}
                index = {TensorMapTable.TENSOR_INDEX: ("I", numbers[tensor])}
                rows.append(self.builder.table(text, index))
            maps.append(self.builder.tables(rows))
        offsets = {
            SignatureTable.INPUTS: maps[0],
            SignatureTable.OUTPUTS: maps[1],
            SignatureTable.SIGNATURE_KEY: self.builder.text(SIGNATURE),
        }
        return self.builder.table(offsets, {SignatureTable.SUBGRAPH_INDEX: ("I", 0)})


def type_number(precision: Precision) -> int:
    """The number of an element type in TFLite; NoLowering for one that LiteRT lacks."""
    if precision not in STORED:
        raise NoLowering(f"litert has no tensors of {precision.name}")
    return schema.type_number(precision)


def _all_graphs(main: Graph) -> list[Graph]:
    found = [main]
    for graph in found:  # grows while it is walked
        graph.steps = graph.live()
        found += [g for g in graph.graphs() if g not in found]
    return found


def join_parts(parts: Iterable[Part]) -> bytes:
    """A whole file."""
    return b"".join(p if isinstance(p, bytes) else p.tobytes() for p in parts)


def write_parts(file: BinaryIO, parts: Iterable[Part]) -> None:
    """Append a file to another one; what lies in a mapped file is copied by the kernel alone."""
    for part in parts:
        if isinstance(part, bytes):
            file.write(part)
        else:
            write_array(file, part)


def append_weights(tables: bytearray, weights: Sequence[np.ndarray]) -> list[Part]:
    """The tables and behind them the weights, which the tables of buffers point at."""
    starts, end = [], len(tables)
    for array in weights:
        start = -(-(end + 4) // ALIGNMENT) * ALIGNMENT
        starts.append(start)
        end = start + array.nbytes
    point_at(tables, starts, end)
    parts: list[Part] = [bytes(tables)]
    end = len(tables)
    for array, start in zip(weights, starts, strict=True):
        parts.append(bytes(start - 4 - end) + struct.pack("<I", array.nbytes))
        parts.append(array)
        end = start + array.nbytes
    return parts


def point_at(tables: bytearray, starts: Sequence[int], end: int) -> None:
    """Say where weights begin, behind their lengths, in a file that ends at `end`."""
    if end > LARGEST:
        raise NoLowering(f"a TFLite file of {end} bytes: 2 GiB is the most")
    for position, start in zip(_vectors(tables), starts, strict=True):
        struct.pack_into("<I", tables, position, start - 4 - position)


def _vectors(tables: bytearray) -> list[int]:
    """Where each table of a buffer that has data has the offset of it: the first has none."""
    buffers = Bytes(bytes(tables)).root().tables(ModelTable.BUFFERS)
    return [place for b in buffers if (place := b.place(BufferTable.DATA)) is not None]
