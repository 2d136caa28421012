"""A custom operator with kernels of its own for three frameworks, in an environment of its own."""

from __future__ import annotations

import shutil

import pytest

from conformance.judging.result import PASS
from conformance.reports import against

from .installing import ROOT, Home

EXAMPLE = ROOT / "examples" / "kernels"

MODELS = {
    "tensorflow": """
import sys, tensorflow as tf
from acme_snake.tensorflow_operator import snake

class Model(tf.Module):
    def __init__(self):
        self.weights = tf.Variable(tf.random.stateless_normal([4, 3], [1, 2]))

    @tf.function(input_signature=[tf.TensorSpec([None, 4], tf.float32, name="x")])
    def __call__(self, x):
        return {"y": snake(x @ self.weights, alpha=0.5)}

model = Model()
tf.saved_model.save(model, sys.argv[1], signatures=model.__call__)
""",
    "paddle": """
import sys, paddle
from acme_snake.paddle_operator import snake

class Model(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.linear = paddle.nn.Linear(4, 3)

    def forward(self, x):
        return snake(self.linear(x), 0.5)

spec = paddle.static.InputSpec([None, 4], "float32", "x")
paddle.jit.save(paddle.jit.to_static(Model(), input_spec=[spec]), sys.argv[1] + "/model")
""",
    "onnx": """
import sys, onnx
from onnx import helper as h

x, y = (h.make_tensor_value_info(n, 1, ["n", 4]) for n in "xy")
nodes = [h.make_node("Tanh", ["x"], ["t"]),
         h.make_node("Snake", ["t"], ["y"], domain="com.acme", alpha=0.5)]
versions = [h.make_opsetid("", 20), h.make_opsetid("com.acme", 1)]
graph = h.make_graph(nodes, "snake", [x], [y])
onnx.save(h.make_model(graph, opset_imports=versions, ir_version=10), sys.argv[1] + "/model.onnx")
""",
}
SOURCES = {"tensorflow": "tensorflow", "paddle": "paddle/model.json", "onnx": "onnx/model.onnx"}
ORIGINS = {"tensorflow": "tensorflow", "paddle": "paddle", "onnx": "onnxruntime"}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """The example, installed with pip and built with g++, and a model of each framework."""
    if shutil.which("g++") is None:
        pytest.skip("no g++ here: the kernels of examples/kernels cannot be built")
    made = Home.with_package(tmp_path_factory.mktemp("kernels"), EXAMPLE)
    done = made.python("-m", "acme_snake.build")
    assert done.returncode == 0, done.stderr[-2000:]
    for framework, script in MODELS.items():
        (made.folder / framework).mkdir()
        (made.folder / f"make_{framework}.py").write_text(script)  # Paddle reads its source
        done = made.python(f"make_{framework}.py", framework)
        assert done.returncode == 0, done.stderr[-2000:]
    return made


@pytest.mark.parametrize("target", ["model.onnx", "model.tflite", "model.xml", "model.nnir"])
@pytest.mark.parametrize("framework", MODELS)
@pytest.mark.long
def test_its_own_framework_proves_what_is_written(home: Home, framework: str, target: str) -> None:
    written = f"{framework}_{target}"
    done = home.nnadapter("convert", SOURCES[framework], written)
    assert done.returncode == 0, done.stderr
    assert "verified:" in done.stderr
    assert f"agrees with {ORIGINS[framework]}" in done.stderr


@pytest.mark.long
def test_onnx_files_name_the_domain_of_their_kernel(home: Home) -> None:
    import onnx

    done = home.nnadapter("convert", "tensorflow", "kernel.onnx")
    assert done.returncode == 0, done.stderr
    model = onnx.load(home.folder / "kernel.onnx")
    assert ("com.acme", "Snake") in {(n.domain, n.op_type) for n in model.graph.node}
    assert {o.domain for o in model.opset_import} == {"", "com.acme"}
    onnx.checker.check_model(model)


@pytest.mark.long
def test_its_cases_agree_with_every_framework(home: Home) -> None:
    devices = ("builtin", "onnxruntime", "openvino", "litert", "torch")
    words = ["--op", "ACME_SNAKE", "--json", "run.json", *(f"--device={d}" for d in devices)]
    done = home.nnadapter("conform", *words)
    assert done.returncode == 0, done.stdout + done.stderr
    found = against.load(home.folder / "run.json").results
    asked = {(f, d) for f in ("nnir", "tensorflow", "paddle") for d in devices}
    assert {(r.frontend, r.device) for r in found} == asked
    assert {r.verdict for r in found} == {PASS}


def test_kernels_that_nobody_built_are_named(home: Home) -> None:
    """Also by `doctor`'s users: the error says whose they are and where they would be."""
    library = next(home.folder.glob("own/lib/*/site-packages/acme_snake/libonnx*.so"))
    hidden = library.rename(library.with_suffix(".hidden"))
    try:
        done = home.nnadapter("convert", "onnx/model.onnx", "unbuilt.onnx")
    finally:
        hidden.rename(library)
    assert done.returncode == 1
    assert "acme-snake 0.3: its kernels for onnxruntime are not there" in done.stderr
    assert done.stderr.count("\n") == 1
