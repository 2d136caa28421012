"""RESIZE as lowerings take it: its attributes."""

from __future__ import annotations

from nnir.broadcast import axes_of
from nnir.ops.sampling import Filter
from nnir.records import dataclass

from .attributes import Ints


@dataclass(frozen=True)
class Corners:
    """The attributes of RESIZE_LINEAR."""

    align_corners: bool
    align_mode: int | None

    @property
    def rule(self) -> str:
        """What RESIZE calls it."""
        if self.align_corners:
            return "align_corners"
        return "half_pixel" if self.align_mode == 0 else "asymmetric"


@dataclass(frozen=True)
class Resizing:
    """The attributes of RESIZE."""

    mode: str
    coordinate_transformation_mode: str
    nearest_mode: str
    antialias: bool
    axes: Ints | None
    cubic_coeff_a: float
    exclude_outside: bool
    extrapolation_value: float
    keep_aspect_ratio_policy: str

    @property
    def is_nearest(self) -> bool:
        """Whether elements are moved and nothing is computed."""
        return self.mode == "nearest"

    @property
    def filter(self) -> Filter:
        """How one axis is resampled."""
        return Filter(
            self.mode,
            self.coordinate_transformation_mode,
            self.nearest_mode,
            self.antialias,
            self.exclude_outside,
            self.cubic_coeff_a,
        )

    def axes_of(self, rank: int) -> Ints:
        """The axes that are resized, from the front."""
        return tuple(axes_of(range(rank) if self.axes is None else self.axes, rank))
