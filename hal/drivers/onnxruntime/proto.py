"""ONNX's messages as bytes; weights are never copied into one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from nnir.dim import Dim
from nnir.formats.bits import pack
from nnir.formats.onnx import (
    EXTERNAL,
    AttributeProto,
    AttributeType,
    DimensionProto,
    GraphProto,
    ModelProto,
    NodeProto,
    OperatorSetIdProto,
    StringStringEntryProto,
    TensorProto,
    TensorShapeProto,
    TensorTypeProto,
    TypeProto,
    ValueInfoProto,
    code_of,
    encode_place,
)
from nnir.formats.wire import (
    encode_block,
    encode_float,
    encode_floats,
    encode_head,
    encode_integer,
    encode_integers,
    encode_varint,
    varint,
)
from nnir.provenance import Place
from nnir.types import Precision, precision_of

PRODUCER = "nnadapter"
LENGTHY = 2
"""The wire type of fields that begin with their length."""
ENDS = tuple(encode_varint(n << 3 | LENGTHY) for n in (NodeProto.INPUT, NodeProto.OUTPUT))
"""With what the names of inputs and of outputs begin, which stand first in a node."""


NOTHING: Mapping[str, str] = {}


class Graph(bytes):
    """An encoded GraphProto, so that an attribute knows it from a string."""


Attribute = (
    int | float | str | Graph | np.ndarray | Sequence[int] | Sequence[float] | Sequence[str] | None
)
"""The value of an attribute; None for one that is not there."""
Attributes = dict[str, Attribute]


def is_said(value: Attribute) -> bool:
    """Whether an attribute is there; ONNX has no type for a list of nothing."""
    return value is not None and (not isinstance(value, (list, tuple)) or len(value) > 0)


def attribute(name: str, value: Attribute) -> bytes:
    """An AttributeProto of a Python value."""
    field, kind = AttributeProto, AttributeType
    match value:
        case bool() | int() | np.integer():
            data, type = encode_integer(field.I, int(value)), kind.INT
        case float() | np.floating():
            data, type = encode_float(field.F, float(value)), kind.FLOAT
        case str():
            data, type = encode_block(field.S, value), kind.STRING
        case Graph():
            data, type = encode_block(field.G, value), kind.GRAPH
        case np.ndarray():
            data, type = encode_block(field.T, tensor("", value)), kind.TENSOR
        case list() | tuple() if value and all(isinstance(v, str) for v in value):
            data, type = b"".join(encode_block(field.STRINGS, v) for v in value), kind.STRINGS
        case list() | tuple() if any(isinstance(v, float) for v in value):
            data, type = encode_floats(field.FLOATS, value), kind.FLOATS
        case list() | tuple():
            data, type = encode_integers(field.INTS, map(int, value)), kind.INTS
        case _:
            raise TypeError(f"ONNX attribute {name}={value!r}")
    return encode_block(field.NAME, name) + data + encode_integer(field.TYPE, type)


def node(
    op: str,
    inputs: Sequence[str],
    outputs: Sequence[str],
    name: str,
    domain: str,
    attributes: Attributes,
) -> bytes:
    """A NodeProto."""
    parts = [encode_block(NodeProto.INPUT, n) for n in inputs]
    parts += [encode_block(NodeProto.OUTPUT, n) for n in outputs]
    parts += [encode_block(NodeProto.NAME, name), encode_block(NodeProto.OP_TYPE, op)]
    parts += [encode_block(NodeProto.ATTRIBUTE, attribute(n, v)) for n, v in attributes.items()]
    if domain:
        parts.append(encode_block(NodeProto.DOMAIN, domain))
    return b"".join(parts)


def place(written: Place, name: str) -> bytes:
    """What may stand behind a NodeProto: where it was written."""
    told = encode_place(written.for_files(), name)
    return b"".join(node_property(*e) for e in told.items())


def node_property(key: str, value: str) -> bytes:
    """What may stand behind a NodeProto: one entry of its metadata."""
    return encode_block(NodeProto.METADATA_PROPS, entry(key, value))


def rename_end(node: bytes, old: str, new: str) -> tuple[bytes, bool] | None:
    """An encoded node with another name for an input or output, and whether it makes it.

    None where a sub-graph of the node reads the name, which is not changed there.
    """
    parts, place, makes = [], 0, False
    name = old.encode()
    while node[place : place + 1] in ENDS:
        tag = node[place : place + 1]
        size, start = varint(node, place + 1, len(node))
        if node[start : start + size] == name:
            makes = makes or tag == ENDS[1]
            parts.append(encode_block(NodeProto.INPUT if tag == ENDS[0] else NodeProto.OUTPUT, new))
        else:
            parts.append(node[place : start + size])
        place = start + size
    rest = inner = node[place:]
    for field in (NodeProto.NAME, NodeProto.OP_TYPE):  # which may be the same word
        inner = inner.replace(encode_block(field, old), b"", 1)
    if encode_block(NodeProto.INPUT, old)[1:] in inner:
        return None
    return b"".join(parts) + rest, makes


def names_read(node: bytes) -> Iterator[str]:
    """The inputs of an encoded node."""
    place = 0
    while node[place : place + 1] == ENDS[0]:
        size, start = varint(node, place + 1, len(node))
        place = start + size
        yield node[start:place].decode()


def graph(
    name: str,
    nodes: Sequence[bytes],
    weights: Sequence[bytes],
    inputs: Sequence[bytes],
    outputs: Sequence[bytes],
    between: Sequence[bytes] = (),
) -> bytes:
    """A GraphProto of encoded parts; `between` are types of what is neither input nor output."""
    parts = [encode_block(GraphProto.NODE, n) for n in nodes]
    parts.append(encode_block(GraphProto.NAME, name))
    parts += [initializer(w) for w in weights]
    parts += [encode_block(GraphProto.INPUT, i) for i in inputs]
    parts += [encode_block(GraphProto.OUTPUT, o) for o in outputs]
    parts += [encode_block(GraphProto.VALUE_INFO, v) for v in between]
    return b"".join(parts)


def initializer(tensor: bytes) -> bytes:
    """The field of a graph that is a weight; it may follow behind the rest of the graph."""
    return encode_block(GraphProto.INITIALIZER, tensor)


def initializer_head(name: str, array: np.ndarray) -> bytes:
    """A weight in a graph, all but its bytes, which must follow."""
    head = tensor_head(name, array) + encode_head(TensorProto.RAW_DATA, array.nbytes)
    return encode_head(GraphProto.INITIALIZER, len(head) + array.nbytes) + head


def tensor_head(name: str, array: np.ndarray) -> bytes:
    """The fields of a TensorProto before its data."""
    dims = b"".join(encode_integer(TensorProto.DIMS, d) for d in array.shape)
    kind = encode_integer(TensorProto.DATA_TYPE, code_of(precision_of(array.dtype)))
    return dims + kind + (encode_block(TensorProto.NAME, name) if name else b"")


def tensor(name: str, array: np.ndarray) -> bytes:
    """A TensorProto with its data inside."""
    data = encode_block(TensorProto.RAW_DATA, pack(array).tobytes())
    return tensor_head(name, array) + data


def external_tensor(
    name: str,
    array: np.ndarray,
    location: str,
    offset: int,
    size: int,
    more: Iterable[Mapping[str, str]] = (),
) -> bytes:
    """A TensorProto whose data lies in the file `location`, of which there is `more` to say."""
    entries = {"location": location, "offset": str(offset), "length": str(size)}
    entries |= {k: v for said in more for k, v in said.items()}
    pairs = b"".join(encode_block(TensorProto.EXTERNAL_DATA, entry(*e)) for e in entries.items())
    return tensor_head(name, array) + pairs + encode_integer(TensorProto.DATA_LOCATION, EXTERNAL)


def entry(key: str, value: str) -> bytes:
    """A StringStringEntryProto."""
    field = StringStringEntryProto
    return encode_block(field.KEY, key) + encode_block(field.VALUE, value)


def value_info(name: str, precision: Precision, shape: Sequence[Dim] | None) -> bytes:
    """A ValueInfoProto of a tensor; `shape` None for an unknown rank."""
    body = encode_integer(TensorTypeProto.ELEM_TYPE, code_of(precision))
    if shape is not None:
        dims = b"".join(encode_block(TensorShapeProto.DIM, dimension(d)) for d in shape)
        body += encode_block(TensorTypeProto.SHAPE, dims)
    type = encode_block(TypeProto.TENSOR_TYPE, body)
    return encode_block(ValueInfoProto.NAME, name) + encode_block(ValueInfoProto.TYPE, type)


def dimension(size: Dim) -> bytes:
    """A DimensionProto: a number, or an expression as its text."""
    if isinstance(size, int):
        return encode_integer(DimensionProto.DIM_VALUE, size)
    return encode_block(DimensionProto.DIM_PARAM, str(size))


def model_head(
    size: int,
    opset: int,
    ir_version: int,
    domains: Iterable[str] = (),
    metadata: Mapping[str, str] = NOTHING,
) -> bytes:
    """A ModelProto, all but the `size` bytes of its graph, which must follow.

    `domains` are those of its operators beside ONNX's own, each in version 1.
    """
    versions = [("", opset), *((domain, 1) for domain in domains)]
    return (
        encode_integer(ModelProto.IR_VERSION, ir_version)
        + encode_block(ModelProto.PRODUCER_NAME, PRODUCER)
        + b"".join(encode_block(ModelProto.OPSET_IMPORT, operator_set(*v)) for v in versions)
        + b"".join(encode_block(ModelProto.METADATA_PROPS, entry(*e)) for e in metadata.items())
        + encode_head(ModelProto.GRAPH, size)
    )


def operator_set(domain: str, version: int) -> bytes:
    """An OperatorSetIdProto."""
    return encode_block(OperatorSetIdProto.DOMAIN, domain) + encode_integer(
        OperatorSetIdProto.VERSION, version
    )
