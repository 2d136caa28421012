"""OpenVINO: Exp is infinite from 88.376 on, where float32 reaches to 88.722.

Kind: wrong value
Says: exp(88.5) is 2.723e38, which float32 holds (up to 3.403e38) and all other frameworks answer.
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

x = ops.parameter([1], ov.Type.f32)
model = ov.Model([ops.exp(x)], [x])
compiled = ov.Core().compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
found = compiled([np.array([88.5], np.float32)])[0]
print(f"got {found}, right is [2.723088e+38]")
sys.exit(int(np.isinf(found[0])))
