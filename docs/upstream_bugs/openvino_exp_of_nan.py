"""OpenVINO: Exp of NaN is infinity.

Kind: NaN lost
Says: The natural exponential function of every other framework gives NaN, as C's expf does.
Seen: 2024.6.0, 2026.4.1
Here: NaN is put back (`hal/drivers/openvino/unary.py`).
"""

import sys

import numpy as np

try:
    import openvino as ov
except ModuleNotFoundError:
    sys.exit(2)
ops = ov.opset13 if hasattr(ov, "opset13") else ov.runtime.opset13

x = ops.parameter([2], ov.Type.f32)
model = ov.Model([ops.exp(x)], [x])
compiled = ov.Core().compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
found = compiled([np.array([np.nan, 1], np.float32)])[0]
print(f"got {found}, right is [nan 2.7182817]")
sys.exit(int(not np.isnan(found[0])))
