"""ONNX Runtime: an output that is transposed and quantised too is what comes of that.

Kind: wrong value
Says: Tanh has one result, whoever reads it. Where it is an output of the graph, and else only read
by a Transpose in front of a QuantizeLinear, the optimiser puts a quantisation in front of the
Transpose and gives its result the name of the output; without optimisation the result is right.
Seen: 1.23.2, 1.31.1
Here: a Max of one operand stands before such an output (`hal/drivers/onnxruntime/ends.py`).
"""

import sys

import numpy as np

try:
    import onnx
    import onnxruntime as ort
except ModuleNotFoundError:
    sys.exit(2)

model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 13]>
g (float[2,2] x) => (float[2,2] y, float[2,2] z) <float s = {0.25}, uint8 o = {0}> {
  y = Tanh (x)
  t = Transpose (y)
  q = QuantizeLinear (t, s, o)
  z = DequantizeLinear (q, s, o)
}""")
session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
(found,) = session.run(["y"], {"x": np.full((2, 2), -1, np.float32)})
print(f"got {found.ravel().round(3)}, right is {np.tanh(np.full(4, -1, np.float32)).round(3)}")
sys.exit(int(not np.allclose(found, np.tanh(np.float32(-1)))))
