"""Our implementation of the HAL's interfaces IDevice and IPreparedModel, in software.

Calls give status codes and raise nothing: INVALID_ARGUMENT for a model or a request that breaks a
rule, OUTPUT_INSUFFICIENT_SIZE for an output that is too short, GENERAL_FAILURE for data that an
operation refuses or what does not fit in memory, DEVICE_UNAVAILABLE once the device is offline.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from nnir.errors import BadInput, BadModel, DeviceError
from nnir.formats.nnapi.binding import Dims, bind, constants_of
from nnir.formats.nnapi.check import check
from nnir.formats.nnapi.requests import byte_size, check_request
from nnir.formats.nnapi.structures import (
    Capabilities,
    DeviceStatus,
    ErrorStatus,
    LifeTime,
    Model,
    PerformanceInfo,
    Request,
    RequestArgument,
)

from .execution import KERNELS, run

REFERENCE = PerformanceInfo(1.0, 1.0)
"""It is the CPU that others are compared with."""
FAILURES = (BadInput, DeviceError, MemoryError, ArithmeticError)
"""What a valid request may still end in."""


class SoftwareDevice:
    """IDevice: says what it can and prepares models."""

    def __init__(self) -> None:
        self.status = DeviceStatus.AVAILABLE

    def get_status(self) -> DeviceStatus:
        return self.status

    def close(self) -> None:
        """Go offline: every later call is DEVICE_UNAVAILABLE, that of prepared models too."""
        self.status = DeviceStatus.OFFLINE

    @property
    def is_open(self) -> bool:
        return self.status == DeviceStatus.AVAILABLE

    def get_capabilities(self) -> tuple[ErrorStatus, Capabilities]:
        """How fast it is, which is as fast as the CPU."""
        status = ErrorStatus.NONE if self.is_open else ErrorStatus.DEVICE_UNAVAILABLE
        return status, Capabilities(REFERENCE, REFERENCE)

    def get_supported_operations(self, model: Model) -> tuple[ErrorStatus, list[bool]]:
        """For each operation of a valid model whether it is run; none of an invalid one."""
        if not self.is_open:
            return ErrorStatus.DEVICE_UNAVAILABLE, []
        try:
            check(model)
        except BadModel:
            return ErrorStatus.INVALID_ARGUMENT, []
        return ErrorStatus.NONE, [o.type.name in KERNELS for o in model.operations]

    def prepare_model(self, model: Model) -> tuple[ErrorStatus, PreparedModel | None]:
        """What executes a model; none with any status but NONE."""
        if not self.is_open:
            return ErrorStatus.DEVICE_UNAVAILABLE, None
        try:
            dims = check(model)
        except BadModel:
            return ErrorStatus.INVALID_ARGUMENT, None
        return ErrorStatus.NONE, PreparedModel(self, model, dims)


class PreparedModel:
    """IPreparedModel: executes requests, from several threads at once."""

    def __init__(self, device: SoftwareDevice, model: Model, dims: list[Dims]) -> None:
        self.device, self.model, self.dims = device, model, dims

    def execute(self, request: Request) -> ErrorStatus:
        """Read the inputs from the request's pools and write the outputs there.

        Nothing is written unless the status is NONE.
        """
        if not self.device.is_open:
            return ErrorStatus.DEVICE_UNAVAILABLE
        try:
            dims = check_request(self.model, request)
            status = self._check_outputs(request, dims)
            if status == ErrorStatus.NONE:
                self._execute(request, dims)
        except BadModel:
            return ErrorStatus.INVALID_ARGUMENT
        except FAILURES:
            return ErrorStatus.GENERAL_FAILURE
        return status

    def _check_outputs(self, request: Request, dims: list[Dims]) -> ErrorStatus:
        """Whether the outputs take what will be written."""
        sizes = dims[len(request.inputs) :]
        for index, size, argument in zip(
            self.model.output_indexes, sizes, request.outputs, strict=True
        ):
            wanted, length = byte_size(self.model.operands[index], size), argument.location.length
            if length < wanted:
                return ErrorStatus.OUTPUT_INSUFFICIENT_SIZE
            is_writable = request.pools[argument.location.pool_index].flags.writeable
            if length > wanted or not is_writable:
                return ErrorStatus.INVALID_ARGUMENT
        return ErrorStatus.NONE

    def _execute(self, request: Request, dims: list[Dims]) -> None:
        ends = (*self.model.input_indexes, *self.model.output_indexes)
        known = list(self.dims)
        for index, size in zip(ends, dims, strict=True):
            known[index] = size
        inputs, omitted = {}, set()
        for index, argument in zip(self.model.input_indexes, request.inputs, strict=True):
            if argument.has_no_value:
                omitted.add(index)
                continue
            dtype = self.model.operands[index].type.dtype
            inputs[index] = read_argument(request, argument, dtype, known[index])
        model = leave_out(self.model, omitted)
        results = run(model, inputs, known)
        for argument, result in zip(request.outputs, results, strict=True):
            place = argument.location
            pool = request.pools[place.pool_index]
            content = np.ascontiguousarray(result).reshape(-1).view(np.uint8)
            pool[place.offset : place.offset + place.length] = content


def read_argument(
    request: Request, argument: RequestArgument, dtype: np.dtype, dims: Dims
) -> np.ndarray:
    """The value of an input as a view of its pool."""
    place = argument.location
    content = request.pools[place.pool_index][place.offset : place.offset + place.length]
    return content.view(dtype).reshape(dims)


def leave_out(model: Model, omitted: set[int]) -> Model:
    """The model with inputs that have no value; BadModel where what is left breaks a rule."""
    if not omitted:
        return model
    operands = tuple(
        replace(o, lifetime=LifeTime.NO_VALUE) if k in omitted else o
        for k, o in enumerate(model.operands)
    )
    found = replace(model, operands=operands)
    values = constants_of(found)
    for operation in found.operations:
        bind(found, operation, [o.dimensions for o in operands], values)
    return found
