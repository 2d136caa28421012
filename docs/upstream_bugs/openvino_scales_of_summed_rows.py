"""OpenVINO: integer weights with a scale for each row that is summed are multiplied wrongly.

Kind: wrong value
Says: Convert, Multiply and MatMul compute x @ (q * scale), whatever shape the scale has. The kernel
for compressed weights takes a scale of shape [summed, 1] for one of each column. Where it rounds
its input to 8 bits, as it does by default, it ends the process instead.
Seen: 2026.4.1
Here: integers of 4 bits and of blocks stay packed only where their scales lie along the axis that
the kernel takes them for; others are decomposed (`hal/drivers/openvino/quant.py`).
"""

import sys

import numpy as np

try:
    import openvino as ov
except ModuleNotFoundError:
    sys.exit(2)
op = ov.opset13 if hasattr(ov, "opset13") else ov.runtime.opset13

x = op.parameter([1, 12], np.float32)
scale = np.arange(12, dtype=np.float32).reshape(12, 1)
weights = op.multiply(op.convert(op.constant(np.ones((12, 8), np.int8)), "f32"), op.constant(scale))
y = op.matmul(x, weights, False, False)
mode, ones = {"EXECUTION_MODE_HINT": "ACCURACY"}, np.ones((1, 12), np.float32)
found = ov.Core().compile_model(ov.Model([y], [x]), "CPU", mode)([ones])[0]
print(f"got {found[0].tolist()}, right is {[66.0] * 8}")
sys.exit(not np.allclose(found, 66))
