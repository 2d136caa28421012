"""The structures of Android's Neural Networks HAL 1.0: models, requests, capabilities, codes.

Source: `types.hal` of android.hardware.neuralnetworks@1.0. Names and numbers are its own.
"""

from __future__ import annotations

from dataclasses import field
from enum import IntEnum

import numpy as np

from ...records import dataclass


class OperandType(IntEnum):
    """What an operand holds; scalars have no dimensions, tensors at least one."""

    FLOAT32 = 0
    INT32 = 1
    UINT32 = 2
    TENSOR_FLOAT32 = 3
    TENSOR_INT32 = 4
    TENSOR_QUANT8_ASYMM = 5
    OEM = 10000
    TENSOR_OEM_BYTE = 10001

    @property
    def is_tensor(self) -> bool:
        return self.name.startswith("TENSOR")

    @property
    def dtype(self) -> np.dtype:
        """The NumPy type of one element, as it lies in memory."""
        return DTYPES[self]


DTYPES: dict[OperandType, np.dtype] = {
    OperandType.FLOAT32: np.dtype("<f4"),
    OperandType.INT32: np.dtype("<i4"),
    OperandType.UINT32: np.dtype("<u4"),
    OperandType.TENSOR_FLOAT32: np.dtype("<f4"),
    OperandType.TENSOR_INT32: np.dtype("<i4"),
    OperandType.TENSOR_QUANT8_ASYMM: np.dtype("u1"),
    OperandType.OEM: np.dtype("u1"),
    OperandType.TENSOR_OEM_BYTE: np.dtype("u1"),
}


class OperationType(IntEnum):
    """The 29 operations, and the one that vendors may define."""

    ADD = 0
    AVERAGE_POOL_2D = 1
    CONCATENATION = 2
    CONV_2D = 3
    DEPTHWISE_CONV_2D = 4
    DEPTH_TO_SPACE = 5
    DEQUANTIZE = 6
    EMBEDDING_LOOKUP = 7
    FLOOR = 8
    FULLY_CONNECTED = 9
    HASHTABLE_LOOKUP = 10
    L2_NORMALIZATION = 11
    L2_POOL_2D = 12
    LOCAL_RESPONSE_NORMALIZATION = 13
    LOGISTIC = 14
    LSH_PROJECTION = 15
    LSTM = 16
    MAX_POOL_2D = 17
    MUL = 18
    RELU = 19
    RELU1 = 20
    RELU6 = 21
    RESHAPE = 22
    RESIZE_BILINEAR = 23
    RNN = 24
    SOFTMAX = 25
    SPACE_TO_DEPTH = 26
    SVDF = 27
    TANH = 28
    OEM_OPERATION = 10000


class FusedActivation(IntEnum):
    """What an operation does to its result; RELU1 clamps to [-1, 1]."""

    NONE = 0
    RELU = 1
    RELU1 = 2
    RELU6 = 3


class PaddingScheme(IntEnum):
    """How the implicit forms pad; NONE and VALID do not."""

    NONE = 0
    SAME = 1
    VALID = 2


class LifeTime(IntEnum):
    """How an operand is used."""

    TEMPORARY_VARIABLE = 0
    MODEL_INPUT = 1
    MODEL_OUTPUT = 2
    CONSTANT_COPY = 3
    CONSTANT_REFERENCE = 4
    NO_VALUE = 5


class DeviceStatus(IntEnum):
    """How a device is."""

    AVAILABLE = 0
    BUSY = 1
    OFFLINE = 2
    UNKNOWN = 3


class ErrorStatus(IntEnum):
    """What became of a call."""

    NONE = 0
    DEVICE_UNAVAILABLE = 1
    GENERAL_FAILURE = 2
    OUTPUT_INSUFFICIENT_SIZE = 3
    INVALID_ARGUMENT = 4


@dataclass(frozen=True)
class PerformanceInfo:
    """Time and energy of a workload relative to the CPU's; lower is better."""

    exec_time: float
    power_usage: float


@dataclass(frozen=True)
class Capabilities:
    """How fast a device is with floats and with 8-bit integers."""

    float32_performance: PerformanceInfo
    quantized8_performance: PerformanceInfo


@dataclass(frozen=True, slots=True)
class DataLocation:
    """Where a value lies: a pool, and bytes in it."""

    pool_index: int = 0
    offset: int = 0
    length: int = 0


NOWHERE = DataLocation()


@dataclass(frozen=True, slots=True)
class Operand:
    """A scalar or a tensor of a model; a dimension that is not specified is 0."""

    type: OperandType
    dimensions: tuple[int, ...] = ()
    number_of_consumers: int = 0
    scale: float = 0.0
    zero_point: int = 0
    lifetime: LifeTime = LifeTime.TEMPORARY_VARIABLE
    location: DataLocation = NOWHERE

    @property
    def is_fully_specified(self) -> bool:
        return 0 not in self.dimensions

    @property
    def is_constant(self) -> bool:
        return self.lifetime in (LifeTime.CONSTANT_COPY, LifeTime.CONSTANT_REFERENCE)


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation on operands, which are named by their places in the model."""

    type: OperationType
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]


def no_bytes() -> np.ndarray:
    """No values."""
    return np.zeros(0, np.uint8)


@dataclass(frozen=True, eq=False)
class Model:
    """Operands, operations in execution order, and the bytes of constants.

    `operand_values` and each of `pools` are vectors of bytes, which may be views into a file.
    """

    operands: tuple[Operand, ...]
    operations: tuple[Operation, ...]
    input_indexes: tuple[int, ...]
    output_indexes: tuple[int, ...]
    operand_values: np.ndarray = field(default_factory=no_bytes)
    pools: tuple[np.ndarray, ...] = ()


@dataclass(frozen=True)
class RequestArgument:
    """Where an input lies or an output goes, and the dimensions that the model leaves open."""

    has_no_value: bool = False
    location: DataLocation = NOWHERE
    dimensions: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class Request:
    """One execution: arguments in the order of the model's ends, and memory for them."""

    inputs: tuple[RequestArgument, ...]
    outputs: tuple[RequestArgument, ...]
    pools: tuple[np.ndarray, ...]


def constant_value(model: Model, operand: Operand) -> np.ndarray:
    """The value of a constant of a valid model, as a view; scalars have no axes."""
    place = operand.location
    copied = operand.lifetime == LifeTime.CONSTANT_COPY
    memory = model.operand_values if copied else model.pools[place.pool_index]
    content = memory[place.offset : place.offset + place.length]
    return content.view(operand.type.dtype).reshape(operand.dimensions)
