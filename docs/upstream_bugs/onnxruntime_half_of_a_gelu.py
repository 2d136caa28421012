"""ONNX Runtime: half of what a GELU by Tanh is of has no session where something else reads it too.

Kind: refused
Says: A result may be read by several nodes. Where one of them is the last product of a GELU that is
written with Tanh, the optimiser (FastGeluFusion) takes the product with 0.5 away with it, and the
others read a name that is gone; a second product of the same tensor with 0.5 is the same one by
then. Without optimisation the graph runs, and with Erf in the place of Tanh.
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
g (float[2] x) => (float[2] y)
<float three = {3}, float k = {0.044715}, float r = {0.7978846}, float one = {1}, float a = {0.5}> {
  cube = Pow (x, three)
  part = Mul (cube, k)
  sum = Add (x, part)
  scaled = Mul (sum, r)
  tanh = Tanh (scaled)
  above = Add (tanh, one)
  half = Mul (x, a)
  gelu = Mul (half, above)
  y = Sub (gelu, half)
}""")
try:
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
except Exception as error:
    print(f"got {error}, right is a session")
    sys.exit(1)
(found,) = session.run(None, {"x": np.array([0, 1], np.float32)})
print(f"got {found}, right is [0 0.3411921]")
