"""The `.nnapi` file: the structures of HAL 1.0, little-endian, with values that can be mapped.

    64 bytes   magic "NNAPI1.0", version, numbers of operands, operations, inputs, outputs and
               pools, 4 bytes of zeros, size of the tables, size of operandValues, zeros
    tables     operands, operations, inputs, outputs, sizes of pools, one after the other
    values     operandValues, then each pool, each from the next multiple of 64 on

`docs/nnapi.md` describes every field.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import numpy as np

from nnir.errors import BadFile, BadModel
from nnir.mapping import Buffer, map_file, write_array

from . import MAGIC as MAGIC
from . import SUFFIX as SUFFIX
from .check import check
from .structures import (
    DataLocation,
    LifeTime,
    Model,
    Operand,
    OperandType,
    Operation,
    OperationType,
)

VERSION = 1
ALIGNMENT = 64
HEADER = struct.Struct("<8s6I4xQQ8x")
ENDS = struct.Struct("<IfiiIII")
"""Behind the dimensions of an operand: consumers, scale, zero point, lifetime, location."""

T = TypeVar("T")


def detects(head: bytes) -> bool:
    """Whether a file that begins so is one."""
    return head[: len(MAGIC)] == MAGIC


# Writing


def write(file: BinaryIO, model: Model) -> None:
    """Write a model, checked before; equal models give equal bytes."""
    check(model)
    for part in parts_of(model):
        if isinstance(part, bytes):
            file.write(part)
        else:
            write_array(file, part)


def dumps(model: Model) -> bytes:
    """The bytes of a model."""
    check(model)
    return b"".join(p if isinstance(p, bytes) else p.tobytes() for p in parts_of(model))


def parts_of(model: Model) -> Iterator[bytes | np.ndarray]:
    """The parts of a file, in order; values as they lie in memory."""
    tables = b"".join(_tables(model))
    ends = model.input_indexes, model.output_indexes
    counts = [len(part) for part in (model.operands, model.operations, *ends, model.pools)]
    yield HEADER.pack(MAGIC, VERSION, *counts, len(tables), len(model.operand_values))
    yield tables
    done = HEADER.size + len(tables)
    for blob in (model.operand_values, *model.pools):
        yield bytes(-done % ALIGNMENT)
        yield blob
        done += -done % ALIGNMENT + len(blob)


def _tables(model: Model) -> Iterator[bytes]:
    for o in model.operands:
        place = o.location
        yield struct.pack("<i", o.type) + _vector(o.dimensions)
        location = (place.pool_index, place.offset, place.length)
        yield ENDS.pack(o.number_of_consumers, o.scale, o.zero_point, o.lifetime, *location)
    for operation in model.operations:
        yield struct.pack("<i", operation.type)
        yield _vector(operation.inputs) + _vector(operation.outputs)
    yield struct.pack(f"<{len(model.input_indexes)}I", *model.input_indexes)
    yield struct.pack(f"<{len(model.output_indexes)}I", *model.output_indexes)
    yield struct.pack(f"<{len(model.pools)}Q", *map(len, model.pools))


def _vector(numbers: Sequence[int]) -> bytes:
    return struct.pack(f"<I{len(numbers)}I", len(numbers), *numbers)


# Reading


def load(source: Path | Buffer) -> Model:
    """Read and check a file or its bytes; values are views. BadFile for what is damaged."""
    model = read(map_file(source) if isinstance(source, Path) else source)
    try:
        check(model)
    except BadModel as error:
        raise BadFile(f"no valid NNAPI model: {error}") from None
    return model


def read(data: Buffer) -> Model:
    """The structures of a file as they stand there, not checked against the rules."""
    if len(data) < HEADER.size or not detects(data[: len(MAGIC)]):
        raise BadFile("no NNAPI model: the file does not begin with NNAPI1.0")
    _, version, *counts, size, values = HEADER.unpack_from(data)
    if version != VERSION:
        raise BadFile(f"an NNAPI file of version {version}; version {VERSION} is read")
    if HEADER.size + size > len(data):
        raise BadFile(f"damaged or truncated NNAPI file: tables of {size} bytes")
    words = Words(data, HEADER.size, HEADER.size + size)
    operands, operations, inputs, outputs, pools = counts
    # an operand has at least 9 words, an operation 3
    words.require(4 * (9 * operands + 3 * operations + inputs + outputs + 2 * pools))
    found_operands = tuple(_operand(words) for _ in range(operands))
    found_operations = tuple(_operation(words) for _ in range(operations))
    ends = words.take(inputs), words.take(outputs)
    sizes = [words.number("Q") for _ in range(pools)]
    if words.place != words.end:
        raise BadFile(f"damaged NNAPI file: {words.end - words.place} bytes behind its tables")
    blobs = tuple(_blobs(data, words.end, [values, *sizes]))
    return Model(found_operands, found_operations, *ends, blobs[0], blobs[1:])


class Words:
    """Numbers of a file one after the other, never beyond the end of the tables."""

    def __init__(self, data: Buffer, place: int, end: int) -> None:
        self.data, self.place, self.end = data, place, end

    def require(self, size: int) -> None:
        """BadFile unless so many bytes are left."""
        if self.place + size > self.end:
            raise BadFile(f"damaged or truncated NNAPI file: {size} bytes at {self.place}")

    def number(self, kind: str) -> Any:
        """A number of a `struct` kind."""
        return self.fields(struct.Struct("<" + kind))[0]

    def fields(self, form: struct.Struct) -> tuple[Any, ...]:
        self.require(form.size)
        found = form.unpack_from(self.data, self.place)
        self.place += form.size
        return found

    def take(self, count: int) -> tuple[int, ...]:
        """So many words."""
        self.require(4 * count)
        found = struct.unpack_from(f"<{count}I", self.data, self.place)
        self.place += 4 * count
        return found

    def vector(self) -> tuple[int, ...]:
        """A count and so many words."""
        return self.take(self.number("I"))


def _operand(words: Words) -> Operand:
    kind, dimensions = words.number("i"), words.vector()
    consumers, scale, zero, lifetime, *location = words.fields(ENDS)
    return Operand(
        _find_code(OperandType, kind, "operand type"),
        dimensions,
        consumers,
        scale,
        zero,
        _find_code(LifeTime, lifetime, "lifetime"),
        DataLocation(*location),
    )


def _operation(words: Words) -> Operation:
    kind = _find_code(OperationType, words.number("i"), "operation type")
    return Operation(kind, words.vector(), words.vector())


def _find_code(kinds: Callable[[int], T], number: int, what: str) -> T:
    try:
        return kinds(number)
    except ValueError:
        raise BadFile(f"an NNAPI file with the unknown {what} {number}") from None


def _blobs(data: Buffer, end: int, sizes: Sequence[int]) -> Iterator[np.ndarray]:
    """Views of the values, each at a multiple of 64; nothing lies between or behind them."""
    for size in sizes:
        start = end + -end % ALIGNMENT
        end = start + size
        if (end > len(data) and size) or start > len(data):
            raise BadFile(f"damaged or truncated NNAPI file: {size} bytes of values at {start}")
        yield np.frombuffer(data, np.uint8, size, start) if size else np.zeros(0, np.uint8)
    if end != len(data):
        raise BadFile(f"damaged NNAPI file: {len(data)} bytes, {end} are described")
