"""Mixtures of experts with open sizes, as models are exported, on every device."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn
from torch.export import Dim

import nnadapter as nna

from .torch_programs import saved

Tensor = torch.Tensor
WIDTH, EXPERTS, CHOSEN, INNER = 8, 4, 2, 12


@torch.library.custom_op("transformers::grouped_mm_fallback", mutates_args=())
def grouped(input: Tensor, weight: Tensor, offs: Tensor) -> Tensor:
    """The product of each group of rows with its matrix."""
    groups = torch.tensor_split(input, offs[:-1].long())
    return torch.cat([rows @ matrix for rows, matrix in zip(groups, weight, strict=True)])


@grouped.register_fake
def _(input: Tensor, weight: Tensor, offs: Tensor) -> Tensor:
    return torch.empty(input.size(0), weight.size(2))


class OneByOne(nn.Module):
    """Each expert takes the rows that chose it."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = nn.Linear(WIDTH, EXPERTS, bias=False)
        self.experts = nn.ModuleList(
            nn.Sequential(nn.Linear(WIDTH, INNER), nn.SiLU(), nn.Linear(INNER, WIDTH))
            for _ in range(EXPERTS)
        )

    def forward(self, x: Tensor) -> Tensor:
        rows = x.reshape(-1, WIDTH)
        shares, chosen = self.gate(rows).softmax(-1).topk(CHOSEN, -1)
        mask = nn.functional.one_hot(chosen, EXPERTS).permute(2, 1, 0)
        result = torch.zeros_like(rows)
        for number, expert in enumerate(self.experts):
            place, row = torch.where(mask[number])
            made = expert(rows[None, row].reshape(-1, WIDTH)) * shares[row, place, None]
            result.index_add_(0, row, made)
        return result.view(x.shape)


class Grouped(nn.Module):
    """All rows in the order of their experts, and one product of groups."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = nn.Linear(WIDTH, EXPERTS)
        self.up = nn.Parameter(torch.randn(EXPERTS, WIDTH, INNER))
        self.down = nn.Parameter(torch.randn(EXPERTS, INNER, WIDTH))

    def forward(self, x: Tensor) -> Tensor:
        rows = x.reshape(-1, WIDTH)
        shares, chosen = self.gate(rows).softmax(-1).topk(CHOSEN, -1)
        order = chosen.reshape(-1).argsort(stable=True)
        ends = nn.functional.one_hot(chosen.reshape(-1), EXPERTS).sum(0).cumsum(0).to(torch.int32)
        made = nn.functional.silu(grouped(rows[order // CHOSEN], self.up, ends))
        made = grouped(made, self.down, ends)[order.argsort(stable=True)]
        return (made.view(-1, CHOSEN, WIDTH) * shares[..., None]).sum(1).view(x.shape)


@pytest.mark.parametrize("device", ["builtin", "onnxruntime", "openvino", "litert", "torch"])
@pytest.mark.parametrize("kind", [OneByOne, Grouped])
@pytest.mark.long
def test_experts_with_open_sizes(kind: type[nn.Module], device: str) -> None:
    torch.manual_seed(0)
    module, sizes = kind().eval(), {0: Dim("batch"), 1: Dim("rows")}
    with torch.no_grad():
        example = (torch.randn(2, 5, WIDTH),)
        exported = torch.export.export(module, example, dynamic_shapes=(sizes,))
    program = nna.compile(nna.load(saved(exported)), device)
    for batch, rows in ((2, 5), (3, 2), (2, 33)):
        x = torch.randn(batch, rows, WIDTH)
        want = module(x).detach().numpy()
        np.testing.assert_allclose(program(x.numpy())[0], want, rtol=1e-4, atol=1e-5)
