"""ONNX Runtime: a quantised AveragePool that says its dilations has no session.

Kind: refused
Says: The checker takes the model, of operator set 19, and it runs without optimisation. The
optimiser makes one QLinearAveragePool of AveragePool and the quantisation around it, which has no
dilations, and gives it those of AveragePool, though they are 1.
Seen: 1.31.1
Here: dilations of 1 are left out (`hal/drivers/onnxruntime/pool.py`).
"""

import sys

import numpy as np

try:
    import onnx
    import onnxruntime as ort
except ModuleNotFoundError:
    sys.exit(2)

model = onnx.parser.parse_model("""<ir_version: 9, opset_import: ["" : 19]>
g (uint8[1,1,4] x) => (uint8[1,1,3] y) <float scale = {0.5}, uint8 zero = {0}> {
  d = DequantizeLinear (x, scale, zero)
  m = AveragePool <kernel_shape = [2], dilations = [1]> (d)
  y = QuantizeLinear (m, scale, zero)
}
""")
options = ort.SessionOptions()
options.log_severity_level = 4
try:
    session = ort.InferenceSession(model.SerializeToString(), options)
    (found,) = session.run(None, {"x": np.full((1, 1, 4), 6, np.uint8)})
except Exception as error:
    print(f"got {type(error).__name__}, right is [6 6 6]")
    sys.exit(1)
print(f"got {found.ravel()}, right is [6 6 6]")
