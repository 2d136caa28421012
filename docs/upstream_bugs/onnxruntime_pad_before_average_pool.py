"""ONNX Runtime: a Pad of zeros that is as wide as the kernel is moved into AveragePool.

Kind: refused
Says: The checker takes the model and it runs without optimisation. The optimiser gives the border
to AveragePool as its own padding, which must be smaller than the kernel, and the session then fails
on what the optimiser itself made.
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
g (float[1,1,2,2] x) => (float[1,1,4,4] y) <int64[8] pads = {0, 0, 1, 1, 0, 0, 1, 1}> {
  p = Pad (x, pads)
  y = AveragePool <kernel_shape = [1, 1]> (p)
}
""")
options = ort.SessionOptions()
options.log_severity_level = 4
try:
    session = ort.InferenceSession(model.SerializeToString(), options)
    (found,) = session.run(None, {"x": np.ones((1, 1, 2, 2), np.float32)})
except Exception as error:
    print(f"got {type(error).__name__}, right is a result of shape [1, 1, 4, 4]")
    sys.exit(1)
print(f"got a result of shape {list(found.shape)}, right is [1, 1, 4, 4]")
