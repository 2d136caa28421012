"""LiteRT: a MINIMUM with infinity behind a MAXIMUM gives what lies in memory.

Kind: wrong value
Says: max(x @ w, 0.1), and infinity bounds nothing. With XNNPACK, which runs by default, the result
is never written where a product or another bound is in front; without it the answer is right. The
same with a MAXIMUM with minus infinity. Exporters write a Clip with one bound so.
Seen: 2.3.0
Here: such bounds are left out (`hal/drivers/litert/binary.py`).
"""

import sys

import numpy as np

try:
    import flatbuffers
    from _one_operator import PLAIN, option
    from ai_edge_litert import interpreter as litert
    from ai_edge_litert import schema_py_generated as schema
except ModuleNotFoundError:
    sys.exit(2)

x, w = np.ones((3, 16), np.float32), np.full((16, 16), 0.5, np.float32)
bounds = np.array([0.1, np.inf], np.float32)
model = option("Model", version=3, buffers=[schema.BufferT()], operatorCodes=[])
graph = option("SubGraph", tensors=[], operators=[], inputs=[0], outputs=[6], name="g")
for shape, data in (
    (x.shape, None),
    (w.shape, w),
    (x.shape, None),
    ((), bounds[0]),
    (x.shape, None),
    ((), bounds[1]),
    (x.shape, None),
):
    tensor = option("Tensor", type=schema.TensorType.FLOAT32, shape=list(shape), hasRank=True)
    if data is not None:
        tensor.buffer = len(model.buffers)
        held = np.frombuffer(data.tobytes(), np.uint8)
        model.buffers.append(option("Buffer", data=held))
    graph.tensors.append(tensor)
for place, (op, kind, inputs) in enumerate(
    (
        ("FULLY_CONNECTED", "FullyConnectedOptions", [0, 1, -1]),
        ("MAXIMUM", "MaximumMinimumOptions", [3, 2]),
        ("MINIMUM", "MaximumMinimumOptions", [5, 4]),
    )
):
    code = getattr(schema.BuiltinOperator, op)
    model.operatorCodes.append(option("OperatorCode", builtinCode=code, deprecatedBuiltinCode=code))
    step = option("Operator", opcodeIndex=place, inputs=inputs, outputs=[2 * place + 2])
    step.builtinOptions, step.builtinOptionsType = (
        option(kind),
        getattr(schema.BuiltinOptions, kind),
    )
    graph.operators.append(step)
model.subgraphs = [graph]
builder = flatbuffers.Builder(1024)
builder.Finish(model.Pack(builder), b"TFL3")
found = []
for kernels in ({}, {"experimental_op_resolver_type": PLAIN}):
    made = litert.Interpreter(model_content=bytes(builder.Output()), **kernels)
    made.allocate_tensors()
    made.set_tensor(0, x)
    made.invoke()
    found.append(float(made.get_tensor(6)[0, 0]))
print(f"min(max(x @ w, 0.1), inf) with XNNPACK {found[0]}, by LiteRT's own kernels {found[1]}")
sys.exit(int(found[0] != found[1]))
