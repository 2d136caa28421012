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


class Pooled(nn.Module):
    """A pyramid of bins that no common divisor fits."""

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        bins = nn.functional.adaptive_avg_pool2d
        best = nn.functional.adaptive_max_pool2d(x, (5, 3))
        return bins(x, 1), bins(x, (3, 6)), bins(x, (7, 2)), best


class Volumes(nn.Module):
    """The best of each bin of a volume, and where it lies."""

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return nn.functional.adaptive_max_pool3d(x[:, None], (2, 3, 4), return_indices=True)


class Grown(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return nn.functional.interpolate(x, scale_factor=(1.75, 0.625), mode="bilinear")


class Centres(nn.Module):
    """The middle of each patch, between -1 and 1, and a grid between them."""

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        rows, columns = x.shape[2], x.shape[3]
        centres = torch.arange(0.5, rows) / rows * 2 - 1
        back = torch.arange(-0.75, columns, 0.25)
        grid = torch.linspace(0.5, rows - 0.5, 5)
        ends = torch.tensor([rows - 4.5, columns * 8.0])  # asks for the type of both
        return centres + x[0, 0, 0, 0], back, grid, ends, x * (rows / columns), x + rows * 0.125


class Positions(nn.Module):
    """Distances between words, from the last one to the first, by steps that are a float."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        count = x.shape[2]
        there = torch.arange(count, -count, -1.0, dtype=torch.int64)
        return x[..., 0].sum() + there[: x.shape[3]]


class Shifted(nn.Module):
    """Scores of relative positions (Transformer-XL), masked where they lie."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        scores = x.transpose(0, 1)[..., :6, :5]
        moved = scores.reshape(*scores.shape[:2], 5, 6)[:, :, 1:]
        moved = moved.reshape(*scores.shape[:2], 6, 4)
        moved[..., :3] *= 2
        return moved


def test_where_the_best_of_open_volumes_lie() -> None:
    auto = torch.export.Dim.AUTO
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        axes = dict.fromkeys(range(4), auto)
        program = torch.export.export(Volumes(), (torch.ones(2, 3, 9, 8),), dynamic_shapes=(axes,))
    run = nna.compile(nna.load(saved(program)), "builtin")
    for shape in ((1, 5, 7, 6), (3, 2, 3, 11)):
        x = torch.randn(shape, generator=torch.Generator().manual_seed(0))
        for got, want in zip(run(x.numpy()), Volumes()(x), strict=True):
            np.testing.assert_array_equal(got, want.numpy(), strict=True)


@pytest.mark.parametrize("module", [Pooled, Grown, Centres, Positions, Shifted])
@pytest.mark.parametrize("device", ["builtin", "onnxruntime", "openvino", "litert", "torch"])
def test_sizes_that_a_run_tells(module: type[nn.Module], device: str) -> None:
    made, auto = module(), torch.export.Dim.AUTO
    open_axes = {0: auto, 1: auto} if module is Shifted else {0: auto, 2: auto, 3: auto}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        given = torch.ones(2, 3, 9, 8)
        program = torch.export.export(made, (given,), dynamic_shapes=(open_axes,))
    assert len(program.range_constraints) == len(open_axes)
    run = nna.compile(nna.load(saved(program)), device)
    shapes = [(3, 2, 9, 8), (1, 4, 9, 8)] if module is Shifted else [(3, 3, 13, 7), (1, 3, 8, 16)]
    for shape in shapes:
        x = torch.randn(shape, generator=torch.Generator().manual_seed(0))
        wanted = made(x)
        many = wanted if isinstance(wanted, tuple) else (wanted,)
        for got, want in zip(run(x.numpy()), many, strict=True):
            np.testing.assert_allclose(got, want.numpy(), rtol=4e-6, atol=4e-6, strict=True)
