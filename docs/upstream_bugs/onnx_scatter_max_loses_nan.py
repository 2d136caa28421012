"""ONNX: the reference evaluator's ScatterElements with the reduction max loses a NaN of updates.

Kind: NaN lost
Says: The definition is max(output, update) for each index; ONNX's own Max and ReduceMax give NaN
where an operand is NaN. Here it depends on which of the two is NaN.
Seen: 1.23.2
Here: NaN of the updates is kept, as by Max.
"""

import sys

import numpy as np

try:
    import onnx
    from onnx.reference import ReferenceEvaluator
except ModuleNotFoundError:
    sys.exit(2)

model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 18]>
g (float[2] x, int64[2] i, float[2] u) => (float[2] y) {
  y = ScatterElements <reduction = "max"> (x, i, u)
}
""")
feeds = {"x": [1, np.nan], "u": [np.nan, 1]}
given = {k: np.array(v, np.float32) for k, v in feeds.items()}
(found,) = ReferenceEvaluator(model).run(None, {**given, "i": np.arange(2)})
print(f"got {found}, right is [nan nan]")
sys.exit(int(not np.isnan(found).all()))
