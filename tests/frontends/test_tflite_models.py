"""TFLite files on every device, against LiteRT's own output.

`tflite_models.py` writes them in a process of its own: tests never import TensorFlow or LiteRT.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import nnadapter as nna
from frontends import tflite as frontend
from nnir.errors import BadFile, summary
from nnir.mapping import MappedFile
from nnir.model import Model
from nnir.ops import quant

DEVICES = ("builtin", "onnxruntime")
FLOAT = ("cnn", "cnn_float16", "upsampling", "branched", "looped", "attended", "lstm")
QUANTIZED = ("cnn_int8", "cnn_uint8", "cnn_float_ends", "mobile_int8")
"""Bit for bit."""

NEAR = {"cnn_int16": 2, "upsampling_int8": 8}
"""Further apart by so many quanta: softmax of int16 comes from a table in LiteRT; a mean that lies
between two integers is rounded away from 0 there, and the sigmoid after it magnifies the step."""

REPOSITORY = Path(__file__).parents[2]
Runs = list[tuple[list[np.ndarray], list[np.ndarray], list[np.ndarray]]]


def runs(folder: Path, name: str) -> Runs:
    """Inputs, XNNPACK's outputs and the plain kernels' outputs, run by run."""
    with np.load(folder / f"{name}.npz") as arrays:
        keys = sorted(arrays)
        count = 1 + max(int(k.rpartition("@")[2]) for k in keys)
        return [
            tuple(
                [arrays[k] for k in keys if k.startswith(kind) and k.endswith(f"@{run}")]
                for kind in ("in:", "out:", "plain:")
            )
            for run in range(count)
        ]  # type: ignore[misc]  # three lists


def distance(model: Model, folder: Path, name: str, device: str) -> float:
    """The largest difference to the nearer of LiteRT's two answers."""
    program = nna.compile(model, device)
    worst = 0.0
    for inputs, *answers in runs(folder, name):
        got = program(*inputs)
        far = []
        for expected in answers:
            assert [(g.dtype, g.shape) for g in got] == [(e.dtype, e.shape) for e in expected]
            pairs = zip(got, expected, strict=True)
            far.append(max(np.abs(g.astype(np.float64) - e).max() for g, e in pairs))
        worst = max(worst, min(far))
    return worst


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", FLOAT)
def test_float(files: Path, name: str, device: str) -> None:
    assert distance(nna.load(files / f"{name}.tflite"), files, name, device) < 3e-6


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", QUANTIZED)
def test_quantized_bit_for_bit(files: Path, name: str, device: str) -> None:
    assert distance(nna.load(files / f"{name}.tflite"), files, name, device) == 0


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", NEAR)
def test_quantized_nearly(files: Path, name: str, device: str) -> None:
    assert distance(nna.load(files / f"{name}.tflite"), files, name, device) <= NEAR[name]


@pytest.mark.parametrize("device", DEVICES)
def test_dynamic_range(files: Path, device: str) -> None:
    """LiteRT quantises activations on the fly here, which a converter does not."""
    model = nna.load(files / "mobile_dynamic.tflite")
    assert distance(model, files, "mobile_dynamic", device) < 1e-3


def test_scales_are_those_of_the_file(files: Path) -> None:
    model = nna.load(files / "mobile_int8.tflite")
    weights = [
        o
        for o in model.operations
        if o.operator is quant.dequantize_linear and o.inputs[0].constant is not None
    ]
    filters = [o for o in weights if o.inputs[0].rank == 4]
    assert len(filters) == 10
    for operation in filters:
        stored, scale, zero = operation.inputs
        assert stored.dtype == np.int8
        assert zero is None
        assert operation.attributes["axis"] == 0
        assert scale.shape == stored.shape[:1]
    theirs = scales_of(files / "mobile_int8.tflite")
    mine = {tuple(o.inputs[1].constant.reshape(-1).tolist()) for o in weights}
    assert mine <= theirs


def scales_of(path: Path) -> set[tuple[float, ...]]:
    """Every tensor's scales as LiteRT's own schema reads them."""
    code = (
        "import json, sys\n"
        "from ai_edge_litert import schema_py_generated as s\n"
        "m = s.ModelT.InitFromObj(s.Model.GetRootAs(open(sys.argv[1], 'rb').read()))\n"
        "q = [t.quantization for t in m.subgraphs[0].tensors]\n"
        "print(json.dumps([[float(x) for x in p.scale] for p in q if p and p.scale is not None]))\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True)
    found: set[tuple[float, ...]] = {tuple(row) for row in json.loads(done.stdout)}
    return found


def test_a_model_says_who_wrote_it(files: Path) -> None:
    content = (files / "cnn.tflite").read_bytes()
    assert b"MLIR Converted." in content
    assert nna.load(content).metadata["producer"] == "MLIR Converted."


def test_weights_are_views(files: Path) -> None:
    model = frontend.load(files / "cnn.tflite")
    dense = next(o for o in model.operations if o.operator.name == "FULLY_CONNECTED")
    base = dense.inputs[1].constant
    while isinstance(base, np.ndarray) and base.base is not None:
        base = base.base
    assert isinstance(getattr(base, "obj", base), MappedFile)


def test_variables_have_their_values(files: Path) -> None:
    model = frontend.load(files / "variables.tflite", signature="product")
    assert distance(model, files, "variables", "builtin") < 1e-6


def test_signatures(files: Path) -> None:
    twice = frontend.load(files / "variables.tflite", signature="twice")
    assert [v.name for v in twice.inputs] == ["x"]
    assert twice.output_names == ["y"]
    x = np.ones((2, 3), np.float32)
    np.testing.assert_array_equal(nna.compile(twice)(x)[0], x * 2)
    with pytest.raises(BadFile, match="no signature 'thrice'; the file has product, twice") as e:
        frontend.load(files / "variables.tflite", signature="thrice")
    assert "\n" not in summary(e.value)


@pytest.mark.parametrize(
    ("file", "name"), [("variables", "product"), ("variables", "twice"), ("ordered", "difference")]
)
def test_verify_hands_signatures_their_inputs_by_name(files: Path, file: str, name: str) -> None:
    assert nna.verify(files / f"{file}.tflite", loading={"signature": name})


def test_a_tolerance_that_is_given_holds_for_quanta_too(files: Path) -> None:
    image = np.random.default_rng(3).integers(-128, 128, (8, 6, 6, 4)).astype(np.int8)
    path = files / "upsampling_int8.tflite"
    assert not nna.verify(path, inputs=[image], tolerance=0.0)
    assert nna.verify(path, inputs=[image], tolerance=0.1)


def test_bytes(files: Path) -> None:
    content = (files / "cnn.tflite").read_bytes()
    assert distance(nna.load(content), files, "cnn", "builtin") < 3e-6


@pytest.mark.parametrize("name", ["cnn", "mobile_int8"])
def test_no_transposes_are_left(files: Path, name: str) -> None:
    model = nna.load(files / f"{name}.tflite")
    count = sum(o.operator.name == "TRANSPOSE" for o in model.operations)
    assert count <= 2
