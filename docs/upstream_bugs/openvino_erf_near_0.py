"""OpenVINO: Erf has one correct digit at 1e-5, and is 0 at 1e-30.

Kind: digits lost
Says: erf(x) is 1.1283792 x near 0; ONNX Runtime, PyTorch and TensorFlow have seven digits of it.
Seen: 2024.6.0, 2026.4.1
Here: nothing is done about it.
"""

import sys

import numpy as np

try:
    import openvino as ov
except ModuleNotFoundError:
    sys.exit(2)
ops = ov.opset13 if hasattr(ov, "opset13") else ov.runtime.opset13

x = ops.parameter([2], ov.Type.f32)
model = ov.Model([ops.erf(x)], [x])
compiled = ov.Core().compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
found = compiled([np.array([1e-5, 1e-30], np.float32)])[0]
print(f"got {found}, right is [1.1283792e-05 1.1283792e-30]")
sys.exit(int(abs(found[0] / 1.1283792e-5 - 1) > 1e-3 or found[1] == 0))
