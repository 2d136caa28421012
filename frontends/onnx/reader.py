"""Read an ONNX model without the onnx package. Field numbers are those of onnx.proto3."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

from nnir.dim import Dim
from nnir.errors import BadFile, Unsupported
from nnir.notation import name_dim
from nnir.types import TensorType

from .. import wire
from ..collector import paused_collector
from ..source import SourceFunction, SourceGraph, SourceModel, SourceNode, SourceValue
from ..translate import Reference
from ..wire import Buffer, Span
from . import tensor

DEFAULT_DOMAINS = ("", "ai.onnx")
SMALL = 1 << 16
LARGEST = 1 << 28
"""Bytes of a sparse tensor when it is dense."""

OWN_FORMAT = b"ORTM"
"""What ONNX Runtime looks for at byte 4, before it takes a file for ONNX."""

DEEPEST = 40
"""Graphs in graphs; protobuf itself reads no deeper than 33 of them."""
KINDS = {4: "sequence", 5: "map", 8: "sparse tensor"}


def read(data: Buffer, folder: Path | None = None) -> SourceModel:
    """The model in `data`; weights are views into it or into external files in `folder`."""
    try:
        with paused_collector():
            return Reader(data, folder).model()
    except (UnicodeDecodeError, RecursionError, OverflowError, MemoryError) as error:
        raise BadFile(f"damaged ONNX file: {type(error).__name__}: {error}") from None


class Reader:
    """Reads one model. Messages are given as (start, end) in the buffer."""

    def __init__(self, data: Buffer, folder: Path | None) -> None:
        self.b = data
        self.files = tensor.Files(folder)
        self.depth = 0

    def model(self) -> SourceModel:
        b = self.b
        if b[4:8] == OWN_FORMAT:
            raise BadFile("the file says that it is of ONNX Runtime's own format")
        graph: Span | None = None
        functions: list[Span] = []
        versions: dict[str, int] = {}
        metadata: dict[str, str] = {}
        for field, value in wire.fields(b, 0, len(b)):
            match field:
                case 7 if graph is not None:
                    raise BadFile("an ONNX file with two graphs")
                case 7:
                    graph = wire.span(value)
                case 8:
                    self.version(wire.span(value), versions)
                case 25:
                    functions.append(wire.span(value))
                case 2:
                    metadata["producer"] = wire.text(b, value)
        if graph is None:
            raise BadFile("not an ONNX model: it has no graph")
        if not versions:
            versions[""] = 1
        model = SourceModel("onnx", self.graph(graph), versions, metadata=metadata)
        for place in functions:
            function = self.function(place, versions)
            model.functions[function.name] = function
        return model

    def version(self, place: Span, versions: dict[str, int]) -> None:
        found = dict(wire.fields(self.b, *place))
        domain = wire.text(self.b, found[1]) if 1 in found else ""
        versions["" if domain in DEFAULT_DOMAINS else domain] = wire.number(found.get(2, 0))

    def graph(self, place: Span) -> SourceGraph:
        b = self.b
        graph = SourceGraph()
        for field, value in wire.fields(b, *place):
            match field:
                case 1:
                    graph.nodes.append(self.node(*wire.span(value)))
                case 2:
                    graph.name = wire.text(b, value)
                case 5:
                    found = tensor.parse(b, *wire.span(value))
                    self.add_weight(graph, found.name, tensor.array_of(b, found, self.files))
                case 11:
                    graph.inputs.append(self.value(wire.span(value)))
                case 12:
                    graph.outputs.append(self.value(wire.span(value)))
                case 15:
                    self.add_weight(graph, *self.sparse(wire.span(value)))
        return graph

    def add_weight(self, graph: SourceGraph, name: str, array: np.ndarray) -> None:
        if name in graph.weights:
            raise BadFile(f"initializer {name!r} is defined twice")
        graph.weights[name] = array

    def node(self, start: int, end: int) -> SourceNode:
        """One NodeProto. This is the hot path of large graphs, hence the inlined loop."""
        b: Buffer = self.b
        if end - start < SMALL:
            b, start, end = b[start:end], 0, end - start
        inputs: list[str] = []
        outputs: list[str] = []
        attributes: dict[str, Any] = {}
        name = op = domain = overload = ""
        i = start
        while i < end:
            tag = b[i]
            if i + 1 < end and tag & 7 == 2 and tag < 128 and b[i + 1] < 128:
                s, t = i + 2, i + 2 + b[i + 1]
            else:
                tag, i = wire.varint(b, i, end)
                if tag & 7 != 2 or tag < 8:
                    raise BadFile(f"damaged ONNX node: field {tag >> 3} is not a message")
                size, s = wire.varint(b, i, end)
                t = s + size
            if t > end:
                raise BadFile("truncated ONNX node")
            match tag:
                case 10:
                    inputs.append(str(b[s:t], "utf-8"))
                case 18:
                    outputs.append(str(b[s:t], "utf-8"))
                case 26:
                    name = str(b[s:t], "utf-8")
                case 34:
                    op = str(b[s:t], "utf-8")
                case 42:
                    key, value = self.attribute(b, s, t)
                    attributes[key] = value
                case 58:
                    domain = str(b[s:t], "utf-8")
                case 66:
                    overload = str(b[s:t], "utf-8")
            i = t
        return SourceNode(qualified(domain, op, overload), inputs, outputs, attributes, name)

    def attribute(self, b: Buffer, start: int, end: int) -> tuple[str, Any]:
        """Name and value of an AttributeProto; its type field is absent in the oldest files."""
        name, kind = "", 0
        values: dict[int, list[int | Span]] = {}
        for field, value in wire.fields(b, start, end):
            if field == 1:
                name = wire.text(b, value)
            elif field == 20:
                kind = wire.number(value)
            elif field == 21:
                return self.reference(b, start, end)
            else:
                values.setdefault(field, []).append(value)
        match kind or _kind_by_field(values):
            case 1:
                return name, wire.float32(b, values[2][-1]) if 2 in values else 0.0
            case 2:
                return name, wire.number(values[3][-1]) if 3 in values else 0
            case 3:
                return name, _text(b, values[4][-1]) if 4 in values else ""
            case 4 if 5 in values:
                found = tensor.parse(b, *wire.span(values[5][-1]))
                if found.code == 8:
                    return name, Strings(found.strings)
                return name, tensor.array_of(b, found, self.files)
            case 5 if 6 in values:
                inner = self.within(b)
                inner.depth = self.depth + 1
                if inner.depth > DEEPEST:
                    raise BadFile(f"graphs in graphs, more than {DEEPEST} deep")
                return name, inner.graph(wire.span(values[6][-1]))
            case 6:
                floats = [wire.packed_floats(b, v, "<f4") for v in values.get(7, ())]
                return name, [x for part in floats for x in part.tolist()]
            case 7:
                return name, [x for v in values.get(8, ()) for x in wire.integers(b, v)]
            case 8:
                return name, [_text(b, v) for v in values.get(9, ())]
            case 11 if 22 in values:
                return name, self.within(b).sparse(wire.span(values[22][-1]))[1]
            case 13 if 14 in values:
                return name, self.within(b).type(wire.span(values[14][-1]))
            case other:
                raise Unsupported(f"ONNX attribute {name!r} of type {other}")

    def within(self, b: Buffer) -> Reader:
        """A reader of the same files over another buffer."""
        reader = Reader(b, None)
        reader.files = self.files
        return reader

    def reference(self, b: Buffer, start: int, end: int) -> tuple[str, Reference]:
        found = dict(wire.fields(b, start, end))
        return wire.text(b, found.get(1, (0, 0))), Reference(wire.text(b, found[21]))

    def function(self, place: Span, defaults: dict[str, int]) -> SourceFunction:
        b = self.b
        result = SourceFunction("", [], [], {}, [], {})
        name = domain = overload = ""
        for field, value in wire.fields(b, *place):
            match field:
                case 1:
                    name = wire.text(b, value)
                case 4:
                    result.inputs.append(wire.text(b, value))
                case 5:
                    result.outputs.append(wire.text(b, value))
                case 7:
                    result.nodes.append(self.node(*wire.span(value)))
                case 9:
                    self.version(wire.span(value), result.versions)
                case 10:
                    domain = wire.text(b, value)
                case 11:
                    key, default = self.attribute(b, *wire.span(value))
                    result.attributes[key] = default
                case 13:
                    overload = wire.text(b, value)
        result.name = qualified(domain, name, overload)
        result.versions = defaults | result.versions
        return result

    def value(self, place: Span) -> SourceValue:
        found = dict(wire.fields(self.b, *place))
        name = wire.text(self.b, found[1]) if 1 in found else ""
        if 2 not in found:
            return SourceValue(name, None, "value of unknown type")
        type = self.type(wire.span(found[2]))
        return (
            SourceValue(name, type)
            if isinstance(type, TensorType)
            else SourceValue(name, None, type)
        )

    def type(self, place: Span) -> TensorType | str:
        """The type of a TypeProto; the word for it where it is not a tensor."""
        for field, value in wire.fields(self.b, *place):
            if field == 1:
                return self.tensor_type(wire.span(value))
            if field == 9:
                return self.optional_type(wire.span(value))
            if field in KINDS:
                return KINDS[field]
        return "value of unknown type"

    def optional_type(self, place: Span) -> TensorType | str:
        """An optional tensor is read as a tensor that must be given."""
        inner = dict(wire.fields(self.b, *place)).get(1)
        found = "" if inner is None else self.type(wire.span(inner))
        return found if isinstance(found, TensorType) else "optional"

    def tensor_type(self, place: Span) -> TensorType | str:
        found = dict(wire.fields(self.b, *place))
        code = wire.number(found.get(1, 0))
        if code in (0, 8):
            return "string tensor" if code else "tensor of unknown type"
        if 2 not in found:
            return "tensor of unknown rank"
        dims = [v for f, v in wire.fields(self.b, *wire.span(found[2])) if f == 1]
        shape = tuple(self.dim(wire.span(v), i) for i, v in enumerate(dims))
        return TensorType(tensor.precision(code), shape)

    def dim(self, place: Span, position: int) -> Dim:
        found = dict(wire.fields(self.b, *place))
        if 1 in found and (size := wire.number(found[1])) >= 0:
            return size
        name = wire.text(self.b, found[2]) if 2 in found else ""
        return name_dim(name or f"unnamed_{place[0]}_{position}")

    def sparse(self, place: Span) -> tuple[str, np.ndarray]:
        """Name and dense form of a SparseTensorProto."""
        values = indices = None
        dims: list[int] = []
        for field, value in wire.fields(self.b, *place):
            if field == 3:
                dims.extend(wire.integers(self.b, value))
            else:
                found = tensor.parse(self.b, *wire.span(value))
                if field == 1:
                    values = found
                elif field == 2:
                    indices = found
        if values is None or indices is None:
            raise BadFile("a sparse tensor without values or indices")
        return values.name, self.dense(values, indices, dims)

    def dense(self, values: tensor.Tensor, indices: tensor.Tensor, dims: list[int]) -> np.ndarray:
        data = tensor.array_of(self.b, values, self.files)
        where = tensor.array_of(self.b, indices, self.files)
        if math.prod(dims) * data.itemsize > LARGEST:
            raise Unsupported(f"sparse tensor {values.name!r} of shape {dims}")
        try:
            result = np.zeros(dims, data.dtype)
            flat = where if where.ndim == 1 else np.ravel_multi_index(tuple(where.T), tuple(dims))
            result.reshape(-1)[flat] = data
        except (IndexError, ValueError) as error:
            raise BadFile(f"sparse tensor {values.name!r}: {error}") from None
        return result


class Strings:
    """Stands for a tensor of `count` strings, which no operator here takes."""

    def __init__(self, count: int) -> None:
        self.count = count

    def __repr__(self) -> str:
        return f"<{self.count} strings>"


def qualified(domain: str, op: str, overload: str = "") -> str:
    """The name that converters are found by: `Op` of ONNX itself, else `domain::Op`."""
    name = op if domain in DEFAULT_DOMAINS else f"{domain}::{op}"
    return f"{name}:{overload}" if overload else name


def domain_of(op: str) -> str:
    """The domain in a qualified name."""
    return op.rpartition("::")[0]


def _text(b: Buffer, value: int | Span) -> str:
    """A string attribute; bytes that are no UTF-8 keep their values as surrogates."""
    start, end = wire.span(value)
    return b[start:end].decode("utf-8", "surrogateescape")


def _kind_by_field(values: dict[int, Any]) -> int:
    by_field = {2: 1, 3: 2, 4: 3, 5: 4, 6: 5, 7: 6, 8: 7, 9: 8, 14: 13, 22: 11}
    return next((by_field[f] for f in values if f in by_field), 0)
