"""Read an ONNX model without the onnx package."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from nnir import lists, stateful
from nnir.collector import paused_collector
from nnir.dim import Dim
from nnir.errors import BadFile, Unsupported
from nnir.formats import wire
from nnir.formats.onnx import (
    FIELD_OF_TYPE,
    SCOPES,
    STRING,
    TRACE,
    TYPE_OF_FIELD,
    UNDEFINED,
    AttributeProto,
    AttributeType,
    DimensionProto,
    FunctionProto,
    GraphProto,
    ModelProto,
    NodeProto,
    OperatorSetIdProto,
    OptionalTypeProto,
    SequenceTypeProto,
    SparseTensorProto,
    StringStringEntryProto,
    TensorShapeProto,
    TensorTypeProto,
    TypeProto,
    ValueInfoProto,
    decode_place,
    precision_of_code,
)
from nnir.mapping import Buffer, Span
from nnir.metadata import LIST_ENDS, PAIRS
from nnir.notation import name_dim
from nnir.provenance import SOURCE, Place
from nnir.types import Precision, TensorType

from ...source import (
    UNRANKED,
    SourceFunction,
    SourceGraph,
    SourceModel,
    SourceNode,
    SourceValue,
)
from ...translate import Reference
from . import tensor

DEFAULT_DOMAINS = ("", "ai.onnx")
SMALL = 1 << 16
LARGEST = 1 << 28
"""Bytes of a sparse tensor when it is dense."""

OWN_FORMAT = b"ORTM"
"""What ONNX Runtime looks for at byte 4, before it takes a file for ONNX."""

DEEPEST = 40
"""Graphs in graphs; protobuf itself reads no deeper than 33 of them."""
PLACE_KEYS = tuple(key.encode() for key in (TRACE, SCOPES))
SHORT, MOST_KNOWN = 64, 4096
"""Bytes of attributes that are remembered while reading, and how many of them."""

KINDS = {
    TypeProto.MAP_TYPE: "map",
    TypeProto.SPARSE_TENSOR_TYPE: "sparse tensor",
}
WRAPPERS = {
    TypeProto.SEQUENCE_TYPE: ("sequence", SequenceTypeProto.ELEM_TYPE),
    TypeProto.OPTIONAL_TYPE: ("optional", OptionalTypeProto.ELEM_TYPE),
}
"""What a list, or what may be left out, is called, and the field of what it is of."""

INPUT, OUTPUT, NAME, OP_TYPE, ATTRIBUTE, DOMAIN, OVERLOAD, METADATA = (
    field << 3 | wire.BLOCK
    for field in (
        *(NodeProto.INPUT, NodeProto.OUTPUT, NodeProto.NAME, NodeProto.OP_TYPE),
        *(NodeProto.ATTRIBUTE, NodeProto.DOMAIN, NodeProto.OVERLOAD, NodeProto.METADATA_PROPS),
    )
)
"""Tags of a node's fields."""


def read(data: Buffer, folder: Path | None = None) -> SourceModel:
    """The model in `data`; weights are views into it or into external files in `folder`."""
    try:
        with paused_collector():
            return Reader(data, folder).model()
    except (UnicodeDecodeError, RecursionError, OverflowError, MemoryError) as error:
        raise BadFile(f"damaged ONNX file: {type(error).__name__}: {error}") from None


def describe(versions: Mapping[str, int], producer: Mapping[int, str]) -> dict[str, str]:
    """The sets of operators and the producer, by the number of its field, as metadata."""
    opset = ", ".join(f"{domain or DEFAULT_DOMAINS[1]} {n}" for domain, n in versions.items())
    text = " ".join(producer[field] for field in sorted(producer) if producer[field])
    return {"opset": opset} | ({"producer": text} if text else {})


