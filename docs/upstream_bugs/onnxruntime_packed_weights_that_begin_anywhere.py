"""ONNX Runtime: a model that it saves with packed weights kills the process that runs it.

Kind: crash
Says: session.save_external_prepacked_constant_initializers lets weights be packed once; a session
reads them where they lie in the file.
Weights below a megabyte are written one behind the other, and kernels load whole registers of
64 bytes from there.
Seen: 1.31.1
Here: what begins elsewhere is packed anew (`hal/drivers/onnxruntime/lending.py`).
"""

import subprocess
import sys
import tempfile

import numpy as np

try:
    import onnxruntime as ort
    from onnx import helper, numpy_helper
except ModuleNotFoundError:
    sys.exit(2)

SIZE, COUNT = 270, 6
ends = [helper.make_tensor_value_info(name, 1, [64, SIZE]) for name in ("y0", f"y{COUNT}")]
if sys.argv[1:2] != ["child"]:
    rng = np.random.default_rng(0)
    nodes, weights = [], []
    for k in range(COUNT):
        arrays = {f"w{k}": rng.random((SIZE, SIZE), np.float32), f"b{k}": np.ones(SIZE, np.float32)}
        weights += [numpy_helper.from_array(array, name) for name, array in arrays.items()]
        nodes.append(helper.make_node("Gemm", [f"y{k}", *arrays], [f"y{k + 1}"]))
    graph = helper.make_graph(nodes, "g", ends[:1], ends[1:], weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    with tempfile.TemporaryDirectory() as folder:
        options = ort.SessionOptions()
        options.log_severity_level = 3
        options.optimized_model_filepath = f"{folder}/model.onnx"
        for key, value in (
            ("optimized_model_external_initializers_file_name", "weights"),
            ("optimized_model_external_initializers_min_size_in_bytes", "1024"),
            ("save_external_prepacked_constant_initializers", "1"),
        ):
            options.add_session_config_entry(f"session.{key}", value)
        data = model.SerializeToString()
        ort.InferenceSession(data, options, providers=["CPUExecutionProvider"])
        words = [sys.executable, __file__, "child", options.optimized_model_filepath]
        died = subprocess.run(words, check=False).returncode
    print(f"exit status of the process: {died}, right is 0")
    sys.exit(int(died < 0))
session = ort.InferenceSession(sys.argv[2], providers=["CPUExecutionProvider"])
session.run(None, {"y0": np.ones((64, SIZE), np.float32)})
