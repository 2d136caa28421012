"""ONNX Runtime: a GELU by Tanh of a number without axes becomes a kernel that refuses it.

Kind: refused
Says: Every node of the graph takes a tensor of rank 0, and the graph runs without optimisation and
with Erf in the place of Tanh. The optimiser (FastGeluFusion) makes FastGelu of it, which wants one
axis or more, and says so while running.
Seen: 1.31.1
Here: such a half is written as a quotient by 2, which is the same number
(`hal/drivers/onnxruntime/binary.py`).
"""

import sys

import numpy as np

try:
    import onnx
    import onnxruntime as ort
except ModuleNotFoundError:
    sys.exit(2)

model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 17]>
g (float x) => (float y)
<float three = {3}, float k = {0.044715}, float r = {0.7978846}, float one = {1}, float a = {0.5}> {
  cube = Pow (x, three)
  part = Mul (cube, k)
  sum = Add (x, part)
  scaled = Mul (sum, r)
  tanh = Tanh (scaled)
  above = Add (tanh, one)
  half = Mul (x, a)
  gelu = Mul (half, above)
  y = Neg (gelu)
}""")
session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
try:
    (found,) = session.run(None, {"x": np.array(1, np.float32)})
except Exception as error:
    print(f"got {error}, right is -0.841192")
    sys.exit(1)
print(f"got {found}, right is -0.841192")
