"""Quantised operations, written out: casts to real numbers, the operation, casts back.

NNRt says of each tensor how its integers stand for real numbers. Where an operation computes with
what they stand for, a QUANT_DTYPE_CAST stands before and behind it afterwards. What only moves
elements about moves the integers.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...errors import BadType
from .enums import DataType
from .model import ABSENT, Model, Operation, QuantParam, Tensor, parameter_tensor
from .operations import OPERATIONS

CAST = OPERATIONS["QUANT_DTYPE_CAST"]
MOVES = frozenset(
    {
        *("BATCH_TO_SPACE_ND", "BROADCAST_TO", "CROP", "DEPTH_TO_SPACE", "EXPAND_DIMS", "FLATTEN"),
        *("CONCAT", "GATHER", "GATHER_ND", "RANK", "RESHAPE", "SELECT", "SHAPE", "SLICE"),
        *("SPACE_TO_DEPTH", "SPLIT", "SQUEEZE", "STACK", "STRIDED_SLICE", "TILE", "TOP_K"),
        *("TRANSPOSE", "UNSQUEEZE", "UNSTACK", "WHERE", "ARG_MAX"),
    }
)
"""Operations that give the elements that they read, or places: integers stay where they stand for
the same numbers before and behind."""

PRODUCTS = frozenset({"CONV2D", "CONV2D_TRANSPOSE", "DEPTHWISE_CONV2D_NATIVE", "FULL_CONNECTION"})
"""Operations whose bias has the scale of the products of input and weight."""


def write_out(model: Model) -> Model:
    """The same model with casts around the operations that compute with quantised tensors."""
    if not any(t.is_quantized for t in model.tensors):
        return model
    writer = _Writer(model)
    for operation in model.operations:
        writer.add(operation)
    return Model(
        tuple(writer.tensors), tuple(writer.operations), model.inputs, model.outputs, model.name
    )


class _Writer:
    """Collects the tensors and operations of the model that is written."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.tensors = list(model.tensors)
        self.operations: list[Operation] = []
        self.reals: dict[int, int] = {}
        self.places: dict[tuple[int, int], int] = {}

    def add(self, operation: Operation) -> None:
        """An operation as it is, or with casts around it."""
        name = operation.definition.name
        inputs = [k for k in operation.inputs if k != ABSENT]
        hows = [
            self.tensors[k].quantization
            for k in (*inputs, *operation.outputs)
            if self.tensors[k].is_quantized
        ]
        alike = len(set(hows)) == 1
        if name == CAST.name or not hows or (name in MOVES and alike):
            self.operations.append(operation)
            return
        reals = [self.real(k) for k in operation.inputs]
        if name in PRODUCTS and len(inputs) > 2:
            reals[2] = self.real_bias(inputs)
        outputs = [self.real_output(k) for k in operation.outputs]
        made = Operation(operation.code, operation.parameters, tuple(reals), tuple(outputs))
        self.operations.append(made)
        for real, number in zip(outputs, operation.outputs, strict=True):
            if real != number:
                self.cast(real, number, DataType.FLOAT32, self.tensors[number].data_type)

    def real(self, number: int) -> int:
        """The tensor of what an input stands for."""
        if number == ABSENT or not self.tensors[number].is_quantized:
            return number
        if number not in self.reals:
            source = self.tensors[number]
            self.reals[number] = self.append(source.shape)
            self.cast(number, self.reals[number], source.data_type, DataType.FLOAT32)
        return self.reals[number]

    def real_bias(self, inputs: Sequence[int]) -> int:
        """The tensor of what a bias stands for, whose scales are those of the products."""
        bias = self.tensors[inputs[2]]
        factors = [self.tensors[k].quantization for k in inputs[:2]]
        if bias.data_type.is_float or bias.quantization is not None or None in factors:
            return self.real(inputs[2])
        if bias.data_type != DataType.INT32:
            raise BadType(f"a bias {bias} beside quantised weights: INT32 is accepted")
        first, second = (np.array(f.scales, np.float32) for f in factors if f is not None)
        if first.size > 1:
            raise BadType("an input with several scales beside quantised weights")
        scales = tuple(map(float, first * second))
        how = QuantParam(scales, (0,) * len(scales), 32)
        copy = Tensor(bias.data_type, bias.shape, name=bias.name, quantization=how, data=bias.data)
        if bias.data is None:
            raise BadType(f"a bias {bias} beside quantised weights: a constant is accepted")
        self.tensors.append(copy)
        return self.real(len(self.tensors) - 1)

    def real_output(self, number: int) -> int:
        """The tensor that an operation on real numbers gives in place of an output."""
        tensor = self.tensors[number]
        return self.append(tensor.shape) if tensor.is_quantized else number

    def append(self, shape: tuple[int, ...]) -> int:
        """A new tensor of real numbers."""
        self.tensors.append(Tensor(DataType.FLOAT32, shape))
        return len(self.tensors) - 1

    def cast(self, source: int, target: int, given: DataType, wanted: DataType) -> None:
        """A QUANT_DTYPE_CAST; several scales are those of the first axis."""
        names = ("srcT", given), ("dstT", wanted)
        numbers = [self.parameter(name, int(value)) for name, value in names]
        self.operations.append(Operation(CAST.code, tuple(numbers), (source,), (target,)))

    def parameter(self, name: str, value: int) -> int:
        """The tensor of a parameter of the cast, once for each value."""
        parameter = CAST.named(name)
        key = parameter.type, value
        if key not in self.places:
            self.tensors.append(parameter_tensor(parameter, value, DataType.INT32))
            self.places[key] = len(self.tensors) - 1
        return self.places[key]
