"""Read a TFLite file without TensorFlow or LiteRT.

Source: the schema `tensorflow/compiler/mlir/lite/schema/schema.fbs`, whose fields are numbered in
the order in which it lists them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from nnir.errors import DAMAGE, BadFile, BadModel, Unsupported, told
from nnir.mapping import Buffer
from nnir.types import Precision, Quantization, TensorType

from ..collector import paused_collector
from ..source import SourceGraph, SourceModel, SourceNode, SourceValue, dims
from . import schema
from .custom import options
from .flatbuffer import Bytes, Table
from .quantized import Explicit
from .state import Resources

MAGIC = b"TFL3"
PACKED = {Precision.INT4: 4, Precision.UINT4: 4, Precision.INT2: 2}
"""Types whose elements share bytes, the first in the lowest bits."""

SUB_GRAPHS = frozenset(
    {
        *("then_subgraph_index", "else_subgraph_index", "cond_subgraph_index"),
        *("body_subgraph_index", "decomposition_subgraph_index"),
        *("update_computation_subgraph_index", "comparator_subgraph_index"),
    }
)
IGNORED = frozenset(
    {
        *("asymmetric_quantize_inputs", "pot_scale_int16", "quantized_bias_type", "quant_spec"),
        *("num_splits", "values_count", "num", "in_data_type", "validate_indices"),
        *("precision_config", "indices_are_sorted", "unique_indices", "is_stable"),
        *("name", "composite_attributes", "composite_attributes_format", "version"),
    }
)
"""Options that say how to compute, or repeat what follows from the tensors."""

CASTS = frozenset({"CAST", "BITCAST", "MULTINOMIAL", "STABLEHLO_CONVERT", "STABLEHLO_IOTA"})
"""Operators to the type of the tensor that they write; options may say nothing."""

SHAPED = frozenset({"STABLEHLO_IOTA", "STABLEHLO_RESHAPE", "STABLEHLO_BROADCAST_IN_DIM"})
"""Operators to the sizes of the tensor that they write."""

DEEPEST = 60


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


def read(data: Buffer, signature: str | None = None) -> SourceModel:
    """The first graph of a file, or that of a signature; weights are views into `data`."""
    if bytes(data[4:8]) != MAGIC:
        raise BadFile("no TFLite file: bytes 4 to 8 are not TFL3")
    try:
        with paused_collector():
            return Reader(data).read(signature)
    except DAMAGE as error:
        raise BadFile(f"damaged TFLite file: {told(error)}") from None


class Reader:
    """Decodes the tables of a file."""

    def __init__(self, data: Buffer) -> None:
        self.data = data
        self.model = Bytes(data).root()
        self.codes = [_code(c) for c in self.model.tables(1)]
        self.graphs = self.model.tables(2)
        self.buffers = self.model.tables(4)
        self.resources = Resources(self)
        self.decoded: dict[int, Graph] = {}

    def read(self, signature: str | None) -> SourceModel:
        """The graph that is asked for."""
        number, inputs, outputs = self._signature(signature)
        graph = self.graph(number)
        source = self.source(graph, 0, inputs, outputs)
        producer = self.model.text(3) or "tflite"
        metadata = {"producer": producer} | ({"signature": signature} if signature else {})
        return SourceModel("tflite", source, {"": 1}, metadata=metadata)

    def _signature(self, wanted: str | None) -> tuple[int, Mapping[int, str], Mapping[int, str]]:
        """The number of a graph, and what a signature calls its inputs and outputs."""
        found = {s.text(2): s for s in self.model.tables(7)}
        chosen = next(iter(found.values()), None) if wanted is None else found.get(wanted)
        if chosen is None:
            if wanted is not None:
                known = ", ".join(found) or "none"
                raise BadFile(f"no signature {wanted!r}; the file has {known}")
            return 0, {}, {}
        number = int(chosen.number(4, "I"))
        if wanted is None and number:
            return 0, {}, {}
        named = [{m.number(1, "I"): m.text(0) for m in chosen.tables(slot)} for slot in (0, 1)]
        return number, named[0], named[1]

    def graph(self, number: int) -> Graph:
        """One of the graphs."""
        if number not in self.decoded:
            if not 0 <= number < len(self.graphs):
                raise BadFile(f"the file has {len(self.graphs)} graphs, no {number}")
            table = self.graphs[number]
            names: dict[str, int] = {}
            self.decoded[number] = Graph(
                table.text(4),
                [_tensor(t, position, names) for position, t in enumerate(table.tables(0))],
                table.integers(1),
                table.integers(2),
                table.tables(3),
            )
        return self.decoded[number]

    def source(
        self,
        graph: Graph,
        depth: int,
        inputs: Mapping[int, str] | None = None,
        outputs: Mapping[int, str] | None = None,
    ) -> SourceGraph:
        """A graph and the graphs in it as the translator takes them."""
        if depth > DEEPEST:
            raise BadModel(f"graphs in graphs, {DEEPEST} deep or without end")
        source = SourceGraph(graph.name)
        explicit = Explicit(source, graph.tensors)
        for position in graph.inputs:
            tensor = graph.tensors[_index(position, len(graph.tensors))]
            name = (inputs or {}).get(position)
            if name and all(t is tensor or t.name != name for t in graph.tensors):
                tensor.name = name
            kind = TensorType(tensor.precision, dims(tensor.name, tensor.sizes))
            source.inputs.append(SourceValue(tensor.name, kind if not depth else None))
        known = set(graph.inputs)
        for operator in graph.operators:
            for position in operator.integers(1):
                if position != -1 and position not in known:
                    self._bind_constant(source, graph, position)
                    known.add(position)
            node = self.resources.read(self.node(operator, graph, depth))
            known.update(p for p in operator.integers(2) if p != -1)
            if node is not None:
                explicit.add(node, operator.integers(1), operator.integers(2))
        for position in graph.outputs:
            if position not in known:
                self._bind_constant(source, graph, position)
                known.add(position)
            tensor = graph.tensors[_index(position, len(graph.tensors))]
            called = (outputs or {}).get(position) or tensor.called or None
            source.outputs.append(SourceValue(tensor.name, called=called))
        return source

    def node(self, operator: Table, graph: Graph, depth: int) -> SourceNode:
        """An operator of a graph; its graphs are read with it."""
        name, custom = self.codes[_index(operator.number(0, "I"), len(self.codes))]
        inputs, outputs = operator.integers(1), operator.integers(2)
        count = len(graph.tensors)
        names = ["" if k == -1 else graph.tensors[_index(k, count)].name for k in inputs]
        made = ["" if k == -1 else graph.tensors[_index(k, count)].name for k in outputs]
        if name == "CUSTOM":
            start, size = operator.span(5)
            payload = bytes(self.data[start : start + size])
            known = options(custom, payload)
            return SourceNode(custom, names, made, known, made[0] if made else "")
        attributes: dict[str, Any] = {}
        for union, slot in ((1, 3), (2, 11)):
            kind = operator.number(slot, "B")
            attributes |= schema.options(union, kind, operator.table(slot + 1))
        for key in attributes.keys() & SUB_GRAPHS:
            inner = self.graph(attributes.pop(key))
            attributes[key.removesuffix("_index")] = self.source(inner, depth + 1)
        if "branch_subgraph_indices" in attributes:
            numbers = attributes.pop("branch_subgraph_indices")
            inside = tuple(self.source(self.graph(n), depth + 1) for n in numbers)
            attributes["branch_subgraphs"] = inside
        kept = {k: v for k, v in attributes.items() if k not in IGNORED}
        if name in SHAPED and outputs:
            kept["out_sizes"] = graph.tensors[outputs[0]].sizes
        if name in CASTS and outputs:
            kept["out_data_type"] = graph.tensors[outputs[0]].precision
        return SourceNode(name, names, made, kept, made[0] if made else "")

    def _bind_constant(self, source: SourceGraph, graph: Graph, position: int) -> None:
        """Give what no operator makes its data; a variable begins with zeros."""
        tensor = graph.tensors[_index(position, len(graph.tensors))]
        if tensor.name in source.weights:
            return
        data = self.constant(tensor)
        if data is not None:
            source.weights[tensor.name] = data

    def constant(self, tensor: Tensor) -> np.ndarray | None:
        """The data of a tensor as a view; None where it has none."""
        start, size = self._buffer(tensor.buffer)
        if not size and not tensor.is_variable and 0 not in tensor.sizes:
            return None
        if tensor.problem:
            raise Unsupported(f"{tensor.name!r} is {tensor.problem}")
        kind = tensor.precision
        count = int(np.prod(tensor.sizes, dtype=object))
        if count < 0:
            raise BadFile(f"{tensor.name!r} has the sizes {list(tensor.sizes)}")
        if not size:
            zero = np.zeros((), kind.dtype)
            return np.broadcast_to(zero, tensor.sizes)
        if kind in PACKED:
            return _unpacked(self.data, start, size, kind, tensor.sizes)
        if count * kind.dtype.itemsize > size:
            raise BadFile(f"{tensor.name!r} of {count} elements has {size} bytes")
        return np.frombuffer(self.data, kind.dtype, count, start).reshape(tensor.sizes)

    def _buffer(self, number: int) -> tuple[int, int]:
        """(start, size) of a buffer; those of files over 2 GB lie behind the flatbuffer."""
        if number == 0 and not self.buffers:
            return 0, 0
        table = self.buffers[_index(number, len(self.buffers))]
        offset, size = table.number(1, "Q"), table.number(2, "Q")
        if offset > 1:
            start, size = int(offset), int(size)
        else:
            start, size = table.span(0)
        if start + size > len(self.data):
            raise BadFile(f"buffer {number} ends behind the end of the file")
        return start, size


def _code(table: Table) -> tuple[str, str]:
    """The name of an operator, and that of a custom one."""
    code = max(table.number(3, "i"), table.number(0, "b"))
    return schema.operator(code), table.text(1) or "a custom operator without a name"


def _index(position: int, count: int) -> int:
    if not 0 <= position < count:
        raise BadFile(f"the file refers to entry {position} of {count}")
    return position


def _tensor(table: Table, position: int, names: dict[str, int]) -> Tensor:
    sizes = table.integers(7) or table.integers(0)
    if len(sizes) > 64 or min(sizes, default=0) < -1:
        raise BadFile(f"tensor {position} has the sizes {sizes[:64]}")
    called = table.text(3)
    seen = names.get(called or "tensor", 0)
    names[called or "tensor"] = seen + 1
    name = called if called and not seen else f"{called or 'tensor'}#{position}"
    quantization, problem = _quantization(table.table(4))
    if table.table(6) is not None:
        problem = "sparse"
    return Tensor(
        name,
        table.number(1, "b"),
        tuple(sizes),
        int(table.number(2, "I")),
        called,
        quantization,
        bool(table.number(5, "?", False)),
        problem,
    )


def _quantization(table: Table | None) -> tuple[Quantization | None, str | None]:
    """Scales as the file has them, in float32; what else there is and is not supported."""
    if table is None:
        return None, None
    if table.number(4, "B"):
        return None, "quantised in a way other than by scale and zero point"
    scales, zeros = table.array(2, "<f4"), table.integers(3, "<i8")
    if not len(scales):
        return None, None
    if len(zeros) not in (0, 1, len(scales)):
        raise BadFile(f"{len(scales)} scales with {len(zeros)} zero points")
    axis = int(table.number(6, "i")) if len(scales) > 1 else None
    return Quantization(tuple(map(float, scales)), tuple(zeros) or (0,), axis), None


def _unpacked(
    data: Buffer, start: int, size: int, kind: Precision, sizes: tuple[int, ...]
) -> np.ndarray:
    """Elements that share bytes, one by one."""
    bits = PACKED[kind]
    count = int(np.prod(sizes, dtype=object))
    if count * bits > 8 * size:
        raise BadFile(f"{count} elements of {bits} bits in {size} bytes")
    raw = np.frombuffer(data, np.uint8, size, start)
    steps = np.arange(0, 8, bits, dtype=np.uint8)
    parts = ((raw[:, None] >> steps) & np.uint8((1 << bits) - 1)).reshape(-1)[:count]
    if kind == Precision.UINT4:
        return parts.astype(kind.dtype).reshape(sizes)
    top = 1 << (bits - 1)
    return ((parts ^ top).astype(np.int8) - top).astype(kind.dtype).reshape(sizes)
