"""OpenVINO: Greater and GreaterEqual are true where an operand is NaN.

Kind: wrong value
Says: IEEE 754 says that NaN is unordered: every comparison but "not equal" is false. Less and
LessEqual of the same plugin are false.
Seen: 2024.6.0, 2026.4.1
Here: the operands are exchanged (`hal/drivers/openvino/emitter.py`).
"""

import sys

import numpy as np

try:
    import openvino as ov
except ModuleNotFoundError:
    sys.exit(2)
ops = ov.opset13 if hasattr(ov, "opset13") else ov.runtime.opset13

x, y = (ops.parameter([2], ov.Type.f32) for _ in range(2))
model = ov.Model([ops.greater(x, y)], [x, y])
compiled = ov.Core().compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
a = np.array([np.nan, 1], np.float32)
found = compiled([a, a[::-1].copy()])[0]
print(f"nan > 1, 1 > nan: got {found}, right is [False False]")
sys.exit(int(found.any()))
