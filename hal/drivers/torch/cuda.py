"""What the kernels of CUDA lack, or do otherwise than those of CPUs. All take tensors."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import torch

LIMB = 16
"""Bits of the parts that integers are multiplied in: their products are exact in float64."""
LONGEST = 1 << 20
"""How many such products are added up in float64 without rounding."""


def multiply_integers(
    a: torch.Tensor, b: torch.Tensor, equation: str | None = None
) -> torch.Tensor:
    """A product of matrices (or what `equation` of einsum says) of integers, which wraps.

    CUDA multiplies floats alone. Integers are cut into limbs of 16 bits; the products of limbs are
    added up in float64 and put together again in integers of 64 bits.
    """
    if _count_products(a, b, equation) > LONGEST:
        raise RuntimeError(f"sums of more than {LONGEST} products of integers on CUDA")
    count = max(1, a.element_size() * 8 // LIMB)
    left, right = _limbs(a, count), _limbs(b, count)
    parts = []
    for low in range(count):
        for high in range(count - low):  # what is above the width wraps away
            pair = left[low], right[high]
            product = torch.matmul(*pair) if equation is None else torch.einsum(equation, *pair)
            parts.append(product.to(torch.int64) << LIMB * (low + high))
    return sum(parts[1:], parts[0]).to(a.dtype)


def _count_products(a: torch.Tensor, b: torch.Tensor, equation: str | None) -> int:
    """How many products an element of the result adds up."""
    if equation is None:
        return a.shape[-1]
    terms, arrow, result = equation.replace(" ", "").partition("->")
    first, second = terms.split(",")
    sizes = _sizes_of(first, a.shape) | _sizes_of(second, b.shape)
    kept = result if arrow else [c for c in sizes if terms.count(c) == 1]
    return math.prod(size for letter, size in sizes.items() if letter not in kept)


def _sizes_of(term: str, shape: Sequence[int]) -> dict[str, int]:
    """The sizes of the axes that a term of einsum names."""
    head, _, tail = term.partition("...")
    both = zip(head, shape, strict=False), zip(tail[::-1], reversed(shape), strict=False)
    return dict(itertools.chain(*both))


def _limbs(x: torch.Tensor, count: int) -> list[torch.Tensor]:
    """The parts of 16 bits in float64, the lowest first; the last has the sign."""
    wide = x.to(torch.int64)
    parts = [wide >> LIMB * k & (1 << LIMB) - 1 for k in range(count - 1)]
    return [p.to(torch.float64) for p in (*parts, wide >> LIMB * (count - 1))]


def scatter_in_order(
    x: torch.Tensor, axis: int, at: torch.Tensor, updates: torch.Tensor
) -> torch.Tensor:
    """Elements placed along an axis; of equal positions the last wins.

    CUDA's threads write in any order: here all that write to one position write the same.
    """
    count = at.shape[axis]
    if count == 1:
        return torch.scatter(x, axis, at, updates)
    sizes = [count if k == axis % at.ndim else 1 for k in range(at.ndim)]
    order = torch.arange(count, device=at.device).reshape(sizes).expand(at.shape)
    nobody = torch.full(x.shape, -1, dtype=torch.int64, device=at.device)
    last = nobody.scatter_reduce(axis, at, order, "amax").gather(axis, at)
    return torch.scatter(x, axis, at, torch.gather(updates, axis, last))


def check_positions(at: torch.Tensor, size: int) -> torch.Tensor:
    """Positions, none of them outside; IndexError for others.

    CUDA finds them too late: an assertion there ends all that the process can do on the device.
    """
    if at.numel():
        low, high = torch.aminmax(at)
        if low < -size or high >= size:
            wrong = int(low if low < -size else high)
            raise IndexError(f"position {wrong} is outside of an axis of {size} elements")
    return at


def cut(x: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Floats as signed integers, NaN and what is out of range as the least, as CPUs have it.

    CUDA takes 0 for NaN and the nearest integer for the others. Narrow integers wrap.
    """
    wide = torch.int64 if dtype == torch.int64 else torch.int32
    least = torch.iinfo(wide).min
    inside = (x >= float(least)) & (x < -float(least))
    whole = torch.where(inside, x, torch.zeros_like(x)).to(wide)
    return torch.where(inside, whole, torch.full_like(whole, least)).to(dtype)
