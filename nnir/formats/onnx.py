"""ONNX: the numbers of its messages' fields and the codes of its types.

Source: onnx.proto3. A class is a message, its members are the numbers of the fields; those that
nothing here reads or writes are left out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from nnir.errors import BadFile, Unsupported
from nnir.provenance import Place, place_of
from nnir.types import Precision, precision_of

INITIAL = ".initial"
"""What the name of a state has behind it where it means the constant that the state begins with."""


TRACE, SCOPES = "pkg.torch.onnx.stack_trace", "pkg.torch.onnx.name_scopes"
"""What the metadata of a node says of where it was written, by the keys of PyTorch's exporter: its
line as in a stack trace, and a list in Python of the modules around it, its own name last."""

QUOTED = re.compile(r"'([^']*)'")


def encode_place(place: Place, name: str) -> dict[str, str]:
    """The metadata of a node that was written at a place."""
    file, _, line = place.line.rpartition(":")
    told = {TRACE: f'File "{file}", line {line}'} if file else {}
    scopes = ["", place.module, name.replace("'", "")]
    return told | ({SCOPES: str(scopes)} if place.module and "'" not in place.module else {})


def decode_place(told: Mapping[str, str]) -> Place | None:
    """The place that the metadata of a node tells of; None where it tells of none."""
    if TRACE not in told and SCOPES not in told:
        return None
    scopes = QUOTED.findall(told.get(SCOPES, ""))
    return place_of(told.get(TRACE, ""), scopes[-2] if len(scopes) > 1 else "")


class ModelProto:
    """A file."""

    IR_VERSION = 1
    PRODUCER_NAME = 2
    PRODUCER_VERSION = 3
    GRAPH = 7
    OPSET_IMPORT = 8
    METADATA_PROPS = 14
    TRAINING_INFO = 20
    FUNCTIONS = 25


class OperatorSetIdProto:
    """A domain of operators and its version."""

    DOMAIN = 1
    VERSION = 2


class TrainingInfoProto:
    """Graphs that train the model's own."""

    INITIALIZATION = 1
    ALGORITHM = 2


class GraphProto:
    """Nodes, weights and typed ends; VALUE_INFO are the types of what is between them."""

    NODE = 1
    NAME = 2
    INITIALIZER = 5
    INPUT = 11
    OUTPUT = 12
    VALUE_INFO = 13
    SPARSE_INITIALIZER = 15


class FunctionProto:
    """An operator that is defined by nodes."""

    NAME = 1
    INPUT = 4
    OUTPUT = 5
    NODE = 7
    OPSET_IMPORT = 9
    DOMAIN = 10
    ATTRIBUTE_PROTO = 11
    OVERLOAD = 13


class NodeProto:
    """An operation."""

    INPUT = 1
    OUTPUT = 2
    NAME = 3
    OP_TYPE = 4
    ATTRIBUTE = 5
    DOMAIN = 7
    OVERLOAD = 8
    METADATA_PROPS = 9


class AttributeProto:
    """A constant of a node; its value lies in the field of its type."""

    NAME = 1
    F = 2
    I = 3  # noqa: E741  # ONNX's name
    S = 4
    T = 5
    G = 6
    FLOATS = 7
    INTS = 8
    STRINGS = 9
    TENSORS = 10
    GRAPHS = 11
    TP = 14
    TYPE = 20
    REF_ATTR_NAME = 21
    SPARSE_TENSOR = 22
    SPARSE_TENSORS = 23


class AttributeType:
    """What an attribute is: the values of `AttributeProto.TYPE`."""

    FLOAT = 1
    INT = 2
    STRING = 3
    TENSOR = 4
    GRAPH = 5
    FLOATS = 6
    INTS = 7
    STRINGS = 8
    SPARSE_TENSOR = 11
    TYPE_PROTO = 13


TYPE_OF_FIELD = {
    AttributeProto.F: AttributeType.FLOAT,
    AttributeProto.I: AttributeType.INT,
    AttributeProto.S: AttributeType.STRING,
    AttributeProto.T: AttributeType.TENSOR,
    AttributeProto.G: AttributeType.GRAPH,
    AttributeProto.FLOATS: AttributeType.FLOATS,
    AttributeProto.INTS: AttributeType.INTS,
    AttributeProto.STRINGS: AttributeType.STRINGS,
    AttributeProto.TP: AttributeType.TYPE_PROTO,
    AttributeProto.SPARSE_TENSOR: AttributeType.SPARSE_TENSOR,
}
"""The type of an attribute by the field that holds its value; old files do not say the type."""

