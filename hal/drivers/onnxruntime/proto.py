"""Write ONNX in protobuf's wire format: messages as bytes, weights never copied into one.

Field numbers are those of onnx.proto3.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

import numpy as np

from nnir.dim import Dim
from nnir.errors import Unsupported
from nnir.types import PRECISIONS, Precision, precision_of

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
BITS = {
    "uint4": 4,
    "int4": 4,
    "float4_e2m1fn": 4,
    "uint2": 2,
    "int2": 2,
    "float6_e2m3fn": 6,
    "float6_e3m2fn": 6,
}


class Graph(bytes):
    """An encoded GraphProto, so that an attribute knows it from a string."""


def code(precision: Precision) -> int:
    """TensorProto.DataType of a precision."""
    try:
        return CODES[PRECISIONS[precision.dtype]]  # a quantised type is stored as its integers
    except KeyError:
        raise Unsupported(f"ONNX has no element type {precision.name}") from None


def varint(value: int) -> bytes:
    value &= 0xFFFFFFFFFFFFFFFF
    if value < 128:
        return bytes((value,))
    out = bytearray()
    while value >= 128:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def integer(field: int, value: int) -> bytes:
    return varint(field << 3) + varint(value)


def block(field: int, data: bytes | str) -> bytes:
    if isinstance(data, str):
        data = data.encode("utf-8", "surrogateescape")
    return varint(field << 3 | 2) + varint(len(data)) + data


def attribute(name: str, value: Any) -> bytes:
    """An AttributeProto of a Python value."""
    head = block(1, name)
    match value:
        case bool() | int() | np.integer():
            return head + integer(3, int(value)) + integer(20, 2)
        case float() | np.floating():
            return head + varint(2 << 3 | 5) + struct.pack("<f", float(value)) + integer(20, 1)
        case str():
            return head + block(4, value) + integer(20, 3)
        case Graph():
            return head + block(6, value) + integer(20, 5)
        case np.ndarray():
            return head + block(5, tensor("", value)) + integer(20, 4)
        case list() | tuple() if value and all(isinstance(v, str) for v in value):
            return head + b"".join(block(9, v) for v in value) + integer(20, 8)
        case list() | tuple() if any(isinstance(v, float) for v in value):
            return head + block(7, struct.pack(f"<{len(value)}f", *value)) + integer(20, 6)
        case list() | tuple():
            return head + block(8, b"".join(varint(int(v)) for v in value)) + integer(20, 7)
    raise TypeError(f"ONNX attribute {name}={value!r}")


def node(
    op: str,
    inputs: Sequence[str],
    outputs: Sequence[str],
    name: str,
    domain: str,
    attributes: dict[str, Any],
) -> bytes:
    """A NodeProto."""
    parts = [block(1, n) for n in inputs]
    parts += [block(2, n) for n in outputs]
    parts += [block(3, name), block(4, op)]
    parts += [block(5, attribute(n, v)) for n, v in attributes.items()]
    if domain:
        parts.append(block(7, domain))
    return b"".join(parts)


def packed(array: np.ndarray) -> np.ndarray:
    """The bytes of an array as ONNX stores them: little-endian, sub-byte elements packed."""
    bits = BITS.get(array.dtype.name)
    if bits is None:
        return np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    codes = np.ascontiguousarray(array).reshape(-1, 1).view(np.uint8)
    stream = np.unpackbits(codes, axis=1, count=bits, bitorder="little")
    return np.packbits(stream.reshape(-1), bitorder="little")


def unpacked(raw: np.ndarray, dtype: np.dtype, count: int) -> np.ndarray:
    """The inverse of `packed`, as a flat array of `count` elements."""
    bits = BITS.get(dtype.name)
    if bits is None:
        return raw.view(dtype)
    stream = np.unpackbits(raw, count=count * bits, bitorder="little").reshape(count, bits)
    codes = np.packbits(stream, axis=1, bitorder="little").reshape(-1)
    if dtype.name.startswith("float"):
        return codes.view(dtype)
    values = codes.astype(np.int8)
    if dtype.name.startswith("int"):
        values = np.where(values >> (bits - 1), values - (1 << bits), values)
    return values.astype(dtype)


def tensor_head(name: str, array: np.ndarray) -> bytes:
    """The fields of a TensorProto before its data."""
    dims = b"".join(integer(1, d) for d in array.shape)
    return dims + integer(2, code(precision_of(array.dtype))) + (block(8, name) if name else b"")


def tensor(name: str, array: np.ndarray) -> bytes:
    """A TensorProto with its data inside."""
    return tensor_head(name, array) + block(9, packed(array).tobytes())


def external_tensor(name: str, array: np.ndarray, location: str, offset: int, size: int) -> bytes:
    """A TensorProto whose data lies in the file `location`."""
    entries = {"location": location, "offset": str(offset), "length": str(size)}
    pairs = b"".join(block(13, block(1, k) + block(2, v)) for k, v in entries.items())
    return tensor_head(name, array) + pairs + integer(14, 1)


def value_info(name: str, precision: Precision, shape: Sequence[Dim] | None) -> bytes:
    """A ValueInfoProto of a tensor; `shape` None for an unknown rank."""
    body = integer(1, code(precision))
    if shape is not None:
        dims = (integer(1, d) if isinstance(d, int) else block(2, str(d)) for d in shape)
        body += block(2, b"".join(block(1, d) for d in dims))
    return block(1, name) + block(2, block(1, body))


def model(graph: bytes, versions: dict[str, int], *, ir_version: int, producer: str) -> list[bytes]:
    """A ModelProto in two parts, so that the graph is not copied again."""
    imports = b"".join(block(8, block(1, d) + integer(2, v)) for d, v in versions.items())
    head = integer(1, ir_version) + block(2, producer) + imports
    return [head + varint(7 << 3 | 2) + varint(len(graph)), graph]
