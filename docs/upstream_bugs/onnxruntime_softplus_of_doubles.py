"""ONNX Runtime: Softplus of float64 is infinite from 710 on, that of float32 is not.

Kind: wrong value
Says: ln(exp(x) + 1) is x itself for a large x. The kernel for float32 knows that. For float64 there
is none: the nodes that ONNX gives as the operator's definition take its place, and exp overflows.
Seen: 1.18.1, 1.23.2, 1.31.1
Here: beyond the threshold x itself is taken (`hal/drivers/onnxruntime/activation.py`).
"""

import sys

import numpy as np

try:
    import onnx
    import onnxruntime as ort
except ModuleNotFoundError:
    sys.exit(2)


def softplus(kind: str) -> np.ndarray:
    """Softplus of 1000 in an element type."""
    model = onnx.parser.parse_model(
        f"""<ir_version: 8, opset_import: ["" : 18]>
        g ({kind}[1] x) => ({kind}[1] y) {{ y = Softplus (x) }}"""
    )
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, {"x": np.array([1000], {"float": "f4", "double": "f8"}[kind])})[0]


print(f"float64: {softplus('double')}, float32: {softplus('float')}, right is [1000.]")
sys.exit(int(softplus("double")[0] != 1000))
