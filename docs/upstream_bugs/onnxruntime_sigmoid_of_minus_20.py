"""ONNX Runtime: Sigmoid of float32 is 0 from -18 on.

Kind: wrong value
Says: 1 / (1 + exp(-x)) of -20 is 2.06e-09, which float32 holds and the kernel for float64 answers.
The kernel for float32 is an approximation on [-18, 18].
Seen: 1.18.1, 1.23.2, 1.31.1
Here: nothing is done about it.
"""

import sys

import numpy as np

try:
    import onnx
    import onnxruntime as ort
except ModuleNotFoundError:
    sys.exit(2)


def sigmoid(kind: str) -> np.ndarray:
    """Sigmoid of -20 in an element type."""
    model = onnx.parser.parse_model(
        f"""<ir_version: 8, opset_import: ["" : 13]>
        g ({kind}[1] x) => ({kind}[1] y) {{ y = Sigmoid (x) }}"""
    )
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, {"x": np.array([-20], {"float": "f4", "double": "f8"}[kind])})[0]


print(f"float32: {sigmoid('float')}, float64: {sigmoid('double')}, right is [2.0611537e-09]")
sys.exit(int(sigmoid("float")[0] == 0))
