"""OpenVINO: the slopes of a PRelu behind a mean lie along another axis.

Kind: wrong value
Says: The slopes of PRelu [C] are those of the channels, axis 1 of its data. Behind a mean of three
axes with one along the first they are taken along the last.
Seen: 2026.4.1
Here: an axis of size 1 behind the others keeps the mean apart
(`hal/drivers/openvino/activation.py`).
"""

import sys

import numpy as np

try:
    import openvino as ov
except ModuleNotFoundError:
    sys.exit(2)
op = ov.opset13 if hasattr(ov, "opset13") else ov.runtime.opset13

data = -np.ones((2, 2, 2), np.float32)
x = op.parameter(data.shape, np.float32)
mean = op.reduce_mean(x, op.constant(np.array([0])), keep_dims=True)
y = op.prelu(mean, op.constant(np.array([3, 5], np.float32)))
found = ov.Core().compile_model(ov.Model([y], [x]), "CPU")([data])[0]
right = np.array([-3, -3, -5, -5], np.float32)
print(f"got {found.ravel()}, right is {right}")
sys.exit(int(not np.array_equal(found.ravel(), right)))
