"""Paddle's objects, in a process of their own: the tests themselves never import Paddle."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

SCRIPT = """
import json, os, sys, tempfile, warnings
os.environ["GLOG_minloglevel"] = "3"
warnings.simplefilter("ignore")
import numpy as np, paddle
import nnadapter as nna
from nnir.errors import NNAdapterError, summary

found = {}
x = np.linspace(-1, 1, 2 * 4, dtype=np.float32).reshape(2, 4)


def note(name, model, want, *arrays):
    got = nna.compile(model, "onnxruntime")(*arrays)
    error = max(float(np.abs(g - w).max()) for g, w in zip(got, want, strict=True))
    found[name] = {"types": [str(v.type) for v in model.inputs], "error": error}


def refused(name, call):
    try:
        call()
    except NNAdapterError as error:
        found[name] = [type(error).__name__, summary(error)]


layers = [paddle.nn.Linear(4, 8), paddle.nn.ReLU(), paddle.nn.Dropout(0.5), paddle.nn.Linear(8, 3)]
net = paddle.nn.Sequential(*layers)
layers[0].eval()
open_batch = paddle.static.InputSpec([None, 4], "float32")
model = nna.load(net, inputs=(open_batch,))
found["modes"] = [part.training for part in (net, *layers)]
net.eval()
want = [net(paddle.to_tensor(x)).numpy()]
note("layer", model, want, x)
note("example", nna.load(net, inputs=(x,)), want, x)
found["verify"] = bool(nna.verify(net, inputs=[x]))
with tempfile.TemporaryDirectory() as folder:
    paddle.jit.save(net, folder + "/net", input_spec=[open_batch])
    note("translated", nna.load(paddle.jit.load(folder + "/net")), want, x)
    note("folder", nna.load(folder), want, x)
    os.rename(folder + "/net.pdiparams", folder + "/elsewhere")
    note("params", nna.load(folder + "/net.json", params=folder + "/elsewhere"), want, x)
refused("no inputs", lambda: nna.load(net))
refused("tensor", lambda: nna.load(paddle.to_tensor(x)))
paddle.enable_static()
program = paddle.static.Program()
with paddle.static.program_guard(program):
    given = paddle.static.data("x", [None, 4], "float32")
    result = paddle.nn.functional.relu(paddle.nn.Linear(4, 2)(given))
    executor = paddle.static.Executor(paddle.CPUPlace())
    executor.run(paddle.static.default_startup_program())
    model = nna.load(program)
    note("program", model, executor.run(program, feed={"x": x}, fetch_list=[result]), x)
print("@@" + json.dumps(found))
"""


@pytest.fixture(scope="module")
def found() -> Any:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=280
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith("@@")]
    assert lines, done.stderr[-3000:]
    return json.loads(lines[0].removeprefix("@@"))


@pytest.mark.parametrize("name", ["layer", "example", "translated", "folder", "params", "program"])
def test_agrees(found: Any, name: str) -> None:
    assert found[name]["error"] < 1e-6


def test_an_open_batch_stays_open(found: Any) -> None:
    for name in ("layer", "translated", "folder", "program"):
        assert found[name]["types"] == ["float32[batch, 4]"]
    assert found["example"]["types"] == ["float32[2, 4]"]


def test_the_modes_of_layers_come_back(found: Any) -> None:
    assert found["modes"] == [True, False, True, True, True]


def test_verify(found: Any) -> None:
    assert found["verify"]


def test_what_cannot_be_read_is_told_in_one_line(found: Any) -> None:
    kind, text = found["no inputs"]
    assert kind == "BadInput"
    assert "load(layer, inputs=(x, ...))" in text
    assert "\n" not in text
    assert found["tensor"][0] == "Unsupported"
