"""ONNX tensors as NumPy arrays: views into the file wherever its bytes are the elements."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from nnir.budget import beside
from nnir.errors import BadFile, Unsupported
from nnir.formats import wire
from nnir.formats.bits import BITS, stored_size, unpack
from nnir.formats.onnx import EXTERNAL, StringStringEntryProto, TensorProto, precision_of_code
from nnir.mapping import Buffer, Span, map_file
from nnir.types import MOST_AXES, Precision


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
            case TensorProto.DIMS:
                tensor.dims.extend(wire.integers(b, value))
            case TensorProto.DATA_TYPE:
                tensor.code = wire.number(value)
            case TensorProto.SEGMENT:
                raise Unsupported("tensors stored in segments")
            case TensorProto.FLOAT_DATA:
                tensor.data.append(wire.packed_floats(b, value, "<f4"))
            case TensorProto.INT32_DATA | TensorProto.INT64_DATA | TensorProto.UINT64_DATA:
                tensor.data.append(wire.packed_integers(b, value))
            case TensorProto.STRING_DATA:
                tensor.strings += 1
            case TensorProto.NAME:
                tensor.name = wire.text(b, value)
            case TensorProto.RAW_DATA:
                tensor.raw = wire.span(value)
            case TensorProto.DOUBLE_DATA:
                tensor.data.append(wire.packed_floats(b, value, "<f8"))
            case TensorProto.EXTERNAL_DATA:
                key, text = entry_of(b, wire.span(value))
                tensor.external[key] = text
            case TensorProto.DATA_LOCATION:
                tensor.is_external = wire.number(value) == EXTERNAL
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
    kind = precision_of_code(tensor.code)
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
    size = stored_size(kind, count)
    if end - start < size or (end - start > size and kind not in BITS and end - start != size):
        raise BadFile(f"{list(shape)} {kind.name} take {size} bytes, the file has {end - start}")
    if not count:
        return np.empty(shape, kind.dtype)
    if kind in BITS:
        return unpack(np.frombuffer(b, np.uint8, size, start), kind, count).reshape(shape)
    return np.frombuffer(b, kind.dtype, count, start).reshape(shape)


def _from_fields(
    parts: Iterable[np.ndarray], kind: Precision, shape: tuple[int, ...], count: int
) -> np.ndarray:
    arrays = list(parts)
    data = arrays[0] if len(arrays) == 1 else np.concatenate([np.empty(0, np.int64), *arrays])
    if BITS.get(kind, 6) < 6:  # two or four to an int32; six-bit elements have one each
        packed = data.astype(np.uint8)
        if packed.size != stored_size(kind, count):
            raise BadFile(f"{list(shape)} {kind.name} from {packed.size} bytes")
        return unpack(packed, kind, count).reshape(shape)
    if kind in (Precision.COMPLEX64, Precision.COMPLEX128):
        real = np.float32 if kind == Precision.COMPLEX64 else np.float64
        data = np.ascontiguousarray(data.astype(real)).view(kind.dtype)
    elif kind.is_float and data.dtype.kind in "iu":  # 16- and 8-bit floats are stored as bits
        width = np.uint16 if kind.dtype.itemsize == 2 else np.uint8
        data = data.astype(width).view(kind.dtype)
    if data.size != count:
        raise BadFile(f"a tensor of shape {list(shape)} with {data.size} elements")
    return data.astype(kind.dtype, copy=False).reshape(shape)


def entry_of(b: Buffer, value: Span) -> tuple[str, str]:
    """Key and value of a StringStringEntryProto."""
    found = dict(wire.fields(b, *value))
    key, text = (
        wire.text(b, found.get(field, (0, 0)))
        for field in (StringStringEntryProto.KEY, StringStringEntryProto.VALUE)
    )
    return key, text


def _integer(text: str) -> int:
    if not text.isdecimal():
        raise BadFile(f"external data at {text!r}, which is not a number")
    return int(text)