class Reader:
    """Reads one model. Messages are given as (start, end) in the buffer."""

    def __init__(self, data: Buffer, folder: Path | None) -> None:
        self.b = data
        self.files = tensor.Files(folder)
        self.depth = 0
        self.places: dict[str, Place] = {}
        self.known: dict[bytes, tuple[str, Any]] = {}

    def model(self) -> SourceModel:
        b = self.b
        if b[4:8] == OWN_FORMAT:
            raise BadFile("the file says that it is of ONNX Runtime's own format")
        graph: Span | None = None
        functions: list[Span] = []
        versions: dict[str, int] = {}
        producer: dict[int, str] = {}
        told: dict[str, str] = {}
        for field, value in wire.fields(b, 0, len(b)):
            match field:
                case ModelProto.GRAPH if graph is not None:
                    raise BadFile("an ONNX file with two graphs")
                case ModelProto.GRAPH:
                    graph = wire.span(value)
                case ModelProto.OPSET_IMPORT:
                    self.version(wire.span(value), versions)
                case ModelProto.FUNCTIONS:
                    functions.append(wire.span(value))
                case ModelProto.METADATA_PROPS:
                    told.update([self.entry(wire.span(value))])
                case ModelProto.PRODUCER_NAME | ModelProto.PRODUCER_VERSION:
                    producer[field] = wire.text(b, value)
        if graph is None:
            raise BadFile("not an ONNX model: it has no graph")
        if not versions:
            versions[""] = 1
        metadata = describe(versions, producer)
        model = SourceModel("onnx", self.graph(graph), versions, metadata=metadata)
        if PAIRS in told:
            from .states import split_states  # few models have any

            split_states(model, stateful.pairs_of(told))
        if LIST_ENDS in told:
            model.metadata[LIST_ENDS] = told[LIST_ENDS]
        model.properties = {
            k: v
            for k, v in told.items()
            if k not in (PAIRS, LIST_ENDS) and not k.startswith(SOURCE)
        }
        for place in functions:
            function = self.function(place, versions)
            model.functions[function.name] = function
        model.places = self.places
        return model

    def entry(self, place: Span, b: Buffer | None = None) -> tuple[str, str]:
        """A key and its value, in a message of the file or of a part of it."""
        b = self.b if b is None else b
        found = dict(wire.fields(b, *place))
        field = StringStringEntryProto
        key, value = (wire.text(b, found.get(f, (0, 0))) for f in (field.KEY, field.VALUE))
        return key, value

    def version(self, place: Span, versions: dict[str, int]) -> None:
        found = dict(wire.fields(self.b, *place))
        domain = wire.text(self.b, found.get(OperatorSetIdProto.DOMAIN, (0, 0)))
        version = wire.number(found.get(OperatorSetIdProto.VERSION, 0))
        if not version:
            raise BadFile(f"the operator set {domain or 'ai.onnx'} is imported without a version")
        versions["" if domain in DEFAULT_DOMAINS else domain] = version

    def graph(self, place: Span) -> SourceGraph:
        b = self.b
        graph = SourceGraph()
        for field, value in wire.fields(b, *place):
            match field:
                case GraphProto.NODE:
                    graph.nodes.append(self.node(*wire.span(value)))
                case GraphProto.NAME:
                    graph.name = wire.text(b, value)
                case GraphProto.INITIALIZER:
                    found = tensor.parse(b, *wire.span(value))
                    self.add_weight(graph, found.name, tensor.array_of(b, found, self.files))
                case GraphProto.INPUT:
                    graph.inputs.append(self.value(wire.span(value)))
                case GraphProto.OUTPUT:
                    graph.outputs.append(self.value(wire.span(value)))
                case GraphProto.SPARSE_INITIALIZER:
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
        told: list[Span] = []
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
            if tag == INPUT:
                inputs.append(str(b[s:t], "utf-8"))
            elif tag == OUTPUT:
                outputs.append(str(b[s:t], "utf-8"))
            elif tag == NAME:
                name = str(b[s:t], "utf-8")
            elif tag == OP_TYPE:
                op = str(b[s:t], "utf-8")
            elif tag == ATTRIBUTE:
                key, value = self.attribute(b, s, t) if t - s > SHORT else self.short(b[s:t])
                attributes[key] = value
            elif tag == DOMAIN:
                domain = str(b[s:t], "utf-8")
            elif tag == OVERLOAD:
                overload = str(b[s:t], "utf-8")
            elif tag == METADATA:
                told.append((s, t))
            i = t
        if domain or overload:
            op = qualify(domain, op, overload)
        made = SourceNode(op, inputs, outputs, attributes, name)
        if told:
            self.know_place(b, made, told)
        return made

    def know_place(self, b: Buffer, node: SourceNode, told: Iterable[Span]) -> None:
        """Keep where a node was written, where its metadata in `b` says it."""
        entries = dict(
            self.entry((s, t), b) for s, t in told if any(key in b[s:t] for key in PLACE_KEYS)
        )
        written = decode_place(entries)
        if written is not None:
            self.places[node.label] = written

    def short(self, message: bytes) -> tuple[str, Any]:
        """As `attribute`, of a message that nodes repeat."""
        if (known := self.known.get(message)) is not None:
            return known
        found = self.attribute(message, 0, len(message))
        if type(found[1]) in (int, float, str) and len(self.known) < MOST_KNOWN:
            self.known[message] = found
        return found

    def attribute(self, b: Buffer, start: int, end: int) -> tuple[str, Any]:
        """Name and value of an AttributeProto; its type field is absent in the oldest files."""
        name, kind = "", 0
        values: dict[int, list[int | Span]] = {}
        for field, value in wire.fields(b, start, end):
            if field == AttributeProto.NAME:
                name = wire.text(b, value)
            elif field == AttributeProto.TYPE:
                kind = wire.number(value)
            elif field == AttributeProto.REF_ATTR_NAME:
                return self.reference(b, start, end)
            else:
                values.setdefault(field, []).append(value)
        if not kind:
            kind = next((TYPE_OF_FIELD[f] for f in values if f in TYPE_OF_FIELD), 0)
        field = FIELD_OF_TYPE.get(kind, 0)
        given = values.get(field, [])
        if kind in LISTS:
            return name, [x for v in given for x in LISTS[kind](b, v)]
        if given:
            return name, self.attribute_value(b, given[-1], kind)
        if kind in ABSENT:
            return name, ABSENT[kind]
        raise Unsupported(f"ONNX attribute {name!r} of type {kind}")

    def attribute_value(self, b: Buffer, value: int | Span, kind: int) -> Any:
        """The value of an attribute that is no list."""
        match kind:
            case AttributeType.FLOAT:
                return wire.float32(b, value)
            case AttributeType.INT:
                return wire.number(value)
            case AttributeType.STRING:
                return _text(b, value)
            case AttributeType.TENSOR:
                found = tensor.parse(b, *wire.span(value))
                if found.code == STRING:
                    return Strings(found.strings)
                return tensor.array_of(b, found, self.files)
            case AttributeType.GRAPH:
                inner = self.within(b)
                inner.depth = self.depth + 1
                if inner.depth > DEEPEST:
                    raise BadFile(f"graphs in graphs, more than {DEEPEST} deep")
                return inner.graph(wire.span(value))
            case AttributeType.SPARSE_TENSOR:
                return self.within(b).sparse(wire.span(value))[1]
        return self.within(b).type(wire.span(value))

    def within(self, b: Buffer) -> Reader:
        """A reader of the same files over another buffer."""
        reader = Reader(b, None)
        reader.files = self.files
        return reader

    def reference(self, b: Buffer, start: int, end: int) -> tuple[str, Reference]:
        found = dict(wire.fields(b, start, end))
        name = wire.text(b, found.get(AttributeProto.NAME, (0, 0)))
        return name, Reference(wire.text(b, found[AttributeProto.REF_ATTR_NAME]))

    def function(self, place: Span, defaults: dict[str, int]) -> SourceFunction:
        b = self.b
        result = SourceFunction("", [], [], {}, [], {})
        name = domain = overload = ""
        for field, value in wire.fields(b, *place):
            match field:
                case FunctionProto.NAME:
                    name = wire.text(b, value)
                case FunctionProto.INPUT:
                    result.inputs.append(wire.text(b, value))
                case FunctionProto.OUTPUT:
                    result.outputs.append(wire.text(b, value))
                case FunctionProto.NODE:
                    result.nodes.append(self.node(*wire.span(value)))
                case FunctionProto.OPSET_IMPORT:
                    self.version(wire.span(value), result.versions)
                case FunctionProto.DOMAIN:
                    domain = wire.text(b, value)
                case FunctionProto.ATTRIBUTE_PROTO:
                    key, default = self.attribute(b, *wire.span(value))
                    result.attributes[key] = default
                case FunctionProto.OVERLOAD:
                    overload = wire.text(b, value)
        result.name = qualify(domain, name, overload)
        result.versions = defaults | result.versions
        return result

    def value(self, place: Span) -> SourceValue:
        found = dict(wire.fields(self.b, *place))
        name = wire.text(self.b, found.get(ValueInfoProto.NAME, (0, 0)))
        if ValueInfoProto.TYPE not in found:
            return SourceValue(name, None, "value of unknown type")
        type = self.type(wire.span(found[ValueInfoProto.TYPE]))
        if isinstance(type, TensorType):
            return SourceValue(name, type)
        if isinstance(type, Precision):
            return SourceValue(name, None, UNRANKED, unranked=type)
        if isinstance(type, str):
            return SourceValue(name, None, type)
        return SourceValue(name, None, str(type), list_type=type)

    def type(self, place: Span, depth: int = 0) -> TensorType | Precision | lists.ListType | str:
        """The type of a TypeProto, the precision of a tensor of unknown rank, and the word for what
        is neither a tensor, nor a list of tensors or an optional."""
        for field, value in wire.fields(self.b, *place):
            if field == TypeProto.TENSOR_TYPE:
                return self.tensor_type(wire.span(value))
            if field in WRAPPERS and depth <= len(WRAPPERS):
                return self.list_type(wire.span(value), field, depth)
            if field in KINDS:
                return KINDS[field]
        return "value of unknown type"

    def list_type(self, place: Span, field: int, depth: int) -> lists.ListType | str:
        """A sequence or an optional, or the word for one that holds no tensors."""
        word, member = WRAPPERS[field]
        inner = dict(wire.fields(self.b, *place)).get(member)
        found = "" if inner is None else self.type(wire.span(inner), depth + 1)
        is_optional = field == TypeProto.OPTIONAL_TYPE
        if isinstance(found, lists.ListType) and is_optional and not found.is_optional:
            return replace(found, is_optional=True)
        if isinstance(found, Precision) and not is_optional:
            return lists.ListType(found)
        if not isinstance(found, TensorType):
            return word
        element = tuple(d if isinstance(d, int) else None for d in found.shape)
        return lists.ListType(found.precision, element, not is_optional, is_optional)

    def tensor_type(self, place: Span) -> TensorType | Precision | str:
        found = dict(wire.fields(self.b, *place))
        code = wire.number(found.get(TensorTypeProto.ELEM_TYPE, UNDEFINED))
        if code in (UNDEFINED, STRING):
            return "string tensor" if code else "tensor of unknown type"
        if TensorTypeProto.SHAPE not in found:
            return precision_of_code(code)
        sizes = wire.fields(self.b, *wire.span(found[TensorTypeProto.SHAPE]))
        dims = [v for f, v in sizes if f == TensorShapeProto.DIM]
        shape = tuple(self.dim(wire.span(v), i) for i, v in enumerate(dims))
        return TensorType(precision_of_code(code), shape)

    def dim(self, place: Span, position: int) -> Dim:
        found = dict(wire.fields(self.b, *place))
        size = wire.number(found.get(DimensionProto.DIM_VALUE, -1))
        if size >= 0:
            return size
        name = wire.text(self.b, found.get(DimensionProto.DIM_PARAM, (0, 0)))
        return name_dim(name or f"unnamed_{place[0]}_{position}")

    def sparse(self, place: Span) -> tuple[str, np.ndarray]:
        """Name and dense form of a SparseTensorProto."""
        values = indices = None
        dims: list[int] = []
        for field, value in wire.fields(self.b, *place):
            if field == SparseTensorProto.DIMS:
                dims.extend(wire.integers(self.b, value))
            else:
                found = tensor.parse(self.b, *wire.span(value))
                if field == SparseTensorProto.VALUES:
                    values = found
                elif field == SparseTensorProto.INDICES:
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


def qualify(domain: str, op: str, overload: str = "") -> str:
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


LISTS: dict[int, Callable[[Buffer, int | Span], Iterable[Any]]] = {
    AttributeType.FLOATS: lambda b, value: wire.packed_floats(b, value, "<f4").tolist(),
    AttributeType.INTS: wire.integers,
    AttributeType.STRINGS: lambda b, value: (_text(b, value),),
}
"""How the entries of an attribute that is a list are read from each of its fields."""

ABSENT: dict[int, Any] = {
    AttributeType.FLOAT: 0.0,
    AttributeType.INT: 0,
    AttributeType.STRING: "",
}
"""Attributes whose field may be left out, as protobuf does with what is zero."""
