"""NNRt's models: tensors by number, and the operations that read and make them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...errors import BadModel
from ...records import dataclass
from .enums import DataType, Format
from .operations import TYPE_NAMES, Definition, Parameter, find_definition

ABSENT = 0xFFFFFFFF
"""In the inputs of an operation: an optional one that is left out before others."""

TENSOR = 0
"""The tensor type of what is no parameter."""

DYNAMIC = -1
"""A size that is only known while running."""


@dataclass(frozen=True)
class QuantParam:
    """NN_QuantParam: real = (q - zero point) * scale, with `bits` that are in use.

    Several scales belong to the axis that QUANT_DTYPE_CAST names, else to the first one.
    """

    scales: tuple[float, ...]
    zero_points: tuple[int, ...]
    bits: int = 8

    @classmethod
    def of_type(
        cls, dtype: np.dtype, scales: Sequence[float], zero_points: Sequence[int]
    ) -> QuantParam:
        """Integers of which all bits are in use; one zero point may stand for all scales."""
        rows = tuple(map(float, scales)), tuple(map(int, zero_points))
        zeros = rows[1] * (len(rows[0]) // len(rows[1]))
        return cls(rows[0], zeros, 8 * dtype.itemsize)


@dataclass(frozen=True, eq=False)
class Tensor:
    """A tensor: its description, the mark of a parameter, how it is quantised, and its data where
    it is constant (a view, in the shape of the tensor)."""

    data_type: DataType
    shape: tuple[int, ...]
    type: int = TENSOR
    format: Format = Format.NONE
    name: str = ""
    quantization: QuantParam | None = None
    data: np.ndarray | None = None

    @property
    def is_dynamic(self) -> bool:
        return DYNAMIC in self.shape

    @property
    def count(self) -> int:
        """How many elements it has; open sizes count as none."""
        return math.prod(self.shape) if not self.is_dynamic else 0

    @property
    def is_quantized(self) -> bool:
        """Whether its integers stand for other numbers."""
        return self.quantization is not None and not (
            self.data_type.is_float or self.data_type == DataType.BOOL
        )

    def __str__(self) -> str:
        mark = "" if self.type == TENSOR else f" ({TYPE_NAMES.get(self.type, self.type)})"
        return f"{self.data_type.name.lower()}{list(self.shape)}{mark}"


@dataclass(frozen=True)
class Operation:
    """An operation by its code, with the numbers of its parameters, inputs and outputs."""

    code: int
    parameters: tuple[int, ...]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]

    @property
    def definition(self) -> Definition:
        """What the standard says of it; BadModel for a code that it has not."""
        return find_definition(self.code)


@dataclass(frozen=True, eq=False)
class Model:
    """A model in the order in which it runs."""

    tensors: tuple[Tensor, ...]
    operations: tuple[Operation, ...]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    name: str = ""

    def tensor(self, number: int) -> Tensor:
        """A tensor by its number; BadModel where there is none."""
        if not 0 <= number < len(self.tensors):
            raise BadModel(f"tensor {number}: the model has {len(self.tensors)}")
        return self.tensors[number]

    def labels(self) -> list[str]:
        """Names of the tensors, which no two have."""
        found: dict[str, None] = {}
        for number, tensor in enumerate(self.tensors):
            name = tensor.name or f"tensor_{number}"
            while name in found:
                name = f"{name}#{number}"
            found[name] = None
        return list(found)


def arguments_of(model: Model, operation: Operation) -> dict[str, Any]:
    """The parameters of an operation by their names, as Python numbers and tuples of them."""
    found = {}
    for number in operation.parameters:
        tensor = model.tensor(number)
        parameter = operation.definition.parameter(tensor.type)
        if parameter is None or tensor.data is None:
            raise BadModel(f"{operation.definition.full_name} with the parameter {tensor}")
        found[parameter.name] = _python(parameter, tensor.data)
    return found


def _python(parameter: Parameter, data: np.ndarray) -> Any:
    """The elements of a parameter: one number, or a tuple."""
    if parameter.count == 1:
        return data.reshape(-1)[0].item()
    return tuple(data.reshape(-1).tolist())


def parameter_tensor(parameter: Parameter, value: Any, data_type: DataType) -> Tensor:
    """The tensor that holds a parameter: a number, or a vector of several."""
    data = np.array(value, data_type.dtype)
    return Tensor(data_type, data.shape, parameter.type, data=data)


def quantized_inputs(model: Model, numbers: Sequence[int]) -> Iterator[int]:
    """The numbers of the tensors whose integers stand for others."""
    for number in numbers:
        if number != ABSENT and model.tensor(number).is_quantized:
            yield number
