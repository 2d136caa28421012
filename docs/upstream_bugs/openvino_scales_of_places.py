"""OpenVINO: what an image is multiplied with is multiplied with the filter instead.

Kind: wrong value
Says: Numbers for the columns of an image are those of columns, border or not. Where there are as
many as the kernel has columns, they are taken for numbers of its taps, which meet other columns
each time.
Seen: 2026.4.1
Here: the product has one more axis (`hal/drivers/openvino/strides.py`).
"""

import sys

import numpy as np

try:
    import openvino as ov
except ModuleNotFoundError:
    sys.exit(2)
op = ov.opset13 if hasattr(ov, "opset13") else ov.runtime.opset13

image = np.ones((1, 1, 1, 3), np.float32)
x = op.parameter(image.shape, np.float32)
scaled = op.multiply(x, op.constant(np.array([1, 2, 3], np.float32)))
taps = op.constant(np.ones((1, 1, 1, 3), np.float32))
y = op.convolution(scaled, taps, [1, 1], [0, 1], [0, 1], [1, 1])
found = ov.Core().compile_model(ov.Model([y], [x]), "CPU")([image])[0].ravel()
print(f"got {found}, right is [3. 6. 5.]")
sys.exit(int(not np.array_equal(found, [3, 6, 5])))
