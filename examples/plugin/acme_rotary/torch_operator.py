"""The same operator in PyTorch, which calls it `acme.rotary.default`."""

from __future__ import annotations

import torch


@torch.library.custom_op("acme::rotary", mutates_args=())
def rotary(input: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    """Turn pairs of features by an angle."""
    first, second = input.chunk(2, dim=-1)
    return torch.cat((first * cos - second * sin, second * cos + first * sin), dim=-1)


@rotary.register_fake
def _(input: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    return torch.empty_like(input)
