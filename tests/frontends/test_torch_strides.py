"""Where the tensors of a PyTorch program lie in memory."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import nnadapter as nna


class Pieces(torch.nn.Module):
    """Cut at positions that only a run knows, and where each piece begins."""

    def forward(self, x: torch.Tensor, at: torch.Tensor) -> list[torch.Tensor]:
        pieces = torch.tensor_split(x, at)
        return [*pieces, *(torch.full((1,), p.storage_offset()) for p in pieces)]


@pytest.mark.parametrize("at", [(1, 2, 3), (-4, -2, 9), (0, 0, 5), (-9, 1, 1)])
def test_pieces_begin_where_they_are_cut(at: tuple[int, ...]) -> None:
    """torch.export promises that no piece begins in front of the tensor, and reads where."""
    x = torch.arange(30.0).reshape(5, 2, 3)
    net, inputs = Pieces(), (x, torch.tensor((1, 2, 3)))
    program = nna.compile(nna.load(torch.export.export(net, inputs)), "builtin")
    got = program(x.numpy(), np.array(at))
    for mine, theirs in zip(got, net(x, torch.tensor(at)), strict=True):
        np.testing.assert_array_equal(mine, theirs.numpy())
