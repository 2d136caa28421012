"""OpenVINO: ScatterElementsUpdate with the reduction max loses NaN.

Kind: NaN lost
Says: The reductions sum and prod keep it, as does PyTorch's scatter_reduce with amax. PyTorch,
NumPy and Max of ONNX Runtime answer NaN for either operand.
Seen: 2024.6.0, 2026.4.1
Here: NaN is put back (`hal/drivers/openvino/index.py`).
"""

import sys

import numpy as np

try:
    import openvino as ov
except ModuleNotFoundError:
    sys.exit(2)
ops = ov.opset13 if hasattr(ov, "opset13") else ov.runtime.opset13

x = ops.parameter([2], ov.Type.f32)
places, updates = ops.constant(np.array([0])), ops.constant(np.array([np.nan], np.float32))
model = ov.Model([ops.scatter_elements_update(x, places, updates, ops.constant(0), "max")], [x])
compiled = ov.Core().compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
found = compiled([np.array([1, 2], np.float32)])[0]
print(f"max(1, nan) and 2: got {found}, right is [nan 2.]")
sys.exit(int(not np.isnan(found[0])))
