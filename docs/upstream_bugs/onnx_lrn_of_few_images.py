"""ONNX: the reference evaluator's LRN counts images where it means channels.

Kind: wrong value
Says: The definition sums the squares of neighbouring channels of every element. The reference goes
over as many channels as there are images; of one image only the first channel is right, and with
more images than channels it raises IndexError.
Seen: 1.23.2
Here: cases are asked of ONNX Runtime, or have as many images as channels
(`conformance/cases/onnx/norm.py`).
"""

import sys

import numpy as np

try:
    import onnx
    from onnx.reference import ReferenceEvaluator
except ModuleNotFoundError:
    sys.exit(2)

model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 13]>
g (float[1,3,1,1] x) => (float[1,3,1,1] y) {
  y = LRN <size = 1, alpha = 1.0, beta = 1.0, bias = 1.0> (x)
}
""")
x = np.ones((1, 3, 1, 1), np.float32)
(found,) = ReferenceEvaluator(model).run(None, {"x": x})
print(f"got {found.ravel()}, right is [0.5 0.5 0.5]")
sys.exit(int(not np.allclose(found, 0.5)))
