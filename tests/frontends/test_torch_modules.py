"""The modules that a PyTorch program names for its nodes."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

import nnadapter as nna
from nnadapter.looking.graph import Graph


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
