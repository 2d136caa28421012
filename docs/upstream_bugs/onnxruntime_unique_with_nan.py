"""ONNX Runtime: Unique loses elements that stand behind a NaN.

Kind: wrong value
Says: Unique gives each different element once: 1 and NaN, or NaN twice for those who hold that it
does not equal itself. 1 is gone.
Seen: 1.18.1, 1.23.2, 1.31.1
Here: listed where frameworks differ ([framework_differences.md](framework_differences.md)).
"""

import sys

import numpy as np

try:
    import onnx
    import onnxruntime as ort
except ModuleNotFoundError:
    sys.exit(2)

model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 13]>
g (float[3] x) => (float[n] y) { y = Unique (x) }
""")
session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
(found,) = session.run(None, {"x": np.array([np.nan, 1, np.nan], np.float32)})
print(f"got {found}, right is [1. nan] or [1. nan nan]")
sys.exit(int(1 not in found))
