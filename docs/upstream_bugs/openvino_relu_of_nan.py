"""OpenVINO: Relu, Clamp and HSigmoid of NaN are 0.

Kind: NaN lost
Says: PRelu and Elu of the same plugin keep NaN, as do the others' relu. A network whose numbers
have gone wrong looks well.
Seen: 2024.6.0, 2026.4.1
Here: NaN is put back, but not in what is fused into a convolution or product
([devices.md](devices.md)).
"""

import sys

import numpy as np

try:
    import openvino as ov
except ModuleNotFoundError:
    sys.exit(2)
ops = ov.opset13 if hasattr(ov, "opset13") else ov.runtime.opset13

x = ops.parameter([1], ov.Type.f32)
slope = ops.constant(np.array([0.5], np.float32))
made = [ops.relu(x), ops.clamp(x, 0.0, 6.0), ops.hsigmoid(x), ops.prelu(x, slope), ops.elu(x, 1.0)]
model = ov.Model(made, [x])
compiled = ov.Core().compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
results = compiled([np.array([np.nan], np.float32)])
found = [float(results[k][0]) for k in range(5)]
print(f"Relu, Clamp, HSigmoid, PRelu, Elu: got {found}, right is NaN five times")
sys.exit(int(not np.isnan(found).all()))
