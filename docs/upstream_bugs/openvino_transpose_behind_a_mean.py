"""OpenVINO: a Transpose behind a mean that drops an axis is lost in front of a product.

Kind: wrong value
Says: The mean of [2, 4, 1] over the first axis is [4, 1], transposed [1, 4], and so is a product
with four numbers. The result has 16.
Seen: 2026.4.1
Here: reductions keep their axes, and a Squeeze drops them (`hal/drivers/openvino/reduce.py`).
"""

import sys

import numpy as np

try:
    import openvino as ov
except ModuleNotFoundError:
    sys.exit(2)
op = ov.opset13 if hasattr(ov, "opset13") else ov.runtime.opset13

data = np.ones((2, 4, 1), np.float32)
x = op.parameter(data.shape, np.float32)
mean = op.reduce_mean(x, op.constant(np.array([0])), keep_dims=False)
turned = op.transpose(mean, op.constant(np.array([1, 0])))
y = op.multiply(turned, op.constant(np.array([1, 2, 3, 4], np.float32)))
found = ov.Core().compile_model(ov.Model([y], [x]), "CPU")([data])[0]
print(f"got the shape {found.shape}, right is (1, 4)")
sys.exit(int(found.shape != (1, 4)))
