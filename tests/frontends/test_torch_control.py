"""PyTorch's operators over graphs, on every device."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn
from torch._higher_order_ops import map as torch_map
from torch._higher_order_ops import scan, while_loop

import nnadapter as nna
from frontends.torch import TABLE
from frontends.torch.reading.schema import HIGHER_ORDER

from .torch_programs import saved

Tensor = torch.Tensor


class Cond(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.dense = nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Tensor:
        return torch.cond(x.sum() > 0, lambda y: self.dense(y) + 1, lambda y: y * 2, (x,)) - 1


class Loop(nn.Module):
    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        def go(step: Tensor, y: Tensor) -> Tensor:
            return (step < 4) & (y.sum() < 100)

        def body(step: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
            return step + 1, y * 2 + x

        return while_loop(go, body, (torch.tensor(0), x.clone()))


class Scan(nn.Module):
    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        def step(state: Tensor, row: Tensor) -> tuple[Tensor, Tensor]:
            return state + row, state * row

        return scan(step, torch.ones(4), x, dim=0)


class Map(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return torch_map(lambda row, other: row.sin() + other, x, x[0].clone())


class Regions(nn.Module):
    def forward(self, x: Tensor) -> dict[str, Tensor]:
        with torch.no_grad():
            y = x + 1
        with torch.enable_grad():
            z = y * 3
        return {"y": y, "z": z}


MODULES = (Cond, Loop, Scan, Map, Regions)


def program_of(module: nn.Module, *inputs: Tensor) -> torch.export.ExportedProgram:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of PyTorch's own modules
        return torch.export.export(module, inputs)


@pytest.mark.parametrize("device", ["builtin", "onnxruntime"])
@pytest.mark.parametrize("module", MODULES, ids=lambda m: m.__name__)
def test_agrees(module: type[nn.Module], device: str) -> None:
    torch.manual_seed(0)
    made = module()
    program = program_of(made, torch.randn(3, 4))
    for source in (saved(program), program):
        compiled = nna.compile(nna.load(source), device)
        for seed in range(3):
            x = torch.randn(3, 4, generator=torch.Generator().manual_seed(seed)) - 0.3 * seed
            want = torch.utils._pytree.tree_leaves(made(x))
            for mine, theirs in zip(compiled(x.numpy()), want, strict=True):
                np.testing.assert_allclose(mine, theirs.detach().numpy(), rtol=1e-5, atol=1e-6)


def test_a_constant_condition_leaves_one_branch() -> None:
    class Fixed(nn.Module):
        def forward(self, x: Tensor) -> Any:
            return torch.cond(torch.tensor(True), lambda y: y + 1, lambda y: y - 1, (x,))

    model = nna.load(program_of(Fixed(), torch.ones(2)))
    assert [o.operator.name for o in model.operations] == ["ADD"]


def test_every_operator_over_graphs_is_converted_or_refused() -> None:
    refused = {"higher_order.associative_scan"}
    assert set(HIGHER_ORDER) - set(TABLE.entries) == refused
