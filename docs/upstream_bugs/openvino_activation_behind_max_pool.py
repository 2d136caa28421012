"""OpenVINO: a convolution computes an activation that follows the maxima of its results.

Kind: wrong value
Says: |max(-3, -1)| is 1. Behind a convolution Abs is computed before the maxima are taken, as GELU,
Swish, Mish, HSwish and PRelu with a slope below 0 are, which fall where their operand rises.
Seen: 2026.4.1
Here: a slope of 1 stands before the pool (`hal/drivers/openvino/pool.py`).
"""

import sys

import numpy as np

try:
    import openvino as ov
except ModuleNotFoundError:
    sys.exit(2)
op = ov.opset13 if hasattr(ov, "opset13") else ov.runtime.opset13

image = -np.arange(1, 17, dtype=np.float32).reshape(1, 1, 4, 4)
x = op.parameter(image.shape, np.float32)
tap = np.zeros((8, 1, 3, 3), np.float32)
tap[:, 0, 1, 1] = 1
same = op.convolution(x, op.constant(tap), [1, 1], [1, 1], [1, 1], [1, 1])
pooled = op.max_pool(same, [2, 2], [1, 1], [0, 0], [0, 0], [2, 2])
y = op.abs(pooled.output(0))
exact = {"INFERENCE_PRECISION_HINT": "f32"}
found = ov.Core().compile_model(ov.Model([y], [x]), "CPU", exact)([image])[0][0, 0].ravel()
print(f"got {found}, right is [ 1.  3.  9. 11.]")
sys.exit(int(found.tolist() != [1, 3, 9, 11]))
