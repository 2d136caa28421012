"""Attributes that several operators have alike, as lowerings take them together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Self

from nnir.dim import Dim
from nnir.ops import recurrent, windows
from nnir.records import dataclass
from nnir.types import AutoPad

Ints = tuple[int, ...]
Floats = tuple[float, ...]


@dataclass(frozen=True)
class Window:
    """Where the windows of a convolution or a pool lie; what is left out is 1 for every axis.

    `pads` are (before, after) axis by axis, those of `auto_pad` NONE alone. The kernel of a
    convolution is that of its filter: see `over`.
    """

    strides: Ints = ()
    auto_pad: AutoPad = AutoPad.NONE
    pads: Ints = ()
    dilations: Ints = ()
    kernel_shape: Ints = ()
    ceil_mode: bool = False

    def __post_init__(self) -> None:
        rank = len(self.strides or self.kernel_shape)
        is_same = self.auto_pad == AutoPad.SAME  # which knows no dilations
        plain = {
            "strides": self.strides or (1,) * rank,
            "dilations": (() if is_same else self.dilations) or (1,) * rank,
            "pads": self.pads or (0,) * (2 * rank),
            "ceil_mode": self.ceil_mode and not is_same,
        }
        if self.auto_pad == AutoPad.VALID:
            plain |= {"auto_pad": AutoPad.NONE, "pads": (0,) * (2 * rank)}
        for name, value in plain.items():
            object.__setattr__(self, name, value)

    @property
    def rank(self) -> int:
        return len(self.strides)

    @property
    def is_same(self) -> bool:
        """Whether the padding depends on the sizes."""
        return self.auto_pad == AutoPad.SAME

    @property
    def is_dilated(self) -> bool:
        return max(self.dilations, default=1) > 1

    @cached_property
    def pairs(self) -> windows.Pairs:
        """(before, after) of each axis, as they are given."""
        return windows.pair_pads(self.pads, self.rank)

    @property
    def extents(self) -> Ints:
        """How much a window covers along each axis."""
        return windows.extents(self.kernel_shape, self.dilations)

    def over(self, kernel: Sequence[int]) -> Self:
        """The window of a filter of these sizes."""
        return replace(self, kernel_shape=tuple(kernel))

    def fit_padding(
        self, sizes: Sequence[Dim], *, inside: bool = False
    ) -> list[tuple[int, int]] | None:
        """The padding by which overhanging last windows are whole, where they are rounded up;
        `inside` says that none starts behind the data. None where that depends on a size that is
        not known."""
        axes = zip(sizes, self.extents, self.strides, self.pairs, strict=True)
        fits = [windows.fit_padding(*axis, inside=inside) for axis in axes]
        return None if None in fits else [pair for pair in fits if pair is not None]

    def starts_in_data(self, sizes: Sequence[Dim]) -> bool:
        """Whether no window, of which the last ones are rounded up, starts behind the data."""
        axes = zip(sizes, self.extents, self.strides, self.pairs, strict=True)
        return all(windows.starts_in_data(*axis) for axis in axes)

    def resolve_padding(self, sizes: Sequence[int]) -> windows.Pairs:
        """The padding that is really applied to axes of `sizes`."""
        return windows.resolve_padding(self.auto_pad, self.pads, sizes, self.extents, self.strides)

    def same_padding(self, sizes: Sequence[Dim]) -> windows.Pairs | None:
        """That of SAME, where it does not depend on an open size."""
        axes = zip(sizes, self.extents, self.strides, strict=True)
        found = [p for axis in axes if (p := windows.same_pads_of(*axis)) is not None]
        return tuple(found) if len(found) == self.rank else None


@dataclass(frozen=True)
class Transposed(Window):
    """The window of a transposed convolution."""

    output_padding: Ints | None = None
    output_shape: Ints | None = None

    @property
    def is_forced(self) -> bool:
        """Whether the border depends on the sizes."""
        return self.is_same or self.output_shape is not None

    def growth(self, sizes: Sequence[int]) -> list[tuple[int, int]]:
        """How much the whole result grows before and behind each axis; cuts are below 0.

        `sizes` are the input's, which need not be known unless the border is forced.
        """
        extra = self.output_padding or (0,) * self.rank
        if not self.is_forced:
            return [(-a, e - b) for (a, b), e in zip(self.pairs, extra, strict=True)]
        found, pairs = [], self.resolve_padding(sizes)
        for k, (before, after) in enumerate(pairs):
            full = (sizes[k] - 1) * self.strides[k] + self.extents[k]
            out = self.output_shape[k] if self.output_shape else full + extra[k] - before - after
            found.append((-before, out - full + before))
        return found


@dataclass(frozen=True)
class Cells:
    """What the cells of a recurrent layer do; GRU and LSTM have a flag of their own."""

    direction: str
    activations: tuple[str, ...]
    activation_alpha: Floats | None
    activation_beta: Floats | None
    clip: float | None
    linear_before_reset: bool | None = None
    input_forget: bool | None = None

    @property
    def reverses(self) -> tuple[bool, ...]:
        """For each direction whether it goes from the end."""
        return recurrent.DIRECTIONS[self.direction]

    def functions(self, each: int) -> tuple[str, ...]:
        """The names of `each` activations for every direction."""
        count = len(self.reverses)
        whole = len(self.activations) == each * count
        return self.activations if whole else self.activations * count


@dataclass(frozen=True)
class Regions:
    """The attributes of ROI_ALIGN and ROI_ALIGN_MAX."""

    output_height: int
    output_width: int
    sampling_ratio: int
    spatial_scale: float
    aligned: bool
