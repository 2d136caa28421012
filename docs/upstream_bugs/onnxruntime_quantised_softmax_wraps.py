"""ONNX Runtime: Softmax between quantised values gives 0 for what is above its largest result.

Kind: wrong value
Says: QuantizeLinear saturates: what is above the largest number is that number. The optimiser makes
one operator of DequantizeLinear, Softmax and QuantizeLinear, which takes the remainder instead: a
probability near 1 becomes 0. One element by itself is 0 with any scale. Without optimisation the
result is right.
Seen: 1.18.1, 1.23.2, 1.31.1
Here: a Max with 0 keeps them apart (`hal/drivers/onnxruntime/activation.py`).
"""

import sys

import numpy as np

try:
    import onnx
    import onnxruntime as ort
except ModuleNotFoundError:
    sys.exit(2)

model = onnx.parser.parse_model("""<ir_version: 9, opset_import: ["" : 17]>
g (uint8[1,2] x) => (uint8[1,2] y)
<float s = {0.0085}, uint8 z = {101}, float t = {0.003}, uint8 u = {0}> {
  a = DequantizeLinear (x, s, z)
  b = Softmax (a)
  y = QuantizeLinear (b, t, u)
}
""")
session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
(found,) = session.run(None, {"x": np.array([[0, 200]], np.uint8)})
print(f"got {found[0, 1]}, right is 255 (0.85 / 0.003 is 282)")
sys.exit(int(found[0, 1] != 255))
