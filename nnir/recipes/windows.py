"""Sliding windows: paddings SAME and VALID, strides and dilations as the standard says them.

TensorFlow and TFLite list an entry for every axis of the image.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .. import build
from ..dim import Dim, Expr
from ..errors import BadType, NotConstant, Unsupported
from ..model import Value
from ..ops import generate, shape, windows
from ..records import dataclass
from ..types import AutoPad
from .layout import is_channels_last, spatial_entries

Pads = tuple[int, ...]
"""(before, after), axis by axis."""


def window_positions(end: build.Size, stride: int, taps: np.ndarray) -> Value | np.ndarray:
    """The places [windows, elements] of all windows, which begin in front of `end`."""
    if isinstance(end, int):
        build.arange(max(end, 0) * len(taps) // stride)  # too many are refused
        return np.arange(0, end, stride)[:, None] + taps
    starts = generate.range_([0], end, [stride])
    return shape.unsqueeze(starts, [1]) + taps


@dataclass(frozen=True)
class Window:
    """What a window covers and how it moves, spatial axis by spatial axis."""

    kernel: tuple[int, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    padding: str
    explicit: Pads = ()

    @property
    def extents(self) -> tuple[int, ...]:
        return windows.extents(self.kernel, self.dilations)

    @property
    def dilates(self) -> bool:
        return any(d > 1 for d in self.dilations)

    @property
    def auto_pad(self) -> AutoPad:
        """The standard's mode; it has no SAME of dilated windows."""
        if self.padding == "SAME" and not self.dilates:
            return AutoPad.SAME
        return AutoPad.NONE

    def pads(self, sizes: Sequence[Dim]) -> Pads | None:
        """The padding of an input of `sizes`, where `auto_pad` does not say it."""
        if self.auto_pad == AutoPad.SAME:
            return None
        pads = self.all_pads(sizes)
        return pads if any(pads) else None

    def all_pads(self, sizes: Sequence[Dim]) -> Pads:
        """The padding of an input of `sizes`; NotConstant where it depends on an open one."""
        match self.padding:
            case "VALID":
                return (0,) * (2 * len(self.kernel))
            case "EXPLICIT":
                return self.explicit
            case "SAME":
                axes = zip(sizes, self.extents, self.strides, strict=True)
                return tuple(p for axis in axes for p in pads_of_same(*axis))
        raise Unsupported(f"padding={self.padding!r}")


def pads_of_same(size: Dim, extent: int, stride: int) -> tuple[int, int]:
    """The padding of one axis by SAME, the smaller half in front; NotConstant where it is open."""
    pads = windows.same_pads_of(size, extent, stride)
    if pads is None:
        raise NotConstant(f"padding='SAME' with stride {stride} of {size} elements, which are open")
    return pads


def make_window(
    kernel: Sequence[Dim],
    strides: Sequence[int],
    padding: str,
    data_format: str,
    dilations: Sequence[int] = (),
    explicit_paddings: Sequence[int] = (),
) -> Window:
    """A window from lists with an entry for every axis; `kernel` has only the spatial ones."""
    known = tuple(k for k in kernel if not isinstance(k, Expr))
    if len(known) != len(kernel):
        raise NotConstant(f"a window of {tuple(map(str, kernel))}")
    every = len(kernel) + 2
    for what, given in {"strides": strides, "dilations": dilations or (1,) * every}.items():
        if len(given) != every or any(g < 1 for g in given):
            raise BadType(f"{what}={tuple(given)}: {every} positive numbers are needed")
    if padding not in ("SAME", "VALID", "EXPLICIT"):
        raise Unsupported(f"padding={padding!r}")
    return Window(
        known,
        spatial_entries(strides, data_format, "strides"),
        spatial_entries(dilations or (1,) * every, data_format, "dilations"),
        padding,
        _explicit(explicit_paddings, every, data_format) if padding == "EXPLICIT" else (),
    )


def _explicit(given: Sequence[int], every: int, data_format: str) -> Pads:
    if len(given) != 2 * every or any(g < 0 for g in given):
        raise BadType(f"explicit_paddings={tuple(given)}: {2 * every} numbers are needed")
    pairs = list(zip(given[::2], given[1::2], strict=True))
    places = range(1, every - 1) if is_channels_last(data_format) else range(2, every)
    if any(p != (0, 0) for k, p in enumerate(pairs) if k not in places):
        raise Unsupported(f"explicit_paddings={tuple(given)} over batch or channels")
    return tuple(n for k in places for n in pairs[k])


def spatial_sizes(sizes: Sequence[Dim], data_format: str) -> tuple[Dim, ...]:
    """The sizes of the spatial axes of an image."""
    return tuple(sizes[1:-1]) if is_channels_last(data_format) else tuple(sizes[2:])


def known_channels(x: Value, data_format: str) -> int:
    """How many channels an image has; NotConstant where that is open."""
    found = x.shape[-1 if is_channels_last(data_format) else 1]
    if isinstance(found, Expr):
        raise NotConstant(f"the channels of {x.type}")
    return int(found)
