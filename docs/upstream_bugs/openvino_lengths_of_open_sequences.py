"""OpenVINO: LSTMSequence does not read the lengths of sequences where a size is open.

Kind: wrong value
Says: the operator's specification: `sequence_lengths` says how many steps of each sequence count;
the same model of known sizes reads them. GRUSequence and RNNSequence do not read them either.
Seen: 2026.4.1
Here: refused, until the sizes are fixed.
"""

import sys

import numpy as np

try:
    import openvino as ov
except ModuleNotFoundError:
    sys.exit(2)
ops = ov.opset13 if hasattr(ov, "opset13") else ov.runtime.opset13


def run(shape: list[int]) -> np.ndarray:
    """The steps of two sequences, of which the second has one that counts."""
    x = ops.parameter(shape, ov.Type.f32)
    lengths = ops.parameter([2], ov.Type.i32)
    state = ops.constant(np.zeros((2, 1, 1), np.float32))
    weights = [np.full((1, 4, 1), 0.5, np.float32)] * 2 + [np.zeros((1, 4), np.float32)]
    made = ops.lstm_sequence(x, state, state, lengths, *map(ops.constant, weights), 1, "FORWARD")
    model = ov.Model([made.output(0)], [x, lengths])
    given = [np.ones((2, 2, 1), np.float32), np.array([2, 1], np.int32)]
    return ov.Core().compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})(given)[0]


known, found = (abs(float(run(shape)[1, 0, 1, 0])) for shape in ([2, 2, 1], [2, -1, 1]))
print(f"a step that does not count: {known:.3f}, where a size is open {found:.3f}")
sys.exit(int(found > 0.01))
