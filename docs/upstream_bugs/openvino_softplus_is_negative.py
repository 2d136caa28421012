"""OpenVINO: SoftPlus of -20 is negative.

Kind: wrong value
Says: ln(exp(x) + 1) is above 0 for every x, and 2.06e-09 here. Whoever takes its logarithm or
divides by it gets NaN or a wrong sign.
Seen: 2024.6.0, 2026.4.1
Here: max(0, x) + log1p(exp(-|x|)) (`hal/drivers/openvino/activation.py`).
"""

import sys

import numpy as np

try:
    import openvino as ov
except ModuleNotFoundError:
    sys.exit(2)
ops = ov.opset13 if hasattr(ov, "opset13") else ov.runtime.opset13

x = ops.parameter([1], ov.Type.f32)
model = ov.Model([ops.softplus(x)], [x])
compiled = ov.Core().compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
found = compiled([np.array([-20], np.float32)])[0]
print(f"got {found}, right is [2.0611537e-09]")
sys.exit(int(found[0] < 0))
