"""OpenVINO: a sum along the channels of a product with a matrix goes along its columns.

Kind: wrong value
Says: Add broadcasts as NumPy does: a constant [1, C, 1, 1] has one number for each entry of axis 1.
Behind a MatMul of rank 4 and open sizes with a constant matrix of as many columns as the data has
channels, each column gets one of them; with another number of columns it does not compile. Divide
and Subtract as well; Multiply and BatchNormInference where something stands between.
Seen: 2026.4.1
Here: an axis of size 1 behind the others keeps the two apart (`hal/drivers/openvino/emitter.py`).
"""

import sys

import numpy as np

try:
    import openvino as ov
except ModuleNotFoundError:
    sys.exit(2)
op = ov.opset13 if hasattr(ov, "opset13") else ov.runtime.opset13

x = op.parameter(ov.PartialShape([-1, 2, 2, 1]), np.float32)
product = op.matmul(x, op.constant(np.ones((1, 2), np.float32)), False, False)
y = op.add(product, op.constant(np.array([3, 5], np.float32).reshape(1, 2, 1, 1)))
data = np.ones((1, 2, 2, 1), np.float32)
found = ov.Core().compile_model(ov.Model([y], [x]), "CPU")([data])[0]
right = np.array([4, 4, 4, 4, 6, 6, 6, 6], np.float32)
print(f"got {found.ravel()}, right is {right}")
sys.exit(int(not np.array_equal(found.ravel(), right)))
