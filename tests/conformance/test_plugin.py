"""The example of a plug-in, installed: every command knows what it brings."""

from __future__ import annotations

import json

import pytest

from conformance.judging.result import PASS
from conformance.reports import against

from .installing import ROOT, Home, command

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
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """Where the plug-in is installed, and `m.pt2` with its PyTorch operator lies."""
    made = Home.with_package(tmp_path_factory.mktemp("plugin"), EXAMPLE)
    done = made.python("-c", EXPORT, "m.pt2")
    assert done.returncode == 0, done.stderr
    return made


@pytest.mark.parametrize("target", ["m.nnir", "m.onnx", "m.xml"])
@pytest.mark.long
def test_a_model_with_its_operator_is_converted_and_verified(home: Home, target: str) -> None:
    done = home.nnadapter("convert", "m.pt2", target)
    assert done.returncode == 0, done.stderr
    assert "verified:" in done.stderr
    assert "agrees with torch" in done.stderr


@pytest.mark.long
def test_an_engines_own_kernel_is_used(home: Home) -> None:
    import onnx

    assert home.nnadapter("convert", "m.pt2", "kernel.onnx").returncode == 0
    nodes = onnx.load(home.folder / "kernel.onnx").graph.node
    assert ("com.microsoft", "RotaryEmbedding") in {(n.domain, n.op_type) for n in nodes}


@pytest.mark.long
def test_without_it_a_file_says_what_to_install(home: Home) -> None:
    assert home.nnadapter("convert", "m.pt2", "other.nnir").returncode == 0
    done = command(("inspect", "other.nnir"), home.folder / "nothing", home=home.folder)
    assert done.returncode == 1
    assert "is of the plug-in acme-rotary 1.2, which is not installed" in done.stderr
    assert "pip install acme-rotary" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.long
def test_its_cases_run_on_every_device(home: Home) -> None:
    devices = ("builtin", "onnxruntime", "openvino", "litert", "torch")
    words = ["--op", "ACME_ROTARY,acme.rotary.default", "--json", "run.json"]
    done = home.nnadapter("conform", *words, *(w for d in devices for w in ("--device", d)))
    assert done.returncode == 0, done.stdout + done.stderr
    found = against.load(home.folder / "run.json").results
    assert {(r.frontend, r.device) for r in found} == {
        (f, d) for f in ("nnir", "torch") for d in devices
    }
    assert {r.verdict for r in found} == {PASS}


@pytest.mark.long
def test_it_is_listed(home: Home) -> None:
    assert json.loads(home.nnadapter("doctor", "--json").stdout)["plug-in acme-rotary"] == "1.2"
    told = home.nnadapter("ops", "acme_rotary").stdout
    assert "source: the plug-in acme-rotary 1.2" in told
    listed = home.nnadapter("ops", "--frontend", "onnx").stdout
    assert "com.acme::Rotary" in listed
