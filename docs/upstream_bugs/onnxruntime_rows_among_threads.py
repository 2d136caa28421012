"""ONNX Runtime: DynamicQuantizeLSTM gives other numbers with another count of threads.

Kind: wrong value
Says: the schema of com.microsoft DynamicQuantizeLSTM computes scales of the input and of the state
at run time. The rows of a batch are divided among the threads of the session, and each thread takes
the scale of its own rows: the result of a row depends on how many processors there are.
Seen: 1.31.1
Here: rows are scaled one by one; `verify` asks a session of one thread too.
"""

import sys

import numpy as np

try:
    import onnxruntime as ort
    from onnx import TensorProto, helper
except ModuleNotFoundError:
    sys.exit(2)

rng = np.random.default_rng(0)
weights = {
    "W": rng.integers(-100, 100, (1, 4, 12)).astype(np.int8),
    "R": rng.integers(-100, 100, (1, 3, 12)).astype(np.int8),
    **{f"{n}_scale": np.array([0.01], np.float32) for n in "WR"},
    **{f"{n}_zero": np.zeros(1, np.int8) for n in "WR"},
}
tensors = [
    helper.make_tensor(n, helper.np_dtype_to_tensor_dtype(a.dtype), a.shape, a.tobytes(), raw=True)
    for n, a in weights.items()
]
names = ["X", "W", "R", "", "", "", "", "", "W_scale", "W_zero", "R_scale", "R_zero"]
node = helper.make_node("DynamicQuantizeLSTM", names, ["Y"], domain="com.microsoft", hidden_size=3)
ends = [helper.make_tensor_value_info(n, TensorProto.FLOAT, None) for n in "XY"]
graph = helper.make_graph([node], "g", ends[:1], ends[1:], tensors)
opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
model = helper.make_model(graph, opset_imports=opsets, ir_version=8).SerializeToString()
x = rng.uniform(-1, 1, (5, 4, 4)).astype(np.float32) * np.array([0.1, 1, 3, 9], np.float32)[:, None]
found = []
for count in (1, 4):
    options = ort.SessionOptions()
    options.intra_op_num_threads = count
    session = ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    found.append(session.run(None, {"X": x})[0][-1, 0, 0])
print(f"with one thread {found[0]}, with four {found[1]}")
sys.exit(int(not np.array_equal(*found)))
