"""OpenVINO: a convolution of kernel 1 with strides and padding has another shape.

Kind: wrong value
Says: Convolution of kernel 1, stride 2 and a border of 1 makes (9 + 2 - 1) / 2 + 1 = 6 rows of 9,
as its own shape inference says. Behind an elementwise operation the stride is moved in front of
that operation, as if there were no border: 5 rows are left, which the border makes 7. So it is with
the strides of another convolution behind one with a border, and with a Pad, which becomes a border.
Seen: 2025.4.1, 2026.4.1
Here: a Slice behind what has a border, or in front of what is behind one, has the strides
(`hal/drivers/openvino/strides.py`).
"""

import sys

import numpy as np

try:
    import openvino as ov
except ModuleNotFoundError:
    sys.exit(2)
op = ov.opset13 if hasattr(ov, "opset13") else ov.runtime.opset13

x = op.parameter([1, 1, 9, 3], np.float32)
taps = op.constant(np.ones((1, 1, 1, 1), np.float32))
less = op.subtract(op.constant(np.float32(1)), x)
y = op.convolution(less, taps, [2, 1], [1, 1], [1, 1], [1, 1])
compiled = ov.Core().compile_model(ov.Model([y], [x]), "CPU")
found = compiled([np.ones((1, 1, 9, 3), np.float32)])[0]
print(f"got {found.size // 5} rows, right are {y.shape[2]}")
sys.exit(int(found.size != 30))