FIELD_OF_TYPE = {type: field for field, type in TYPE_OF_FIELD.items()}


class TensorProto:
    """A tensor with its data."""

    DIMS = 1
    DATA_TYPE = 2
    SEGMENT = 3
    FLOAT_DATA = 4
    INT32_DATA = 5
    STRING_DATA = 6
    INT64_DATA = 7
    NAME = 8
    RAW_DATA = 9
    DOUBLE_DATA = 10
    UINT64_DATA = 11
    EXTERNAL_DATA = 13
    DATA_LOCATION = 14


EXTERNAL = 1
"""The value of `TensorProto.DATA_LOCATION` of a tensor whose data lies in another file."""


class StringStringEntryProto:
    """A key and its value."""

    KEY = 1
    VALUE = 2


class SparseTensorProto:
    """The elements that are not 0 and where they are."""

    VALUES = 1
    INDICES = 2
    DIMS = 3


class ValueInfoProto:
    """An input or an output."""

    NAME = 1
    TYPE = 2


class TypeProto:
    """The type of a value: one of these."""

    TENSOR_TYPE = 1
    SEQUENCE_TYPE = 4
    MAP_TYPE = 5
    SPARSE_TENSOR_TYPE = 8
    OPTIONAL_TYPE = 9


class TensorTypeProto:
    """The element type and the shape of a tensor (`TypeProto.Tensor`)."""

    ELEM_TYPE = 1
    SHAPE = 2


class OptionalTypeProto:
    """The type of a value that may be absent (`TypeProto.Optional`)."""

    ELEM_TYPE = 1


class SequenceTypeProto:
    """A type of sequences."""

    ELEM_TYPE = 1


class TensorShapeProto:
    """The sizes of a tensor."""

    DIM = 1


class DimensionProto:
    """A size: a number, or the name of one (`TensorShapeProto.Dimension`)."""

    DIM_VALUE = 1
    DIM_PARAM = 2


UNDEFINED, STRING = 0, 8
"""Values of `TensorProto.DATA_TYPE` that are no precision."""

CODES: dict[Precision, int] = {
    Precision.FLOAT32: 1,
    Precision.UINT8: 2,
    Precision.INT8: 3,
    Precision.UINT16: 4,
    Precision.INT16: 5,
    Precision.INT32: 6,
    Precision.INT64: 7,
    Precision.BOOL8: 9,
    Precision.FLOAT16: 10,
    Precision.FLOAT64: 11,
    Precision.UINT32: 12,
    Precision.UINT64: 13,
    Precision.COMPLEX64: 14,
    Precision.COMPLEX128: 15,
    Precision.BFLOAT16: 16,
    Precision.FLOAT8E4M3FN: 17,
    Precision.FLOAT8E4M3FNUZ: 18,
    Precision.FLOAT8E5M2: 19,
    Precision.FLOAT8E5M2FNUZ: 20,
    Precision.UINT4: 21,
    Precision.INT4: 22,
    Precision.FLOAT4E2M1FN: 23,
    Precision.FLOAT8E8M0FNU: 24,
    Precision.UINT2: 25,
    Precision.INT2: 26,
    Precision.FLOAT6E2M3FN: 27,
    Precision.FLOAT6E3M2FN: 28,
}
"""TensorProto.DataType."""

_PRECISIONS = {code: precision for precision, code in CODES.items()}


def code_of(precision: Precision) -> int:
    """TensorProto.DataType of a precision, a quantised one as its integers."""
    try:
        return CODES[precision_of(precision.dtype)]
    except KeyError:
        raise Unsupported(f"ONNX has no element type {precision.name}") from None


def precision_of_code(code: int) -> Precision:
    """The precision of a TensorProto.DataType; Unsupported for strings."""
    if code == STRING:
        raise Unsupported("string tensors")
    try:
        return _PRECISIONS[code]
    except KeyError:
        raise BadFile(f"ONNX element type {code} does not exist") from None
