"""OpenVINO: ReduceMin of 1, NaN, 3 is 3.

Kind: wrong value
Says: NaN, or 1 for those who pass over it. Each NaN makes the kernel forget what it has seen.
Seen: 2024.6.0, 2026.4.1
Here: NaN is put back (`hal/drivers/openvino/reduce.py`).
"""

import sys

import numpy as np

try:
    import openvino as ov
except ModuleNotFoundError:
    sys.exit(2)
ops = ov.opset13 if hasattr(ov, "opset13") else ov.runtime.opset13

x = ops.parameter([1, 3], ov.Type.f32)
model = ov.Model([ops.reduce_min(x, ops.constant(np.array([1])), False)], [x])
compiled = ov.Core().compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
found = compiled([np.array([[1, np.nan, 3]], np.float32)])[0]
print(f"got {found}, right is [nan] or [1.]")
sys.exit(int(found[0] == 3))
