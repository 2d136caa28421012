"""OpenVINO: Tile of one number without axes leaves its result as the memory is.

Kind: wrong value
Says: the operator's specification takes a tensor of any rank; with no repeats there is one copy,
the number itself.
Seen: 2026.4.1
Here: written as the number itself.
"""

import sys

import numpy as np

try:
    import openvino as ov
except ModuleNotFoundError:
    sys.exit(2)
ops = ov.opset13 if hasattr(ov, "opset13") else ov.runtime.opset13

x = ops.parameter([], ov.Type.f32)
model = ov.Model([ops.tile(x, ops.constant(np.zeros(0, np.int64)))], [x])
compiled = ov.Core().compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
found = [float(compiled([np.float32(k)])[0]) for k in (1, 2, 3)]
wrong = sum(got != want for got, want in zip(found, (1, 2, 3), strict=True))
print(f"Tile of 1, 2 and 3 without repeats: {wrong} of 3 results are other numbers, right is none")
sys.exit(int(wrong > 0))
