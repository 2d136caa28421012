"""OpenVINO: Tile along two axes misplaces copies of one channel where a size is open.

Kind: wrong value
Says: the operator's specification: the input is repeated along each axis as often as `repeats`
says, and other sizes of the same model have the copies in their places.
Seen: 2026.4.1
Here: each axis is repeated by an axis of its own in front of it, and a Broadcast.
"""

import sys

import numpy as np

try:
    import openvino as ov
except ModuleNotFoundError:
    sys.exit(2)
ops = ov.opset13 if hasattr(ov, "opset13") else ov.runtime.opset13

image = np.arange(3, dtype=np.float32).reshape(1, 1, 1, 3)
wanted = np.tile(image, (1, 2, 1, 2))
wrong = {}
for name, shape in (("known", [1, 1, 1, 3]), ("open", [-1, 1, 1, 3])):
    x = ops.parameter(shape, ov.Type.f32)
    made = ov.Model([ops.tile(x, ops.constant(np.array([1, 2, 1, 2], np.int64)))], [x])
    found = ov.Core().compile_model(made, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})([image])[0]
    wrong[name] = int((found != wanted).sum())
print(
    f"wrong of 12 elements: {wrong['known']} with a known batch, {wrong['open']} with an open one"
)
sys.exit(int(wrong["open"] > 0))
