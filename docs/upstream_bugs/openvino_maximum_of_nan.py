"""OpenVINO: Maximum and Minimum keep a NaN of the second operand and lose one of the first.

Kind: NaN lost
Says: NaN, say ONNX, PyTorch, TensorFlow, Paddle and NumPy; C's fmax says 1 both times. An answer
that depends on the order of the operands is neither.
Seen: 2024.6.0, 2026.4.1
Here: NaN is put back (`hal/drivers/openvino/binary.py`).
"""

import sys

import numpy as np

try:
    import openvino as ov
except ModuleNotFoundError:
    sys.exit(2)
ops = ov.opset13 if hasattr(ov, "opset13") else ov.runtime.opset13

x, y = (ops.parameter([2], ov.Type.f32) for _ in range(2))
model = ov.Model([ops.maximum(x, y)], [x, y])
compiled = ov.Core().compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
a = np.array([np.nan, 1], np.float32)
found = compiled([a, a[::-1].copy()])[0]
print(f"max(nan, 1), max(1, nan): got {found}, right is [nan nan]")
sys.exit(int(np.isnan(found).sum() == 1))
