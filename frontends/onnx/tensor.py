"""ONNX tensors as NumPy arrays: views into the file wherever its bytes are the elements."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from nnir.budget import beside
from nnir.errors import BadFile, Unsupported
from nnir.mapping import map_file
from nnir.types import MOST_AXES, Precision

from .. import wire
from ..wire import Buffer, Span

# TensorProto.DataType, from onnx.proto3.
PRECISIONS: dict[int, Precision] = {
    1: Precision.FLOAT32,
    2: Precision.UINT8,
    3: Precision.INT8,
    4: Precision.UINT16,
    5: Precision.INT16,
    6: Precision.INT32,
    7: Precision.INT64,
    9: Precision.BOOL8,
    10: Precision.FLOAT16,
    11: Precision.FLOAT64,
    12: Precision.UINT32,
    13: Precision.UINT64,
    14: Precision.COMPLEX64,
    15: Precision.COMPLEX128,
    16: Precision.BFLOAT16,
    17: Precision.FLOAT8E4M3FN,
    18: Precision.FLOAT8E4M3FNUZ,
    19: Precision.FLOAT8E5M2,
    20: Precision.FLOAT8E5M2FNUZ,
    21: Precision.UINT4,
    22: Precision.INT4,
    23: Precision.FLOAT4E2M1FN,
    24: Precision.FLOAT8E8M0FNU,
    25: Precision.UINT2,
    26: Precision.INT2,
    27: Precision.FLOAT6E2M3FN,
    28: Precision.FLOAT6E3M2FN,
}
CODES = {p: code for code, p in PRECISIONS.items()}
BITS = {
    Precision.UINT4: 4,
    Precision.INT4: 4,
    Precision.FLOAT4E2M1FN: 4,
    Precision.UINT2: 2,
    Precision.INT2: 2,
    Precision.FLOAT6E2M3FN: 6,
    Precision.FLOAT6E3M2FN: 6,
}
"""Elements narrower than a byte are stored as a stream of bits, lowest first."""


def precision(code: int) -> Precision:
    """The precision of a TensorProto.DataType code."""
    if code == 8:
        raise Unsupported("string tensors")
    try:
        return PRECISIONS[code]
    except KeyError:
        raise BadFile(f"ONNX element type {code} does not exist") from None


class Files:
    """The files beside a model that hold external data; none outside its folder is opened."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder
        self._maps: dict[Path, Buffer] = {}

    def bytes_at(self, location: str, offset: int, length: int | None) -> tuple[Buffer, Span]:
        """A file's buffer and the span that external data asks for."""
        if self.folder is None:
            raise BadFile(f"external data {location!r} needs a model that is read from its path")
        path = beside(self.folder, location)
        if not path.is_file():
            raise BadFile(f"external data file {location!r} is missing beside the model")
        if path not in self._maps:
            self._maps[path] = map_file(path)
        buffer = self._maps[path]
        end = len(buffer) if length is None else offset + length
        if not 0 <= offset <= end <= len(buffer):
            raise BadFile(
                f"external data {location!r} has {len(buffer)} bytes, not {offset} to {end}"
            )
        return buffer, (offset, end)


class Tensor:
    """The fields of one TensorProto."""

    __slots__ = ("code", "data", "dims", "external", "is_external", "name", "raw", "strings")

    def __init__(self) -> None:
        self.name = ""
        self.code = 0
        self.dims: list[int] = []
        self.raw: Span | None = None
        self.data: list[np.ndarray] = []
        self.strings = 0
        self.external: dict[str, str] = {}
        self.is_external = False


def parse(b: Buffer, start: int, end: int) -> Tensor:
    """Read a TensorProto; its data stays where it is."""
    tensor = Tensor()
    for field, value in wire.fields(b, start, end):
        match field:
            case 1:
                tensor.dims.extend(wire.integers(b, value))
            case 2:
                tensor.code = wire.number(value)
            case 3:
                raise Unsupported("tensors stored in segments")
            case 4:
                tensor.data.append(wire.packed_floats(b, value, "<f4"))
            case 5 | 7 | 11:
                tensor.data.append(wire.packed_integers(b, value))
            case 6:
                tensor.strings += 1
            case 8:
                tensor.name = wire.text(b, value)
            case 9:
                tensor.raw = wire.span(value)
            case 10:
                tensor.data.append(wire.packed_floats(b, value, "<f8"))
            case 13:
                key, text = _entry(b, wire.span(value))
                tensor.external[key] = text
            case 14:
                tensor.is_external = wire.number(value) == 1
    return tensor


