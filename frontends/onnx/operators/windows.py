"""ONNX's description of sliding windows, in the standard's terms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from nnir.dim import Dim, Expr
from nnir.errors import BadType, NotConstant, Unsupported
from nnir.model import Value
from nnir.ops import windows as sizes_of_windows
from nnir.recipes.conv import Slide
from nnir.types import AutoPad

from ...table import Attributes, Ints

Padding = Literal["", "NOTSET", "SAME_LOWER", "SAME_UPPER", "VALID"]


@dataclass(frozen=True)
class Window:
    """Kernel, strides, dilations and (before, after) pads of each spatial axis."""

    kernel: Ints
    strides: Ints
    dilations: Ints
    pads: Ints
    auto_pad: AutoPad = AutoPad.NONE

    @property
    def rank(self) -> int:
        return len(self.kernel)

    @property
    def extents(self) -> Ints:
        return sizes_of_windows.extents(self.kernel, self.dilations)

    def slide(self, groups: int) -> Slide:
        """How a filter moves."""
        return Slide(self.strides, self.pads, self.dilations, groups, auto_pad=self.auto_pad)


def spatial(op: str, x: Value, *ranks: int) -> int:
    """The number of spatial axes; Unsupported unless it is one of `ranks`."""
    if x.rank - 2 not in ranks:
        raise Unsupported(f"{op} of a tensor of rank {x.rank}")
    return x.rank - 2


def list_of_rank(op: str, name: str, values: Sequence[int] | None, rank: int) -> Ints:
    """One number for each axis; ones when nothing is given."""
    result = tuple(values) if values else (1,) * rank
    if len(result) != rank:
        raise BadType(f"{op} with {name}={result}: {rank} numbers are needed")
    return result


def pair_pads(op: str, pads: Sequence[int] | None, rank: int) -> Ints:
    """All begins then all ends, as (before, after) axis by axis."""
    flat = tuple(pads) if pads else (0,) * (2 * rank)
    if len(flat) != 2 * rank:
        raise BadType(f"{op} with pads={flat}: {2 * rank} numbers are needed")
    return tuple(flat[k + half] for k in range(rank) for half in (0, rank))


def halves(total: int, auto_pad: str) -> tuple[int, int]:
    """Padding split so that the odd element is after (SAME_UPPER) or before (SAME_LOWER)."""
    small, large = total // 2, total - total // 2
    return (small, large) if auto_pad == "SAME_UPPER" else (large, small)


@dataclass(frozen=True)
class Moving(Attributes):
    """How a kernel moves; what is left out is 1, of pads 0, for every axis.

    The kernel of a convolution is that of its filter.
    """

    dilations: Ints = ()
    kernel_shape: Ints = ()
    pads: Ints = ()
    strides: Ints = ()

    def over(self, op: str, x: Value, kernel: Ints = ()) -> Window:
        """The window."""
        plain = self._without_pads(op, x, kernel)
        return replace(plain, pads=pair_pads(op, self.pads, plain.rank))

    def _without_pads(self, op: str, x: Value, kernel: Ints) -> Window:
        kernel = kernel or self.kernel_shape
        if not kernel:
            raise BadType(f"{op} without a kernel_shape")
        rank = spatial(op, x, len(kernel))
        strides = list_of_rank(op, "strides", self.strides, rank)
        return Window(kernel, strides, list_of_rank(op, "dilations", self.dilations, rank), ())


@dataclass(frozen=True)
class Sliding(Moving):
    """The attributes of convolutions and pools."""

    auto_pad: Padding = "NOTSET"

    @property
    def is_same(self) -> bool:
        """Whether the sizes say the padding."""
        return self.auto_pad.startswith("SAME")

    def over(self, op: str, x: Value, kernel: Ints = ()) -> Window:
        """The window with its padding resolved."""
        if self.is_same:
            return _same(op, x, self._without_pads(op, x, kernel), self.auto_pad)
        plain = replace(self, pads=()) if self.auto_pad == "VALID" else self
        return Moving.over(plain, op, x, kernel)


def _same(op: str, x: Value, plain: Window, auto_pad: str) -> Window:
    sizes = x.shape[2:]
    axes = list(zip(sizes, plain.extents, plain.strides, strict=True))
    totals = [_same_total(*axis) for axis in axes]
    if any(t is None for t in totals):
        if auto_pad == "SAME_UPPER" and all(d == 1 for d in plain.dilations):
            return replace(plain, auto_pad=AutoPad.SAME)
        raise NotConstant(f"{op} with auto_pad={auto_pad} needs known sizes, not {x.type}")
    pads = tuple(p for t in totals for p in halves(t or 0, auto_pad))
    return replace(plain, pads=pads)


def _same_total(size: Dim, extent: int, stride: int) -> int | None:
    """The padding on both sides; None where it depends on an unknown size."""
    if stride == 1:
        return extent - 1
    if isinstance(size, Expr):
        return None
    return max((-(-size // stride) - 1) * stride + extent - size, 0)
