"""The modules that a PyTorch program names for its nodes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

import nnadapter as nna
from nnadapter.looking.graph import Graph
from nnir import archive
from nnir.errors import BadFile
from nnir.fingerprint import digest
from nnir.provenance import Provenance
from nnir.specialise import fix_sizes


class Block(torch.nn.Module):
    """Two layers, of which only one has weights."""

    def __init__(self) -> None:
        super().__init__()
        self.dense = torch.nn.Linear(3, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.tanh(self.dense(x)) + x


NET = torch.nn.Sequential(Block(), Block()).eval()


@pytest.mark.parametrize("is_file", [False, True])
def test_nodes_know_their_modules(is_file: bool, tmp_path: Path) -> None:
    inputs = (torch.ones(2, 3),)
    path = tmp_path / "net.pt2"
    torch.export.save(torch.export.export(NET, inputs), path)
    model = nna.load(path) if is_file else nna.load(NET, inputs=inputs)
    places = model.provenance.places
    paths = [places[o.origin or ""].module for o in model.operations]
    assert paths == ["0.dense", "0", "0", "1.dense", "1", "1"]
    assert [m.name for m in Graph(model).modules[1:]] == ["0", "1"]


def test_a_nnir_file_keeps_modules_and_lines(tmp_path: Path) -> None:
    model = nna.load(NET, inputs=(torch.ones(2, 3),))
    nna.save(model, tmp_path / "net.nnir")
    again = nna.load(tmp_path / "net.nnir")
    assert [m.name for m in Graph(again).modules] == [m.name for m in Graph(model).modules]
    places = again.provenance.places
    whole = model.provenance.places
    assert {o.origin for o in model.operations} == places.keys()
    for name, place in places.items():
        assert place.module == whole[name].module
        assert place.line == Path(whole[name].line).name
    assert all(p.line.startswith("test_torch_modules.py:") for p in places.values())
    assert archive.dumps(again) == (tmp_path / "net.nnir").read_bytes()


def test_copies_keep_modules_and_digests_leave_them_out() -> None:
    batch = torch.export.Dim("batch", min=1, max=8)
    model = nna.load(NET, inputs=(torch.ones(2, 3),), dynamic_shapes=[{0: batch}])
    (name,) = model.symbols
    fixed = fix_sizes(model, {name: 2})
    assert [m.name for m in Graph(fixed).modules[1:]] == ["0", "1"]
    before = digest(fixed)
    fixed.provenance = Provenance()
    assert digest(fixed) == before


@pytest.mark.parametrize("places", [3, {"a": "b"}, {"a": ["b"]}, {"a": ["b", 1]}, ["a"]])
def test_places_that_are_none_are_damage(places: object) -> None:
    data = archive.dumps(nna.load(NET, inputs=(torch.ones(2, 3),)))
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    graph = json.loads(header["__metadata__"]["nnir"])
    header["__metadata__"]["nnir"] = json.dumps(graph | {"places": places})
    text = json.dumps(header, separators=(",", ":")).encode()
    with pytest.raises(BadFile, match="where a module and a line belong"):
        archive.loads(len(text).to_bytes(8, "little") + text + data[8 + size :])
