"""What makes an NNRt model valid: every rule of the header that needs no shapes of results.

Each rule raises an error that names the operation and the tensor. Whether the declared shape and
type of a result are those that the operation gives is checked where the model is assembled
(`nnir.recipes.nnrt.assembly`).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np

from ...errors import BadModel, BadType
from ...types import LARGEST, MOST_AXES
from .enums import SIGNED, UNSIGNED, DataType, Format, types_of
from .model import ABSENT, DYNAMIC, TENSOR, Model, Operation, QuantParam, Tensor
from .operations import TYPE_NAMES, Definition, Operand, Parameter

MOST_BITS = 32


def check_model(model: Model) -> None:
    """BadModel or BadType for the first rule that a model breaks."""
    for number, tensor in enumerate(model.tensors):
        check_tensor(tensor, f"tensor {number}")
    require_ends(model, model.inputs, model.outputs)
    if not model.operations:
        raise BadModel("a model without operations: at least one is needed")
    for position, operation in enumerate(model.operations):
        check_operation(model, operation, f"operation {position}")
    check_order(model)


def check_tensor(tensor: Tensor, what: str) -> None:
    """The description of a tensor, and whether its data fits it."""
    if tensor.type not in TYPE_NAMES:
        raise BadModel(f"{what} has the type {tensor.type}: 0 to {max(TYPE_NAMES)} are accepted")
    if tensor.data_type == DataType.UNKNOWN:
        raise BadModel(f"{what} has the data type UNKNOWN: a type of elements is needed")
    if len(tensor.shape) > MOST_AXES:
        raise BadModel(f"{what} has {len(tensor.shape)} axes: at most {MOST_AXES} are accepted")
    wrong = next((d for d in tensor.shape if d < DYNAMIC), None)
    if wrong is not None or math.prod(d for d in tensor.shape if d != DYNAMIC) > LARGEST:
        raise BadModel(f"{what} has the sizes {list(tensor.shape)}: -1 stands for an open one")
    if tensor.format in (Format.NCHW, Format.NHWC) and len(tensor.shape) not in (0, 4):
        raise BadModel(f"{what}, {tensor}, is {tensor.format.name}: four axes are needed")
    if tensor.quantization is not None:
        check_quantization(tensor, tensor.quantization, what)
    if tensor.data is not None:
        check_data(tensor, tensor.data, what)


def check_quantization(tensor: Tensor, found: QuantParam, what: str) -> None:
    """Scales, zero points and bits of a tensor."""
    if not found.scales or len(found.scales) != len(found.zero_points):
        count = f"{len(found.scales)} scales and {len(found.zero_points)} zero points"
        raise BadModel(f"{what} has {count}: as many of one as of the other, and one at least")
    if not all(np.isfinite(s) and s > 0 for s in found.scales):
        raise BadModel(f"{what} has a scale that is not a positive number")
    if not 1 <= found.bits <= MOST_BITS:
        raise BadModel(f"{what} has {found.bits} bits: 1 to {MOST_BITS} are accepted")
    if tensor.data_type in SIGNED | UNSIGNED:
        bounds = np.iinfo(tensor.data_type.dtype)
        if not all(bounds.min <= z <= bounds.max for z in found.zero_points):
            name = tensor.data_type.name
            raise BadModel(f"{what} has a zero point beyond {name}")


def check_data(tensor: Tensor, data: np.ndarray, what: str) -> None:
    """The elements of a constant."""
    if tensor.is_dynamic:
        raise BadModel(f"{what}, {tensor}, has data: its sizes must be known")
    if data.dtype != tensor.data_type.dtype or data.shape != tensor.shape:
        raise BadModel(f"{what}, {tensor}, has data of {data.dtype}{list(data.shape)}")
    if tensor.data_type == DataType.BOOL and data.size and data.view(np.uint8).max() > 1:
        raise BadModel(f"{what} has truth values beyond 0 and 1")


def require_ends(model: Model, inputs: Sequence[int], outputs: Sequence[int]) -> None:
    """The inputs and outputs of a model: tensors without data, each once."""
    for what, numbers in (("input", inputs), ("output", outputs)):
        if not numbers:
            raise BadModel(f"a model without {what}s: at least one is needed")
        for number, times in Counter(numbers).items():
            tensor = model.tensor(number)
            if times > 1:
                raise BadModel(f"tensor {number} is an {what} {times} times")
            if tensor.type != TENSOR:
                raise BadModel(f"the {what} {number} is {tensor}: a plain tensor is needed")
            if tensor.data is not None:
                raise BadModel(f"the {what} {number} has data: it is a constant")


def check_operation(model: Model, operation: Operation, what: str) -> None:
    """The inputs, parameters and outputs of an operation, by its definition."""
    definition = operation.definition
    what = f"{what}, {definition.full_name},"
    check_operands(model, definition.inputs, operation.inputs, f"{what} input")
    check_parameters(model, definition, operation.parameters, what)
    if ABSENT in operation.outputs:
        raise BadModel(f"{what} leaves out an output: all of them are named")
    check_operands(model, definition.outputs, operation.outputs, f"{what} output")
    if definition.layout == "NHWC":
        require_channels_last(model, (*operation.inputs[:1], *operation.outputs), what)


def check_operands(
    model: Model, operands: Sequence[Operand], numbers: Sequence[int], what: str
) -> None:
    """Count, kinds and ranks of inputs or outputs."""
    rest = operands[-1].is_variadic
    least = sum(not o.is_optional for o in operands)
    if len(numbers) < least or (len(numbers) > len(operands) and not rest):
        most = "or more" if rest else f"to {len(operands)}"
        raise BadModel(f"{what}s are {len(numbers)}: {least} {most} are accepted")
    for place, number in enumerate(numbers):
        operand = operands[min(place, len(operands) - 1)]
        if number == ABSENT and operand.is_optional:
            continue
        check_operand(model.tensor(number), operand, f"{what} {operand.name!r} (tensor {number})")


def check_operand(tensor: Tensor, operand: Operand, what: str) -> None:
    """Whether a tensor may be an input or output."""
    if tensor.type != TENSOR:
        raise BadModel(f"{what} is {tensor}: a plain tensor is needed")
    accepts_integers = tensor.is_quantized and "float" in operand.kinds
    if tensor.data_type not in types_of(operand.kinds) and not accepts_integers:
        raise BadType(f"{what} is {tensor}: {operand.kinds} is accepted")
    if not operand.least <= len(tensor.shape) <= operand.most:
        wanted = f"{operand.least}"
        if operand.most != operand.least:
            wanted += f" to {operand.most}"
        raise BadType(f"{what} is {tensor}: {wanted} axes are accepted")


def check_parameters(
    model: Model, definition: Definition, numbers: Sequence[int], what: str
) -> None:
    """Each parameter once, of its kind and count; those of one form only; all that are needed."""
    seen: dict[str, Parameter] = {}
    for number in numbers:
        tensor = model.tensor(number)
        parameter = definition.parameter(tensor.type)
        if parameter is None:
            raise BadModel(f"{what} has no parameter of the type of tensor {number}, {tensor}")
        if parameter.name in seen:
            raise BadModel(f"{what} has the parameter {parameter.name!r} twice")
        check_parameter(tensor, parameter, f"{what} parameter {parameter.name!r}")
        seen[parameter.name] = parameter
    missing = [p.name for p in definition.parameters if not (p.is_optional or p.form)]
    missing = [name for name in missing if name not in seen]
    if missing:
        raise BadModel(f"{what} lacks the parameters {', '.join(missing)}")
    if {"padMode", "padList"} <= seen.keys():
        raise BadModel(f"{what} has padMode and padList: one of them is accepted")


def check_parameter(tensor: Tensor, parameter: Parameter, what: str) -> None:
    """A constant of the right kind with as many elements as the parameter has."""
    if tensor.data is None:
        raise BadModel(f"{what} has no data: parameters are constants")
    if tensor.data_type not in types_of(parameter.kinds):
        raise BadType(f"{what} is {tensor}: {parameter.kinds} is accepted")
    if parameter.count and tensor.data.size != parameter.count:
        raise BadType(f"{what} is {tensor}: {parameter.count} elements are accepted")
    if not parameter.count and len(tensor.shape) > 1:
        raise BadType(f"{what} is {tensor}: a vector is accepted")


def require_channels_last(model: Model, numbers: Sequence[int], what: str) -> None:
    """Images whose format says another order of axes are refused."""
    for number in numbers:
        tensor = model.tensor(number)
        if tensor.format == Format.NCHW:
            raise BadType(f"{what} has tensor {number} in NCHW: NHWC is accepted")


def check_order(model: Model) -> None:
    """Every tensor is there before it is read, and made once."""
    ready = set(model.inputs)
    ready.update(k for k, t in enumerate(model.tensors) if t.data is not None)
    for position, operation in enumerate(model.operations):
        name = f"operation {position}, {operation.definition.full_name},"
        for number in operation.inputs:
            if number != ABSENT and number not in ready:
                raise BadModel(f"{name} reads tensor {number}, which nothing makes before it")
        for number in operation.outputs:
            if number in ready:
                raise BadModel(f"{name} writes tensor {number}, which is there already")
            ready.add(number)
    for number in model.outputs:
        if number not in ready:
            raise BadModel(f"nothing makes the output {number}")
