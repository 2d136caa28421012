"""OpenVINO: a Slice before GatherElements is left out where it cuts another axis.

Kind: refused
Says: GatherElements takes data and indices of equal sizes along all axes but its own. A Slice that
cuts the data to the sizes of the indices, from 0 on, is removed by a transformation, and the model
that is left does not pass the check.
Seen: 2026.4.1
Here: the data and the positions are turned around (`hal/drivers/openvino/index.py`).
"""

import sys

import numpy as np

try:
    import openvino as ov
except ModuleNotFoundError:
    sys.exit(2)
op = ov.opset13 if hasattr(ov, "opset13") else ov.runtime.opset13

data = np.arange(30, dtype=np.float32).reshape(1, 6, 5)
places = np.array([2, 0, 3, 3, 1, 4]).reshape(1, 3, 2)
x, at = op.parameter(data.shape, np.float32), op.parameter(places.shape, np.int64)
start, stop, step, axis = (op.constant(np.array([n])) for n in (0, 2, 1, 2))
found = op.gather_elements(op.slice(x, start, stop, step, axis), at, 1)
right = np.take_along_axis(data[:, :, :2], places, 1)
try:
    got = ov.Core().compile_model(ov.Model([found], [x, at]), "CPU")([data, places])[0]
except RuntimeError as error:
    text = next((t for t in str(error).splitlines() if "not consistent" in t), str(error))
    print(f"refused: {text.strip()[-160:]}")
    sys.exit(1)
print(f"got {got.ravel()}, right is {right.ravel()}")
sys.exit(int(not np.array_equal(got, right)))
