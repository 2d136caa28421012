"""Exported programs whose sizes only a run tells."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import torch
from torch import nn

import nnadapter as nna

from .torch_programs import saved


class Scattered(nn.Module):
    """What is found in one tensor goes to the places of another, as features of images do."""

    def forward(self, x: torch.Tensor, mask: torch.Tensor, found: torch.Tensor) -> torch.Tensor:
        return x.masked_scatter(mask, found[found > 0])


@pytest.mark.parametrize("device", ["builtin", "onnxruntime", "torch"])
def test_nothing_is_scattered_to_no_place(device: str) -> None:
    x, none, some = (
        torch.ones(2, 3),
        torch.zeros(2, 3, dtype=torch.bool),
        torch.tensor([2.0, -1, 3]),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        program = torch.export.export(Scattered(), (x, none, some))
    run = nna.compile(nna.load(saved(program)), device)
    places = torch.tensor([[True, False, False], [False, False, True]])
    for mask, found in ((none, -some.abs()), (none, some), (places, some)):
        wanted = Scattered()(x, mask, found).numpy()
        result = run(x.numpy(), mask.numpy(), found.numpy())[0]
        np.testing.assert_array_equal(result, wanted, strict=True)
