"""OpenVINO: int64 is computed in 32 bits without a word.

Kind: wrong value
Says: The operators take int64, the plugin accepts the model, and int64 comes out. OpenVINO's page
on the CPU plugin names the types that it computes in, and i64 is not among them; 2**32 is 0 to it.
Seen: 2024.6.0, 2026.4.1
Here: constants and inputs beyond 32 bits are refused ([devices.md](devices.md)).
"""

import sys

import numpy as np

try:
    import openvino as ov
except ModuleNotFoundError:
    sys.exit(2)
ops = ov.opset13 if hasattr(ov, "opset13") else ov.runtime.opset13

x, y = (ops.parameter([1], ov.Type.i64) for _ in range(2))
model = ov.Model([ops.add(x, y)], [x, y])
compiled = ov.Core().compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
a = np.array([2**40])
found = compiled([a, np.ones(1, np.int64)])[0]
print(f"2**40 + 1: got {found}, right is [{2**40 + 1}]")
sys.exit(int(found[0] != 2**40 + 1))
