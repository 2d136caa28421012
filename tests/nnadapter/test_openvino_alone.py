"""`.xml` where OpenVINO is not installed: the same files, and what is said of their proof."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import openvino

import nnadapter as nna
from conformance.verifying.inputs import random_inputs

from ..docs import models as documented

SAMPLES = Path(__file__).parents[1] / "data" / "samples"
SOURCES = ("net.onnx", "net.pt2", "net.tflite", "net.nnir", "saved")

ALONE = """
import importlib.abc, sys
from pathlib import Path

FRAMEWORKS = {"openvino", "onnx", "onnxruntime", "torch", "tensorflow", "paddle", "ai_edge_litert"}

class Gone(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in FRAMEWORKS:
            raise ImportError(f"{name} is not there")

sys.meta_path.insert(0, Gone())
import nnadapter as nna
from nnadapter import conversion

for source in map(Path, sys.argv[2:]):
    target = Path(sys.argv[1], f"{source.stem}-{source.suffix[1:]}.xml")
    plan = conversion.Plan(verify=False)
    conversion.convert(source, target, plan, lambda: nna.load(source), nna.load)
    assert nna.check(source, target=target)
wide = sys.argv[1] + "/wide.onnx"
answer = nna.check(wide, target=Path(sys.argv[1], "wide.xml"))
assert not answer, answer
print(answer.answers[0])
assert not FRAMEWORKS & {*sys.modules}
"""


def test_it_is_written_without_any_framework(tmp_path: Path) -> None:
    """The same bytes as here, which OpenVINO runs with the results of the model."""
    sources = [SAMPLES / name for name in SOURCES]
    documented.wide(tmp_path, tmp_path)
    words = [sys.executable, "-c", ALONE, str(tmp_path), *map(str, sources)]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "openvino does not compute in FLOAT64" in done.stdout
    for source in sources:
        path = tmp_path / f"{source.stem}-{source.suffix[1:]}.xml"
        here = tmp_path / "here" / path.name
        here.parent.mkdir(exist_ok=True)
        nna.convert(source, here, verify=False)
        for suffix in (".xml", ".bin"):
            assert here.with_suffix(suffix).read_bytes() == path.with_suffix(suffix).read_bytes()
        _require_results(source, path)


def _require_results(source: Path, path: Path) -> None:
    """OpenVINO's results of a file are those of the references."""
    model = nna.load(source)
    arrays = random_inputs(model)
    exact = {"INFERENCE_PRECISION_HINT": "f32"}
    core = openvino.Core()
    found = core.compile_model(core.read_model(str(path)), "CPU", exact)(arrays)
    for k, want in enumerate(nna.compile(model)(*arrays)):
        np.testing.assert_allclose(found[k], want, rtol=1e-4, atol=1e-5)
