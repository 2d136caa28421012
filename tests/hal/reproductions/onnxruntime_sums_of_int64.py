"""Exit status 1 while ONNX Runtime adds int64 in floats."""

import sys

import numpy as np
import onnx
import onnxruntime as ort

model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 13]>
g (int64[2,63] x) => (int64[2] y) <int64[1] axes = {-1}> { y = ReduceSum <keepdims = 0> (x, axes) }
""")
session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
x = np.random.default_rng(0).integers(-(2**55), 2**55, (2, 63))
(got,) = session.run(None, {"x": x})
print(got, x.sum(axis=1))
sys.exit(int(not np.array_equal(got, x.sum(axis=1))))
