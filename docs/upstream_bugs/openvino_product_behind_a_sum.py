"""OpenVINO: numbers for the columns of a sum over the last of three axes are taken for others.

Kind: wrong value
Says: A sum of [2, 3, 4] over the last axis has two rows of three, and each row is multiplied with
the same three numbers. They are taken along another axis.
Seen: 2026.4.1
Here: neighbours of three axes become one before they are summed (`hal/drivers/openvino/reduce.py`).
"""

import sys

import numpy as np

try:
    import openvino as ov
except ModuleNotFoundError:
    sys.exit(2)
op = ov.opset13 if hasattr(ov, "opset13") else ov.runtime.opset13

data = np.ones((2, 3, 4), np.float32)
x = op.parameter(data.shape, np.float32)
total = op.reduce_sum(x, op.constant(np.array([2])), keep_dims=False)
y = op.multiply(total, op.constant(np.array([1, 2, 3], np.float32)))
found = ov.Core().compile_model(ov.Model([y], [x]), "CPU")([data])[0]
right = np.array([[4, 8, 12], [4, 8, 12]], np.float32)
print(f"got {found.tolist()}, right is {right.tolist()}")
sys.exit(int(not np.array_equal(found, right)))
