"""A small model built operand by operand, compiled and run with the calls of the standard.

python examples/operand_by_operand.py [DEVICE]
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from hal.standard import Compilation, Context, Device, Execution, Model, Operand, OperandType
from nnir.types import AutoPad, Fuse, Precision


def constant(model: Model, array: np.ndarray, precision: Precision) -> Operand:
    """A constant operand."""
    operand = model.add_operand(OperandType(precision, array.shape))
    model.set_operand_value(operand, array, copy=True)
    return operand


def numbers(model: Model, *values: int) -> Operand:
    return constant(model, np.array(values, np.int32), Precision.INT32)


def build() -> Model:
    """A convolution with a fused activation, and a scale."""
    rng = np.random.default_rng(0)
    model = Model.create()
    x = model.add_operand(OperandType(Precision.FLOAT32, (-1, 3, 8, 8)), "image")
    filter = constant(model, rng.random((4, 3, 3, 3), np.float32), Precision.FLOAT32)
    bias = constant(model, rng.random(4, np.float32), Precision.FLOAT32)
    features = model.add_operand(OperandType(Precision.FLOAT32), "features")
    convolution = [x, filter, bias, numbers(model, AutoPad.NONE), numbers(model, 1, 1, 1, 1)]
    convolution += [numbers(model, 2, 2), numbers(model, 1), numbers(model, 1, 1)]
    model.add_operation("CONV_2D", [*convolution, numbers(model, Fuse.RELU)], [features])
    print("inferred:", model.get_operand_type(features).dimensions)
    scale = constant(model, np.float32([0.5]), Precision.FLOAT32)
    result = model.add_operand(OperandType(Precision.FLOAT32), "result")
    model.add_operation("MUL", [features, scale, numbers(model, Fuse.NONE)], [result])
    model.identify_inputs_and_outputs([x], [result])
    model.finish()
    return model


def give(memory: np.ndarray, type: OperandType) -> np.ndarray:
    """Hand in an array: say how large it is, then where it is."""
    type.dimensions = memory.shape
    return memory


def take(memory: dict[str, Any], type: OperandType) -> np.ndarray:
    """Take a result: make room for it."""
    memory["array"] = np.empty(type.dimensions, type.precision.dtype)
    return memory["array"]


def main(name: str) -> None:
    """Every step in the order of the standard, and everything given back in reverse."""
    device = Device.acquire(name)
    print(f"{device.get_name()} of {device.get_vendor()}, type {device.get_type().name}")
    context = Context.create([device], "")
    model = build()
    print("supported:", model.get_supported_operations(context))
    compilation = Compilation.create(model, None, None, None, context)
    compilation.finish()
    execution = Execution.create(compilation)
    result: dict[str, Any] = {}
    for batch in (1, 2):
        execution.set_input(0, np.ones((batch, 3, 8, 8), np.float32), give)
        execution.set_output(0, result, take)
        execution.compute()
        print("result:", result["array"].shape, "sum", round(float(result["array"].sum()), 3))
    for handle in (execution, compilation, model, context):
        handle.destroy()
    device.release()


if __name__ == "__main__":
    main(*sys.argv[1:] or ["builtin"])
