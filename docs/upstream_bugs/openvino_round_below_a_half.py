"""OpenVINO: Round with half_away_from_zero rounds 0.49999997 to 1.

Kind: wrong value
Says: Only halves are rounded away from zero; 0.49999997, the float32 below 0.5, is nearer to 0.
Seen: 2024.6.0, 2026.4.1
Here: only half_to_even is used (`hal/drivers/openvino/unary.py`).
"""

import sys

import numpy as np

try:
    import openvino as ov
except ModuleNotFoundError:
    sys.exit(2)
ops = ov.opset13 if hasattr(ov, "opset13") else ov.runtime.opset13

x = ops.parameter([1], ov.Type.f32)
model = ov.Model([ops.round(x, "half_away_from_zero")], [x])
compiled = ov.Core().compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
found = compiled([np.array([0.49999997], np.float32)])[0]
print(f"got {found}, right is [0.]")
sys.exit(int(found[0] != 0))
