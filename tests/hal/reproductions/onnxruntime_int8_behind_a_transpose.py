"""ONNX Runtime: a Transpose behind an int8 dequantisation of opset 21 has no session."""

import sys

import numpy as np
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

nodes = [
    helper.make_node("QuantizeLinear", ["x", "s", "z"], ["q"]),
    helper.make_node("DequantizeLinear", ["q", "s", "z"], ["d"]),
    helper.make_node("Transpose", ["d"], ["y"], perm=[1, 0]),
]
weights = [numpy_helper.from_array(np.float32(0.1), "s"), numpy_helper.from_array(np.int8(3), "z")]
ends = [
    helper.make_tensor_value_info(n, TensorProto.FLOAT, s)
    for n, s in (("x", [3, 4]), ("y", [4, 3]))
]
graph = helper.make_graph(nodes, "g", ends[:1], ends[1:], weights)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
try:
    onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
except Exception as error:
    print(f"ONNX Runtime {onnxruntime.__version__}: {error}")
    sys.exit(1)
