"""Pooling windows: PyTorch's arguments in the standard's terms."""

from __future__ import annotations

from collections.abc import Sequence

from nnir.errors import BadType
from nnir.model import Value
from nnir.recipes.conv import each_axis
from nnir.recipes.pool import PoolWindow


def window(
    rank: int,
    kernel_size: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    ceil_mode: bool,
) -> PoolWindow:
    """No stride at all stands for the size of the kernel."""
    kernel = each_axis("kernel_size", kernel_size, rank)
    pads = each_axis("padding", padding, rank)
    steps = each_axis("stride", stride, rank) if stride else kernel
    dilated = each_axis("dilation", dilation, rank)
    if min(*kernel, *steps, *dilated) < 1:
        raise BadType(f"a pool with {kernel=}, stride={steps} and dilation={dilated}")
    if any(p < 0 or 2 * p > k for p, k in zip(pads, kernel, strict=True)):
        raise BadType(f"a pool with padding={pads}: 0 to half of the kernel {kernel} is needed")
    flat = tuple(p for pad in pads for p in (pad, pad))
    return PoolWindow(kernel, steps, flat, dilated, ceil_mode)


def check_results(x: Value, results: Sequence[Value], rank: int) -> tuple[Value, ...]:
    """The results of a pool; BadType where `x` or a result is empty but for its batch."""
    for value in (x, *results):
        if 0 in value.shape[-rank - 1 :]:
            raise BadType(f"a pool over {rank} axes of {x.type}, which gives {results[0].type}")
    return tuple(results)
