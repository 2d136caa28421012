"""Tensors, operators and options of TFLite files as LiteRT's own schema writes them."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from ai_edge_litert import schema_py_generated as schema

ENUMS = {
    "padding": schema.Padding,
    "fused_activation_function": schema.ActivationFunctionType,
    "mode": schema.MirrorPadMode,
    "reduce_function": schema.ReduceWindowFunction,
    "weights_format": schema.FullyConnectedOptionsWeightsFormat,
    "kernel_type": schema.LSTMKernelType,
    "comparison_direction": schema.StablehloComparisonDirection,
    "compare_type": schema.StablehloComparisonType,
}
OPTIONS = {
    "AVERAGE_POOL_2D": "Pool2DOptions",
    "MAX_POOL_2D": "Pool2DOptions",
    "L2_POOL_2D": "Pool2DOptions",
    "CONV_3D_TRANSPOSE": "Conv3DOptions",
    "L2_NORMALIZATION": "L2NormOptions",
    "RNN": "RNNOptions",
    "UNIDIRECTIONAL_SEQUENCE_RNN": "SequenceRNNOptions",
    "MULTINOMIAL": "RandomOptions",
    "RANDOM_UNIFORM": "RandomOptions",
    "RANDOM_STANDARD_NORMAL": "RandomOptions",
    **dict.fromkeys(("MEAN", "SUM"), "ReducerOptions"),
    **dict.fromkeys(("MAXIMUM", "MINIMUM"), "MaximumMinimumOptions"),
}
"""Tables of options that are not called as their operator is."""


def add_buffer(model: Any, array: np.ndarray) -> int:
    """One more buffer of the file; its number."""
    model.buffers.append(schema.BufferT())
    model.buffers[-1].data = pack_constant(array)
    return len(model.buffers) - 1


def code_of(op: str, version: int) -> Any:
    """An operator of the file: one of TFLite's, or a custom one."""
    code = schema.OperatorCodeT()
    number = getattr(schema.BuiltinOperator, op, None)
    if number is None:
        number = schema.BuiltinOperator.CUSTOM
        code.customCode = op.encode()
    code.builtinCode, code.version = number, version
    code.deprecatedBuiltinCode = min(number, 127)
    return code


def pack_constant(array: np.ndarray) -> np.ndarray:
    """The bytes of a constant; two int4 share one, the first in the lower half."""
    if array.dtype.name not in ("int4", "uint4"):
        return np.frombuffer(np.ascontiguousarray(array).tobytes(), np.uint8)
    halves = array.reshape(-1).astype(np.int8).view(np.uint8) & 15
    even = np.append(halves, np.zeros(halves.size % 2, np.uint8))
    return even[::2] | even[1::2] << 4


def tensor(described: dict[str, Any], shape: list[int]) -> Any:
    """A tensor of the file."""
    made = schema.TensorT()
    made.shape = shape
    made.hasRank = True
    kind = described["dtype"].upper()
    made.type = getattr(schema.TensorType, kind)
    if "scale" in described:
        made.quantization = schema.QuantizationParametersT()
        made.quantization.scale = described["scale"]
        made.quantization.zeroPoint = described["zero_point"]
        made.quantization.quantizedDimension = described["axis"]
    made.isVariable = bool(described.get("variable"))
    return made


def give_options(operator: Any, op: str, given: dict[str, Any]) -> None:
    """Set the operator's options; enumerations and types by their names."""
    if not hasattr(schema.BuiltinOperator, op):
        if "custom_options" in given:
            operator.customOptions = np.array(given["custom_options"], np.uint8)
        return
    name = next((n for n in names_of(op) if hasattr(schema, n + "T")), None)
    if name is None:
        return
    options = getattr(schema, name + "T")()
    for key, value in given.items():
        head, *rest = key.split("_")
        setattr(options, head + "".join(r.capitalize() for r in rest), number(key, value))
    for slot, union in (("", schema.BuiltinOptions), ("2", schema.BuiltinOptions2)):
        if hasattr(union, name):
            setattr(operator, f"builtinOptions{slot}", options)
            setattr(operator, f"builtinOptions{slot}Type", getattr(union, name))


def names_of(op: str) -> list[str]:
    """What the options of an operator may be called."""
    if op.startswith("REDUCE_") and op != "REDUCE_WINDOW":
        return ["ReducerOptions"]
    words = "".join(w.capitalize() for w in op.split("_")) + "Options"
    return [OPTIONS.get(op, ""), tables_of_options().get(words.lower(), words)]


@functools.cache
def tables_of_options() -> dict[str, str]:
    """The schema's tables of options by their names in small letters."""
    return {n.lower(): n for n in vars(schema) if n.endswith("Options")}


def number(key: str, value: Any) -> Any:
    """A value of an option as its number."""
    if isinstance(value, dict):
        return getattr(schema.TensorType, value["type"])
    if key in ENUMS and isinstance(value, str):
        return getattr(ENUMS[key], value)
    return value
