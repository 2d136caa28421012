"""ONNX Runtime: an output that a Pad in front of a Conv reads too has no session.

Kind: refused
Says: A tensor may be an output of the graph, by an Identity, and be read by a Pad. Where a Conv
follows, the optimiser moves the Pad into it and reads the tensor by a name that is gone; without
optimisation the graph runs.
Seen: 1.31.1
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
g (float[1,1,2,2] x) => (float[1,1,2,2] y, float[1,1,3,3] z)
<int64[8] p = {0, 0, 0, 0, 0, 0, 1, 1}, float[1,1,1,1] w = {2}> {
  a = Relu (x)
  y = Identity (a)
  b = Pad (a, p)
  z = Conv (b, w)
}""")
try:
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
except Exception as error:
    print(f"got {error}, right is a session")
    sys.exit(1)
(found, _) = session.run(None, {"x": np.ones((1, 1, 2, 2), np.float32)})
print(f"got {found.ravel()}, right is [1 1 1 1]")
