"""ONNX Runtime: int8 becomes uint8 on x86, and a Transpose behind the dequantisation then has no
session.

Kind: refused
Says: The model is valid ONNX, and has a session without optimisation or with opset 20. A rewrite
makes int8 uint8 on x86 and leaves, from opset 21 on, a type that does not fit.
Seen: 1.31.1; not in 1.18.1, 1.23.2
Here: an option of our sessions; files are written for the lowest opset that has their operators.
"""

import sys

try:
    import onnx
    import onnxruntime as ort
except ModuleNotFoundError:
    sys.exit(2)

TEXT = """<ir_version: 10, opset_import: ["" : 21]>
g (float[3,4] x) => (float[4,3] y) <float s = {0.1}, int8 z = {3}> {
  q = QuantizeLinear (x, s, z)
  d = DequantizeLinear (q, s, z)
  y = Transpose <perm = [1, 0]> (d)
}"""
model = onnx.parser.parse_model(TEXT).SerializeToString()
try:
    ort.set_default_logger_severity(4)
    ort.InferenceSession(model, providers=["CPUExecutionProvider"])
except Exception as error:
    print("no session:", str(error).strip().splitlines()[-1])
    sys.exit(1)
print("a session, as it ought to be")
