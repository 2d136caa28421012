"""ONNX Runtime: MaxPool with a border gives the least finite number for -infinity alone.

Kind: wrong value
Says: the operator takes the largest element of a window, and a border is no element: without one,
and where the positions are asked for as well, the result is -infinity.
Seen: 1.31.1
Here: a limit of the device.
"""

import sys

import numpy as np

try:
    import onnxruntime
    from onnx import TensorProto, helper
except ModuleNotFoundError:
    sys.exit(2)


def run(*outputs: str) -> np.ndarray:
    """The pool of two by two elements, with a border of one."""
    node = helper.make_node("MaxPool", ["x"], outputs, kernel_shape=[2, 2], pads=[1, 1, 1, 1])
    kinds = (TensorProto.FLOAT, TensorProto.INT64)
    made = [helper.make_tensor_value_info(n, k, None) for n, k in zip(outputs, kinds, strict=False)]
    image = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 1, 2, 2])
    graph = helper.make_graph([node], "g", [image], made)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)])
    model.ir_version = 9
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    return session.run(None, {"x": np.full((1, 1, 2, 2), -np.inf, np.float32)})[0]


alone, beside = run("y"), run("y", "positions")
print(f"the first corner: {alone[0, 0, 0, 0]}, with positions {beside[0, 0, 0, 0]}")
sys.exit(int(np.isfinite(alone).any()))
