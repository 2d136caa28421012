"""OpenVINO: ReduceMax and MaxPool of -infinity are the least finite number.

Kind: wrong value
Says: The largest of several -infinity is -infinity. Masks of attention are made of it.
Seen: 2024.6.0, 2026.4.1
Here: infinities are put back (`hal/drivers/openvino/reduce.py`).
"""

import sys

import numpy as np

try:
    import openvino as ov
except ModuleNotFoundError:
    sys.exit(2)
ops = ov.opset13 if hasattr(ov, "opset13") else ov.runtime.opset13

x = ops.parameter([1, 3], ov.Type.f32)
model = ov.Model([ops.reduce_max(x, ops.constant(np.array([1])), False)], [x])
compiled = ov.Core().compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
found = compiled([np.full((1, 3), -np.inf, np.float32)])[0]
print(f"got {found}, right is [-inf]")
sys.exit(int(not np.isinf(found[0])))
