"""ONNX Runtime: Attention without its optional bias kills the process.

Kind: crash
Says: The schema of com.microsoft Attention says that the bias is optional; without it the result
is that of a bias of zeros.
Seen: 1.31.1
Here: the frontend takes a bias that is absent as one of zeros; no case asks ONNX Runtime for it.
"""

import subprocess
import sys

import numpy as np

try:
    import onnx
    import onnxruntime as ort
except ModuleNotFoundError:
    sys.exit(2)

if sys.argv[1:] != ["child"]:
    died = subprocess.run([sys.executable, __file__, "child"], check=False).returncode
    print(f"exit status of the process: {died}, right is 0")
    sys.exit(int(died < 0))
model = onnx.parser.parse_model("""<ir_version: 10, opset_import: ["" : 21, "com.microsoft" : 1]>
g (float[2,3,6] x, float[6,24] w) => (float[2,3,8] y, float[2,2,2,3,4] present) {
  y, present = com.microsoft.Attention <num_heads = 2> (x, w)
}""")
session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
print(session.run(None, {"x": np.ones((2, 3, 6), np.float32), "w": np.ones((6, 24), np.float32)}))
