"""Element types, shapes, tensors and attributes of TensorFlow's messages."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from nnir.errors import BadFile, Unsupported
from nnir.mapping import Buffer
from nnir.types import MOST_AXES, Precision

PRECISIONS: dict[int, Precision] = {
    1: Precision.FLOAT32,
    2: Precision.FLOAT64,
    3: Precision.INT32,
    4: Precision.UINT8,
    5: Precision.INT16,
    6: Precision.INT8,
    8: Precision.COMPLEX64,
    9: Precision.INT64,
    10: Precision.BOOL8,
    11: Precision.INT8,
    12: Precision.UINT8,
    13: Precision.INT32,
    14: Precision.BFLOAT16,
    15: Precision.INT16,
    16: Precision.UINT16,
    17: Precision.UINT16,
    18: Precision.COMPLEX128,
    19: Precision.FLOAT16,
    22: Precision.UINT32,
    23: Precision.UINT64,
    24: Precision.FLOAT8E5M2,
    25: Precision.FLOAT8E4M3FN,
}
"""DataType of types.proto; quantised types are the integers that they are stored as."""

NAMES = {7: "string", 20: "resource", 21: "variant"}
RESOURCE, VARIANT, STRING = 20, 21, 7
VALUES = {1: "float_val", 2: "double_val", 9: "int64_val", 10: "bool_val", 22: "uint32_val"} | {
    23: "uint64_val"
}
HALVES = {14, 19, 24, 25}


def precision(code: int) -> Precision:
    """The precision of a DataType; Unsupported for strings, resources and the like."""
    if code not in PRECISIONS:
        raise Unsupported(f"elements of TensorFlow's type {NAMES.get(code, code)}")
    return PRECISIONS[code]


def shape(message: Mapping[str, Any] | None) -> tuple[int, ...] | None:
    """The sizes, -1 where they are not known; None for an unknown rank."""
    if message is None or message.get("unknown_rank"):
        return None
    sizes = tuple(d.get("size", 0) for d in message.get("dim", ()))
    if len(sizes) > MOST_AXES or any(s < -1 for s in sizes):
        raise BadFile(f"a tensor of shape {list(sizes)[:MOST_AXES]}")
    return sizes


def tensor(b: Buffer, message: Mapping[str, Any]) -> np.ndarray:
    """A TensorProto as a view into the file, or of the values in it: the last one repeats."""
    dtype = precision(message.get("dtype", 0)).dtype
    sizes = shape(message.get("shape", {})) or ()
    count = math.prod(sizes)
    if min(sizes, default=0) < 0:
        raise BadFile(f"a tensor of shape {list(sizes)}")
    start, end = message.get("content", (0, 0))
    if end > start:
        if end - start != count * dtype.itemsize:
            raise BadFile(f"{end - start} bytes for {list(sizes)} of {dtype}")
        return np.frombuffer(b, dtype, count, start).reshape(sizes)
    values = _values(message, dtype)
    if not len(values):
        return np.broadcast_to(np.zeros((), dtype), sizes)
    if len(values) > count:
        raise BadFile(f"{len(values)} values for a tensor of shape {list(sizes)}")
    if len(values) < count:
        if len(values) == 1:
            return np.broadcast_to(values[0], sizes)
        values = np.concatenate([values, np.broadcast_to(values[-1], count - len(values))])
    return values.reshape(sizes)


def _values(message: Mapping[str, Any], dtype: np.dtype) -> np.ndarray:
    code = message.get("dtype", 0)
    if code in HALVES:
        bits = np.array(message.get("half_val", ()), np.uint32)
        return bits.astype(f"u{dtype.itemsize}").view(dtype)
    if code in (8, 18):
        parts = np.array(message.get("scomplex_val" if code == 8 else "dcomplex_val", ()))
        return (parts[::2] + 1j * parts[1::2]).astype(dtype)
    given = message.get(VALUES.get(code, "int_val"), ())
    if dtype.kind == "u" and dtype.itemsize == 8:
        given = [v % (1 << 64) for v in given]
    return np.array(given).astype(dtype) if len(given) else np.zeros(0, dtype)


class FunctionName(str):
    """The name of a function among the attributes of a node."""

    __slots__ = ()


def attribute(b: Buffer, value: Mapping[str, Any]) -> Any:
    """An AttrValue as a Python value."""
    if not value:
        return None
    ((kind, given), *_) = value.items()
    match kind:
        case "s":
            return given.decode("utf-8", "replace")
        case "type":
            return PRECISIONS.get(given, NAMES.get(given, given))
        case "b":
            return bool(given)
        case "shape":
            return shape(given)
        case "tensor" if given.get("dtype") == STRING:
            return [s.decode("utf-8", "replace") for s in given.get("string_val", ())]
        case "tensor":
            return tensor(b, given)
        case "func":
            return FunctionName(given["name"])
        case "list":
            return [attribute(b, {k: v}) for k, values in given.items() for v in values]
    return given
