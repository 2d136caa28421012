"""ONNX Runtime: a Pad of zeros is moved into the MaxPool behind it.

Kind: wrong value
Says: The operators say that Pad puts zeros around the data and MaxPool takes the largest element of
a window. The optimiser gives the border to MaxPool as its own padding, which counts as the least
number; without optimisation the result is right.
Seen: 1.23.2, 1.31.1; not in 1.18.1
Here: the Pad names its axes, or a Min stands between both (`hal/drivers/onnxruntime/shape.py`).
"""

import sys

import numpy as np

try:
    import onnx
    import onnxruntime as ort
except ModuleNotFoundError:
    sys.exit(2)

model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 13]>
g (float[1,1,2,2] x) => (float[1,1,2,2] y) <int64[8] pads = {0, 0, 1, 1, 0, 0, 1, 1}> {
  p = Pad (x, pads)
  y = MaxPool <kernel_shape = [2, 2], strides = [2, 2]> (p)
}
""")
session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
(found,) = session.run(None, {"x": np.full((1, 1, 2, 2), -1, np.float32)})
print(f"got {found.ravel()}, right is [0. 0. 0. 0.]")
sys.exit(int(found.any()))
