"""TensorFlow's objects, in a process of their own: the tests themselves never import TensorFlow."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

SCRIPT = """
import json, os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import keras, numpy as np, tensorflow as tf
import nnadapter as nna
from nnir.errors import NNAdapterError

found = {}
x = np.linspace(-1, 1, 2 * 8 * 8 * 3, dtype=np.float32).reshape(2, 8, 8, 3)


def note(name, model, want, *arrays):
    got = nna.compile(model, "onnxruntime")(*arrays)
    error = max(float(np.abs(g - w).max()) for g, w in zip(got, want, strict=True))
    found[name] = {
        "inputs": [v.name for v in model.inputs],
        "outputs": model.output_names,
        "types": [str(v.type) for v in model.inputs],
        "error": error,
    }


net = keras.Sequential([
    keras.Input((8, 8, 3), name="image"), keras.layers.Conv2D(4, 3), keras.layers.ReLU(),
    keras.layers.GlobalAveragePooling2D(), keras.layers.Dense(2),
])
note("keras", nna.load(net), [net(x).numpy()], x)
both = keras.Model(
    [a := keras.Input((4,), name="left"), b := keras.Input((4,), name="right")],
    keras.layers.Add()([a, b]),
)
rows = x.reshape(-1, 4)
note("two", nna.load(both), [both([rows, rows]).numpy()], rows, rows)


@tf.function
def pair(a, b):
    return {"sum": a + b, "product": a * b}


wanted = pair(rows, rows)
note("function", nna.load(pair, inputs=(rows, rows)),
     [wanted["product"].numpy(), wanted["sum"].numpy()], rows, rows)
concrete = tf.function(lambda a: tf.nn.relu(a)).get_concrete_function(tf.TensorSpec([None, 4]))
note("concrete", nna.load(concrete), [np.maximum(rows, 0)], rows)


class Scale(tf.Module):
    def __init__(self):
        self.factor = tf.Variable([1.0, 2.0, 3.0, 4.0])

    @tf.function(input_signature=[tf.TensorSpec([None, 4], name="rows")])
    def __call__(self, rows):
        return rows * self.factor


scale = Scale()
note("module", nna.load(scale), [rows * np.float32([1, 2, 3, 4])], rows)
with tf.Graph().as_default() as graph:
    p = tf.compat.v1.placeholder(tf.float32, [None, 4], name="p")
    tf.nn.softmax(p, name="y")
note("graph", nna.load(graph.as_graph_def()), [tf.nn.softmax(rows).numpy()], rows)
try:
    nna.load(tf.function(lambda a: a))
except NNAdapterError as error:
    found["refused"] = f"{type(error).__name__}: {error}"
print("@@" + json.dumps(found))
"""


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", SCRIPT], capture_output=True, text=True, check=False
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith("@@")]
    assert lines, done.stderr[-2000:]
    return json.loads(lines[0][2:])


@pytest.mark.parametrize(
    ("name", "inputs", "types"),
    [
        ("keras", ["image"], ["float32[batch, 8, 8, 3]"]),
        ("two", ["left", "right"], ["float32[batch, 4]"] * 2),
        ("function", ["a", "b"], ["float32[96, 4]"] * 2),
        ("concrete", ["a"], ["float32[batch, 4]"]),
        ("module", ["rows"], ["float32[batch, 4]"]),
        ("graph", ["p"], ["float32[batch, 4]"]),
    ],
)
def test_object(found: dict[str, Any], name: str, inputs: list[str], types: list[str]) -> None:
    seen = found[name]
    assert seen["error"] <= 1e-5
    assert (seen["inputs"], seen["types"]) == (inputs, types)


def test_outputs_of_a_dictionary_have_its_keys(found: dict[str, Any]) -> None:
    assert found["function"]["outputs"] == ["product", "sum"]


def test_a_function_needs_inputs(found: dict[str, Any]) -> None:
    assert found["refused"].startswith("BadInput: ")
    assert "inputs=" in found["refused"]
