"""ONNX: the reference evaluator's GlobalMaxPool reduces two axes, however many there are.

Kind: wrong value
Says: The definition pools all axes behind the channels, and keeps each with the size 1. The
reference takes the maximum over the axes n and n + 1 of n axes in space, and then adds n axes: only
of images both are right.
Seen: 1.23.2
Here: left out of comparisons for other than four axes (`conformance/fuzzing/undefined.py`).
"""

import sys

import numpy as np

try:
    import onnx
    from onnx.reference import ReferenceEvaluator
except ModuleNotFoundError:
    sys.exit(2)

model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 13]>
g (float[1,2,3,4,5] x) => (float[1,2,1,1,1] y) {
  y = GlobalMaxPool (x)
}
""")
(found,) = ReferenceEvaluator(model).run(None, {"x": np.ones((1, 2, 3, 4, 5), np.float32)})
print(f"got a result of shape {found.shape}, right is (1, 2, 1, 1, 1)")
sys.exit(int(found.shape != (1, 2, 1, 1, 1)))
