"""ONNX's description of sliding windows, in the standard's terms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar, Literal

from nnir.dim import Expr
from nnir.errors import BadType, NotConstant, Unsupported
from nnir.model import Value
from nnir.recipes.pool import PoolWindow
from nnir.recipes.windows import pads_of_same
from nnir.records import dataclass
from nnir.types import AutoPad

from ...table import Attributes, Ints

Padding = Literal["", "NOTSET", "SAME_LOWER", "SAME_UPPER", "VALID"]


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


@dataclass(frozen=True)
class Stepping(Attributes):
    """How a kernel moves; what is left out is 1, of pads 0, for every axis.

    The kernel of a convolution is that of its filter.
    """

    kernel_shape: Ints = ()
    pads: Ints = ()
    strides: Ints = ()
    dilations: ClassVar[Ints] = ()
    ceil_mode: ClassVar[bool] = False

    def over(self, op: str, x: Value, kernel: Ints = ()) -> PoolWindow:
        """The window."""
        plain = self._without_pads(op, x, kernel)
        return replace(plain, pads=pair_pads(op, self.pads, plain.rank))

    def for_filter(self, op: str, x: Value, w: Value) -> PoolWindow:
        """The window of a filter, whose size the attributes may repeat."""
        kernel = self.kernel_shape or w.shape[2:]
        pairs = zip(w.shape[2:], kernel, strict=False)
        fits = len(kernel) == w.rank - 2
        if not fits or any(a != b and not isinstance(a, Expr) for a, b in pairs):
            raise BadType(f"{op} with kernel_shape={self.kernel_shape} and a filter {w.type}")
        known = tuple(k for k in kernel if not isinstance(k, Expr))
        if len(known) < len(kernel):
            raise NotConstant(f"{op} needs the size of its kernel, not {w.type}")
        return self.over(op, x, known)

    def _without_pads(self, op: str, x: Value, kernel: Ints) -> PoolWindow:
        kernel = kernel or self.kernel_shape
        if not kernel:
            raise BadType(f"{op} without a kernel_shape")
        rank = spatial(op, x, len(kernel))
        strides = list_of_rank(op, "strides", self.strides, rank)
        dilations = list_of_rank(op, "dilations", self.dilations, rank)
        return PoolWindow(kernel, strides, (), dilations, self.ceil_mode)


@dataclass(frozen=True)
class Moving(Stepping):
    """One that may have gaps."""

    dilations: Ints = ()  # type: ignore[misc]


@dataclass(frozen=True)
class Padded(Stepping):
    """One whose padding the sizes may say."""

    auto_pad: Padding = "NOTSET"

    @property
    def is_same(self) -> bool:
        """Whether the sizes say the padding."""
        return self.auto_pad.startswith("SAME")

    def over(self, op: str, x: Value, kernel: Ints = ()) -> PoolWindow:
        """The window with its padding resolved."""
        if self.is_same:
            return _same(op, x, self._without_pads(op, x, kernel), self.auto_pad)
        plain = replace(self, pads=()) if self.auto_pad == "VALID" else self
        return Stepping.over(plain, op, x, kernel)


@dataclass(frozen=True)
class Sliding(Padded):
    """The attributes of convolutions."""

    dilations: Ints = ()  # type: ignore[misc]


@dataclass(frozen=True)
class Pooling(Sliding):
    """The attributes of pools, which may keep a last partial window."""

    ceil_mode: bool = False  # type: ignore[misc]


@dataclass(frozen=True)
class Gapless(Padded):
    """The attributes of pools whose windows have no gaps."""

    ceil_mode: bool = False  # type: ignore[misc]


def _same(op: str, x: Value, plain: PoolWindow, auto_pad: str) -> PoolWindow:
    """The odd element of the padding is behind (SAME_UPPER) or in front (SAME_LOWER)."""
    is_upper = auto_pad == "SAME_UPPER"
    axes = zip(x.shape[2:], plain.extents, plain.strides, strict=True)
    try:
        pairs = [pads_of_same(*axis)[:: 1 if is_upper else -1] for axis in axes]
    except NotConstant:
        if is_upper and all(d == 1 for d in plain.dilations):
            return replace(plain, auto_pad=AutoPad.SAME)
        raise NotConstant(f"{op} with {auto_pad=} needs known sizes, not {x.type}") from None
    return replace(plain, pads=tuple(p for pair in pairs for p in pair))
