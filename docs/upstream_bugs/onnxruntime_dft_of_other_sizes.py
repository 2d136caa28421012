"""ONNX Runtime: DFT and STFT lose digits where their size is no power of two.

Kind: digits lost
Says: In float32 a transform of 1,000 elements is within 1e-7 of that in float64, relative to the
largest; NumPy's is, and this one of 1,024 within 1e-6. Of 1,000 it is 1e-4 off, of 2,000 2e-4: its
angles, which grow with the product of both places, are in float32. Logarithms of what is near 0,
the features of speech, then differ in their third digit.
Seen: 1.31.1
Here: a DFT is two products with tables of angles within one turn (`nnir/ops/signal.py`).
"""

import sys

import numpy as np

try:
    import onnxruntime as ort
    from onnx import TensorProto, helper
except ModuleNotFoundError:
    sys.exit(2)


def error(size: int) -> float:
    """How far the transform of a line is from that in float64, relative to its largest element."""
    ends = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
        for name, shape in (("x", [1, size, 1]), ("y", None))
    ]
    node = helper.make_node("DFT", ["x"], ["y"], axis=1, onesided=1)
    graph = helper.make_graph([node], "g", ends[:1], ends[1:])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    x = np.random.default_rng(0).uniform(-1, 1, (1, size, 1)).astype(np.float32)
    found = session.run(None, {"x": x})[0][0]
    right = np.fft.rfft(x[0, :, 0].astype(np.float64))
    return float(np.abs(found[:, 0] + 1j * found[:, 1] - right).max() / np.abs(right).max())


plain, other = error(1024), error(1000)
print(f"off by {plain:.1e} of the largest with 1,024 elements, by {other:.1e} with 1,000")
sys.exit(int(other > 1e-5))
