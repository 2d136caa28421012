"""The file form of an NNRt model: little-endian, weights aligned to 64 bytes, the same bytes for
the same model. `docs/nnrt.md` describes it.

A header of 64 bytes, the records of tensors and operations, then the data of constants.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, BinaryIO

import numpy as np

from ...budget import Arrays
from ...errors import DAMAGE, BadFile, NNAdapterError, describe
from ...mapping import Buffer, write_array
from ...types import MOST_AXES
from . import MAGIC
from .check import check_model
from .enums import DataType, Format, member
from .model import Model, Operation, QuantParam, Tensor

VERSION = 1
HEADER = struct.Struct("<8sII4IQQQ")
"""Magic, version, length of the name, how many tensors, operations, inputs and outputs, how many
bytes the records have, where data begins, and how long the file is."""

HEAD = 64
ALIGNMENT = 64
TENSOR = struct.Struct("<BBHHHIIQQ")
"""Data type, format, tensor type, number of axes, bits, number of scales, length of the name, and
where data lies and how long it is. Without data both are 0."""

OPERATION = struct.Struct("<IIII")
"""Code, and how many parameters, inputs and outputs follow."""

Memory = tuple[Hashable, ...]
"""What arrays of the same elements in the same memory have alike."""


def align(place: int) -> int:
    """The next place that data may begin at."""
    return -(-place // ALIGNMENT) * ALIGNMENT


def write(model: Model, file: BinaryIO) -> None:
    """Write a valid model; BadModel or BadType for one that is not."""
    check_model(model)
    write_as_is(model, file)


def write_as_is(model: Model, file: BinaryIO) -> None:
    """Write a model that is not checked, as tests of readers need."""
    name = model.name.encode()
    size = sum(map(len, _records(model, {})))
    start = align(HEAD + len(name) + size)
    places, end = _place_data(model.tensors, start)
    counts = (len(model.tensors), len(model.operations), len(model.inputs), len(model.outputs))
    header = HEADER.pack(MAGIC, VERSION, len(name), *counts, size, start, end)
    file.write(header.ljust(HEAD, b"\0") + name)
    for record in _records(model, places):
        file.write(record)
    at = HEAD + len(name) + size
    arrays = {_memory_of(t.data): t.data for t in model.tensors if t.data is not None}
    for key, array in arrays.items():
        place = places[key]
        file.write(bytes(place - at))
        write_array(file, np.ascontiguousarray(array))
        at = place + array.nbytes
    file.write(bytes(end - at))


def _memory_of(array: np.ndarray) -> Memory:
    return array.__array_interface__["data"][0], array.dtype, array.shape, array.strides


def _place_data(tensors: Iterable[Tensor], start: int) -> tuple[dict[Memory, int], int]:
    """Where each array of the constants goes, and where the file ends."""
    places: dict[Memory, int] = {}
    for tensor in tensors:
        data = tensor.data
        if data is not None and (key := _memory_of(data)) not in places:
            places[key] = start
            start = align(start + data.nbytes)
    return places, start


def _records(model: Model, places: Mapping[Memory, int]) -> Iterator[bytes]:
    """The records in their order."""
    for tensor in model.tensors:
        place = 0 if tensor.data is None else places.get(_memory_of(tensor.data), 0)
        yield _tensor_record(tensor, place)
    for operation in model.operations:
        lists = operation.parameters, operation.inputs, operation.outputs
        yield OPERATION.pack(operation.code, *map(len, lists))
        yield from map(_pack_numbers, lists)
    yield _pack_numbers((*model.inputs, *model.outputs))


def _tensor_record(tensor: Tensor, place: int) -> bytes:
    name, found = tensor.name.encode(), tensor.quantization
    head = TENSOR.pack(
        tensor.data_type,
        tensor.format,
        tensor.type,
        len(tensor.shape),
        0 if found is None else found.bits,
        0 if found is None else len(found.scales),
        len(name),
        0 if tensor.data is None else place,
        0 if tensor.data is None else tensor.data.nbytes,
    )
    sizes = struct.pack(f"<{len(tensor.shape)}q", *tensor.shape)
    if found is None:
        return head + sizes + name
    count = len(found.scales)
    scales = struct.pack(f"<{count}d{count}q", *found.scales, *found.zero_points)
    return head + sizes + scales + name


def _pack_numbers(numbers: Sequence[int]) -> bytes:
    return struct.pack(f"<{len(numbers)}I", *numbers)


def read(data: Buffer | memoryview) -> Model:
    """The model in a file; its constants are views. BadFile for what is damaged or not valid."""
    try:
        model = Reader(data).read()
        check_model(model)
    except BadFile:
        raise
    except NNAdapterError as error:
        raise BadFile(f"not a valid NNRt model: {error}") from None
    except (*DAMAGE, struct.error) as error:
        raise BadFile(f"damaged NNRt file: {describe(error)}") from None
    return model


class Reader:
    """Takes a file apart from its beginning to its end."""

    def __init__(self, data: Buffer | memoryview) -> None:
        self.data = data
        self.place = 0
        self.end = len(data)
        self.arrays = Arrays(len(data))
        self.seen: dict[tuple[int, DataType, tuple[int, ...]], np.ndarray] = {}

    def read(self) -> Model:
        """All of it."""
        magic, version, length, *counts, size, start, end = self._unpack(HEADER)
        if magic != MAGIC:
            raise BadFile("not an NNRt file: the first 8 bytes are not OHNNRT")
        if version != VERSION:
            raise BadFile(f"an NNRt file of version {version}: {VERSION} is read")
        if end != len(self.data) or start != align(HEAD + length + size) or start > end:
            raise BadFile(f"an NNRt file of {len(self.data)} bytes that says it has {end}")
        self.place, self.end = HEAD, HEAD + length + size
        name = self._text(length)
        tensors, operations, inputs, outputs = counts
        found = Model(
            tuple(self._tensor() for _ in range(tensors)),
            tuple(self._operation() for _ in range(operations)),
            self._numbers(inputs),
            self._numbers(outputs),
            name,
        )
        if self.place != self.end:
            raise BadFile(f"{self.end - self.place} bytes behind the records")
        return found

    def _take(self, size: int) -> bytes:
        """The next bytes of the records."""
        place = self.place
        if size > self.end - place:
            raise BadFile(f"{size} bytes at {place} of records that end at {self.end}")
        self.place += size
        return bytes(self.data[place : place + size])

    def _unpack(self, form: struct.Struct) -> tuple[Any, ...]:
        return form.unpack(self._take(form.size))

    def _text(self, length: int) -> str:
        return self._take(length).decode("utf-8")

    def _numbers(self, count: int, letter: str = "I") -> tuple[int, ...]:
        width = struct.calcsize("<" + letter)
        return struct.unpack(f"<{count}{letter}", self._take(count * width))

    def _tensor(self) -> Tensor:
        data_type, form, kind, rank, bits, scales, length, place, size = self._unpack(TENSOR)
        if rank > MOST_AXES:
            raise BadFile(f"a tensor of {rank} axes: at most {MOST_AXES} are accepted")
        shape = self._numbers(rank, "q")
        quantization = None
        if scales:
            real = struct.unpack(f"<{scales}d", self._take(8 * scales))
            quantization = QuantParam(real, self._numbers(scales, "q"), bits)
        elif bits:
            raise BadFile(f"a tensor of {bits} bits without scales")
        element = member(DataType, data_type)
        return Tensor(
            element,
            shape,
            kind,
            member(Format, form),
            self._text(length),
            quantization,
            self._view(element, shape, place, size) if place else None,
        )

    def _view(self, kind: DataType, shape: tuple[int, ...], place: int, size: int) -> np.ndarray:
        """The data of a tensor, which lies behind the records."""
        key = place, kind, shape
        if key not in self.seen:
            count = math.prod(shape)
            if min(shape, default=0) < 0 or count * kind.dtype.itemsize != size:
                raise BadFile(f"{size} bytes of data for {kind.name.lower()}{list(shape)}")
            if place % ALIGNMENT or place < self.end or place + size > len(self.data):
                raise BadFile(f"data at {place} of a file of {len(self.data)} bytes")
            flat = np.frombuffer(self.data, kind.dtype, count, place)
            self.seen[key] = self.arrays.spend(flat.reshape(shape))
        return self.seen[key]

    def _operation(self) -> Operation:
        code, parameters, inputs, outputs = self._unpack(OPERATION)
        counts = parameters, inputs, outputs
        lists = [self._numbers(count) for count in counts]
        return Operation(code, lists[0], lists[1], lists[2])
