"""ONNX Runtime: a dequantised bias of a quantised Gemm loses its own scale.

Kind: wrong value
Says: The bias is 100 steps of 0.1, which is 10. Between quantised values ONNX Runtime makes one
kernel of Gemm, or of MatMul and Add, which counts the bias in steps of the products, here 0.25.
Without optimisations the result is right, and so is that of Conv, whose steps are compared.
Seen: 1.31.1
Here: the numbers themselves are the bias, which then is quantised anew or stays real
(`hal/drivers/onnxruntime/quant.py`).
"""

import sys

import numpy as np

try:
    import onnx
    import onnxruntime as ort
except ModuleNotFoundError:
    sys.exit(2)

model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 13]>
g (int8[2,3] x) => (int8[2,1] y) <int8[1,3] w = {3, 1, 2}, int32[1] b = {100}, float s = {0.5},
    float steps = {0.1}, float one = {1.0}, int8 zero = {0}, int32 none = {0}> {
  real = DequantizeLinear (x, s, zero)
  weights = DequantizeLinear (w, s, zero)
  bias = DequantizeLinear (b, steps, none)
  sums = Gemm <transB = 1> (real, weights, bias)
  y = QuantizeLinear (sums, one, zero)
}
""")
x = np.array([[1, 2, 3], [4, 5, 6]], np.int8)
found = []
for level in ("ORT_DISABLE_ALL", "ORT_ENABLE_ALL"):
    options = ort.SessionOptions()
    options.graph_optimization_level = getattr(ort.GraphOptimizationLevel, level)
    content, providers = model.SerializeToString(), ["CPUExecutionProvider"]
    session = ort.InferenceSession(content, options, providers=providers)
    found.append(session.run(None, {"x": x})[0].ravel())
print(f"got {found[1]}, without optimisations {found[0]}")
sys.exit(int(not np.array_equal(*found)))
