"""Graphs of tensors as a TFLite file.

Source: `tensorflow/compiler/mlir/lite/schema/schema.fbs`, whose fields are numbered in the order
in which it lists them. The tables are made by the package flatbuffers; the weights follow behind
them as vectors of their own, which the tables of buffers then point at: so they are written once.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import flatbuffers
import numpy as np
from flatbuffers import number_types

from nnir.dim import Dim, Expr
from nnir.errors import NoLowering
from nnir.types import Precision, Quantization

from . import schema
from .kernels import VERSIONS

ALIGNMENT = 16
LARGEST = (1 << 31) - 1
SIGNATURE = "serving_default"


@dataclass(eq=False)
class Tensor:
    """A tensor of a graph: its type, its sizes as stored, and its data where it is constant."""

    precision: Precision
    shape: tuple[Dim, ...]
    data: np.ndarray | None = None
    name: str = ""
    quantization: Quantization | None = None


@dataclass(eq=False)
class Step:
    """One operator of a graph; `options` is the name of the table that holds `fields`.

    `version` is the operator's that has a kernel for these types.
    """

    name: str
    inputs: list[Tensor | None]
    outputs: list[Tensor]
    options: str | None = None
    fields: dict[str, Any] = field(default_factory=dict)
    version: int = 1


@dataclass(eq=False)
class Graph:
    """One graph of a file; among the fields of its steps other graphs may be."""

    name: str
    inputs: list[Tensor] = field(default_factory=list)
    outputs: list[Tensor] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)

    def live(self) -> list[Step]:
        """The steps whose results are read, in order."""
        needed = set(self.outputs)
        kept = []
        for step in reversed(self.steps):
            if any(t in needed for t in step.outputs):
                needed |= {t for t in step.inputs if t is not None}
                kept.append(step)
        return kept[::-1]

    def tensors(self) -> list[Tensor]:
        """Every tensor once, in order of use."""
        return list(dict.fromkeys(self._mentions()))

    def _mentions(self) -> Iterable[Tensor]:
        yield from self.inputs
        for step in self.steps:
            yield from (t for t in step.inputs if t is not None)
            yield from step.outputs
        yield from self.outputs

    def graphs(self) -> list[Graph]:
        """The graphs that the steps name."""
        return [v for s in self.steps for v in s.fields.values() if isinstance(v, Graph)]


class Writer:
    """Writes one file of one main graph; the names of its ends make the signature."""

    def __init__(self, main: Graph, inputs: Sequence[str], outputs: Sequence[str]) -> None:
        self.graphs = _all_graphs(main)
        sides = (inputs, main.inputs), (outputs, main.outputs)
        self.ends = [list(zip(*side, strict=True)) for side in sides]
        self.builder = flatbuffers.Builder(1 << 16)
        self.codes: dict[tuple[str, int], int] = {}
        self.weights: list[np.ndarray] = []
        self.places: dict[tuple[Any, ...], int] = {}

    def parts(self) -> list[Any]:
        """The file in pieces that follow each other; NoLowering for more than a file can hold."""
        tables = [self._graph(g) for g in self.graphs]
        graphs = self._vector(tables)
        signature = self._vector([self._signature()])
        codes = self._vector([self._code(*key) for key in self.codes])
        buffers = self._vector([self._buffer(k) for k in range(len(self.weights) + 1)])
        text = self.builder.CreateString("nnadapter")
        fields = {1: codes, 2: graphs, 3: text, 4: buffers, 7: signature}
        root = self._table(8, fields, {0: ("Uint32", schema.VERSION)})
        self.builder.Finish(root, file_identifier=schema.IDENTIFIER)
        return _joined(bytearray(self.builder.Output()), self.weights)

    def _table(
        self, slots: int, offsets: dict[int, int], numbers: dict[int, tuple[str, Any]]
    ) -> int:
        builder = self.builder
        builder.StartObject(slots)
        for slot, offset in offsets.items():
            builder.PrependUOffsetTRelativeSlot(slot, offset, 0)
        for slot, (kind, value) in numbers.items():
            builder.PrependSlot(getattr(number_types, f"{kind}Flags"), slot, value, None)
        return int(builder.EndObject())

    def _vector(self, offsets: Sequence[int]) -> int:
        self.builder.StartVector(4, len(offsets), 4)
        for offset in reversed(offsets):
            self.builder.PrependUOffsetTRelative(offset)
        return int(self.builder.EndVector())

    def _numbers(self, values: Iterable[Any], kind: str) -> int:
        return int(self.builder.CreateNumpyVector(np.array(list(values), kind)))

    def _graph(self, graph: Graph) -> int:
        tensors = graph.tensors()
        numbers = {t: k for k, t in enumerate(tensors)}

        def positions(given: Iterable[Tensor | None]) -> int:
            return self._numbers((-1 if t is None else numbers[t] for t in given), "<i4")

        rows = self._vector([self._tensor(t, k) for k, t in enumerate(tensors)])
        steps = self._vector([self._step(s, positions) for s in graph.steps])
        ends = positions(graph.inputs), positions(graph.outputs)
        name = self.builder.CreateString(graph.name)
        return self._table(5, {0: rows, 1: ends[0], 2: ends[1], 3: steps, 4: name}, {})

    def _tensor(self, tensor: Tensor, number: int) -> int:
        sizes = [1 if isinstance(d, Expr) else d for d in tensor.shape]
        offsets = {
            0: self._numbers(sizes, "<i4"),
            3: self.builder.CreateString(tensor.name or f"t{number}"),
        }
        if any(isinstance(d, Expr) for d in tensor.shape):
            signature = (-1 if isinstance(d, Expr) else d for d in tensor.shape)
            offsets[7] = self._numbers(signature, "<i4")
        if tensor.quantization is not None:
            offsets[4] = self._quantization(tensor.quantization)
        kind = schema.member("TensorType", type_name(tensor.precision))
        numbers: dict[int, tuple[str, Any]] = {1: ("Int8", kind)}
        if tensor.data is not None:
            numbers[2] = ("Uint32", self._place(tensor.data))
        if not tensor.shape:
            numbers[8] = ("Bool", True)
        return self._table(10, offsets, numbers)

    def _quantization(self, given: Quantization) -> int:
        count = len(given.scales)
        zeros = given.zero_points if len(given.zero_points) == count else given.zero_points * count
        fields = {2: self._numbers(given.scales, "<f4"), 3: self._numbers(zeros, "<i8")}
        return self._table(7, fields, {6: ("Int32", given.axis or 0)})

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

    def _step(self, step: Step, positions: Callable[[Iterable[Tensor | None]], int]) -> int:
        offsets = {1: positions(step.inputs), 2: positions(step.outputs)}
        key = step.name, max(step.version, VERSIONS.get(step.name, 1))
        numbers = {0: ("Uint32", self.codes.setdefault(key, len(self.codes)))}
        if step.options is not None:
            table = schema.options(step.options)
            slot = {1: 3, 2: 11}[table.union]
            numbers[slot] = ("Uint8", table.number)
            offsets[slot + 1] = self._options(table, step.fields)
        return self._table(13, offsets, numbers)

    def _options(self, table: schema.Options, fields: dict[str, Any]) -> int:
        offsets, numbers = {}, {}
        for name, value in fields.items():
            slot, kind, default = table.fields[name]
            if kind.endswith("[]"):
                offsets[slot] = self._numbers(value, "<i4")
            else:
                plain = self.graphs.index(value) if isinstance(value, Graph) else value
                if plain != default:
                    numbers[slot] = (kind, plain)
        slots = max((f[0] for f in table.fields.values()), default=-1) + 1
        return self._table(slots, offsets, numbers)

    def _code(self, name: str, version: int) -> int:
        code = schema.code(name)
        old = min(code, schema.code("PLACEHOLDER_FOR_GREATER_OP_CODES"))
        numbers = {0: ("Int8", old), 2: ("Int32", version), 3: ("Int32", code)}
        return self._table(4, {}, numbers)

    def _buffer(self, number: int) -> int:
        """A buffer; its vector is an empty one until the weights have their places."""
        if not number:
            return self._table(3, {}, {})
        return self._table(3, {0: self.builder.CreateByteVector(b"")}, {})

    def _signature(self) -> int:
        tensors = self.graphs[0].tensors()
        numbers = {t: k for k, t in enumerate(tensors)}
        maps = []
        for side in self.ends:
            rows = []
            for name, tensor in side:
                text = self.builder.CreateString(name)
                rows.append(self._table(2, {0: text}, {1: ("Uint32", numbers[tensor])}))
            maps.append(self._vector(rows))
        key = self.builder.CreateString(SIGNATURE)
        return self._table(5, {0: maps[0], 1: maps[1], 2: key}, {4: ("Uint32", 0)})


def type_name(precision: Precision) -> str:
    """What TFLite calls an element type; NoLowering for one it lacks."""
    if precision not in schema.TYPES:
        raise NoLowering(f"litert has no tensors of {precision.name}")
    return schema.TYPES[precision]


def _all_graphs(main: Graph) -> list[Graph]:
    found = [main]
    for graph in found:  # grows while it is walked
        graph.steps = graph.live()
        found += [g for g in graph.graphs() if g not in found]
    return found


def _joined(tables: bytearray, weights: Sequence[np.ndarray]) -> list[Any]:
    """The tables and behind them the weights, which the tables of buffers point at."""
    places, end = [], len(tables)
    for array in weights:
        start = -(-(end + 4) // ALIGNMENT) * ALIGNMENT
        places.append(start - 4)
        end = start + array.nbytes
    if end > LARGEST:
        raise NoLowering(f"a TFLite file of {end} bytes: 2 GiB is the most")
    for position, place in zip(_vectors(tables), places, strict=True):
        struct.pack_into("<I", tables, position, place - position)
    parts: list[Any] = [bytes(tables)]
    end = len(tables)
    for array, place in zip(weights, places, strict=True):
        parts.append(bytes(place - end) + struct.pack("<I", array.nbytes))
        parts.append(_stored(array).data)
        end = place + 4 + array.nbytes
    return parts


def _stored(array: np.ndarray) -> np.ndarray:
    """Contiguous little-endian elements, without a copy where they are that already."""
    raw = np.ascontiguousarray(array)
    whole = raw.view(np.uint8) if raw.ndim else raw.reshape(1).view(np.uint8)
    return whole.reshape(-1)


def _vectors(tables: bytearray) -> list[int]:
    """Where each table of a buffer but the first has the offset of its data."""

    def number(kind: str, place: int) -> int:
        return int(struct.unpack_from(f"<{kind}", tables, place)[0])

    def slot(table: int, index: int) -> int:
        fields = table - number("i", table)
        return table + number("H", fields + 4 + 2 * index)

    root = number("I", 0)
    field = slot(root, 4)
    vector = field + number("I", field)
    rows = (vector + 4 + 4 * k for k in range(1, number("I", vector)))
    return [slot(row + number("I", row), 0) for row in rows]
