"""OpenVINO: TopK gives 1 for one of the three largest of 1, NaN, 3, NaN, 2.

Kind: wrong value
Says: Whatever NaN counts for, 3 and 2 are larger than 1. NumPy, PyTorch and Paddle take NaN for the
largest, TFLite for the smallest.
Seen: 2024.6.0, 2026.4.1
Here: NaN is ordered like infinity (`hal/drivers/openvino/orders.py`).
"""

import sys

import numpy as np

try:
    import openvino as ov
except ModuleNotFoundError:
    sys.exit(2)
ops = ov.opset13 if hasattr(ov, "opset13") else ov.runtime.opset13

x = ops.parameter([5], ov.Type.f32)
made = ops.topk(x, ops.constant(np.int64(3)), 0, "max", "value")
model = ov.Model(list(made.outputs()), [x])
compiled = ov.Core().compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
found = compiled([np.array([1, np.nan, 3, np.nan, 2], np.float32)])[0]
print(f"got {found}, right is [nan nan 3.] or [3. 2. 1.]")
sys.exit(int(1 in found and 2 not in found))
