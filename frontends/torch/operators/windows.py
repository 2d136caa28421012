"""Pooling windows: PyTorch's arguments in the standard's terms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from nnir.dim import Dim, Expr
from nnir.errors import BadType
from nnir.model import Value
from nnir.recipes.conv import each_axis


@dataclass(frozen=True)
class Window:
    """Kernel, strides, padding on both sides, dilations; `ceil` keeps a last partial window."""

    kernel: tuple[int, ...]
    strides: tuple[int, ...]
    pads: tuple[int, ...]
    dilations: tuple[int, ...]
    ceil: bool

    @property
    def rank(self) -> int:
        return len(self.kernel)

    @property
    def flat_pads(self) -> tuple[int, ...]:
        return tuple(p for pad in self.pads for p in (pad, pad))

    def general(self) -> dict[str, Any]:
        """Arguments of the pools over any number of axes."""
        given: dict[str, Any] = {"kernel_shape": self.kernel, "strides": self.strides}
        given |= {"pads": self.flat_pads, "dilations": self.dilations}
        return given | {"ceil_mode": self.ceil}

    def plain(self, x: Value, *, clips: bool = False) -> dict[str, Any] | None:
        """Arguments of a pool without ceil_mode and dilation that gives the same, else None.

        `clips`: the divisor leaves out what overhangs, so there must be nothing.
        """
        if any(d > 1 for d in self.dilations):
            return None
        pads = self.flat_pads
        if self.ceil:
            axes = zip(x.shape[2:], self.kernel, self.strides, self.pads, strict=True)
            grown = [_padding_of_last_window(*axis) for axis in axes]
            if any(g is None for g in grown):
                return None
            whole = tuple(p for g in grown if g is not None for p in g)
            if clips and whole != pads:
                return None
            pads = whole
        given: dict[str, Any] = {"kernel_shape": self.kernel, "strides": self.strides}
        return given | {"pads": pads if any(pads) else None}

    def with_axis(self) -> Window:
        """The same with an axis in front along which nothing moves."""
        given = (1, *self.kernel), (1, *self.strides), (0, *self.pads), (1, *self.dilations)
        return Window(*given, self.ceil)


def _padding_of_last_window(
    size: Dim, kernel: int, stride: int, pad: int
) -> tuple[int, int] | None:
    """Padding that makes the last window whole instead of overhanging; None where unknown."""
    if isinstance(size, Expr):
        return None
    room = size + 2 * pad - kernel
    count = min(-(-room // stride) + 1, -(-(size + pad) // stride))
    if count == room // stride + 1:
        return pad, pad
    if count < room // stride + 1:
        return None
    return pad, (count - 1) * stride + kernel - size - pad


def window(
    rank: int,
    kernel_size: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    ceil_mode: bool,
) -> Window:
    """No stride at all stands for the size of the kernel."""
    kernel = each_axis("kernel_size", kernel_size, rank)
    pads = each_axis("padding", padding, rank)
    steps = each_axis("stride", stride, rank) if stride else kernel
    dilated = each_axis("dilation", dilation, rank)
    if min(*kernel, *steps, *dilated) < 1:
        raise BadType(f"a pool with {kernel=}, stride={steps} and dilation={dilated}")
    if any(not 0 <= 2 * p <= k for p, k in zip(pads, kernel, strict=True)):
        raise BadType(f"a pool with padding={pads}: 0 to half of the kernel {kernel} is needed")
    return Window(kernel, steps, pads, dilated, ceil_mode)


def check_results(x: Value, results: Sequence[Value], rank: int) -> tuple[Value, ...]:
    """The results of a pool; BadType where `x` or a result is empty but for its batch."""
    for value in (x, *results):
        if 0 in value.shape[-rank - 1 :]:
            raise BadType(f"a pool over {rank} axes of {x.type}, which gives {results[0].type}")
    return tuple(results)