def array_of(b: Buffer, tensor: Tensor, files: Files) -> np.ndarray:
    """The elements of a tensor."""
    try:
        return _array(b, tensor, files)
    except (BadFile, Unsupported) as error:
        error.add_note(f"in ONNX tensor {tensor.name!r}")
        raise
    except ValueError as error:
        raise BadFile(f"damaged ONNX tensor {tensor.name!r}: {error}") from None


def _array(b: Buffer, tensor: Tensor, files: Files) -> np.ndarray:
    kind = precision(tensor.code)
    shape = tuple(tensor.dims)
    if any(d < 0 for d in shape) or len(shape) > MOST_AXES:
        raise BadFile(f"a tensor of shape {list(shape[:MOST_AXES])}")
    count = math.prod(shape)
    if tensor.is_external:
        b, (start, end) = files.bytes_at(
            tensor.external.get("location", ""),
            _integer(tensor.external.get("offset", "0")),
            _integer(tensor.external["length"]) if "length" in tensor.external else None,
        )
        return _from_bytes(b, start, end, kind, shape, count)
    if tensor.raw is not None:
        return _from_bytes(b, *tensor.raw, kind, shape, count)
    return _from_fields(tensor.data, kind, shape, count)


def _from_bytes(
    b: Buffer, start: int, end: int, kind: Precision, shape: tuple[int, ...], count: int
) -> np.ndarray:
    bits = BITS.get(kind, kind.dtype.itemsize * 8)
    size = (count * bits + 7) // 8
    if end - start < size or (end - start > size and kind not in BITS and end - start != size):
        raise BadFile(f"{list(shape)} {kind.name} take {size} bytes, the file has {end - start}")
    if not count:
        return np.empty(shape, kind.dtype)
    if kind in BITS:
        return _unpack(np.frombuffer(b, np.uint8, size, start), kind, count).reshape(shape)
    return np.frombuffer(b, kind.dtype, count, start).reshape(shape)


def _from_fields(
    parts: Iterable[np.ndarray], kind: Precision, shape: tuple[int, ...], count: int
) -> np.ndarray:
    arrays = list(parts)
    data = arrays[0] if len(arrays) == 1 else np.concatenate([np.empty(0, np.int64), *arrays])
    if BITS.get(kind, 6) < 6:  # two or four to an int32; six-bit elements have one each
        packed = data.astype(np.uint8)
        if packed.size != (count * BITS[kind] + 7) // 8:
            raise BadFile(f"{list(shape)} {kind.name} from {packed.size} bytes")
        return _unpack(packed, kind, count).reshape(shape)
    if kind in (Precision.COMPLEX64, Precision.COMPLEX128):
        real = np.float32 if kind == Precision.COMPLEX64 else np.float64
        data = np.ascontiguousarray(data.astype(real)).view(kind.dtype)
    elif kind.is_float and data.dtype.kind in "iu":  # 16- and 8-bit floats are stored as bits
        width = np.uint16 if kind.dtype.itemsize == 2 else np.uint8
        data = data.astype(width).view(kind.dtype)
    if data.size != count:
        raise BadFile(f"a tensor of shape {list(shape)} with {data.size} elements")
    return data.astype(kind.dtype, copy=False).reshape(shape)


def _unpack(packed: np.ndarray, kind: Precision, count: int) -> np.ndarray:
    """Sub-byte elements, one per byte."""
    bits = BITS[kind]
    stream = np.unpackbits(packed, count=count * bits, bitorder="little").reshape(count, bits)
    codes = np.packbits(stream, axis=1, bitorder="little").reshape(-1)
    if kind.is_float:
        return codes.view(kind.dtype)
    values = codes.astype(np.int8)
    if kind in (Precision.INT4, Precision.INT2):
        values = np.where(values >= 1 << (bits - 1), values - (1 << bits), values)
    return values.astype(kind.dtype)


def _entry(b: Buffer, value: Span) -> tuple[str, str]:
    pair = {f: wire.text(b, v) for f, v in wire.fields(b, *value) if f in (1, 2)}
    return pair.get(1, ""), pair.get(2, "")


def _integer(text: str) -> int:
    if not text.isdecimal():
        raise BadFile(f"external data at {text!r}, which is not a number")
    return int(text)
