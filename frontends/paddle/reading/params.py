"""Paddle's parameter files: tensors back to back, without names.

Each is a version, levels of detail (none for weights), another version, the length of a
descriptor, a `TensorDesc` in protobuf, and the data. Source: paddle/phi/core/framework and
`SerializeToStream` there.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from nnir.errors import BadFile, Unsupported
from nnir.formats import wire
from nnir.mapping import Buffer, map_file
from nnir.types import MOST_AXES, Precision

PRECISIONS = {
    0: Precision.BOOL8,
    1: Precision.INT16,
    2: Precision.INT32,
    3: Precision.INT64,
    4: Precision.FLOAT16,
    5: Precision.FLOAT32,
    6: Precision.FLOAT64,
    20: Precision.UINT8,
    21: Precision.INT8,
    22: Precision.BFLOAT16,
    23: Precision.COMPLEX64,
    24: Precision.COMPLEX128,
    32: Precision.FLOAT8E4M3FN,
    33: Precision.FLOAT8E5M2,
    36: Precision.UINT16,
    37: Precision.UINT32,
    38: Precision.UINT64,
}
"""VarType.Type of framework.proto."""


MOST = 1 << 20
"""Tensors of one file."""


def precision(code: int) -> Precision:
    """The precision of a VarType; Unsupported for what is no tensor."""
    if code not in PRECISIONS:
        raise Unsupported(f"elements of Paddle's type {code}")
    return PRECISIONS[code]


def read_all(b: Buffer, most: int = MOST) -> list[np.ndarray]:
    """The tensors of a combined file in its order, as views; at most one more than `most`."""
    found: list[np.ndarray] = []
    place = 0
    while place < len(b) and len(found) <= most:
        array, place = read_one(b, place)
        found.append(array)
    return found


def read_one(b: Buffer, place: int) -> tuple[np.ndarray, int]:
    """The tensor at a place, and the place behind it."""
    _, levels = _numbers(b, place, "<IQ", version=True)
    place += 12
    for _ in range(levels):
        (size,) = _numbers(b, place, "<Q")
        place += 8 + size
        if place > len(b):
            raise BadFile("damaged or truncated parameters: levels of detail end behind the file")
    _, size = _numbers(b, place, "<Ii", version=True)
    place += 8
    if size < 0 or place + size > len(b):
        raise BadFile("damaged or truncated parameters: a descriptor ends behind the file")
    code, sizes = _descriptor(b, place, place + size)
    place += size
    dtype = precision(code).dtype
    count = math.prod(sizes)
    end = place + count * dtype.itemsize
    if end > len(b):
        raise BadFile(
            f"truncated parameters: {list(sizes)[:MOST_AXES]} of {dtype} at byte {place} needs "
            f"{end - place} bytes, {len(b) - place} are left"
        )
    return np.frombuffer(b, dtype, count, place).reshape(sizes), end


def _numbers(b: Buffer, place: int, kind: str, *, version: bool = False) -> tuple[int, ...]:
    if place + struct.calcsize(kind) > len(b):
        raise BadFile("truncated parameters: the file ends within a header")
    found: tuple[int, ...] = struct.unpack_from(kind, b, place)
    if version and found[0]:
        raise BadFile(f"no parameters of Paddle: version {found[0]} at byte {place}, not 0")
    return found


def _descriptor(b: Buffer, start: int, end: int) -> tuple[int, tuple[int, ...]]:
    """Type and sizes of a TensorDesc."""
    code, sizes = 0, []
    for number, value in wire.fields(b, start, end):
        if number == 1:
            code = wire.number(value)
        elif number == 2:
            sizes += wire.integers(b, value)
    if len(sizes) > MOST_AXES or min(sizes, default=0) < 0:
        raise BadFile(f"damaged parameters: a tensor of {sizes[:MOST_AXES]}")
    return code, tuple(sizes)


Declared = Mapping[str, tuple[Precision | None, Sequence[int]]]
"""What a program says of its parameters: precision (None is any) and sizes (-1 is any)."""


def read_combined(path: Path, declared: Declared) -> dict[str, np.ndarray]:
    """The parameters of a file by the program's names, which are sorted in it.

    BadFile unless number, types and shapes are those that the program declares.
    """
    arrays = read_all(map_file(path), len(declared)) if declared or path.exists() else []
    if len(arrays) != len(declared):
        many = "more" if len(arrays) > len(declared) else str(len(arrays))
        raise BadFile(f"{path.name!r} holds {many} parameters, the program has {len(declared)}")
    found = dict(zip(sorted(declared), arrays, strict=True))
    for name, array in found.items():
        require(name, array, *declared[name])
    return found


def require(name: str, array: np.ndarray, kind: Precision | None, sizes: Sequence[int]) -> None:
    """BadFile unless a parameter is what the program declares."""
    fits = len(sizes) == array.ndim and all(
        s in (-1, n) for s, n in zip(sizes, array.shape, strict=True)
    )
    if not fits or (kind is not None and array.dtype != kind.dtype):
        told = "any type" if kind is None else kind.name.lower()
        raise BadFile(
            f"the parameter {name!r} is {array.dtype}{list(array.shape)} in the file and "
            f"{told}{list(sizes)} in the program: they do not belong together"
        )
