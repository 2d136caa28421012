"""Models through the formats of several frameworks: every file is run by the engine that owns it.

`convert` raises where a file differs from what it was made of, and warns where that could not be
seen; warnings are errors here.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
import torch
from torch import nn

import nnadapter as nna
from conformance.verifying.inputs import random_inputs
from nnir.errors import Unsupported

LIGHT = Path(onnx.__file__).parent / "backend" / "test" / "data" / "light"
SUFFIXES = (".nnir", ".onnx", ".xml", ".tflite", ".pt2")


def converted(source: Any, folder: Path, *suffixes: str, **options: Any) -> Path:
    """A chain of files, each made of the one before."""
    for suffix in suffixes:
        target = folder / f"model{suffix}"
        nna.convert(source, target, **options)
        source, options = target, {}
    return Path(source)


@pytest.mark.parametrize("name", ["mlp", "cnn", "light_resnet50"])
@pytest.mark.long
def test_onnx_to_tflite_to_nnir(name: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    source = LIGHT / f"{name}.onnx"
    if not source.exists():
        source = tmp_path / "source.onnx"
        onnx.save(request.getfixturevalue(name), source)
    original = nna.load(source)
    sizes = dict.fromkeys((str(d) for v in original.inputs for d in v.shape if not v.is_static), 3)
    sizes = {name: size for name, size in sizes.items() if name in original.symbols}
    last = nna.load(converted(source, tmp_path, ".tflite", ".nnir", sizes=sizes))
    arrays = random_inputs(original, sizes=sizes)
    for a, b in zip(nna.compile(original)(*arrays), nna.compile(last)(*arrays), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", ["cnn", "residual", "attention"])
@pytest.mark.long
def test_saved_model_to_onnx(models: Path, name: str, tmp_path: Path) -> None:
    path = converted(models / name, tmp_path, ".onnx", opset=17)
    onnx.checker.check_model(path, full_check=True)


@pytest.mark.parametrize("name", ["cnn", "transformer", "crnn"])
@pytest.mark.long
def test_paddle_to_openvino(programs: Path, name: str, tmp_path: Path) -> None:
    path = converted(programs / f"{name}.json", tmp_path, ".xml")
    assert path.with_suffix(".bin").exists()


class Residual(nn.Module):
    """Convolutions, also depthwise, around which the input goes."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Conv2d(3, 8, 3, stride=2, padding=1)
        self.norm = nn.BatchNorm2d(8)
        self.deep = nn.Conv2d(8, 8, 3, padding=1, groups=8)
        self.last = nn.Linear(8, 5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = torch.relu(self.norm(self.first(x)))
        x = x + torch.nn.functional.hardswish(self.deep(x))
        return self.last(x.mean((2, 3)))


def encoder() -> nn.Module:
    torch.manual_seed(0)
    return nn.TransformerEncoderLayer(16, 2, 32, batch_first=True, activation="gelu")


MODULES = {
    "convolutions": (Residual, torch.rand(2, 3, 16, 20)),
    "encoder": (encoder, torch.rand(2, 7, 16)),
    "mixer": (
        lambda: nn.Sequential(nn.LayerNorm(12), nn.Linear(12, 6), nn.SiLU(), nn.Softmax(-1)),
        torch.rand(3, 5, 12),
    ),
}


@pytest.mark.parametrize("name", MODULES)
@pytest.mark.long
def test_pt2_to_tflite(name: str, tmp_path: Path) -> None:
    make, example = MODULES[name]
    source = tmp_path / "source.pt2"
    with torch.no_grad():
        torch.export.save(torch.export.export(make().eval(), (example,)), source)
    converted(source, tmp_path, ".tflite")


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_equal_models_give_equal_bytes(cnn: onnx.ModelProto, suffix: str, tmp_path: Path) -> None:
    digests = []
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        nna.convert(nna.load(cnn), tmp_path / name / f"m{suffix}", sizes={"n": 2}, verify=False)
        files = sorted((tmp_path / name).iterdir())
        digests.append([(f.name, hashlib.sha256(f.read_bytes()).digest()) for f in files])
    assert digests[0] == digests[1]


@pytest.mark.parametrize("suffix", [s for s in SUFFIXES if s != ".onnx"])
def test_formats_without_operator_sets(mlp: onnx.ModelProto, suffix: str, tmp_path: Path) -> None:
    with pytest.raises(Unsupported, match="opset"):
        nna.convert(nna.load(mlp), tmp_path / f"m{suffix}", opset=17)
    assert not list(tmp_path.iterdir())
