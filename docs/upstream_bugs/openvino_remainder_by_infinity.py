"""OpenVINO: Mod and FloorMod of a finite number by infinity are NaN.

Kind: wrong value
Says: C's fmod and the remainders of NumPy, ONNX Runtime, PyTorch and TensorFlow give 1 for 1 by
infinity. The kernel computes x - trunc(x / y) * y, which is 0 times infinity.
Seen: 2024.6.0, 2026.4.1
Here: the remainder of floats is refused (`hal/drivers/openvino/integers.py`).
"""

import sys

import numpy as np

try:
    import openvino as ov
except ModuleNotFoundError:
    sys.exit(2)
ops = ov.opset13 if hasattr(ov, "opset13") else ov.runtime.opset13

x, y = (ops.parameter([1], ov.Type.f32) for _ in range(2))
model = ov.Model([ops.mod(x, y)], [x, y])
compiled = ov.Core().compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
found = compiled([np.ones(1, np.float32), np.array([np.inf], np.float32)])[0]
print(f"1 mod inf: got {found}, right is [1.]")
sys.exit(int(found[0] != 1))
