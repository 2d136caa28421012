"""An NNRt model built call by call, as the runtime demands it; each call gives a return code.

The methods are the functions of `neural_network_runtime.h` that take an OH_NNModel; their names
stand beside them. Tensors first, then their data, quantisation and types, then the operations that
use them; the inputs and outputs; and `finish`, behind which nothing changes.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import field, replace
from typing import Concatenate, ParamSpec, Protocol, TypeVar

import numpy as np

from ...errors import (
    VALUES,
    BadCall,
    BadFile,
    BadModel,
    DeviceError,
    NNAdapterError,
    NoDevice,
    OutOfMemory,
    Unsupported,
    describe,
    summary,
)
from ...records import dataclass
from .check import check_model, check_operation, check_tensor, require_ends
from .enums import DataType, Format, ReturnCode, member
from .model import Model, Operation, QuantParam, Tensor

CODES: tuple[tuple[type[NNAdapterError], ReturnCode], ...] = (
    (BadFile, ReturnCode.INVALID_FILE),
    (BadCall, ReturnCode.OPERATION_FORBIDDEN),
    (Unsupported, ReturnCode.UNSUPPORTED),
    (OutOfMemory, ReturnCode.MEMORY_ERROR),
    (NoDevice, ReturnCode.UNAVAILABLE_DEVICE),
    (DeviceError, ReturnCode.FAILED),
)
"""What an error is to the runtime; every other one is a parameter that is not valid."""


def code_of(error: BaseException) -> ReturnCode:
    """The return code that an error stands for."""
    if isinstance(error, MemoryError):
        return ReturnCode.MEMORY_ERROR
    for kind, code in CODES:
        if isinstance(error, kind):
            return code
    return ReturnCode.INVALID_PARAMETER


class Handle(Protocol):
    """What the calls of the runtime are made on; `problem` says why the last one failed."""

    problem: str


P = ParamSpec("P")
H = TypeVar("H", bound=Handle)


def answers(
    call: Callable[Concatenate[H, P], ReturnCode | None],
) -> Callable[Concatenate[H, P], ReturnCode]:
    """Decorator: a call gives the return code of what it raises, and NULL_PTR for a None."""

    @functools.wraps(call)
    def answer(self: H, /, *args: P.args, **kwargs: P.kwargs) -> ReturnCode:
        if any(a is None for a in (*args, *kwargs.values())):
            self.problem = f"{call.__name__} with None: all arguments are needed"
            return ReturnCode.NULL_PTR
        try:
            found = call(self, *args, **kwargs)
        except NNAdapterError as error:
            self.problem = summary(error)
            return code_of(error)
        except VALUES as error:
            self.problem = describe(error)
            return code_of(error)
        if found is not None:
            return found
        self.problem = ""
        return ReturnCode.SUCCESS

    return answer


@dataclass(frozen=True)
class TensorDesc:
    """NN_TensorDesc: type, sizes (-1 for open ones), format and name of a tensor."""

    data_type: DataType
    shape: tuple[int, ...]
    format: Format = Format.NONE
    name: str = ""

    def tensor(self) -> Tensor:
        """A tensor of this description; BadModel where it is not valid."""
        kind, form = member(DataType, self.data_type), member(Format, self.format)
        return Tensor(kind, tuple(int(d) for d in self.shape), format=form, name=self.name)


@dataclass
class ModelBuilder:
    """OH_NNModel (OH_NNModel_Construct). `model` is there once it is finished."""

    name: str = ""
    problem: str = ""
    model: Model | None = None
    tensors: list[Tensor] = field(default_factory=list)
    operations: list[Operation] = field(default_factory=list)
    inputs: tuple[int, ...] = ()
    outputs: tuple[int, ...] = ()

    @answers
    def add_tensor(self, desc: TensorDesc) -> None:
        """OH_NNModel_AddTensorToModel: the next tensor."""
        self._require_open()
        tensor = desc.tensor()
        check_tensor(tensor, f"tensor {len(self.tensors)}")
        self.tensors.append(tensor)

    @answers
    def set_tensor_data(self, index: int, data: np.ndarray | bytes) -> None:
        """OH_NNModel_SetTensorData: the elements of a constant, once."""
        tensor = self._tensor(index)
        if tensor.data is not None:
            raise BadModel(f"tensor {index} has data already")
        if tensor.is_dynamic:
            raise BadCall(f"tensor {index}, {tensor}, has no known size: it takes no data")
        raw = data if isinstance(data, np.ndarray) else np.frombuffer(data, tensor.data_type.dtype)
        if raw.dtype != tensor.data_type.dtype or raw.size != tensor.count:
            raise BadModel(f"tensor {index}, {tensor}, with data of {raw.dtype}[{raw.size}]")
        self._replace(index, replace(tensor, data=raw.reshape(tensor.shape)))

    @answers
    def set_tensor_quantization(self, index: int, how: QuantParam) -> None:
        """OH_NNModel_SetTensorQuantParams: how integers stand for real numbers."""
        self._replace(index, replace(self._tensor(index), quantization=how))

    @answers
    def set_tensor_type(self, index: int, type: int) -> None:
        """OH_NNModel_SetTensorType: the mark of a parameter."""
        self._replace(index, replace(self._tensor(index), type=type))

    @answers
    def add_operation(
        self, code: int, parameters: Sequence[int], inputs: Sequence[int], outputs: Sequence[int]
    ) -> None:
        """OH_NNModel_AddOperation: what reads tensors that are there, and their types."""
        self._require_open()
        operation = Operation(code, tuple(parameters), tuple(inputs), tuple(outputs))
        check_operation(self._draft(), operation, f"operation {len(self.operations)}")
        self.operations.append(operation)

    @answers
    def specify_inputs_and_outputs(self, inputs: Sequence[int], outputs: Sequence[int]) -> None:
        """OH_NNModel_SpecifyInputsAndOutputs: the ends of the model, once."""
        self._require_open()
        if self.inputs:
            raise BadCall("the inputs and outputs are specified already")
        require_ends(self._draft(), inputs, outputs)
        self.inputs, self.outputs = tuple(inputs), tuple(outputs)

    @answers
    def finish(self) -> None:
        """OH_NNModel_Finish: checks the whole, which does not change any more."""
        self._require_open()
        if not self.inputs:
            raise BadCall("finish before the inputs and outputs are specified")
        if not self.operations:
            raise BadCall("finish before an operation is added")
        draft = self._draft()
        check_model(draft)
        self.model = draft

    def _require_open(self) -> None:
        if self.model is not None:
            raise BadCall("the model is finished: it does not change any more")

    def _draft(self) -> Model:
        return Model(
            tuple(self.tensors), tuple(self.operations), self.inputs, self.outputs, self.name
        )

    def _tensor(self, index: int) -> Tensor:
        self._require_open()
        if not 0 <= index < len(self.tensors):
            raise BadModel(f"tensor {index}: the model has {len(self.tensors)}")
        return self.tensors[index]

    def _replace(self, index: int, tensor: Tensor) -> None:
        """Another description of a tensor, which no operation uses yet."""
        used = {n for o in self.operations for n in (*o.parameters, *o.inputs, *o.outputs)}
        if index in used:
            raise BadCall(f"tensor {index} is used by an operation: set what it is before")
        check_tensor(tensor, f"tensor {index}")
        self.tensors[index] = tensor
