"""The enumerations of NNRt's header."""

from __future__ import annotations

from enum import IntEnum
from typing import TypeVar

import numpy as np

from ...errors import BadModel
from ...types import Precision

E = TypeVar("E", bound=IntEnum)


class ReturnCode(IntEnum):
    """OH_NN_ReturnCode. 7 is a misspelling that the header keeps for old callers."""

    SUCCESS = 0
    FAILED = 1
    INVALID_PARAMETER = 2
    MEMORY_ERROR = 3
    OPERATION_FORBIDDEN = 4
    NULL_PTR = 5
    INVALID_FILE = 6
    UNAVALIDABLE_DEVICE = 7
    INVALID_PATH = 8
    TIMEOUT = 9
    UNSUPPORTED = 10
    CONNECTION_EXCEPTION = 11
    SAVE_CACHE_EXCEPTION = 12
    DYNAMIC_SHAPE = 13
    UNAVAILABLE_DEVICE = 14


class PerformanceMode(IntEnum):
    """OH_NN_PerformanceMode."""

    NONE = 0
    LOW = 1
    MEDIUM = 2
    HIGH = 3
    EXTREME = 4


class Priority(IntEnum):
    """OH_NN_Priority."""

    NONE = 0
    LOW = 1
    MEDIUM = 2
    HIGH = 3


class FuseType(IntEnum):
    """OH_NN_FuseType: what an operation applies to its result. RELU6 is 2 here, 3 in NNAdapter."""

    NONE = 0
    RELU = 1
    RELU6 = 2


class Format(IntEnum):
    """OH_NN_Format: the order of a tensor's axes."""

    NONE = 0
    NCHW = 1
    NHWC = 2
    ND = 3


class DeviceType(IntEnum):
    """OH_NN_DeviceType."""

    OTHERS = 0
    CPU = 1
    GPU = 2
    ACCELERATOR = 3


class DataType(IntEnum):
    """OH_NN_DataType."""

    UNKNOWN = 0
    BOOL = 1
    INT8 = 2
    INT16 = 3
    INT32 = 4
    INT64 = 5
    UINT8 = 6
    UINT16 = 7
    UINT32 = 8
    UINT64 = 9
    FLOAT16 = 10
    FLOAT32 = 11
    FLOAT64 = 12

    @property
    def precision(self) -> Precision:
        """The standard's element type; BadModel for UNKNOWN."""
        found = PRECISIONS.get(self)
        if found is None:
            raise BadModel(f"a tensor of type {self.name}, which has no elements")
        return found

    @property
    def dtype(self) -> np.dtype:
        """The NumPy type of one element."""
        return self.precision.dtype

    @property
    def is_float(self) -> bool:
        return self >= DataType.FLOAT16


PRECISIONS: dict[DataType, Precision] = {
    t: Precision.BOOL8 if t == DataType.BOOL else Precision[t.name]
    for t in DataType
    if t != DataType.UNKNOWN
}
DATA_TYPES: dict[Precision, DataType] = {p: t for t, p in PRECISIONS.items()}

SIGNED = frozenset({DataType.INT8, DataType.INT16, DataType.INT32, DataType.INT64})
UNSIGNED = frozenset({DataType.UINT8, DataType.UINT16, DataType.UINT32, DataType.UINT64})
FLOATS = frozenset(t for t in DataType if t.is_float)
KINDS: dict[str, frozenset[DataType]] = {
    "any": frozenset(PRECISIONS),
    "number": SIGNED | UNSIGNED | FLOATS,
    "integer": SIGNED | UNSIGNED,
    "int": SIGNED,
    "float": FLOATS,
    **{t.name.lower(): frozenset({t}) for t in PRECISIONS},
}
"""The element types that each kind of operand may have."""


def types_of(kinds: str) -> frozenset[DataType]:
    """The element types of kinds such as "number|bool"."""
    return frozenset().union(*(KINDS[kind] for kind in kinds.split("|")))


def member(enum: type[E], number: int) -> E:
    """A member of an enumeration by its number; BadModel where it has no such."""
    try:
        return enum(number)
    except ValueError:
        raise BadModel(f"{enum.__name__} {number}: 0 to {max(enum)} are accepted") from None
