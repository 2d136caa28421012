"""OpenVINO: a tensor that is repeated twice is wrong where the first repetition is read elsewhere.

Kind: wrong value
Says: Tile copies its data along every axis. Where a Tile (a Broadcast, a Concat of one tensor) has
another reader beside a second Tile along another axis, the second one gives other elements; a Tile
along both axes at once gives the right ones.
Seen: 2026.4.1
Here: the second one is made by positions (`hal/drivers/openvino/axes.py`).
"""

import sys

import numpy as np

try:
    import openvino as ov
except ModuleNotFoundError:
    sys.exit(2)
op = ov.opset13 if hasattr(ov, "opset13") else ov.runtime.opset13

data = np.arange(36, dtype=np.float32).reshape(1, 1, 6, 6)
x = op.parameter(data.shape, np.float32)
first = op.tile(x, op.constant(np.array([3, 1, 1, 1])))
second = op.tile(first, op.constant(np.array([1, 2, 1, 1])))
model = ov.Model([op.relu(second), op.abs(first)], [x])
found = ov.Core().compile_model(model, "CPU")([data])[0]
right = np.tile(data, (3, 2, 1, 1))
print(f"got {found[0, 0, 0]}, right is {right[0, 0, 0]}")
sys.exit(int(not np.array_equal(found, right)))
