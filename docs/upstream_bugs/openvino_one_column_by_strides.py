"""OpenVINO: a convolution of one channel to one column by strides reads beside the data.

Kind: wrong value
Says: A convolution with strides takes every n-th window; with one column there is one, whatever the
stride, and with a second channel of zeros the sums are right.
Seen: 2026.4.1, on processors with AVX-512
Here: A channel of zeros is added (`hal/drivers/openvino/strides.py`).
"""

import sys

import numpy as np

try:
    import openvino as ov
except ModuleNotFoundError:
    sys.exit(2)
ops = ov.opset13 if hasattr(ov, "opset13") else ov.runtime.opset13

image = np.arange(1, 9, dtype=np.float32).reshape(1, 1, 4, 2)
taps = np.ones((1, 1, 3, 3), np.float32)
given = ops.parameter(image.shape, ov.Type.f32)
sums = ops.convolution(given, ops.constant(taps), [1, 2], [1, 1], [1, 1], [1, 1])
exact = {"INFERENCE_PRECISION_HINT": "f32"}
got = ov.Core().compile_model(ov.Model([sums], [given]), "CPU", exact)(image)[0]
rows = np.pad(image.sum(axis=-1).reshape(-1), 1)
right = rows[:-2] + rows[1:-1] + rows[2:]
print("OpenVINO:", got.reshape(-1))
print("right:   ", right)
sys.exit(int(not np.array_equal(got.reshape(-1), right)))
