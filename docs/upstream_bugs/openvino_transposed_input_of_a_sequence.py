"""OpenVINO: what a recurrent layer reads is transposed for that layer alone.

Kind: wrong value
Says: GRUSequence takes data with the batch first, to which a Transpose brings data with the time
first. Where another Transpose follows the layer, both are left out, and the first one becomes a
Reshape for all that reads it: another layer, or here an Abs.
Seen: 2026.4.1
Here: the result is transposed with one axis less (`hal/drivers/openvino/recurrent.py`).
"""

import sys

import numpy as np

try:
    import openvino as ov
except ModuleNotFoundError:
    sys.exit(2)
op = ov.opset13 if hasattr(ov, "opset13") else ov.runtime.opset13

data = np.arange(6, dtype=np.float32).reshape(3, 2, 1)
x = op.parameter(data.shape, np.float32)
first = op.transpose(x, op.constant(np.array([1, 0, 2])))
state, *weights = (
    op.constant(np.ones(s, np.float32)) for s in ((2, 1, 1), (1, 3, 1), (1, 3, 1), (1, 3))
)
long = op.constant(np.array([3, 3]))
layer = op.gru_sequence(first, state, long, *weights, 1, "forward").output(0)
ends = [op.transpose(layer, op.constant(np.array([2, 1, 0, 3]))), op.abs(first)]
found = ov.Core().compile_model(ov.Model(ends, [x]), "CPU")([data])[1]
right = data.transpose(1, 0, 2)
print(f"got {found.ravel()}, right is {right.ravel()}")
sys.exit(int(not np.array_equal(found, right)))
