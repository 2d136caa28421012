"""ONNX: the reference evaluator's Attention gives capped scores where it is asked for raw ones.

Kind: wrong value
Says: The schema says that with qk_matmul_output_mode 0 the fourth result is the raw product, and
with 1 what comes behind the soft cap. The reference gives the latter for both.
Seen: 1.23.2
Here: the raw product; left out of comparisons with a cap (`conformance/fuzzing/undefined.py`).
"""

import sys

import numpy as np

try:
    import onnx
    from onnx.reference import ReferenceEvaluator
except ModuleNotFoundError:
    sys.exit(2)

model = onnx.parser.parse_model("""<ir_version: 11, opset_import: ["" : 23]>
g (float[1,1,1,1] q, float[1,1,1,1] k, float[1,1,1,1] v) => (float[1,1,1,1] y, float[1,1,1,1] s) {
  y, a, b, s = Attention <softcap = 0.5, scale = 1.0> (q, k, v)
}
""")
ones = np.ones((1, 1, 1, 1), np.float32)
_, found = ReferenceEvaluator(model).run(None, {"q": ones, "k": ones, "v": ones})
print(f"got {found.ravel()}, right is [1.]")
sys.exit(int(not np.allclose(found, 1)))
