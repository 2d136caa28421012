"""OpenVINO: a Broadcast to more axes of size 1 loses them behind a Squeeze.

Kind: wrong value
Says: the operator's specification: the result of a bidirectional Broadcast has the rank of the
longer of the shape and the target, which are laid over each other from their ends.
Seen: 2026.4.1
Here: the axes are given by an Unsqueeze, and a Broadcast to sizes of 1 is none.
"""

import sys

import numpy as np

try:
    import openvino as ov
except ModuleNotFoundError:
    sys.exit(2)
ops = ov.opset13 if hasattr(ov, "opset13") else ov.runtime.opset13

x = ops.parameter([-1, 1], ov.Type.f32)
column = ops.squeeze(x, ops.constant(np.array([1], np.int64)))
wide = ops.broadcast(column, np.array([1, 1], np.int64), broadcast_spec="BIDIRECTIONAL")
compiled = ov.Core().compile_model(ov.Model([wide], [x]), "CPU")
found = compiled([np.ones((2, 1), np.float32)])[0].shape
print(f"Broadcast of 2 elements to [1, 1]: a result of shape {list(found)}, right is [1, 2]")
sys.exit(int(found != (1, 2)))
