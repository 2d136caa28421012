"""Write the small good files of every format that attacks and mutations begin with.

    python tests/data/make_samples.py torch|script|tensorflow|paddle|onnx|nnrt

One framework in one process. The files are in the repository, so that nothing needs them again.
"""

from __future__ import annotations

import os
import shutil
import sys
import warnings
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).parent / "samples"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"


def torch_program() -> None:
    import torch

    class Net(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            torch.manual_seed(0)
            self.first = torch.nn.Conv2d(1, 2, 3)
            self.second = torch.nn.Linear(8, 3)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            y = torch.relu(self.first(x)).flatten(1)
            return torch.softmax(self.second(y), -1)

    batch = torch.export.Dim("batch", min=2, max=64)
    program = torch.export.export(
        Net().eval(), (torch.zeros(3, 1, 4, 4),), dynamic_shapes={"x": {0: batch}}
    )
    for node in program.graph.nodes:
        node.meta.pop("stack_trace", None)  # paths of whoever ran this
    torch.export.save(program, FOLDER / "net.pt2")


def script() -> None:
    """A traced module that calls scripted functions, so that it has both code and input types."""
    import torch

    @torch.jit.script
    def settle(x: torch.Tensor, names: dict[str, int]) -> tuple[torch.Tensor, list[torch.Tensor]]:
        parts = [x]
        for k in range(names["rounds"]):
            parts.append(parts[-1] * 0.5 + float(k))
        y = torch.stack(parts)
        if bool(y.sum() > 0):
            y[:, 0] = 1
        else:
            y = y.abs()
        while bool(y.max() < 4):
            y = y * 2 + 1
        return y, parts

    class Net(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            torch.manual_seed(0)
            self.first = torch.nn.Linear(4, 2)
            self.register_buffer("count", torch.zeros(2))

        def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            self.count += 1
            y, parts = settle(torch.relu_(self.first(x)), {"rounds": 2})
            return y.view(-1, 2) + self.count, parts[0]

    warnings.simplefilter("ignore")
    torch.jit.trace(Net().eval(), (torch.ones(3, 4),), check_trace=False).save(
        str(FOLDER / "net.pt")
    )


def tensorflow_files() -> None:
    import keras
    import tensorflow as tf
    from tensorflow.python.framework.convert_to_constants import (
        convert_variables_to_constants_v2 as freeze,
    )

    keras.utils.set_random_seed(0)
    layers = keras.layers
    net = keras.Sequential(
        [
            keras.Input((4, 4, 1)),
            layers.Conv2D(2, 3, activation="relu"),
            layers.Flatten(),
            layers.Dense(3, activation="softmax"),
        ]
    )
    net.save(FOLDER / "net.keras")
    shutil.rmtree(FOLDER / "saved", ignore_errors=True)
    module = tf.Module()
    module.w = tf.Variable(tf.reshape(tf.range(6.0), (2, 3)), name="w")
    module.n = tf.Variable(tf.ones(3), name="n")

    @tf.function(input_signature=[tf.TensorSpec((None, 2), tf.float32, "x")])
    def call(x: tf.Tensor) -> dict[str, tf.Tensor]:
        y = tf.nn.relu(tf.matmul(x, module.w) + module.n)
        y = tf.cond(tf.reduce_sum(y) > 0, lambda: y * 2.0, lambda: y - 1.0)
        return {"y": y}

    tf.saved_model.save(module, str(FOLDER / "saved"), signatures=call)
    graph = freeze(call.get_concrete_function()).graph.as_graph_def()
    (FOLDER / "graph.pb").write_bytes(graph.SerializeToString(deterministic=True))
    converter = tf.lite.TFLiteConverter.from_keras_model(net)
    converter.optimizations = [tf.lite.Optimize.DEFAULT]
    rng = np.random.default_rng(0)
    converter.representative_dataset = lambda: (
        [rng.random((1, 4, 4, 1), np.float32)] for _ in range(4)
    )
    (FOLDER / "net.tflite").write_bytes(converter.convert())


def paddle_program() -> None:
    import paddle

    paddle.seed(0)
    net = paddle.nn.Sequential(
        paddle.nn.Conv2D(1, 2, 3), paddle.nn.ReLU(), paddle.nn.Flatten(), paddle.nn.Linear(8, 3)
    )
    net.eval()
    spec = [paddle.static.InputSpec([None, 1, 4, 4], "float32", "x")]
    paddle.jit.save(net, str(FOLDER / "pir"), input_spec=spec)


def onnx_files() -> None:
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    rng = np.random.default_rng(0)
    weights = {"w": rng.standard_normal((4, 3)).astype(np.float32), "b": np.ones(3, np.float32)}
    tensors = [numpy_helper.from_array(v, k) for k, v in weights.items()]
    then, other = (
        helper.make_graph(
            [helper.make_node(op, ["h"], [out])],
            out,
            [],
            [helper.make_tensor_value_info(out, TensorProto.FLOAT, ["n", 3])],
        )
        for op, out in (("Neg", "t"), ("Abs", "e"))
    )
    nodes = [
        helper.make_node("Gemm", ["x", "w", "b"], ["g"], name="dense", alpha=0.5),
        helper.make_node("LeakyRelu", ["g"], ["h"], name="act", alpha=0.1),
        helper.make_node("If", ["flag"], ["i"], name="if", then_branch=then, else_branch=other),
        helper.make_node("Shape", ["i"], ["s"], name="shape"),
        helper.make_node("Reshape", ["i", "s"], ["y"], name="flat"),
    ]
    graph = helper.make_graph(
        nodes,
        "net",
        [
            helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 4]),
            helper.make_tensor_value_info("flag", TensorProto.BOOL, []),
        ],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 3])],
        tensors,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    onnx.save(model, FOLDER / "net.onnx")
    onnx.save(
        model,
        FOLDER / "external.onnx",
        save_as_external_data=True,
        location="external.data",
        size_threshold=0,
    )
    import nnadapter

    nnadapter.save(nnadapter.load(FOLDER / "net.onnx"), FOLDER / "net.nnir")


def nnrt_file() -> None:
    import nnadapter

    model = nnadapter.load(FOLDER / "net.pt2")
    sizes = dict.fromkeys(model.symbols, 2)
    nnadapter.convert(model, FOLDER / "net.nnrt", sizes=sizes, verify=False)


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    {
        "torch": torch_program,
        "script": script,
        "tensorflow": tensorflow_files,
        "paddle": paddle_program,
        "onnx": onnx_files,
        "nnrt": nnrt_file,
    }[sys.argv[1]]()
