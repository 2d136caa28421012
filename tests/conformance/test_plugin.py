"""The example of a plug-in, installed: every command knows what it brings."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from conformance.judging.result import PASS
from conformance.reports import against

from .installing import ROOT, command, entry_points, install

EXAMPLE = ROOT / "examples" / "plugin"

EXPORT = """
import sys, torch, acme_rotary.torch_operator as own
from acme_rotary.operator import angles

class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.cos, self.sin = (torch.nn.Buffer(torch.tensor(a)) for a in angles(5, 8))
        self.linear = torch.nn.Linear(8, 8)

    def forward(self, x):
        return own.rotary(self.linear(x), self.cos, self.sin)

torch.export.save(torch.export.export(Model(), (torch.randn(2, 3, 5, 8),)), sys.argv[1])
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the plug-in is installed, and `m.pt2` with its PyTorch operator lies."""
    made = tmp_path_factory.mktemp("plugin")
    (made / "site").mkdir()
    install(made / "site", entry_points(EXAMPLE))
    path = {"PYTHONPATH": str(EXAMPLE)}
    export = [sys.executable, "-c", EXPORT, str(made / "m.pt2")]
    subprocess.run(export, check=True, env=path, capture_output=True)
    return made


def nnadapter(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return command(words, folder / "site", EXAMPLE, home=folder)


@pytest.mark.parametrize("target", ["m.nnir", "m.onnx", "m.xml"])
def test_a_model_with_its_operator_is_converted_and_verified(folder: Path, target: str) -> None:
    done = nnadapter(folder, "convert", "m.pt2", target)
    assert done.returncode == 0, done.stderr
    assert "verified:" in done.stderr
    assert "agrees with torch" in done.stderr


def test_an_engines_own_kernel_is_used(folder: Path) -> None:
    import onnx

    assert nnadapter(folder, "convert", "m.pt2", "kernel.onnx").returncode == 0
    nodes = onnx.load(folder / "kernel.onnx").graph.node
    assert ("com.microsoft", "RotaryEmbedding") in {(n.domain, n.op_type) for n in nodes}


def test_without_it_a_file_says_what_to_install(folder: Path) -> None:
    assert nnadapter(folder, "convert", "m.pt2", "other.nnir").returncode == 0
    done = command(("inspect", "other.nnir"), folder / "nothing", home=folder)
    assert done.returncode == 1
    assert "is of the plug-in acme-rotary 1.2, which is not installed" in done.stderr
    assert "pip install acme-rotary" in done.stderr
    assert done.stderr.count("\n") == 1


def test_its_cases_run_on_every_device(folder: Path) -> None:
    devices = ("builtin", "onnxruntime", "openvino", "litert", "torch")
    words = ["--op", "ACME_ROTARY,acme.rotary.default", "--json", "run.json"]
    done = nnadapter(folder, "conform", *words, *(w for d in devices for w in ("--device", d)))
    assert done.returncode == 0, done.stdout + done.stderr
    found = against.load(folder / "run.json").results
    assert {(r.frontend, r.device) for r in found} == {
        (f, d) for f in ("nnir", "torch") for d in devices
    }
    assert {r.verdict for r in found} == {PASS}


def test_it_is_listed(folder: Path) -> None:
    assert json.loads(nnadapter(folder, "doctor", "--json").stdout)["plug-in acme-rotary"] == "1.2"
    told = nnadapter(folder, "ops", "acme_rotary").stdout
    assert "source: the plug-in acme-rotary 1.2" in told
    listed = nnadapter(folder, "ops", "--frontend", "onnx").stdout
    assert "com.acme::Rotary" in listed
