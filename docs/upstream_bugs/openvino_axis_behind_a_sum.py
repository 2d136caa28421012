"""OpenVINO: an axis that is inserted behind a sum comes to stand before the last one.

Kind: wrong value
Says: Unsqueeze at 3 makes [1, 1, 2, 1] of [1, 1, 2]. Where the axis was there before the sum, and
taken away behind it, the result is [1, 1, 1, 2], and what is joined along that axis is in another
order.
Seen: 2026.4.1
Here: no axis is inserted behind the others for a sum (`hal/drivers/openvino/reduce.py`).
"""

import sys

import numpy as np

try:
    import openvino as ov
except ModuleNotFoundError:
    sys.exit(2)
op = ov.opset13 if hasattr(ov, "opset13") else ov.runtime.opset13

data = np.ones((6, 5, 2), np.float32)
x = op.parameter(data.shape, np.float32)
wide = op.unsqueeze(x, op.constant(np.array([3])))
total = op.reduce_sum(wide, op.constant(np.array([0, 1])), keep_dims=True)
narrow = op.squeeze(total, op.constant(np.array([3])))
y = op.unsqueeze(narrow, op.constant(np.array([3])))
found = ov.Core().compile_model(ov.Model([y], [x]), "CPU")([data])[0]
print(f"got the shape {found.shape}, right is (1, 1, 2, 1)")
sys.exit(int(found.shape != (1, 1, 2, 1)))
