"""ONNX Runtime: ReduceLogSumExp loses what is far below 0 beside -infinity."""

import sys

import numpy as np
import onnxruntime
from onnx import TensorProto, helper

node = helper.make_node("ReduceLogSumExp", ["x"], ["y"], axes=[1], keepdims=0)
ends = [
    helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in (("x", [1, 2]), ("y", [1]))
]
graph = helper.make_graph([node], "g", ends[:1], ends[1:])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
session = onnxruntime.InferenceSession(
    model.SerializeToString(), providers=["CPUExecutionProvider"]
)
found = session.run(None, {"x": np.array([[-np.inf, -1000]], np.float32)})[0]
print(f"ONNX Runtime {onnxruntime.__version__}: {found[0]} instead of -1000")
sys.exit(float(found[0]) != -1000)
