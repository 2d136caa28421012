"""OpenVINO: a dilated convolution over three axes is wrong for one channel.

Kind: wrong value
Says: A convolution sums products of taps that lie `dilations` apart; with a second channel of zeros
it does.
Seen: 2026.4.1, on processors without AVX-512
Here: A channel of zeros is added (`hal/drivers/openvino/strides.py`).
"""

import sys

import numpy as np

try:
    import openvino as ov
except ModuleNotFoundError:
    sys.exit(2)
ops = ov.opset13 if hasattr(ov, "opset13") else ov.runtime.opset13

image = np.arange(48, dtype=np.float32).reshape(1, 1, 4, 4, 3)
taps = np.ones((1, 1, 2, 1, 1), np.float32)
given = ops.parameter(image.shape, ov.Type.f32)
none = [0, 0, 0]
sums = ops.convolution(given, ops.constant(taps), [1, 1, 1], none, none, [3, 1, 1])
exact = {"INFERENCE_PRECISION_HINT": "f32"}
got = ov.Core().compile_model(ov.Model([sums], [given]), "CPU", exact)(image)[0]
right = image[:, :, :1] + image[:, :, 3:]
print("OpenVINO:", got.reshape(-1))
print("right:   ", right.reshape(-1))
sys.exit(int(not np.array_equal(got, right)))
