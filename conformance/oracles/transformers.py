"""Operators that transformers defines, in plain PyTorch by their definitions."""

from __future__ import annotations

import torch
from torch import Tensor


def grouped_mm_fallback(input: Tensor, weight: Tensor, offs: Tensor) -> Tensor:
    """The product of each group of rows with a matrix of its own."""
    result = torch.zeros(input.shape[0], weight.shape[2], dtype=input.dtype)
    start = 0
    for matrix, end in zip(weight, offs.tolist(), strict=True):
        result[start:end] = input[start:end] @ matrix
        start = end
    return result
