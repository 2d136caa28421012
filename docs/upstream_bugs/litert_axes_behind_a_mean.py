"""LiteRT: one element along an axis, added to a quantised mean and quantised, loses its axis.

Kind: wrong value
Says: Tensors broadcast to the axes of both: a number and [1] give [1]. So it is without XNNPACK,
and behind a mean of floats.
Seen: 2.3.0
Here: a number that meets one element along axes gets these first (`hal/drivers/litert/emitter.py`).
"""

import sys
from typing import Any

import numpy as np

try:
    import flatbuffers
    from _one_operator import PLAIN, option
    from ai_edge_litert import interpreter as litert
    from ai_edge_litert import schema_py_generated as schema
except ModuleNotFoundError:
    sys.exit(2)

model = option("Model", version=3, buffers=[schema.BufferT()], operatorCodes=[])
axes, one = np.array([0, 1], np.int32), np.ones(1, np.float32)


def tensor(kind: str, shape: list[int], data: np.ndarray | None = None) -> Any:
    """A tensor; one that the file holds where `data` is given."""
    made = option("Tensor", type=getattr(schema.TensorType, kind), shape=shape, hasRank=True)
    made.name = f"t{len(shape)}"
    if kind == "INT8":
        made.quantization = option("QuantizationParameters", scale=[0.5], zeroPoint=[0])
    if data is not None:
        made.buffer = len(model.buffers)
        model.buffers.append(option("Buffer", data=np.frombuffer(data.tobytes(), np.uint8)))
    return made


def step(op: str, inputs: list[int], output: int, options: Any) -> Any:
    """An operator of the graph."""
    code = getattr(schema.BuiltinOperator, op)
    described = option("OperatorCode", builtinCode=code, deprecatedBuiltinCode=code, version=2)
    model.operatorCodes.append(described)
    made = option("Operator", opcodeIndex=len(model.operatorCodes) - 1, builtinOptions=options)
    kind = type(options).__name__.removesuffix("T")
    made.builtinOptionsType = getattr(schema.BuiltinOptions, kind)
    made.inputs, made.outputs = inputs, [output]
    return made


tensors = [tensor("INT8", [2, 3]), tensor("INT32", [2], axes), tensor("INT8", [])]
tensors += [tensor("FLOAT32", []), tensor("FLOAT32", [1], one), tensor("FLOAT32", [1])]
tensors += [tensor("INT8", [1]), tensor("FLOAT32", [1])]
steps = [
    step("MEAN", [0, 1], 2, option("ReducerOptions")),
    step("DEQUANTIZE", [2], 3, option("DequantizeOptions")),
    step("ADD", [3, 4], 5, option("AddOptions")),
    step("QUANTIZE", [5], 6, option("QuantizeOptions")),
    step("DEQUANTIZE", [6], 7, option("DequantizeOptions")),
]
graph = option("SubGraph", tensors=tensors, inputs=[0], outputs=[7], operators=steps, name="g")
model.subgraphs = [graph]
builder = flatbuffers.Builder(1024)
builder.Finish(model.Pack(builder), b"TFL3")
shapes = []
for words in ({}, {"experimental_op_resolver_type": PLAIN}):
    made = litert.Interpreter(model_content=bytes(builder.Output()), **words)
    made.allocate_tensors()
    made.set_tensor(made.get_input_details()[0]["index"], np.ones((2, 3), np.int8))
    made.invoke()
    shapes.append(made.get_tensor(made.get_output_details()[0]["index"]).shape)
print(f"the mean of 2x3 elements and [1]: got {shapes[0]}, {shapes[1]} without XNNPACK is right")
sys.exit(int(shapes[0] != (1,)))
