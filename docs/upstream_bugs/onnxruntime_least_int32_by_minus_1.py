"""ONNX Runtime: a division of the least int32 by -1 kills the process.

Kind: crash
Says: The quotient is no int32. ONNX's reference evaluator and TensorFlow wrap around, TFLite
saturates; a division by 0 is an error of ONNX Runtime's own. A server that divides what clients
send dies.
Seen: 1.18.1, 1.23.2, 1.31.1
Here: where the divisor is -1 or 0 it becomes 1, and the sign is changed afterwards
(`hal/drivers/onnxruntime/binary.py`).
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
model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 13]>
g (int32[1] a, int32[1] b) => (int32[1] y) { y = Div (a, b) }
""")
session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
(found,) = session.run(None, {"a": np.array([-(2**31)], np.int32), "b": np.array([-1], np.int32)})
print(found)
