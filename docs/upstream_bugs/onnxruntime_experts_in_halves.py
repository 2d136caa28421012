"""ONNX Runtime: a mixture of experts in float16 writes over its input.

Kind: wrong value
Says: The kernel is one of float32, so halves are cast before and after it: what comes out differs
from the same numbers in float32 by rounding. It is far off where the input is computed while
running, and right where it is a constant.
Seen: 1.31.1
Here: the case of float16 has a constant input (`conformance/cases/onnx/microsoft_experts.py`).
"""

import sys

import numpy as np

try:
    import onnx
    import onnxruntime as ort
except ModuleNotFoundError:
    sys.exit(2)

generator = np.random.default_rng(0)
SHAPES = {"x": (5, 4), "r": (5, 3), "w1": (3, 6, 4), "b1": (3, 6), "w2": (3, 4, 6), "b2": (3, 4)}
GIVEN = {k: generator.normal(size=s).astype(np.float16) for k, s in SHAPES.items()}


def mix(kind: str) -> np.ndarray:
    """The mixture in one precision."""
    inputs = ", ".join(f"{kind}{list(s)} {k}" for k, s in SHAPES.items())
    model = onnx.parser.parse_model(
        f"""<ir_version: 10, opset_import: ["" : 21, "com.microsoft" : 1]>
        g ({inputs}) => ({kind}[5,4] y) {{ y = com.microsoft.MoE <k = 2> ({", ".join(SHAPES)}) }}"""
    )
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    dtype = np.float32 if kind == "float" else np.float16
    return session.run(None, {k: v.astype(dtype) for k, v in GIVEN.items()})[0]


got, right = mix("float16")[0], mix("float")[0]
print(f"float16: {got}\nfloat32 of the same numbers, which is right: {right}")
sys.exit(int(np.abs(got - right).max() > 0.1))
