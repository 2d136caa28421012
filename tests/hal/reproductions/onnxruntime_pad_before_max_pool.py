"""ONNX Runtime: a Pad of zeros is moved into the MaxPool behind it."""

import sys

import numpy as np
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

nodes = [
    helper.make_node("Pad", ["x", "pads"], ["p"]),
    helper.make_node("MaxPool", ["p"], ["y"], kernel_shape=[2, 2], strides=[2, 2]),
]
pads = numpy_helper.from_array(np.array([0, 0, 1, 1, 0, 0, 1, 1]), "pads")
ends = [
    helper.make_tensor_value_info(n, TensorProto.FLOAT, s)
    for n, s in (("x", [1, 1, 2, 2]), ("y", None))
]
graph = helper.make_graph(nodes, "g", ends[:1], ends[1:], [pads])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
session = onnxruntime.InferenceSession(
    model.SerializeToString(), providers=["CPUExecutionProvider"]
)
found = session.run(None, {"x": np.full((1, 1, 2, 2), -1, np.float32)})[0]
print(f"ONNX Runtime {onnxruntime.__version__}: {found.reshape(-1)} instead of zeros")
sys.exit(bool(found.any()))
